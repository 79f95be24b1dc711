"""What a recognised program is, and the usual ways to recognise one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from mama_bot.model import RunKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A recognised program; `nothing`: it was told to run nothing (`--collect-only`)."""

    kind: RunKind
    name: str
    selected: tuple[str, ...] = ()
    target: str = ""
    dry: bool = False
    nothing: bool = False
    chatty: bool = False
    script: bool = False


Recognise = Callable[[Sequence[str]], Tool | None]


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
        takes = name in values or name in filters
        if takes and not equals and at < len(argv):
            value = argv[at]
            at += 1
        if name in filters:
            narrowing.append(f"{name} {value}".strip())
    return plain, narrowing


def paths_of(words: Sequence[str]) -> list[str]:
    """Return the paths among some words; the whole of a place, `.` or `./...`, narrows nothing."""
    return [word for word in words if word not in {".", "./", "./...", "..."}]


def suite(
    name: str, values: str = "", filters: str = "", *, nothing: str = "", drop: str = "", kind: RunKind = RunKind.TESTS
) -> Recognise:
    """Return what recognises a test tool; `drop` are its own sub-commands."""
    valued, filtering = frozenset(values.split()), frozenset(filters.split())
    empties, dropped = frozenset(nothing.split()), frozenset(drop.split())

    def recognise(argv: Sequence[str]) -> Tool | None:
        plain, narrowing = split_words(argv[1:], valued, filtering)
        paths = paths_of(plain)
        while paths and paths[0] in dropped:
            paths = paths[1:]
        return Tool(
            kind=kind,
            name=name,
            selected=(*paths, *narrowing),
            nothing=any(word in empties for word in argv),
            chatty=True,
        )

    return recognise


def checker(
    kind: RunKind,
    name: str,
    values: str = "",
    *,
    drop: str = "",
    dry: str = "",
    chatty: bool = False,
    ends: bool = False,
) -> Recognise:
    """Return what recognises a checker, formatter or build; `dry` options only report, `ends`: `--` ends its words."""
    valued, dropped, rehearsing = frozenset(values.split()), frozenset(drop.split()), frozenset(dry.split())

    def recognise(argv: Sequence[str]) -> Tool | None:
        own = argv[1 : list(argv).index("--")] if ends and "--" in argv else argv[1:]
        plain, _ = split_words(own, valued)
        paths = paths_of(plain)
        while paths and paths[0] in dropped:
            paths = paths[1:]
        return Tool(
            kind=kind,
            name=name,
            selected=tuple(paths),
            dry=any(word in rehearsing for word in argv),
            chatty=chatty,
        )

    return recognise


def by_word(table: Mapping[str, Recognise], default: Recognise | None = None) -> Recognise:
    """Return what recognises a program by its first word that is no option: `cargo test`, `go -C api vet`."""

    def recognise(argv: Sequence[str]) -> Tool | None:
        for index, word in enumerate(argv[1:], 1):
            if word.startswith(("-", "+")):
                continue
            recogniser = table.get(word)
            if recogniser is not None:
                return recogniser(argv[index:])
            break
        return None if default is None else default(argv)

    return recognise


def publish(name: str) -> Recognise:
    """Return what recognises a publication; `--dry-run` rehearses."""

    def recognise(argv: Sequence[str]) -> Tool | None:
        return Tool(kind=RunKind.PUBLISH, name=name, dry=any(word.startswith("--dry-run") for word in argv))

    return recognise


def deploy(name: str) -> Recognise:
    """Return what recognises a deployment; `--dry-run` rehearses."""

    def recognise(argv: Sequence[str]) -> Tool | None:
        dry = any(word.startswith("--dry-run") and not word.endswith("=none") for word in argv)
        return Tool(kind=RunKind.DEPLOY, name=name, dry=dry)

    return recognise
