"""What is said of a check: its tool, what came out of it, and what it is still worth."""

import posixpath
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mama_bot.facts import sentences as says
from mama_bot.facts.places import belongs, is_below, is_code, is_scratch
from mama_bot.facts.receipt_words import counts_in_words
from mama_bot.model import CheckFact, Facts, Freshness, RunEnd, RunKind
from mama_bot.text.patterns import compiled
from mama_bot.wording import Language, Said

# Names from a command as they stand in a line of ours: api/v2, tests/test_pay.py::test_total
NAME = compiled(r"[\p{L}_./-][\p{L}\p{N}_./:+=\[\]-]{0,39}", ignore_case=False, groups=False)
TOOL = compiled(
    r"[\p{L}_./][\p{L}\p{N}_.:/-]{0,29}(?: [\p{L}_.:/-][\p{L}\p{N}_.:/-]{0,19}){0,2}", ignore_case=False, groups=False
)
MOST_TOGETHER = 4
ELSEWHERE = "…"


class ToldCheck(NamedTuple):
    """What is said of a check, or of several that ended alike."""

    text: str
    failed: bool


def told_checks(
    facts: Facts, kinds: Sequence[RunKind], language: Language, *, earlier: bool = False
) -> Iterator[ToldCheck]:
    """Yield what is said of the last checks of some kinds in this turn, or in the last turn before that had any.

    Checks that passed alike and have no figures are said together: "mypy, ruff check passed".
    """
    checks = last_checks(facts, kinds, earlier=earlier)
    together: dict[tuple[str, ...], list[str]] = {}
    for check in checks:
        words = (_outcome(check, language), *_qualifiers(check, facts, language))
        # Figures are of one tool, and so is what did not pass.
        alone = check.end is not RunEnd.PASSED or bool(_figures(check, language))
        together.setdefault((*words, check.tool) if alone else words, []).append(_tool(check, language))
        if alone:
            labels = together.pop((*words, check.tool))
            yield _said(labels, words, language, failed=check.end is RunEnd.FAILED)
    for words, labels in together.items():
        yield _said(labels, words, language, failed=False)


def _said(labels: Sequence[str], words: Sequence[str], language: Language, *, failed: bool) -> ToldCheck:
    names = [*dict.fromkeys(labels)]
    shown = names[:MOST_TOGETHER] + ["…"] * (len(names) > MOST_TOGETHER)
    first = says.OUTCOME.to(language, tool=", ".join(shown), outcome=words[0])
    return ToldCheck(", ".join((first, *words[1:])), failed)


def last_checks(facts: Facts, kinds: Sequence[RunKind], *, earlier: bool = False) -> list[CheckFact]:
    """Return the persona's last check of each tool and place; before one of a part, the last one of all and the parts
    that failed and did not pass since.

    Those of this turn, or (`earlier`) of the last turn before it that had any.
    """
    own = [check for check in facts.checks if check.kind in kinds and check.witness.own]
    ages = [check.witness.age for check in own if bool(check.witness.age) == earlier]
    age = min(ages, default=0)
    of_place: dict[tuple[RunKind, str, str], list[CheckFact]] = {}
    for check in own:
        if check.witness.age == age and bool(age) == earlier:
            of_place.setdefault((check.kind, check.tool, check.place), []).append(check)
    return [check for checks in of_place.values() for check in _last_of(checks)]


def _last_of(checks: Sequence[CheckFact]) -> Iterator[CheckFact]:
    """Yield the last of the checks of one tool in one place, and before it what it leaves open."""
    last = checks[-1]
    if not last.whole and last.kind is RunKind.TESTS:
        whole = next((check for check in reversed(checks) if check.whole), None)
        begun = 0 if whole is None else checks.index(whole) + 1
        if whole is not None:
            yield whole
        for place, check in enumerate(checks[:-1]):
            open_still = not any(_takes_back(later, check) for later in checks[place + 1 :])
            if place >= begun and check.end is RunEnd.FAILED and open_still:
                yield check
    yield last


def _takes_back(later: CheckFact, failed: CheckFact) -> bool:
    """Return whether a later check tells anew of all that a failed one selected, whatever it tells."""
    return all(
        any(part == wide or is_below(part.partition("::")[0], wide) for wide in later.selected)
        for part in failed.selected
    )


def _tool(check: CheckFact, language: Language) -> str:
    tool = check.tool if TOOL.fullmatch(check.tool) else check.kind.value
    place = _place(check.place)
    return says.IN_PLACE.to(language, tool=tool, place=place) if place else tool


def _place(path: str) -> str:
    """Return where a check ran, "" in the workspace; of a path that may not stand in the line as much as may."""
    if not path:
        return ""
    name = _name(posixpath.basename(path))
    return _name(path) or (f"{ELSEWHERE}/{name}" if name else ELSEWHERE)


def _name(text: str) -> str:
    """Return a path or a filter as it may stand in the line; "" for what is long or could be read as more."""
    return text if NAME.fullmatch(text) else ""


# --- what came out --------------------------------------------------------------------------------------


def _outcome(check: CheckFact, language: Language) -> str:
    figures = _figures(check, language)
    match check.end:
        case RunEnd.MASKED:
            return says.NOT_KNOWN.to(language)
        case RunEnd.NOTHING:
            return says.RAN_NOTHING.to(language)
        case RunEnd.OPEN:
            return says.NOT_FINISHED.to(language)
        case RunEnd.PASSED:
            return figures or says.PASSED.to(language)
        case RunEnd.FAILED:
            counts = check.counts
            told = counts.failed or counts.errors
            return figures if told else ", ".join(filter(None, (says.FAILED.to(language), figures)))


def _figures(check: CheckFact, language: Language) -> str:
    """Return the figures of a check that ended: "3 failed, 625 passed"; "" where its output has none."""
    if check.end not in (RunEnd.PASSED, RunEnd.FAILED):
        return ""
    return counts_in_words(check.counts, language)


# --- what it is worth -----------------------------------------------------------------------------------


def _qualifiers(check: CheckFact, facts: Facts, language: Language) -> Iterator[str]:
    if not check.whole:
        name = _name(check.selected[0])
        words = f"{name}, …" if name and len(check.selected) > 1 else name
        yield says.PART_NAMED.to(language, name=words) if words else says.PART.to(language)
    if check.hook:
        yield _hook(check, facts).to(language)
    if check.runner:
        name = _name(posixpath.basename(check.runner))
        yield says.OWN_RUNNER_NAMED.to(language, name=name) if name else says.OWN_RUNNER.to(language)
    if check.changed:
        yield says.CHANGED_ITSELF.to(language, count=len(check.changed))
    if check.witness.age:
        yield says.TURNS_AGO.to(language, count=check.witness.age)
    if check.end in (RunEnd.PASSED, RunEnd.FAILED):
        worth = _worth(check, facts)
        if worth is not None:
            yield worth.to(language)


def _hook(check: CheckFact, facts: Facts) -> Said:
    kinds = {deed.kind for deed in facts.deeds if deed.witness.call_id == check.witness.call_id}
    if kinds == {RunKind.COMMIT}:
        return says.IN_COMMIT_HOOK
    return says.IN_PUSH_HOOK if kinds == {RunKind.PUSH} else says.IN_HOOK


def _worth(check: CheckFact, facts: Facts) -> Said | None:
    """Return whether the check speaks of the code as it stands; None where there was no edit, or nobody knows."""
    match check.freshness:
        case Freshness.STALE:
            return says.BEFORE_LAST_EDIT
        case Freshness.UNKNOWN:
            return None
        case Freshness.RESTYLED:
            return says.THEN_RESTYLED if _all_is_known(check, facts) else None
        case Freshness.FRESH:
            return _fresh(check, facts) if _all_is_known(check, facts) else None


def _all_is_known(check: CheckFact, facts: Facts) -> bool:
    """Return whether no call after the check can have written anything unseen."""
    if check.witness.age or not facts.recorded or facts.dropped:
        return False
    if check.left is not None and facts.tree is not None and check.left.tree and check.left == facts.tree:
        return True  # the work tree itself says so
    return all(witness.at < check.witness.at for witness in facts.unknown)


def _fresh(check: CheckFact, facts: Facts) -> Said | None:
    files = [file for file in facts.files if not is_scratch(file.path)]
    outside = check.place.startswith(("/", "../"))
    if not files or (outside and not any(belongs(file.path, check.place) for file in files)):
        return None  # nothing that it is of was edited
    later = [file for file in files if file.witness.at >= check.witness.at]
    if any(is_code(file.path) and file.witness.call_id != check.witness.call_id for file in later):
        return None  # of another project than the check
    return says.CODE_UNCHANGED if later else says.AFTER_LAST_EDIT
