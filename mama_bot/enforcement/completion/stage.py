"""TodoTracker: what a delegation asked for and the reply leaves open."""

from dataclasses import replace

from mama_bot.config import TodoTrackerSettings
from mama_bot.enforcement.case import Case
from mama_bot.enforcement.completion.checklist import Item
from mama_bot.enforcement.completion.completions import Completion, ItemState, completion, first_items
from mama_bot.enforcement.completion.sentences import NO_PROGRESS, OPEN, REMINDER
from mama_bot.model import (
    Allow,
    Amend,
    Checklist,
    ClaimKind,
    ClaimState,
    Decision,
    Evidence,
    Figure,
    FigureName,
    Turn,
    Verdict,
)
from mama_bot.protocols import ChangedFiles, PresentFiles
from mama_bot.wording import printable

# What was run or written: that something was looked at or typed finishes nothing.
DONE_KINDS = frozenset(ClaimKind) - {ClaimKind.RAN, ClaimKind.CHECKED, ClaimKind.ONLY_THESE}


class TodoTracker:
    """Reminds the agent, in its next prompt, of the open items of EXPECTED OUTCOME; the text stays as it is.

    It does not while somebody is asked something or another agent is at work for the reply, nor of a draft that was
    cut short; after `stagnation_turns` turns in a row without a newly ticked item it stops, and says so once.
    """

    name = "todo_tracker"

    def __init__(
        self,
        *,
        settings: TodoTrackerSettings,
        changed_files: ChangedFiles | None = None,
        present_files: PresentFiles | None = None,
    ) -> None:
        self._settings = settings
        self._changed_files = changed_files
        self._present_files = present_files

    async def judge(self, case: Case) -> Decision:
        """Tick what the reply, the record and the changed files finish."""
        before = standing_before(case.turn)
        told = await self._completion(case, before)
        evidence = Evidence(figures=figures_of(told))
        if before is None or not told.items:
            return Allow(evidence=evidence)
        remaining = told.of(ItemState.OPEN, ItemState.DENIED)
        done = tuple(item.key for item in told.of(ItemState.DONE))
        now = replace(before, done=done, open_items=len(remaining))
        if not remaining:
            return Allow(evidence=replace(evidence, checklist=replace(now, idle_turns=0)))
        waiting = await case.aside(lambda: waits(case))
        if set(done) - set(before.done):
            now = replace(now, idle_turns=0, given_up=False)
        elif not waiting:
            now = replace(now, idle_turns=before.idle_turns + 1)
        evidence = replace(evidence, checklist=now)
        if waiting or now.given_up or not self._settings.reminder:
            return Allow(evidence=evidence)
        return self._reminder(case, evidence, now, remaining, len(told.items))

    async def _completion(self, case: Case, before: Checklist | None) -> Completion:
        """Return what is done; changed files are looked at only where an item that is open names files."""
        draft, turn = case.draft, case.turn
        asked = before.asked if before else ""
        done_before = frozenset(before.done) if before else frozenset()
        told = await case.aside(lambda: completion(draft.text, asked, draft.record, done_before=done_before))
        if self._changed_files is not None and any(item.files for item in told.of(ItemState.OPEN)):
            changed = await self._changed_files.since(turn) or frozenset()
            if changed and self._present_files is not None:  # a file that was deleted is no file that was asked for
                changed = await self._present_files.present(turn, changed)
            if changed:
                told = await case.aside(
                    lambda: completion(draft.text, asked, draft.record, changed=changed, done_before=done_before)
                )
        if not told.claimed:
            return told
        return replace(told, supported=await case.aside(lambda: is_borne_out(case, supported=told.supported)))

    def _reminder(self, case: Case, evidence: Evidence, now: Checklist, remaining: list[Item], items: int) -> Amend:
        left = len(remaining)
        if now.idle_turns >= self._settings.stagnation_turns:
            reason = NO_PROGRESS.to(case.language, turns=now.idle_turns, left=left, listed=quoted_items(remaining))
            return Amend(
                rule="no_progress",
                reason=reason,
                banner=reason,
                verdict=Verdict.NOTED,
                evidence=replace(evidence, checklist=replace(now, given_up=True)),
            )
        return Amend(
            rule="open_items",
            reason=OPEN.to(case.language, left=left, items=items),
            reminder=REMINDER.to(case.language, left=left, listed=first_items(remaining)),
            evidence=evidence,
        )


def waits(case: Case) -> bool:
    """Return whether the reply is no end of the work: it asks, hands work on, or was cut short."""
    return case.draft.cut_short or case.hands_on or case.is_asking


def standing_before(turn: Turn) -> Checklist | None:
    """Return the checklist that a turn is judged by: its delegation's own, or the one that the persona goes on with."""
    if turn.delegation is None:
        return None
    asked = turn.delegation.expected_outcome
    if turn.checklist is not None:
        return replace(turn.checklist, asked=asked) if asked.strip() else turn.checklist
    return Checklist(task=turn.delegation.task_key, asked=asked) if asked.strip() else None


def is_borne_out(case: Case, *, supported: bool) -> bool:
    """Return whether a claim of completion is supported: not where calls contradict it, and where they confirm it."""
    if not case.draft.record.work:
        return supported
    shown = any(checked.state is ClaimState.CONFIRMED and checked.claim.kind in DONE_KINDS for checked in case.claims)
    return all(checked.state is not ClaimState.CONTRADICTED for checked in case.claims) and (supported or shown)


def figures_of(told: Completion) -> tuple[Figure, ...]:
    """Return what is measured in every reply."""
    remaining = len(told.of(ItemState.OPEN, ItemState.DENIED))
    return (
        Figure(name=FigureName.ITEMS, value=len(told.items)),
        Figure(name=FigureName.OPEN_ITEMS, value=remaining),
        Figure(name=FigureName.COMPLETION_CLAIMED, value=float(told.claimed)),
        Figure(name=FigureName.COMPLETION_SUPPORTED, value=float(told.supported)),
    )


def quoted_items(items: list[Item]) -> str:
    """Return the first open items on one line of a chat, without characters that it would read as more than text."""
    return printable(first_items(items), drop="@", instead=" ")
