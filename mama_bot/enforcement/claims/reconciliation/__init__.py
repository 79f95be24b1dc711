"""Reconciliation: what a draft claims, against what the record of tools shows. Pure, and quick."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import assert_never

from mama_bot.enforcement.claims.grammar.claims import claims_in
from mama_bot.enforcement.claims.reconciliation.answers import Answers
from mama_bot.enforcement.claims.reconciliation.explanations import Speaker
from mama_bot.enforcement.claims.reconciliation.figures import names_figures
from mama_bot.enforcement.claims.reconciliation.of_deeds import DeedsCheck
from mama_bot.enforcement.claims.reconciliation.of_files import FilesCheck
from mama_bot.enforcement.claims.reconciliation.of_runs import RunsCheck
from mama_bot.enforcement.claims.reconciliation.of_work import WorkCheck
from mama_bot.enforcement.claims.reconciliation.timeline import Timeline
from mama_bot.model import CheckedClaim, Claim, ClaimKind, ClaimReason, ClaimState, Draft, ToolRecord, ToolRun, Turn
from mama_bot.wording import Language

__all__ = ["checked_claims", "has_looked", "reconcile"]

MENTIONED_CHARACTERS = 60_000


def reconcile(
    claims: Iterable[Claim],
    record: ToolRecord,
    *,
    agent: str,
    told: Sequence[ToolRun] = (),
    reply: str = "",
    asked: str = "",
    language: Language = Language.ENGLISH,
) -> tuple[CheckedClaim, ...]:
    """What the record of `agent` says of each claim, in their order.

    `told` are calls of other agents whose results the text may pass on, `reply` is the text and `asked` its task:
    files named there count as named, a failure told there is no secret. A record that is not complete shows nothing:
    no claim is concluded.
    """
    listed = tuple(claims)
    if not listed or not record.complete:
        return ()
    timeline = Timeline(record.runs, agent=agent, told=told)
    speaker = Speaker(language)
    told_of, said = asked[:MENTIONED_CHARACTERS], reply[:MENTIONED_CHARACTERS]
    check = _Check(timeline, speaker, told_of, said)
    # Failures first: what a text admits itself, its other claims do not hide.
    failing = {number: check.of(one) for number, one in enumerate(listed) if one.fails}
    admitted = frozenset(one.run_id for one in failing.values() if one.state is ClaimState.CONFIRMED)
    found = [failing.get(number) or check.of(one, admitted) for number, one in enumerate(listed)]
    told_beside = [_as_comparison(one, found) for one in found]
    return tuple(_as_history(one, told_beside[number + 1 :], timeline) for number, one in enumerate(told_beside))


def _as_comparison(one: CheckedClaim, found: Sequence[CheckedClaim]) -> CheckedClaim:
    """Figures of another place are no substitute where the text has those of the right place as well."""
    if one.reason is not ClaimReason.ELSEWHERE or not names_figures(one.claim):
        return one
    for other in found:
        same = other.claim.kind is one.claim.kind and other.state is ClaimState.CONFIRMED
        if same and names_figures(other.claim) and other.run_id != one.run_id:
            return replace(one, state=ClaimState.CONFIRMED, reason=ClaimReason.NONE)
    return one


def _as_history(one: CheckedClaim, later: Sequence[CheckedClaim], timeline: Timeline) -> CheckedClaim:
    """A claim that an edit overtook is history where the text goes on to what ran after it: "12 passed, then 13"."""
    if one.reason is not ClaimReason.BEFORE_LAST_EDIT or one.claim.whole or not names_figures(one.claim):
        return one
    begun = timeline.place(one.run_id)
    for other in later:
        same = other.claim.kind is one.claim.kind and other.state is ClaimState.CONFIRMED
        if same and timeline.place(other.run_id) > begun and timeline.share_a_place(one.run_id, other.run_id):
            return replace(one, state=ClaimState.CONFIRMED, reason=ClaimReason.NONE)
    return one


def checked_claims(
    draft: Draft, turn: Turn, *, language: Language, approving: bool = False
) -> tuple[CheckedClaim, ...]:
    """Return what the record says of each claim of a draft, in `language`; none for a record that is not complete.

    Of an approval (`approving`) only the persona's own calls bear anything out.
    """
    if not draft.record.complete:
        return ()
    asked = turn.delegation
    task = f"{asked.task}\n{asked.expected_outcome}\n{asked.must_do}" if asked else turn.prompt
    return reconcile(
        claims_in(draft.text),
        draft.record,
        agent=turn.persona,
        told=() if approving else turn.told,
        reply=draft.text,
        asked=task,
        language=language,
    )


def has_looked(record: ToolRecord, agent: str) -> bool:
    """Whether an agent itself read or ran anything."""
    return bool(Timeline(record.runs, agent=agent).read)


class _Check:
    """Sends each claim to what knows its kind."""

    def __init__(self, timeline: Timeline, speaker: Speaker, asked: str, reply: str) -> None:
        answers = Answers(timeline, speaker)
        self._runs = RunsCheck(timeline, answers, f"{asked}\n{reply}", reply)
        self._deeds = DeedsCheck(timeline, answers)
        self._files = FilesCheck(timeline, speaker, f"{asked}\n{reply}", reply)
        self._work = WorkCheck(timeline, speaker)

    def of(self, claim: Claim, admitted: frozenset[str] = frozenset()) -> CheckedClaim:
        """What the record says of one claim."""
        match claim.kind:
            case ClaimKind.TESTS | ClaimKind.BUILD | ClaimKind.TYPES | ClaimKind.LINT | ClaimKind.FORMAT:
                return self._runs.state(claim, admitted)
            case ClaimKind.COMMITTED | ClaimKind.PUSHED | ClaimKind.MERGED | ClaimKind.PUBLISHED | ClaimKind.DEPLOYED:
                return self._deeds.deed(claim)
            case ClaimKind.CREATED | ClaimKind.CHANGED | ClaimKind.DELETED:
                return self._files.fate(claim)
            case ClaimKind.ONLY_THESE:
                return self._files.only_these(claim)
            case ClaimKind.RAN:
                return self._work.ran(claim)
            case ClaimKind.CHECKED:
                return self._work.looked(claim)
            case ClaimKind.REPRODUCED:
                return self._work.reproduced(claim)
            case ClaimKind.BENCHMARK:
                return self._work.measured(claim)
            case unexpected:
                assert_never(unexpected)
