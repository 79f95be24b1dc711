"""What programs do, as far as a reader's policy needs to know: the ones that only look, and the words that end that."""

from collections.abc import Callable, Mapping, Sequence

from mama_bot.shell.tokens import word_set
from mama_bot.text.patterns import compiled

# Where programs lie; a program anywhere else is a file of the workspace.
PLACES = compiled(
    r"/usr/bin|/bin|/usr/local/bin"
    r"|(?:.*/)?(?:\.?v?env[\w-]*|\.tox/[\w.-]+|\.nox/[\w.-]+)/bin"
    r"|(?:.*/)?node_modules/\.bin"
    r"|(?:.*/)?vendor/bin",
    ignore_case=False,
)
# Variables that change how a check runs, not what runs.
ASSIGNABLE = compiled(
    r"PYTHON(?:PATH|WARNINGS|UNBUFFERED|DONTWRITEBYTECODE|HASHSEED|UTF8|IOENCODING|ASYNCIODEBUG)"
    r"|CI|TZ|TERM|COLUMNS|LANG|LC_\w+|NODE_ENV|FORCE_COLOR|NO_COLOR|CLICOLOR\w*"
    r"|RUST_(?:BACKTRACE|LOG)"
    r"|CARGO_TERM_COLOR|DJANGO_SETTINGS_MODULE|DEBUG|TEST_\w+|HYPOTHESIS_\w+",
    ignore_case=False,
)
# They change nothing whatever their arguments are.
ANY_ARGUMENTS = word_set(
    "ls cat head tail wc grep egrep fgrep zgrep cut tr nl cmp comm diff file stat du df pwd cd pushd popd echo printf "
    "true false test [ [[ : which type basename dirname realpath readlink id whoami uname od hexdump strings md5sum "
    "sha1sum sha256sum sha512sum cksum column paste fold expand seq sleep jq tac rev exit return break continue set "
    "shopt ulimit printenv nproc"
)
# Words with which they would write, set a variable, or evaluate what looks like a number.
ENDING = {
    "file": ("-C", "--compile"),
    "printf": ("-v",),
    "test": ("-v",),
    "[": ("-v",),
    "[[": ("-v",),
}
# Among them, those whose arguments may come from a file.
FROM_ANYWHERE = ANY_ARGUMENTS - word_set(
    "file printf test [ [[ cd pushd popd set shopt ulimit exit return break continue"
)
MODULES = word_set(
    "pytest unittest tox nox mypy pyright flake8 pylint pycodestyle pydocstyle bandit vulture yamllint black isort "
    "ruff doctest coverage json.tool"
)
# Subcommands that only look with one of these words.
NEEDED: Mapping[tuple[str, str], frozenset[str]] = {
    ("ruff", "format"): word_set("--check --diff"),
    ("cargo", "fmt"): word_set("--check"),
    ("dotnet", "format"): word_set("--verify-no-changes"),
}
# Programs that run what a project has named; the words that may stand before the name.
SCRIPT_RUNNERS: Mapping[str, frozenset[str]] = {
    "npm": word_set("run run-script"),
    "yarn": word_set("run"),
    "pnpm": word_set("run"),
    "bun": word_set("run"),
    "tox": word_set("run r run-parallel p"),
    **dict.fromkeys(word_set("make just rake gradle gradlew mvn mvnw nox"), frozenset[str]()),
}
GOALS = word_set("test verify compile test-compile validate checkstyle:check spotbugs:check pmd:check")


def _skip(argv: Sequence[str], at: int, values: frozenset[str], alone: frozenset[str]) -> int | None:
    """Return where the options of a wrapper end; None for an unknown option."""
    while at < len(argv) and argv[at].startswith("-") and len(argv[at]) > 1:
        option, equals, _ = argv[at].partition("=")
        if option in values:
            at += 1 if equals else 2
        elif option in alone:
            at += 1
        else:
            return None
    return at


def _timeout(argv: Sequence[str]) -> Sequence[str] | None:
    at = _skip(
        argv, 1, word_set("-k -s --kill-after --signal"), word_set("--foreground --preserve-status -v --verbose")
    )
    return None if at is None or at + 1 >= len(argv) else argv[at + 1 :]


def _plain(values: str, alone: str) -> Callable[[Sequence[str]], Sequence[str] | None]:
    def peel(argv: Sequence[str]) -> Sequence[str] | None:
        at = _skip(argv, 1, word_set(values), word_set(alone))
        return None if at is None else argv[at:]

    return peel


def _run(values: str) -> Callable[[Sequence[str]], Sequence[str] | None]:
    """Return the function that takes a runner off a command: `uv run pytest` becomes `pytest`."""

    def peel(argv: Sequence[str]) -> Sequence[str] | None:
        if len(argv) < 3 or argv[1] != "run":
            return None
        at = _skip(
            argv, 2, word_set(values), word_set("--frozen --locked --no-sync --offline --quiet -q --no-project -m")
        )
        if at is None or at >= len(argv):
            return None
        return ["python", "-m", *argv[at:]] if "-m" in argv[2:at] else argv[at:]

    return peel


def _xargs(argv: Sequence[str]) -> Sequence[str] | None:
    at = _skip(
        argv, 1, word_set("-n -P -I -L -d -a --max-args --max-procs"), word_set("-0 -r -t --null --no-run-if-empty")
    )
    if at is None:
        return None
    inner = argv[at:]
    # What is read becomes arguments that nobody looked at: only for programs that are safe with any.
    return inner if not inner or inner[0] in FROM_ANYWHERE else None


WRAPPERS: Mapping[str, Callable[[Sequence[str]], Sequence[str] | None]] = {
    "timeout": _timeout,
    "gtimeout": _timeout,
    "nice": _plain("-n", ""),
    "time": _plain("-f", "-p -v"),
    "command": lambda argv: [] if list(argv[1:2]) == ["-v"] else argv[1:],
    "stdbuf": _plain("-i -o -e", ""),
    "npx": _plain("", "--no-install --no --yes -y"),
    "uv": _run("--extra --group --package"),
    **dict.fromkeys(word_set("nohup bunx uvx"), _plain("", "")),
    **dict.fromkeys(word_set("poetry pipenv pdm hatch"), _run("")),
    "xargs": _xargs,
}
