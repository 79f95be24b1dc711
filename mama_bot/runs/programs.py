"""The programs that are known, by name."""

from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files

from mama_bot.runs.recognisers import (
    cargo_test,
    cmake,
    gh,
    go_test,
    java,
    node,
    pytest,
    ruff,
    tsc,
    vercel,
)
from mama_bot.runs.scripts import (
    PACKAGE_RUNNERS,
    SESSION_RUNNERS,
    TASK_RUNNERS,
    gradle,
    kind_of_name,
    maven,
    package_script,
    python_script,
    script,
    session_runner,
    task,
)
from mama_bot.runs.tools import Recognise, Tool, known_program
from mama_bot.shell.tokens import word_set
from mama_bot.shell.wrappers import OPTIONED, PLAIN, SHELLS, program
from mama_bot.shell.wrappers import SPECIAL as SHELL_SPECIAL

HELP = frozenset({"--help", "-h", "--version", "-V", "help", "--fixtures", "--markers"})
CARGO_SHORT = word_set("test t")


def _package(argv: Sequence[str]) -> Tool | None:
    return package_script(argv, recognise)


# By its first words; those of one word are tried last.
SPECIAL: Mapping[tuple[str, ...], Recognise] = {
    **dict.fromkeys((("pytest",), ("py.test",)), pytest),
    **dict.fromkeys(((name,) for name in SESSION_RUNNERS), session_runner),
    **dict.fromkeys(((name,) for name in TASK_RUNNERS), task),
    **dict.fromkeys(((name,) for name in PACKAGE_RUNNERS), _package),
    **dict.fromkeys((("cargo", word) for word in CARGO_SHORT), cargo_test),
    **dict.fromkeys((("gradle",), ("gradlew",)), gradle),
    **dict.fromkeys((("mvn",), ("mvnw",)), maven),
    **dict.fromkeys((("tsc",), ("vue-tsc",)), tsc),
    **dict.fromkeys((("python",), ("pypy3",)), python_script),
    ("node",): node,
    ("go", "test"): go_test,
    ("ruff",): ruff,
    ("cmake",): cmake,
    ("java",): java,
    ("gh",): gh,
    ("vercel",): vercel,
}
LINES = files("mama_bot.runs").joinpath("programs.txt").read_text(encoding="utf-8").splitlines()
BY_WORDS: Mapping[tuple[str, ...], Recognise] = {
    **dict(known_program(line) for line in LINES if line and not line.startswith("#")),
    **SPECIAL,
}
PROGRAMS = frozenset(words[0] for words in BY_WORDS)
MOST_WORDS = max(map(len, BY_WORDS))


def recognise(argv: Sequence[str]) -> Tool | None:
    """Return the tool that a program is, without its wrappers; None for what no claim could be about."""
    own = argv[1 : list(argv).index("--") if "--" in argv else None]
    if not argv or (("--help" in own or any(word in HELP for word in argv[1:3])) and "-h" not in argv[0]):
        return None
    name = program(argv[0])
    if name in PROGRAMS:
        return next((tool for at, known in _entries(name, argv) if (tool := known(argv[at:])) is not None), None)
    if "/" in argv[0] or name.endswith((".sh", ".py")):
        return script(kind_of_name(name.rpartition(".")[0] or name), name, argv[1:])
    return None


def _entries(name: str, argv: Sequence[str]) -> Iterator[tuple[int, Recognise]]:
    """Yield what a program may be by its own first words, the longest first, each with where its words begin."""
    places = [at for at, word in enumerate(argv[:12]) if at == 0 or not word.startswith(("-", "+"))][:MOST_WORDS]
    words = (name, *(argv[at] for at in places[1:]))
    for length in range(len(words), 0, -1):
        if (known := BY_WORDS.get(words[:length])) is not None:
            yield places[length - 1], known


# They name a file or a command without running it.
NAMING = word_set(
    "function hash echo printf man which whereis type grep egrep fgrep rg cat ls head tail less more find fd sed "
    "awk jq diff stat file wc sort uniq cp mv rm touch ln mkdir chmod chown test [ [[ cd export source . read true "
    "false : kill pkill pgrep pidof killall ps alias unset set trap wait git vim vi nano code open tar zip unzip "
    "tree du df date sleep tee xxd base64 md5 md5sum sha256sum cut tr rev strings nl tac column yes seq dirname "
    "basename readlink shellcheck"
)
# They run what they are given elsewhere, at another time, or as something else.
REMOVED = word_set(
    "brew apt apt-get dnf yum apk pacman port pip pipx gem cargo go ssh scp kubectl heroku curl wget docker podman "
    "gh asdf nvm pyenv rbenv volta claude codex node python ruby perl php deno java"
)
KNOWN = PROGRAMS | NAMING | REMOVED | PLAIN | OPTIONED | SHELLS | frozenset(SHELL_SPECIAL)
NO_COMMAND = word_set(
    "install add remove uninstall search info list ls show upgrade update help which use unuse exists"
)
# Words that are names of programs as well.
WORDS_TOO = word_set("build task flow stack cap ab next forge rails invoke")
MOST_SKIPPED = 6


def behind_wrapper(argv: Sequence[str]) -> tuple[str, ...] | None:
    """Return the command behind a first word that nobody knows: `rtk git commit`, `mise exec -- go test`.

    None where no known program follows, directly, behind one word of its own, `-c` or `--`.
    """
    name = program(argv[0]) if argv else ""
    if "--" in argv[:MOST_SKIPPED] and name not in KNOWN - TASK_RUNNERS:
        at = list(argv).index("--") + 1
        return tuple(argv[at:]) if at < len(argv) and _begins(argv[at:]) else None
    if not name or "=" in name or argv[0].endswith((".sh", ".py")) or name in KNOWN:
        return None
    plain = 0
    for at, word in enumerate(argv[1:MOST_SKIPPED], 1):
        if word in NO_COMMAND:
            return None
        if not word.startswith("-") and _begins(argv[at:]) and (plain == 0 or argv[at - 1] == "-c" or plain == 1):
            return tuple(argv[at:])
        plain += not word.startswith("-")
    return None


def _begins(argv: Sequence[str]) -> bool:
    """Return whether a command begins here: a known one with words of its own."""
    name = program(argv[0])
    if name in WORDS_TOO:
        return False
    return name == "git" or (name in SHELLS and "-c" in argv[1:3]) or recognise(argv) is not None
