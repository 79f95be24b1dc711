"""Which shell commands only look: whatever is not known to is refused, with the reason.

A policy, not a sandbox: a test runs the code of the workspace, and that code can do what it likes.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mama_bot.enforcement.language.patterns import compiled
from mama_bot.enforcement.read_only_programs import (
    ANY_ARGUMENTS,
    ASSIGNABLE,
    CHECKERS,
    FORBIDDEN_WORDS,
    GIT_FORBIDDEN,
    GIT_GLOBAL,
    GIT_LISTING,
    GIT_READING,
    MODULES,
    NEEDED_WORDS,
    PLACES,
    READERS,
    SCRIPT_RUNNERS,
    SUBCOMMANDS,
    WRAPPERS,
    is_one_of,
)
from mama_bot.enforcement.runs.shell import Redirect, SimpleCommand, commands_of

DEVICES = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"})
DEEPEST = 4
SHOWN = 80
_HIDDEN = ("$(", "`", "<(", ">(")
_SED = compiled(
    r"\s*(?:(?:\d+|\$)?(?:,(?:\+?\d+|\$))?!?[pdq=]?|/[^/]*/(?:,/[^/]*/)?!?[pdq=]?|s/(?:[^/\\]|\\.)*/(?:[^/\\]|\\.)*/[gpIi\d]*"
    r"|s\|(?:[^|\\]|\\.)*\|(?:[^|\\]|\\.)*\|[gpIi\d]*)\s*",
    ignore_case=False,
)
_AWK = compiled(r"[>|]|\bsystem\b|\bgetline\b|@load|@include|\bprintf?\s*\(.*>")
_CHECKING = compiled(
    r"(?:.*[:\-_])?(?:tests?|spec|check|checks|lint|lints|types?|typecheck|type-check|tsc|build|ci|verify|coverage|unit|"
    r"integration|e2e|compile|all|vet|mypy|ruff|pytest|eslint|jest|vitest)(?:[:\-_].*)?"
)
_CHANGING = compiled(
    r"(?:^|[:\-_])(?:fix|write|format|fmt|update|install|deploy|publish|release|clean|push)(?:$|[:\-_])"
)


@dataclass(frozen=True, slots=True)
class ReadOnlyCommands:
    """Judges the commands of an agent that may only look, in its workspace; `temporary` are its own directories."""

    temporary: tuple[Path, ...] = (Path("/tmp"),)  # noqa: S108 - where it may leave its own notes

    def refusal(self, command: str, workspace: Path) -> str:
        """Why a command is refused, in a sentence for the agent; "" when it is known to change nothing."""
        reason = self._refused(command, workspace, 0)
        if not reason:
            return ""
        return (
            f"You may only look here, and this command was not run: {reason}. Read files, use git diff, log, show or "
            "status, and run tests, linters and type checkers as they are; write only below /tmp."
        )

    def _refused(self, command: str, workspace: Path, depth: int) -> str:
        if depth > DEEPEST:
            return "it is nested too deeply to be understood"
        hidden = next((sign for sign in _HIDDEN if sign in command), "")
        if hidden:
            return f"it holds {hidden}, and what is inside is not looked into"
        found = commands_of(command)
        if found is None:
            return "it is not understood"
        for one in found:
            reason = self._of(one, workspace, depth)
            if reason:
                return reason
        return ""

    def _of(self, one: SimpleCommand, workspace: Path, depth: int) -> str:
        for redirect in one.redirects:
            if redirect.writes and not self._may_write(redirect, workspace):
                return f"it writes to {redirect.target[:SHOWN]!r}"
        for assignment in one.assignments:
            name = assignment.partition("=")[0]
            if ASSIGNABLE.fullmatch(name) is None and (one.argv or not name.islower()):
                return f"it sets {name[:SHOWN]}"
        return self._words(one.argv, workspace, depth) if one.argv else ""

    def _may_write(self, redirect: Redirect, workspace: Path) -> bool:
        target = redirect.target
        if target in DEVICES or (redirect.operator == ">&" and target == "-"):
            return True
        if not target.startswith("/") or any(sign in target for sign in "$*?[{~"):
            return False
        return self._is_temporary(target, workspace)

    def _is_temporary(self, name: str, workspace: Path) -> bool:
        real = Path(os.path.realpath(name))
        if real.is_relative_to(os.path.realpath(workspace)):
            return False
        return any(real.is_relative_to(os.path.realpath(place)) and real != place for place in self.temporary)

    def _words(self, argv: Sequence[str], workspace: Path, depth: int) -> str:
        name = program_of(argv[0])
        if name is None:
            return f"{argv[0][:SHOWN]!r} is no program that is known to change nothing"
        if name in WRAPPERS:
            inner = WRAPPERS[name](argv)
            if inner is None:
                return f"the options of {name} are not understood"
            return self._words(inner, workspace, depth + 1) if inner and depth < DEEPEST else ""
        if name in ("bash", "sh"):
            if len(argv) == 3 and argv[1] in ("-c", "-lc", "-ec", "-euc"):
                return self._refused(argv[2], workspace, depth + 1)
            return f"what {name} would run is not looked into"
        return "" if name in ANY_ARGUMENTS else self._program(name, argv, workspace)

    def _program(self, name: str, argv: Sequence[str], workspace: Path) -> str:
        if name in ("export", "local", "declare", "readonly"):
            odd = next((word for word in argv[1:] if ASSIGNABLE.fullmatch(word.partition("=")[0]) is None), "")
            return f"it sets {odd[:SHOWN]}" if odd else ""
        openings = ("$", "{-", "{,") if name.endswith("awk") else ("$", "{", "~")
        if any(word.startswith(openings) for word in argv[1:]):
            return f"a word of {name} is only known when it runs"
        if name == "tee":
            named = [word for word in argv[1:] if not word.startswith("-")]
            return "" if all(w.startswith("/") and self._is_temporary(w, workspace) for w in named) else "tee writes"
        special = _SPECIAL.get(name)
        if special is not None:
            return special(argv)
        return _known(name, argv)


def program_of(word: str) -> str | None:
    """The name of a program that lies where programs lie; None for any other file, or a variable."""
    if "$" in word or "=" in word:
        return None
    place, _, name = word.rpartition("/")
    if place and not word.startswith("/") and name in ("gradlew", "mvnw"):
        return name
    if place and PLACES.fullmatch(place) is None:
        return None
    return "python" if name.startswith("python") and name[6:].replace(".", "").isdigit() else name


def _known(name: str, argv: Sequence[str]) -> str:
    """For programs that only look but for certain words."""
    if name not in READERS and name not in CHECKERS:
        return f"{name[:SHOWN]} is not known to change nothing"
    return _options(name, argv[1:])


def _options(name: str, words: Sequence[str]) -> str:
    forbidden = FORBIDDEN_WORDS.get(name, frozenset())
    common = frozenset() if name in READERS else FORBIDDEN_WORDS["*"]
    for word in words:
        option = word.partition("=")[0]
        if name not in READERS and option.endswith("-report") and option.startswith("--"):
            return f"{name} {option[:SHOWN]} writes a report"
        if option in common or is_one_of(option, forbidden) or (option[:2] == "--" and is_one_of(option, common)):
            return f"{name} {option[:SHOWN]} changes files"
    needed = NEEDED_WORDS.get(name)
    if needed is not None and not needed.intersection(word.partition("=")[0] for word in words):
        return f"{name} changes files without {' or '.join(sorted(needed))}"
    return ""


def _git(argv: Sequence[str]) -> str:
    at = 1
    while at < len(argv) and argv[at].startswith("-"):
        if argv[at].partition("=")[0] not in GIT_GLOBAL:
            return f"git {argv[at][:SHOWN]} is not understood"
        at += 2 if argv[at] == "-C" else 1
    if at >= len(argv):
        return ""
    name, words = argv[at], argv[at + 1 :]
    for word in words:
        if word == "--":
            break
        option = word.partition("=")[0]
        if option.startswith("--") and option != "--text" and is_one_of(option, GIT_FORBIDDEN):
            return f"git {name} {word[:SHOWN]} may write or run something"
        if word.startswith("-O") or (name == "grep" and is_one_of(word, frozenset({"-O"}))):
            return f"git {name} {word[:SHOWN]} may run something"
    if name in GIT_READING:
        return ""
    listing = GIT_LISTING.get(name)
    if listing is None:
        return f"git {name[:SHOWN]} is not known to change nothing"
    return "" if listing(words) else f"git {name} may only list here"


def _find(argv: Sequence[str]) -> str:
    acting = ("-delete", "-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fprint0", "-fprintf", "-fls")
    found = next((word for word in argv[1:] if word in acting), "")
    return f"find {found} changes or runs something" if found else ""


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
    odd = next((word for word in words if _AWK.search(word) is not None), "")
    return "the awk script may write or run something" if odd else ""


def _python(argv: Sequence[str]) -> str:
    at = 1
    while at < len(argv) and argv[at] in ("-u", "-B", "-I", "-E", "-s", "-X", "-W"):
        at += 2 if argv[at] in ("-X", "-W") else 1
    if argv[at : at + 1] in (["--version"], ["-V"], ("--version",), ("-V",)):
        return ""
    if argv[at : at + 1] and argv[at] == "-m" and at + 1 < len(argv):
        module = argv[at + 1]
        if module in MODULES:
            inner = [module, *argv[at + 2 :]]
            return _SPECIAL[module](inner) if module in _SPECIAL else _options(module, inner[1:])
        return f"the module {module[:SHOWN]} is not known to change nothing"
    if (
        argv[at : at + 2]
        and argv[at].endswith("manage.py")
        and argv[at + 1 : at + 2]
        and argv[at + 1] in ("test", "check")
    ):
        return _options("pytest", argv[at + 2 :])
    return "what python would run is not looked into (only known modules: python -m pytest, unittest, mypy)"


def _subcommand(argv: Sequence[str]) -> str:
    """Programs that only look with certain subcommands: ruff check, cargo test, go vet."""
    name = argv[0].rpartition("/")[2]
    known = SUBCOMMANDS[name]
    words = [word for word in argv[1:] if not word.startswith("-") and not word.startswith("+")]
    if not words:
        return "" if "--version" in argv or "-V" in argv else f"{name} without a subcommand is not understood"
    if words[0] not in known:
        return f"{name} {words[0][:SHOWN]} is not known to change nothing"
    needed = known[words[0]]
    if needed and not needed.intersection(argv):
        return f"{name} {words[0]} changes files without {' or '.join(sorted(needed))}"
    return _options(name, argv[1:])


def _scripts(argv: Sequence[str]) -> str:
    """npm, make and the like: targets and scripts that are named for a check."""
    name = argv[0].rpartition("/")[2]
    if any("=" in word and not word.startswith("-") for word in argv[1:]):
        return f"a variable of {name} may change what it runs"
    named = [word for word in argv[1:] if not word.startswith("-")]
    lead = SCRIPT_RUNNERS[name]
    if named and named[0] in lead:
        named = named[1:2]
    elif lead:
        named = named[:1]
    if not named:
        return f"{name} without the name of a check is not understood"
    for one in named:
        if _CHECKING.fullmatch(one) is None or _CHANGING.search(one) is not None:
            return f"{name} {one[:SHOWN]} is not known to be a check"
    return _options(name, argv[1:])


def _coverage(argv: Sequence[str]) -> str:
    words = list(argv[1:])
    if words[:1] in (["report"], ["combine"]):
        return ""
    if words[:1] == ["run"] and "-m" in words:
        return _python(["python", *words[words.index("-m") :]])
    return "coverage is only known as `coverage run -m pytest` and `coverage report`"


def _one_file(argv: Sequence[str]) -> str:
    """Programs whose second file is written."""
    named = [word for word in argv[1:] if not word.startswith("-") and not word.isdigit()]
    return "" if len(named) <= 1 and "-r" not in argv else f"{argv[0]} may write its second file"


_SPECIAL: dict[str, Callable[[Sequence[str]], str]] = {
    "git": _git,
    "find": _find,
    "sed": _sed,
    "awk": _awk,
    "gawk": _awk,
    "mawk": _awk,
    "python": _python,
    "coverage": _coverage,
    "uniq": _one_file,
    "xxd": _one_file,
    **dict.fromkeys(SUBCOMMANDS, _subcommand),
    **dict.fromkeys(SCRIPT_RUNNERS, _scripts),
}
