"""Rules for programs with more than options: git, find, sed, awk, python, scripts of a project."""

from collections.abc import Callable, Sequence

from mama_bot.shell.tokens import word_set
from mama_bot.text.patterns import compiled
from mama_bot.tool_policy.read_only.git_rules import git_refusal
from mama_bot.tool_policy.read_only.known import SHOWN
from mama_bot.tool_policy.read_only.known_programs import GOALS, MODULES, NEEDED, SCRIPT_RUNNERS
from mama_bot.tool_policy.read_only.options import OPTIONS

# Programs that only read: their files may lie anywhere.
LOOKING = word_set("git find sed awk gawk mawk")
_SED = compiled(
    r"\s*(?:(?:\d+|\$)?(?:,(?:\+?\d+|\$))?!?[pdq=]?"
    r"|/[^/]*/(?:,/[^/]*/)?!?[pdq=]?"
    r"|s/(?:[^/\\]|\\.)*/(?:[^/\\]|\\.)*/[gpIi\d]*"
    r"|s\|(?:[^|\\]|\\.)*\|(?:[^|\\]|\\.)*\|[gpIi\d]*)\s*",
    ignore_case=False,
)
# Strings and patterns are not told apart from the rest: whatever follows the first print is taken for one that writes.
_AWK = compiled(r"(?s)system|getline|@|(?:^|[^|])\|(?:[^|]|$)|\|\|\||print.*>", ignore_case=False)
_FIND = word_set(
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -maxdepth -mindepth -not "
    "-a -o -and -or -print -print0 -printf -ls -prune -quit -size -mtime -mmin -newer -newermt -newerct -empty -perm "
    "-user -group -L -P -H -depth -mount -xdev -ctime -cmin -atime -amin -cnewer -anewer -samefile -links -inum "
    "-executable -readable -writable -true -false -follow -lname -ilname -daystart -d -E -noleaf -nouser -nogroup "
    "-used -uid -gid -fstype"
)
_FIND_VALUE = compiled(r"-\d\w*|-[ugoa]*[+=]?[rwxst]+|-[0-7]+", ignore_case=False)
_CHECKS = word_set(
    "test tests spec specs check checks lint lints types typecheck tsc build ci verify coverage cov unit integration "
    "e2e compile vet mypy ruff pytest eslint jest vitest typing clippy"
)
# What follows these may be any name of a part, unless it says that it changes something.
_LEADING = word_set("test tests spec lint typecheck unit e2e pytest jest vitest eslint")
_NEUTRAL = word_set(
    "all type fast slow quick full watch py python js ts node web app api core docs doc src lib frontend backend "
    "server client smoke local strict only once no code style format functional acceptance system static debug"
)
_CHANGING = word_set(
    "fix write fmt update install deploy deployment publish release clean push upload migrate migration migrations "
    "seed sync reset drop delete remove rm apply ship rollout bump version tag commit generate gen codegen snapshot "
    "snapshots record start serve run prod production live send notify up down restart init setup bootstrap wipe purge "
    "autofix save overwrite export import backup restore"
)
_INTERPRETER = compiled(r"py(?:py)?[\d.]+|\d[\d.x]*", ignore_case=False)


def is_check(name: str) -> bool:
    """Whether a script, target or session is named for a check, and for nothing that changes something."""
    parts = name.lower().replace("-", ":").replace("_", ":").replace(":", " ").split()
    if not parts or not set(name) <= _NAME_LETTERS or not _CHANGING.isdisjoint(parts):
        return False
    if not any(part in _CHECKS or part == "py" or _INTERPRETER.fullmatch(part) for part in parts):
        return name == "all"
    return parts[0] in _LEADING or all(
        part in _CHECKS or part in _NEUTRAL or _INTERPRETER.fullmatch(part) is not None for part in parts
    )


_NAME_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_:.")
# Options whose next word is their value and no target.
_TAKING = word_set("--tests -T -pl --projects --max-workers --console --warning-mode")


def _find(argv: Sequence[str]) -> str:
    odd = next((w for w in argv[1:] if w.startswith("-") and w not in _FIND and _FIND_VALUE.fullmatch(w) is None), "")
    return f"find {odd[:SHOWN]} is not known to change nothing" if odd else ""


def _sed(argv: Sequence[str]) -> str:
    scripts: list[str] = []
    words = list(argv[1:])
    given = False
    while words:
        word = words.pop(0)
        if word in ("-e", "--expression") and words:
            scripts.append(words.pop(0))
            given = True
        elif word in ("-n", "-E", "-r", "-u", "-s", "--quiet", "--silent", "--regexp-extended", "-ne", "-nE", "-nr"):
            if word == "-ne" and words:
                scripts.append(words.pop(0))
                given = True
        elif word.startswith("-"):
            return f"sed {word[:SHOWN]} may change files"
        elif not given:
            scripts.append(word)
            given = True
    parts = [part for script in scripts for part in script.split(";")]
    odd = next((part for part in parts if _SED.fullmatch(part) is None), None)
    return "" if odd is None else f"the sed script {odd[:SHOWN]!r} is not understood"


def _awk(argv: Sequence[str]) -> str:
    words = argv[1:]
    if any(word.startswith("-") and word[:2] not in ("-F", "-v") for word in words):
        return "awk with these options is not understood"
    odd = next((word for word in words if _AWK.search(word.replace("sprintf", "S")) is not None), "")
    return "the awk script may write or run something" if odd else ""


def _python(argv: Sequence[str]) -> str:
    at = 1
    while at < len(argv) and argv[at] in ("-u", "-B", "-I", "-E", "-s", "-X", "-W"):
        if argv[at] == "-X" and argv[at + 1 : at + 2] not in (["dev"], ["utf8"], ["faulthandler"]):
            return "the option -X of python is not understood"
        at += 2 if argv[at] in ("-X", "-W") else 1
    rest = list(argv[at:])
    if rest in (["--version"], ["-V"]):
        return ""
    if rest[:1] == ["-m"] and len(rest) > 1:
        return _module(rest[1:])
    if rest and rest[0] in ("manage.py", "./manage.py"):
        return OPTIONS["manage.py"].refusal("manage.py", rest[1:])
    return "what python would run is not looked into (only known modules: python -m pytest, unittest, mypy)"


def _module(argv: Sequence[str]) -> str:
    name = argv[0]
    if name not in MODULES:
        return f"the module {name[:SHOWN]} is not known to change nothing"
    return SPECIAL[name](argv) if name in SPECIAL else OPTIONS[name].refusal(name, argv[1:])


def _subcommand(argv: Sequence[str]) -> str:
    """Refuse subcommands that change files unless told not to: `ruff format`, `cargo fmt`."""
    name = argv[0].rpartition("/")[2]
    if list(argv[1:]) in (["--version"], ["-V"]):
        return ""
    named = [word for word in argv[1:] if not word.startswith("-")]
    needed = NEEDED.get((name, named[0] if named else ""))
    if needed is not None and not needed.intersection(argv):
        return f"{name} {named[0]} changes files without {' or '.join(sorted(needed))}"
    if named[:1] == ["nextest"] and named[1:2] not in (["run"], ["list"]):
        return "cargo nextest is only known with run or list"
    return OPTIONS[name].refusal(name, argv[1:])


def _scripts(argv: Sequence[str]) -> str:
    """Refuse targets, goals, scripts and sessions of npm, make and the like that are not named for a check."""
    name = argv[0].rpartition("/")[2]
    if any("=" in word and not word.startswith("-") for word in argv[1:]):
        return f"a variable of {name} may change what it runs"
    named = _targets(name, argv)
    if not named and name != "tox":
        return f"{name} without the name of a check is not understood"
    for target in named:
        if target not in GOALS if name in ("mvn", "mvnw") else not is_check(target):
            return f"{name} {target[:SHOWN]} is not known to be a check"
    return OPTIONS[name].refusal(name, argv[1:])


def _targets(name: str, argv: Sequence[str]) -> list[str]:
    words_left = [word for at, word in enumerate(argv) if at and argv[at - 1] not in _TAKING]
    if name in ("tox", "nox"):
        joined = [word.removeprefix("-e").removeprefix("-s") for word in words_left if word not in ("-e", "-s")]
        given = [word.partition("=")[2] if word.startswith("--session") else word for word in joined]
        lead = SCRIPT_RUNNERS[name]
        split = [target for word in given if not word.startswith("-") and word for target in word.split(",")]
        return split[1:] if split and split[0] in lead else split
    named = [word for word in words_left if not word.startswith("-") and not (name == "make" and word.isdigit())]
    if name in ("gradle", "gradlew"):
        return [word.rpartition(":")[2] for word in named]
    lead = SCRIPT_RUNNERS[name]
    if not lead:
        return named
    if named[:1] and named[0] in lead:
        return named[1:2]
    # Without `run` the word may be a command of the program itself: npm ci, bun build.
    own = name in ("npm", "bun") or named[:1] == ["ci"]
    return [] if own and named[:1] != ["test"] else named[:1]


def _coverage(argv: Sequence[str]) -> str:
    given = list(argv[1:])
    if given[:1] == ["report"]:
        return OPTIONS["report"].refusal("coverage report", given[1:])
    if given[:1] == ["run"] and "-m" in given:
        at = given.index("-m")
        reason = OPTIONS["run"].refusal("coverage run", given[1:at])
        named = [word for word in given[1:at] if not word.startswith("-")]
        return reason or ("coverage run of a file is not looked into" if named else _module(given[at + 1 :] or [""]))
    return "coverage is only known as `coverage run -m pytest` and `coverage report`"


def _one_file(argv: Sequence[str]) -> str:
    """Refuse a second file: the program writes it."""
    named = [word for word in argv[1:] if not word.startswith("-") and not word.isdigit()]
    if len(named) > 1:
        return f"{argv[0]} may write its second file"
    return OPTIONS[argv[0].rpartition("/")[2]].refusal(argv[0], argv[1:])


def _date(argv: Sequence[str]) -> str:
    odd = [w for at, w in enumerate(argv) if at and w[:1] not in "+-" and argv[at - 1] not in ("-d", "--date", "-r")]
    return "date may set the clock" if odd else OPTIONS["date"].refusal("date", argv[1:])


SPECIAL: dict[str, Callable[[Sequence[str]], str]] = {
    "git": git_refusal,
    "find": _find,
    "sed": _sed,
    **dict.fromkeys(("awk", "gawk", "mawk"), _awk),
    "python": _python,
    "coverage": _coverage,
    "date": _date,
    **dict.fromkeys(("uniq", "xxd"), _one_file),
    **dict.fromkeys(("ruff", "cargo", "dotnet", "mypy", "pip", "go"), _subcommand),
    **dict.fromkeys(SCRIPT_RUNNERS, _scripts),
}
