"""What a recognised program is, and how one is recognised by its words alone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mama_bot.model import RunKind
from mama_bot.shell.tokens import word_set


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A recognised program; `nothing`: it was told to run nothing (`--collect-only`).

    `script` says that the project decides what it runs, `chatty` that it says something whenever it ran; `also` are the
    kinds of further tasks of one call (`make lint test`).
    """

    kind: RunKind
    name: str
    selected: tuple[str, ...] = ()
    target: str = ""
    dry: bool = False
    nothing: bool = False
    chatty: bool = False
    script: bool = False
    also: tuple[RunKind, ...] = ()


Recognise = Callable[[Sequence[str]], Tool | None]
# With these a checker looks at less than all there is, whatever its name: with a value, and without.
NARROWING = word_set(
    "--select --ignore --exclude --extend-ignore --extend-exclude --extend-select --ignore-pattern --ignore-path "
    "--disable --enable --rule --per-file-ignores --filter --changed-since --since --only --skip --linters"
)
NARROWING_FLAGS = word_set(
    "--ignore-errors --if-present --changed --staged --lf --last-failed --sw --stepwise --onlyChanged --lib --doc "
    "--bins --no-eslintrc --new"
)


def split_words(
    argv: Sequence[str], values: frozenset[str] = frozenset(), filters: frozenset[str] = frozenset()
) -> tuple[list[str], list[str]]:
    """Return the words that are no options, and the options that narrow, each with its value."""
    plain: list[str] = []
    narrowing: list[str] = []
    at = 0
    while at < len(argv):
        word = argv[at]
        at += 1
        if word == "--":
            plain.extend(argv[at:])
            break
        if not word.startswith("-") or word == "-":
            plain.append(word)
            continue
        name, equals, value = word.partition("=")
        narrows = name in filters or name in NARROWING
        if (narrows or name in values) and not equals and at < len(argv):
            value = argv[at]
            at += 1
        if narrows or word in NARROWING_FLAGS:
            narrowing.append(f"{name} {value}".strip())
    return plain, narrowing


def paths_of(words: Sequence[str]) -> list[str]:
    """Return the paths among some words; the whole of a place, `.` or `./...`, narrows nothing."""
    return [word for word in words if word not in {".", "./", "./...", "..."}]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownProgram:
    """A program that its words tell, as a line of programs.txt describes it."""

    kind: RunKind
    name: str
    values: frozenset[str] = frozenset()
    filters: frozenset[str] = frozenset()
    dry: frozenset[str] = frozenset()
    nothing: frozenset[str] = frozenset()
    drop: frozenset[str] = frozenset()
    ends: bool = False

    def __call__(self, argv: Sequence[str]) -> Tool | None:
        """Return the program as a run, from its first own word on."""
        own = argv[1 : list(argv).index("--")] if self.ends and "--" in argv else argv[1:]
        plain, narrowing = split_words(own, self.values, self.filters)
        paths = paths_of(plain)
        while paths and paths[0] in self.drop:
            paths = paths[1:]
        sent = self.kind in {RunKind.PUBLISH, RunKind.DEPLOY, RunKind.BENCHMARK}
        rehearsed = sent and any(word.startswith("--dry-run") and not word.endswith("=none") for word in argv)
        return Tool(
            kind=self.kind,
            name=self.name,
            selected=() if sent else (*paths, *narrowing),
            dry=rehearsed or not self.dry.isdisjoint(argv),
            nothing=not self.nothing.isdisjoint(argv),
            chatty=self.kind is RunKind.TESTS or self.name in CHATTY,
        )


CHATTY = word_set("mypy pyright ruff")
SORTS = {"?": "filters", "!": "dry", "~": "nothing", ".": "drop"}


def known_program(line: str) -> tuple[tuple[str, ...], KnownProgram]:
    """Return what a line of programs.txt says: the words of a program, and how it is recognised."""
    head, _, options = line.partition("|")
    call, _, name = head.partition("=")
    kind, *words = call.split()
    sorted_words: dict[str, set[str]] = {sort: set() for sort in ("values", *SORTS.values())}
    for option in options.split():
        if option != "--":
            sorted_words[SORTS.get(option[0], "values")].add(option[1:] if option[0] in SORTS else option)
    known = {sort: frozenset(listed) for sort, listed in sorted_words.items()}
    name = name.strip() or " ".join(words)
    return tuple(words), KnownProgram(kind=RunKind(kind), name=name, ends="--" in options.split(), **known)
