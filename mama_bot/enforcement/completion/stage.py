"""TodoTracker: what a delegation asked for and the reply leaves open."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Protocol

from mama_bot.config import TodoTrackerSettings
from mama_bot.enforcement.claims.reconciliation import checked_claims
from mama_bot.enforcement.completion.checklist import Item
from mama_bot.enforcement.completion.completions import Completion, ItemState, completion, listed
from mama_bot.enforcement.completion.questions import asks
from mama_bot.model import Allow, Amend, Checklist, ClaimKind, ClaimState, Decision, Draft, Figure, Turn, Verdict
from mama_bot.wording import is_korean

# What was run or written: that something was looked at or typed finishes nothing.
DONE_KINDS = frozenset(ClaimKind) - {ClaimKind.RAN, ClaimKind.CHECKED, ClaimKind.ONLY_THESE}


class ChangedFiles(Protocol):
    """Knows what a turn changed in its workspace."""

    async def since(self, turn: Turn) -> frozenset[str] | None:
        """The paths changed since the turn's baseline; None without a repository."""
        ...


class PresentFiles(Protocol):
    """Knows which files are there."""

    async def present(self, turn: Turn, paths: Iterable[str]) -> frozenset[str]:
        """Those of the changed paths that are there now."""
        ...


def writes_directive(draft: Draft, _: Turn) -> bool:
    """Whether a draft holds the sign of a delegation; who knows the team can tell more."""
    return "delegate::" in draft.text.lower() or "delegate_bg::" in draft.text.lower()


class TodoTracker:
    """Reminds the agent, in its next prompt, of the open items of EXPECTED OUTCOME; the text stays as it is.

    It does not while somebody is asked something or another agent is at work for the reply, nor of a draft that was
    cut short; after `stagnation_turns` turns in a row without a newly ticked item it stops, and says so once.
    """

    def __init__(
        self,
        *,
        settings: TodoTrackerSettings,
        changed_files: ChangedFiles | None = None,
        present_files: PresentFiles | None = None,
        delegates: Callable[[Draft, Turn], bool] = writes_directive,
    ) -> None:
        self._settings = settings
        self._changed_files = changed_files
        self._present_files = present_files
        self._delegates = delegates

    @property
    def name(self) -> str:
        """`todo_tracker`."""
        return "todo_tracker"

    async def judge(self, draft: Draft, turn: Turn) -> Decision:
        """Tick what the reply, the record and the changed files finish."""
        before = standing_before(turn)
        asked = before.asked if before else ""
        done_before = frozenset(before.done) if before else frozenset()
        found = completion(draft.text, asked, draft.record, done_before=done_before)
        if self._changed_files is not None and any(item.files for item in found.of(ItemState.OPEN)):
            changed = await self._changed_files.since(turn) or frozenset()
            if changed and self._present_files is not None:  # a file that was deleted is no file that was asked for
                changed = await self._present_files.present(turn, changed)
            if changed:
                found = completion(draft.text, asked, draft.record, changed=changed, done_before=done_before)
        if found.claimed:
            found = replace(found, supported=is_borne_out(draft, turn, supported=found.supported))
        figures = figures_of(found)
        if before is None or not found.items:
            return Allow(figures=figures)
        remaining = found.of(ItemState.OPEN, ItemState.DENIED)
        done = tuple(item.key for item in found.of(ItemState.DONE))
        now = replace(before, done=done, open_items=len(remaining))
        if not remaining:
            return Allow(figures=figures, checklist=replace(now, idle_turns=0))
        waiting = self._waits(draft, turn)
        if set(done) - set(before.done):
            now = replace(now, idle_turns=0, given_up=False)
        elif not waiting:
            now = replace(now, idle_turns=before.idle_turns + 1)
        return self._decision(draft, now, found, remaining, waiting=waiting)

    def _waits(self, draft: Draft, turn: Turn) -> bool:
        """Whether the reply is no end of the work: it asks, hands work on, or was cut short."""
        return draft.cut_short or self._delegates(draft, turn) or asks(draft.text)

    def _decision(
        self, draft: Draft, now: Checklist, found: Completion, remaining: list[Item], *, waiting: bool
    ) -> Decision:
        figures = figures_of(found)
        if waiting or now.given_up or not self._settings.reminder:
            return Allow(figures=figures, checklist=now)
        korean = is_korean(draft.text[:2000])
        if now.idle_turns >= self._settings.stagnation_turns:
            said = stagnation(remaining, now.idle_turns, korean=korean)
            return Amend(
                rule="no_progress",
                reason=said,
                banner=f"⚠️ {said}",
                verdict=Verdict.NOTED,
                figures=figures,
                checklist=replace(now, given_up=True),
            )
        return Amend(
            rule="open_items",
            reason=open_of(len(remaining), len(found.items), korean=korean),
            reminder=korean_reminder(remaining) if korean else english_reminder(remaining),
            figures=figures,
            checklist=now,
        )


def standing_before(turn: Turn) -> Checklist | None:
    """The checklist that a turn is judged by: its delegation's own, or the one that the persona goes on with."""
    if turn.delegation is None:
        return None
    asked = turn.delegation.expected_outcome
    if turn.checklist is not None:
        return replace(turn.checklist, asked=asked) if asked.strip() else turn.checklist
    return Checklist(task=turn.delegation.task_key, asked=asked) if asked.strip() else None


def is_borne_out(draft: Draft, turn: Turn, *, supported: bool) -> bool:
    """Whether a claim of completion is supported: not where calls contradict it, and where they confirm it."""
    if not draft.record.runs:
        return supported
    claims = checked_claims(draft, turn)
    shown = any(one.state is ClaimState.CONFIRMED and one.claim.kind in DONE_KINDS for one in claims)
    return all(one.state is not ClaimState.CONTRADICTED for one in claims) and (supported or shown)


def figures_of(found: Completion) -> tuple[Figure, ...]:
    """What is measured in every reply."""
    remaining = len(found.of(ItemState.OPEN, ItemState.DENIED))
    return (
        Figure(name="items", value=len(found.items)),
        Figure(name="open_items", value=remaining),
        Figure(name="completion_claimed", value=float(found.claimed)),
        Figure(name="completion_supported", value=float(found.supported)),
    )


def open_of(remaining: int, items: int, *, korean: bool) -> str:
    """How many items are open, in a sentence."""
    if korean:
        return f"항목 {items}개 중 {remaining}개가 남았습니다."
    return f"{remaining} of {items} items are open."


def english_reminder(items: list[Item]) -> str:
    """The reminder for a reply in English."""
    return f"Still open from EXPECTED OUTCOME ({len(items)}): {listed(items)}. Finish them, or say why they stay open."


def korean_reminder(items: list[Item]) -> str:
    """The reminder for a reply in Korean."""
    return f"EXPECTED OUTCOME 중 남은 항목({len(items)}): {listed(items)}. 마무리하거나, 남겨 두는 이유를 쓰세요."


def stagnation(items: list[Item], turns: int, *, korean: bool) -> str:
    """What a person reads when the reminders stop."""
    if korean:
        return f"{turns}번 연속으로 새로 끝난 항목이 없어 더는 알리지 않습니다. 남은 항목({len(items)}): {shown(items)}"
    turned = "1 turn" if turns == 1 else f"{turns} turns in a row"
    return f"No progress for {turned}, so no further reminder. Still open ({len(items)}): {shown(items)}"


def shown(items: list[Item]) -> str:
    """The first open items on one line of a chat, without characters that it would read as more than text."""
    return "".join(sign if sign.isprintable() and sign != "@" else " " for sign in listed(items))
