"""Which files does `find` hand on: by the places where it begins, and the names that it looks for."""

from collections.abc import Sequence

from mama_bot.rules.commands.read_programs import Program
from mama_bot.shell.tokens import word_set

ACTIONS = word_set("-exec -execdir -ok -okdir -delete -print -print0 -printf -ls -fprint")
NAMES = word_set("-name -iname -path -ipath -wholename")
# They choose no fewer of the files: what is left out is the directory itself, or how deep it goes.
ALL_THE_SAME = word_set("-mindepth -maxdepth -depth -xdev -mount -noleaf -follow -type -d")
NOT = frozenset({"!", "-not"})


def found_files(made: Program) -> tuple[str, ...]:
    """Return what `find` hands on as globs: `src/*.o` for a name, `src/*` for all, `src/*/*` for some of them."""
    tests = _tests(made.words)
    patterns = _names(tests) if not {"-o", "-or", "-prune"} & set(tests) else ()
    if not patterns:
        chosen = any(word.startswith("-") and len(word) > 1 and word not in ALL_THE_SAME for word in tests)
        patterns = ("*/*",) if chosen else ("*",)
    return tuple(f"{root.rstrip('/')}/{pattern}" for root in roots(made) for pattern in patterns)


def roots(made: Program) -> tuple[str, ...]:
    """Return the places where `find` begins."""
    places: list[str] = []
    for word in made.words[1:]:
        if word.startswith(("-", "(", "!")) and word not in {"-H", "-L", "-P"}:
            break
        if not word.startswith("-"):
            places.append(word)
    return tuple(places) or (".",)


def _tests(words: Sequence[str]) -> tuple[str, ...]:
    ends = [at for at, word in enumerate(words) if word in ACTIONS]
    return tuple(word for word in words[1 : ends[0] if ends else None] if word not in {"-H", "-L", "-P"})


def _names(tests: Sequence[str]) -> tuple[str, ...]:
    return tuple(
        tests[at + 1].rpartition("/")[2] or "*"
        for at, word in enumerate(tests[:-1])
        if word in NAMES and (at == 0 or tests[at - 1] not in NOT)
    )
