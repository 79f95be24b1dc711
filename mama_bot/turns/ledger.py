"""The ledger of a turn: its attempts, what the agent did, and what of both is stored."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import replace

import structlog

from mama_bot.budgets.budgets import Allowance, BudgetSpent
from mama_bot.declarations import with_declaration
from mama_bot.model import (
    NO_SESSION,
    Attempt,
    Draft,
    InboundMessage,
    Judgement,
    Prompt,
    Reminders,
    SentBack,
    SessionId,
    StoredTurn,
    ToolFinished,
    ToolRecord,
    ToolRun,
    ToolStarted,
    Usage,
)
from mama_bot.protocols import Clock, TurnStore
from mama_bot.turns.prompts import feedback_prompt
from mama_bot.turns.turn_drift import TurnDrift

log = structlog.get_logger(__name__)

LONG_CHARACTERS = 20_000  # of a text whose secrets are taken out beside the event loop
MOST_CALLS = 1_000
MOST_TOLD = 300
EVERY_CALLS = 20
EVERY_SECONDS = 2.0
REST_PER_WRITE = 10  # a long record takes long to write: at most a tenth of the time goes into it


def calls_in_order(calls: Iterable[ToolRun]) -> tuple[ToolRun, ...]:
    """Return calls in the order they began, each of an agent once: the last 300."""
    each = {(call.agent, call.id): call for call in calls}
    return tuple(sorted(each.values(), key=lambda call: call.started_at)[-MOST_TOLD:])


def record_of(stored: StoredTurn) -> ToolRecord:
    """Return all that the agent did in a turn, with what no draft came of."""
    return _record(stored.attempts, stored.turn.undrafted)


class TurnLedger:
    """How far a turn is, from what the store has of it; whatever is entered is stored.

    While the agent is `asked`, calls that finish are stored at once, and then whenever 20 more finished or 2 seconds
    went by; one write at a time, beside the `ask`, which never waits for it. 1,000 calls are kept, those beyond are
    counted. `allowance` is what the turn may take (None: nothing holds it), `drift` tells whether its agent is stuck;
    `backend` is what runs its agent, a `fallback` where it is not the persona's first choice; `is_last` says of a
    session whether it gets no further try (None: it does).
    """

    def __init__(
        self,
        stored: StoredTurn,
        *,
        rejected_before: int = 0,
        turns: TurnStore,
        clock: Clock,
        redact: Callable[[str], str] = str,
        allowance: Allowance | None = None,
        drift: TurnDrift | None = None,
        backend: str = "",
        fallback: bool = False,
        is_last: Callable[[SessionId], bool] | None = None,
    ) -> None:
        self.turn = stored.turn
        self._backend = backend
        self._fallback = backend if fallback else ""
        self.allowance = allowance
        self._drift = drift
        self._is_last = is_last
        self._session_id = NO_SESSION
        self.attempts = stored.attempts
        self._asked = stored.asked
        self._rejected_before = rejected_before
        self._turns = turns
        self._clock = clock
        self._redact = redact
        self._cleaned = ("", "")  # the last long text, and the same without its secrets
        self._began = stored.started_at or clock.now()
        self._unstored: list[Attempt] = []
        self._untold: Attempt | None = None
        self._judged: tuple[Draft, Judgement] | None = None
        self._tasks: asyncio.TaskGroup | None = None
        self._writing: asyncio.Task[None] | None = None
        self._storing = asyncio.Lock()
        self._begin_ask()

    # --- how far the turn is --------------------------------------------------------------------------

    @property
    def next_attempt(self) -> int:
        """The number of the draft that comes next."""
        return len(self.attempts)

    @property
    def rejections(self) -> int:
        """How many drafts of the persona were rejected in a row on this task."""
        return self.attempts[-1].judgement.rejections if self.attempts else self._rejected_before

    @property
    def cut_off(self) -> bool:
        """Whether the agent was asked for a draft that never came, before this ledger was opened."""
        return self._asked >= self.next_attempt

    @property
    def record(self) -> ToolRecord:
        """What happened up to the last attempt, and in each `ask` of an earlier life that no draft came of."""
        return _record(self.attempts, self.turn.undrafted)

    @property
    def worked(self) -> bool:
        """Whether the agent called anything in this turn."""
        return bool(self._calls or self.record.runs)

    @property
    def usage(self) -> Usage:
        """What the attempts cost so far; an `ask` that no draft came of is not known."""
        return sum((attempt.draft.usage for attempt in self.attempts), Usage())

    @property
    def seconds(self) -> float:
        """How long ago the turn began; the time in which the service was away counts."""
        return (self._clock.now() - self._began).total_seconds()

    async def take_added(self) -> Sequence[InboundMessage]:
        """Make what a person added meanwhile part of what the turn was asked; stored before anybody is told."""
        async with self._storing:
            turn, messages = await self._turns.take_added(replace(self.turn, undrafted=self._undrafted()))
            self.turn = replace(self.turn, prompt=turn.prompt)
        return messages

    async def tell_of(self, calls: Sequence[ToolRun]) -> None:
        """Make calls of others, whose results the agent is told in the turn, part of what may confirm its words."""
        async with self._storing:
            self.turn = replace(self.turn, told=calls_in_order((*self.turn.told, *calls)))
            await self._turns.keep_turn(replace(self.turn, undrafted=self._undrafted()))

    # --- what it may take -----------------------------------------------------------------------------

    @asynccontextmanager
    async def at_work(self) -> AsyncIterator[None]:
        """Count the time of the block as work of the turn."""
        with self.allowance.working() if self.allowance is not None else nullcontext():
            yield

    async def feedback(self, outcome: SentBack) -> str:
        """Return what the agent is told whose last draft was sent back."""
        return feedback_prompt(outcome) if self._drift is None else await self._drift.feedback(outcome, self.attempts)

    async def first_prompt(self, prompt: str) -> str:
        """Return the first prompt of the turn, with what its agent is told of the turns before."""
        return prompt if self._drift is None or self.attempts else await self._drift.first_prompt(prompt)

    def of_calls(self) -> Prompt | None:
        """Return what the agent at work is told of its calls; None: nothing."""
        return None if self._drift is None else self._drift.of_calls(tuple(self._calls.values()))

    async def check_budget(self) -> None:
        """Return when the agent may be asked once more; raises BudgetSpent."""
        if self.allowance is not None:
            await self.allowance.check()

    async def may_go_on(self) -> bool:
        """Return whether the agent may be asked once more."""
        try:
            await self.check_budget()
        except BudgetSpent:
            return False
        return True

    # --- attempts -------------------------------------------------------------------------------------

    async def begin_attempt(self, session_id: SessionId) -> Reminders:
        """Store that the agent is about to be asked for the next draft; return what it is to be reminded of."""
        self._session_id = session_id
        return await self._turns.begin_attempt(self.turn, self.next_attempt, session_id, backend=self._backend)

    def is_last(self) -> bool:
        """Return whether the agent gets no further try, whatever becomes of this one."""
        return self._is_last is not None and self._is_last(self._session_id)

    def redact(self, text: str) -> str:
        """Return a text without its secrets."""
        known, clean = self._cleaned
        return clean if text == known else self._redact(text)

    async def clean(self, text: str) -> None:
        """Take the secrets out of a long text beside the event loop, for the draft that is made of it next."""
        if len(text) > LONG_CHARACTERS:
            self._cleaned = (text, await asyncio.to_thread(self._redact, text))

    def draft(
        self,
        text: str,
        since: ToolRecord,
        *,
        session_id: SessionId,
        usage: Usage | None = None,
        cut_short: bool = False,
    ) -> Draft:
        """Return the next draft; its record is what was before this `ask` and what happened `since` it began.

        Secrets are out of its words before they are judged, so that what is judged is what is stored and posted.
        """
        draft = Draft(
            turn_id=self.turn.id,
            attempt=self.next_attempt,
            text=self.redact(text),
            record=self._of_backend(self._before + since),
            usage=usage or Usage(),
            session_id=session_id,
            cut_short=cut_short,
        )
        return with_declaration(draft)

    def so_far(self, text: str) -> Draft:
        """Return words that are written while the agent is at work as a draft, with the record up to now."""
        record = self._of_backend(self._before + self._calls_since())
        return Draft(turn_id=self.turn.id, attempt=0, text=self.redact(text), record=record)

    def _of_backend(self, record: ToolRecord) -> ToolRecord:
        return replace(record, fallback=self._fallback) if self._fallback else record

    def judge(self, draft: Draft, judgement: Judgement) -> None:
        """Remember what was decided about the draft at hand, for `judgement_of`."""
        self._judged = (draft, judgement)

    def judgement_of(self, draft: Draft) -> Judgement | None:
        """Return what was decided about this very draft: the same words, record and attempt; else None."""
        if self._judged is None or draft.cut_short:
            return None
        known, judgement = self._judged
        return judgement if known.attempt == draft.attempt and _is_same(known, draft) else None

    async def add(self, attempt: Attempt) -> None:
        """Enter an attempt that was sent back, once; where storing it fails, the end of the `ask` stores it."""
        if attempt.draft.attempt < self.next_attempt:
            return
        self.attempts = (*self.attempts, attempt)
        self._untold = attempt
        self._unstored.append(attempt)
        await self._store(attempt)

    def tell(self) -> None:
        """Note that the agent is told of the last attempt, within the `ask` that it is in."""
        self._untold = None

    def untold(self, text: str, since: ToolRecord) -> Attempt | None:
        """Return the last attempt, when it was for these very words and record and nobody told the agent of it.

        What came between was a store that failed, or the end of the `ask`.
        """
        attempt = self._untold
        if attempt is None or not _is_same(attempt.draft, self.draft(text, since, session_id=NO_SESSION)):
            return None
        return attempt

    async def _store(self, attempt: Attempt) -> None:
        await self._turns.add_attempt(attempt)
        if attempt in self._unstored:
            self._unstored.remove(attempt)

    # --- while the agent is asked ---------------------------------------------------------------------

    @asynccontextmanager
    async def asked(self) -> AsyncIterator[None]:
        """Keep what the agent does during the block; when it ends by an error, all of it, cancellation included.

        At its end every attempt that was entered is in the store.
        """
        self._begin_ask()
        try:
            async with self._calls_kept():
                yield
        finally:
            for attempt in tuple(self._unstored):
                await self._store(attempt)

    def note(self, event: ToolStarted | ToolFinished) -> None:
        """Note that a call began or ended."""
        run = event.run
        if run.id not in self._calls and len(self._calls) >= MOST_CALLS:
            self._beyond.add(run.id)
            return
        self._calls[run.id] = run
        if isinstance(event, ToolFinished):
            if self._writing is None and self._tasks is not None:  # most turns call no tool, and need no task
                self._writing = self._tasks.create_task(self._write_on())
            self._finished += 1
            self._some.set()
            if self._finished >= EVERY_CALLS:
                self._many.set()

    def _begin_ask(self) -> None:
        if self._drift is not None:
            self._drift.begin_ask()
        self._untold = None
        self._before = self.record
        self._calls: dict[str, ToolRun] = {}
        self._beyond: set[str] = set()
        self._finished = 0
        self._some = asyncio.Event()
        self._many = asyncio.Event()

    @asynccontextmanager
    async def _calls_kept(self) -> AsyncIterator[None]:
        failure: Exception | None = None
        drafted = False
        try:
            async with asyncio.TaskGroup() as tasks:
                self._tasks = tasks
                try:
                    yield
                except Exception as error:  # noqa: BLE001 - raised again below: a group would wrap it
                    failure = error
                finally:
                    self._tasks = None
                    if self._writing is not None:
                        self._writing.cancel()
                        self._writing = None
            drafted = failure is None
        finally:
            if not drafted:  # what the agent did, it did
                await self._write()
        if failure is not None:
            raise failure

    async def _write_on(self) -> None:
        while True:
            await self._some.wait()
            began = self._clock.monotonic()
            await self._write()
            took = self._clock.monotonic() - began
            with suppress(TimeoutError):
                async with asyncio.timeout(max(EVERY_SECONDS, took * REST_PER_WRITE)):
                    await self._many.wait()

    async def _write(self) -> None:
        self._finished = 0
        self._some.clear()
        self._many.clear()
        new = self._calls_since()
        if not new.runs and not new.dropped:
            return
        try:
            async with self._storing:  # one that began before what was added is not written after it
                await self._turns.keep_turn(replace(self.turn, undrafted=self._undrafted()))
        except Exception as error:  # noqa: BLE001 - a record that cannot be stored now must not end the turn
            log.warning("record_lost", calls=len(new.runs), reason=f"{type(error).__name__}: {error}")

    def _calls_since(self) -> ToolRecord:
        new = ToolRecord(runs=tuple(self._calls.values())).without(self._before)
        return replace(new, dropped=len(self._beyond))

    def _undrafted(self) -> ToolRecord:
        return self.turn.undrafted + self._calls_since()


def _is_same(draft: Draft, other: Draft) -> bool:
    """Whether two drafts have the same words, record and declaration."""
    words = (draft.text, draft.record, draft.declaration, draft.misdeclared)
    return words == (other.text, other.record, other.declaration, other.misdeclared)


def _record(attempts: Sequence[Attempt], undrafted: ToolRecord) -> ToolRecord:
    drafted = attempts[-1].draft.record if attempts else ToolRecord()
    return drafted + undrafted.without(drafted)
