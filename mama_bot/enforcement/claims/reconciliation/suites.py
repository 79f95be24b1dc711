"""Runs as suites: which run counts for what, and which later run covers it."""

from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatch
from functools import lru_cache
from itertools import islice

from mama_bot.enforcement.claims.reconciliation.calls import output_of
from mama_bot.enforcement.claims.reconciliation.figures import names_figures
from mama_bot.enforcement.claims.reconciliation.moments import RunAt
from mama_bot.enforcement.claims.reconciliation.timeline import Timeline
from mama_bot.facts.places import is_below, joined, named_path, same_file
from mama_bot.model import Claim, ClaimKind, RunEnd
from mama_bot.text.patterns import compiled

# Tools that only start others: their run may be one of any tool that a claim names.
STARTERS = frozenset(
    ("npm", "npx", "yarn", "pnpm", "bun", "make", "just", "task", "tox", "nox", "uv", "poetry", "hatch", "pdm", "rake")
)
STRONG_WHOLE = compiled(
    r"\b(?:full|entire|whole|complete|repo(?:sitory)?-?wide|project-?wide|across the (?:repo|project|codebase))\b"
    r"|전체|전\s?모듈|프로젝트 전반"
)
WHOLE_SELECTIONS = frozenset(
    (".", "./", "./...", "...", "all", "--all", "--workspace", "tests", "test", "spec", "__tests__", "**")
)
# What some tools run that has a name of its own.
WITHIN = {
    "doctest": ("cargo test", "pytest", "python", "go test"),
    "doc test": ("cargo test", "pytest"),
    "junit": ("maven", "gradle", "java"),
    "surefire": ("maven",),
    "gtest": ("ctest",),
    "googletest": ("ctest",),
    "node": ("node", "npm"),
    "xdist": ("pytest",),
    "coverage": ("pytest", "jest", "vitest"),
}
MOST_LINES = 400
FAILED_LINE = compiled(r"(?m:^[^\n]*(?:FAIL|✗|✖|✘|×|❯|\bnot ok\b|●|Error:)[^\n]*$)", groups=False)
NEGATED = compiled(r"\bnot (\w{3,})")
LEFT_OUT = compiled(
    r"(?i:\b(?:not|without|except|exclud\w+|deselect\w*|skip\w*|minus|no|n't)\b)|제외|빼고|뺀|건너|스킵|말고|안 돌",
    groups=False,
)
EVERY = compiled(r"(?i:\ball\b|\bevery\b|\bwhole\b|\bentire\b)|전부|모두|전체|모든", groups=False)
WORDS = compiled(r"[a-z0-9_]+", groups=False)
NARROWING = ("-k", "-t", "-m", "-g", "--grep", "--filter", "-run", "--tests", "--testNamePattern")
MOST_SHORT = 4
CERTAIN = (RunEnd.PASSED, RunEnd.FAILED)


def of_tool(one: RunAt, tool: str) -> bool:
    """Whether a run is of the tool that a claim names, or may be: who starts others may start this one."""
    wanted, run = tool.lower(), one.run.tool.lower()
    if any(run.startswith(name) for name in WITHIN.get(wanted, ())):
        return True
    if wanted in run or run in wanted or wanted.split()[0] in one.run.command.lower():
        return True
    first = run.split()[0] if run else ""
    return first in STARTERS or wanted.split()[0] in STARTERS


def is_partial(one: RunAt) -> bool:
    """Whether a run is of a part."""
    return not is_whole(one)


def is_whole(one: RunAt) -> bool:
    """Whether a run is of all there is."""
    return all(_is_whole_selection(name) for name in one.run.selected)


def _is_whole_selection(name: str) -> bool:
    plain = name.rstrip("/").removeprefix("./") or "."
    return plain in WHOLE_SELECTIONS or plain.endswith("/...")


def too_narrow(claim: Claim, one: RunAt, timeline: Timeline) -> bool:
    """Whether a run is of less than what a claim clearly speaks of."""
    if is_whole(one):
        return False
    if _is_excluded(claim, one):
        return True
    strong = STRONG_WHOLE.search(claim.text) is not None
    if claim.kind is ClaimKind.TESTS:
        if strong and not selected_by(claim, (one,)):
            return True
        if not claim.whole:
            return _leaves_out(claim, one)
        return _leaves_out(claim, one) or (not names_figures(claim) and not names_selection(claim, one))
    if claim.kind is ClaimKind.BUILD:
        return (strong or claim.whole) and not names_selection(claim, one)
    if not all("." in name.rpartition("/")[2] for name in one.run.selected):
        return False  # whole directories
    if claim.whole:
        return True
    if names_selection(claim, one):
        return False
    chosen = [joined(one.place, name.strip("'\"")) for name in one.run.selected]
    edited = [path for path in timeline.worked_in if any(path.endswith(_ending(name)) for name in chosen)]
    return any(not any(_is_in(path, name) for name in chosen) for path in edited)


def _is_excluded(claim: Claim, one: RunAt) -> bool:
    """Whether a run left out by name what a claim speaks of: `-m "not integration"`."""
    words = words_of(claim.text.lower())
    negated = (match.group(1).lower() for name in one.run.selected for match in NEGATED.finditer(name))
    if LEFT_OUT.search(claim.text) is not None:
        return False
    return any(name in words or name in claim.text.lower() for name in negated)


def _is_in(path: str, chosen: str) -> bool:
    """Whether a selection has a file: its name, a directory above it, a pattern of names."""
    return is_below(path, chosen) or ("*" in chosen and fnmatch(path, chosen.replace("**/", "*")))


def _leaves_out(claim: Claim, one: RunAt) -> bool:
    """Whether a run left out most by a filter of which a claim of all does not speak."""
    filtered = any(name.startswith(NARROWING) for name in one.run.selected)
    left = (one.run.counts.skipped or 0) + (one.run.counts.deselected or 0)
    if not filtered or left <= (one.run.counts.passed or 0) or names_selection(claim, one):
        return False
    return EVERY.search(claim.text) is not None


def names_place(claim: Claim, one: RunAt) -> bool:
    """Whether a claim names the directory of a run that lies in the workspace."""
    name = one.place.rpartition("/")[2].lower()
    return bool(name) and is_below(one.place, "") and name in words_of(claim.text.lower())


def names_selection(claim: Claim, one: RunAt) -> bool:
    """Whether a claim names what a run was narrowed to: its words, or the last name of its path."""
    if not one.run.selected:
        return False
    text = claim.text.lower()
    words = words_of(text)
    for name in one.run.selected:
        given = name.lower().strip("'\"")
        plain = given.rpartition("/")[2].rpartition("::")[2].rpartition("@")[2]
        stem = plain.partition(".")[0].partition(" ")[2] or plain.partition(".")[0]
        if given in text or (len(stem) > 1 and (stem in words or (stem in text and len(stem) > MOST_SHORT))):
            return True
    return False


def failed_in(later: RunAt, one: RunAt) -> bool:
    """Whether a failed run says that something failed in what another one was narrowed to."""
    names = [name.partition("::")[0].rpartition("/")[2].lower() for name in one.run.selected]
    lines = (match.group().lower() for match in islice(FAILED_LINE.finditer(output_of(later.call)), MOST_LINES))
    return any(name in line for line in lines for name in names)


def selected_by(claim: Claim, near: Sequence[RunAt]) -> list[RunAt]:
    """The runs whose whole selection stands in a claim, word by word."""
    text = claim.text.lower()
    return [one for one in near if one.run.selected and all(name.lower() in text for name in one.run.selected)]


@lru_cache(maxsize=512)
def words_of(text: str) -> frozenset[str]:
    """The words of a text in small letters."""
    return frozenset(match.group() for match in WORDS.finditer(text))


def _ending(path: str) -> str:
    name = path.rpartition("/")[2]
    return f".{name.rpartition('.')[2]}" if "." in name else name


def chosen_by(claim: Claim, near: Sequence[RunAt]) -> Sequence[RunAt]:
    """The runs that a claim names by their selection, where it does and there are any."""
    names = [named_path(one) for one in claim.subjects if "." in one or "/" in one or "::" in one]
    if not names:
        return near
    chosen = [
        one
        for one in near
        if any(
            same_file(name, sel.partition("::")[0]) or _names(name, sel) for name in names for sel in one.run.selected
        )
        or any(name in one.place for name in names)
    ]
    return chosen or near


def _names(name: str, selection: str) -> bool:
    """Whether a name is a part of a selection, from the beginning of a word on: retry.py is not test_retry.py."""
    before = selection.partition(name)[0] if name in selection else None
    return before is not None and (not before or not (before[-1].isalnum() or before[-1] in "_-"))


def latest(runs: Iterable[RunAt]) -> Iterator[RunAt]:
    """The last run of each suite that tells something; one that a later run covers does not count."""
    last: dict[tuple[str, str, tuple[str, ...]], RunAt] = {}
    for one in runs:
        key = (one.run.tool, one.place, one.run.selected)
        before = last.get(key)
        if before is not None and one.run.end not in CERTAIN and before.run.end in CERTAIN:
            continue
        last.pop(key, None)
        last[key] = one
    kept = sorted(last.values(), key=lambda one: one.at)
    # From the last one back, with those after it by what they selected: only these can cover it.
    whole: list[RunAt] = []
    by_name: dict[str, list[RunAt]] = {}
    standing: list[RunAt] = []
    for one in reversed(kept):
        everything = is_whole(one)
        candidates = whole if everything else (*whole, *by_name.get(one.run.selected[0], ()))
        if not any(covers(later, one) for later in candidates):
            standing.append(one)
        if everything:
            whole.append(one)
        else:
            for name in one.run.selected:
                by_name.setdefault(name, []).append(one)
    yield from reversed(standing)


def _collects(later: str, tool: str) -> bool:
    """Whether a tool runs the tests of another one as well."""
    return later == "pytest" and tool.startswith("unittest")


def covers(later: RunAt, one: RunAt) -> bool:
    """Whether a later run is of all that an earlier one was of."""
    if later.run.end not in CERTAIN:
        return False
    if not (is_below(one.place, later.place) or is_below(later.place, one.place)):
        return False
    starts = {later.run.tool.split(" ")[0], one.run.tool.split(" ")[0]} & STARTERS
    if later.run.tool != one.run.tool and not starts and not _collects(later.run.tool, one.run.tool):
        return False
    return is_whole(later) or (not is_whole(one) and set(one.run.selected) <= set(later.run.selected))
