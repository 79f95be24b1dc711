"""Asks people before a tool call runs, and waits for their answer: stored first, so that both outlive the service."""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from mama_bot.consent import sentences as says
from mama_bot.consent.question_text import how_to_answer, outcome_text, question_text
from mama_bot.consent.shown_calls import MOST_CHARACTERS, ShownCall, shown_call
from mama_bot.errors import StoreUnavailable
from mama_bot.locks import KeyedLocks
from mama_bot.metrics import Metrics
from mama_bot.model import (
    GRANTED,
    Approval,
    Ask,
    ConversationKey,
    MessageId,
    Notice,
    NoticeKind,
    PostId,
    QuestionAnswer,
    QuestionState,
    StoredQuestion,
    ToolCall,
    ToolQuestion,
    ToolTurn,
    question_reference,
)
from mama_bot.protocols import Clock, ToolQuestions
from mama_bot.tool_policy.absent_approver import NobodyApproves
from mama_bot.wording import Language, one_line, quotable

MOST_WORDS = 500
MOST_ABOUT = 100
LOOK_SECONDS = 5.0

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskingTurn:
    """The turn that a question comes from: the message that it answers, whom it works for, their language."""

    message_id: MessageId
    asker: str
    language: Language


@dataclass(frozen=True, slots=True, kw_only=True)
class _WaitingCall:
    """A call that waits for people, until when at the latest, and what stops it."""

    call: ToolCall
    turn: ToolTurn
    key: ConversationKey
    asking: AskingTurn
    stopped: asyncio.Event
    ends_at: datetime


class ApprovalDesk:
    """Answers what rules ask with what people say: an `Approver`.

    `seconds` bound all that one call waits for, behind others and for several questions. `turn_of` tells which turn
    runs in a conversation, `paused` lets its deadline wait. With `tell_nodes`, which tells other nodes of an answer,
    calls wait there as well, and answers come from there.
    """

    def __init__(
        self,
        *,
        questions: ToolQuestions,
        turn_of: Callable[[ConversationKey], Awaitable[AskingTurn | None]],
        paused: Callable[[ConversationKey], AbstractContextManager[None]],
        seconds: float,
        redact: Callable[[str], str],
        clock: Clock,
        metrics: Metrics,
        tell_nodes: Callable[[int], None] | None = None,
    ) -> None:
        self._tell_nodes = tell_nodes
        self._questions = questions
        self._turn_of = turn_of
        self._paused = paused
        self._seconds = seconds
        self._redact = redact
        self._clock = clock
        self._metrics = metrics
        self._waiting: dict[int, asyncio.Event] = {}
        self._turnstile = asyncio.Lock()
        self._checkpoints: KeyedLocks[tuple[ConversationKey, str]] = KeyedLocks()
        self._refused: dict[tuple[ConversationKey, str], StoredQuestion] = {}

    @property
    def seconds(self) -> float:
        """See Approver.seconds."""
        return self._seconds

    async def answer(self, question: Ask, call: ToolCall, turn: ToolTurn, *, stopped: asyncio.Event) -> Approval:
        """See Approver.answer."""
        asking = None if turn.key is None else await self._turn_of(turn.key)
        if turn.key is None or asking is None:
            return await NobodyApproves().answer(question, call, turn, stopped=stopped)
        waiting = _WaitingCall(
            call=call, turn=turn, key=turn.key, asking=asking, stopped=stopped, ends_at=self._end_from_now()
        )
        for each in (*question.before, question):
            approval = await self._answered(each, waiting)
            if not approval.granted:
                break
        return approval

    def _end_from_now(self) -> datetime:
        return self._clock.now() + timedelta(seconds=self._seconds)

    async def _answered(self, question: Ask, waiting: _WaitingCall) -> Approval:
        """Return the answer to one question; a checkpoint is asked once for all calls that come to it.

        A call that waits while another is asked about the checkpoint is told the no that the other was told.
        """
        if not question.checkpoint:
            return await self._approval(question, waiting)
        place = (waiting.key, question.checkpoint)
        behind = place in self._checkpoints
        try:
            async with asyncio.timeout(self._left(waiting)) as patience, self._checkpoints.held(place):
                patience.reschedule(None)
                refused = self._refused.get(place) if behind else None
                if refused is not None and not waiting.stopped.is_set():
                    return Approval(granted=False, feedback=_feedback(question, refused))
                return await self._approval(question, waiting)
        except TimeoutError:
            if not patience.expired():
                raise
            return _unasked(question, QuestionState.EXPIRED)
        finally:
            if place not in self._checkpoints:
                self._refused.pop(place, None)

    def _left(self, waiting: _WaitingCall) -> float:
        return self._until(waiting.ends_at)

    def _until(self, moment: datetime) -> float:
        return max(0.0, (moment - self._clock.now()).total_seconds())

    async def _approval(self, question: Ask, waiting: _WaitingCall) -> Approval:
        if waiting.stopped.is_set():
            return _unasked(question, QuestionState.STOPPED)
        call, turn, key = waiting.call, waiting.turn, waiting.key
        rules = (question.rule, *question.also)
        if await self._allowed(key, question, rules):
            self._metrics.count("approvals", rule=question.rule, outcome="allowed_before")
            log.info("call_allowed_before", rules=rules, conversation=str(key))
            return Approval(granted=True)
        if not self._left(waiting):
            return _unasked(question, QuestionState.EXPIRED)
        shown = await asyncio.to_thread(shown_call, call, turn, self._redact)
        if shown is None:
            self._metrics.count("approvals", rule=question.rule, outcome="too_long")
            log.warning("call_too_long_to_ask", rules=rules, tool=call.tool, conversation=str(key))
            told = says.TOO_LONG.format(reason=_sentence(question.reason), most=MOST_CHARACTERS)
            return Approval(granted=False, feedback=told)
        asked, stored = await self._settled(
            lambda: self._asked(question, shown, waiting), waiting.key, waiting.ends_at, waiting.stopped
        )
        if question.checkpoint and stored.state in (QuestionState.DENIED, QuestionState.EXPIRED):
            self._refused[key, question.checkpoint] = stored
        waited = (self._clock.now() - asked.question.asked_at).total_seconds()
        self._metrics.count("approvals", rule=question.rule, outcome=stored.state.value)
        log.info(
            "question_answered",
            number=stored.number,
            state=stored.state.value,
            by=stored.by,
            rules=rules,
            checkpoint=question.checkpoint,
            conversation=str(key),
            seconds=round(waited, 1),
        )
        return Approval(granted=stored.state in GRANTED, feedback=_feedback(question, stored))

    async def _allowed(self, key: ConversationKey, question: Ask, rules: Sequence[str]) -> bool:
        if question.checkpoint:
            return await self._questions.passed(key, question.checkpoint)
        return await self._questions.always(key, rules)

    async def asked(self, question: ToolQuestion, notice: Callable[[int], Notice]) -> StoredQuestion:
        """Ask a question and wait until it is settled, its time over at the latest; whoever asks hears the answer.

        Asked anew after a crash it is the same question, and its answer may be there.
        """

        async def stored() -> StoredQuestion:
            return await self._questions.ask(question, notice, besides=frozenset(self._waiting))

        _, settled = await self._settled(stored, question.key, question.expires_at, asyncio.Event())
        return settled

    async def waiting_for(self, key: ConversationKey, person: str) -> StoredQuestion | None:
        """Return the oldest question of an agent that this person may answer in their own words; None for none."""
        for stored in await self._questions.unanswered(key):
            waits = self._tell_nodes is not None or stored.number in self._waiting
            if waits and stored.question.words and stored.question.asker == person:
                return stored
        return None

    async def _settled(
        self,
        asks: Callable[[], Awaitable[StoredQuestion]],
        key: ConversationKey,
        ends_at: datetime,
        stopped: asyncio.Event,
    ) -> tuple[StoredQuestion, StoredQuestion]:
        """Ask, and wait for the answer while the deadlines of turns wait; return the question before and after."""
        async with self._held(asks) as asked:
            with self._paused(key):
                stored = await self._waited(asked, ends_at, stopped) if asked.state is QuestionState.OPEN else asked
            await self._questions.tell(stored.number)
        return asked, stored

    async def watch(self) -> None:
        """Settle the questions that nobody waits for any more, until cancelled: of an earlier life, or out of time."""
        while True:
            try:
                for stored in await self._questions.abandoned():
                    if stored.number not in self._waiting:
                        late = stored.question.expires_at <= self._clock.now()
                        state = QuestionState.EXPIRED if late else QuestionState.STOPPED
                        await self.settle(stored, QuestionAnswer(state=state))
                        log.info("question_abandoned", number=stored.number, state=state.value)
            except StoreUnavailable as error:
                log.warning("questions_not_seen", reason=str(error))
            await asyncio.sleep(LOOK_SECONDS)

    @asynccontextmanager
    async def _held(self, asked: Callable[[], Awaitable[StoredQuestion]]) -> AsyncIterator[StoredQuestion]:
        """Ask, and keep the question for one call: another that is the same meanwhile asks a question of its own."""
        async with self._turnstile:
            stored = await asked()
            self._waiting[stored.number] = asyncio.Event()
        try:
            yield stored
        finally:
            del self._waiting[stored.number]

    async def settle(self, stored: StoredQuestion, answer: QuestionAnswer) -> tuple[StoredQuestion, bool]:
        """Settle a question by a person's word; return how it stands, and whether this word counts.

        What is allowed for good settles the other open questions that are about nothing else.
        """
        after, counts = await self._questions.settle(stored, answer, self._outcome)
        self.wake(stored.number)
        if self._tell_nodes is not None:
            self._tell_nodes(stored.number)
        if counts and after.state is QuestionState.ALWAYS and not after.question.checkpoint:
            key, approved = after.question.key, QuestionAnswer(state=QuestionState.APPROVED, by=answer.by)
            for other in await self._questions.unanswered(key):
                if not other.question.checkpoint and await self._questions.always(key, other.question.rules):
                    await self.settle(other, approved)
        return after, counts

    def wake(self, number: int) -> None:
        """Tell whoever waits for the answer to a question here that it is stored."""
        if (settled := self._waiting.get(number)) is not None:
            settled.set()

    async def find(self, key: ConversationKey, number: int) -> StoredQuestion | None:
        """Return a question that was asked where a command was given."""
        return await self._questions.find(key, number)

    async def waits_in(self, key: ConversationKey) -> bool:
        """Return whether a question of a conversation waits for an answer."""
        return bool(await self._questions.unanswered(key))

    async def _asked(self, question: Ask, shown: ShownCall, waiting: _WaitingCall) -> StoredQuestion:
        key, now, name = waiting.key, self._clock.now(), waiting.turn.persona.display_name
        turn, asking, seconds = waiting.turn, waiting.asking, self._left(waiting)

        def notice(number: int) -> Notice:
            language = asking.language
            return Notice(
                id=post_of(number),
                key=key,
                notice=NoticeKind.CHECKPOINT if question.checkpoint else NoticeKind.QUESTION,
                text=question_text(number, question, shown, name, language=language, redact=self._redact),
                approval=question_reference(number),
                ending=how_to_answer(number, question, key.platform, seconds=seconds, language=language),
                language=language,
            )

        stored = await self._questions.ask(
            ToolQuestion(
                key=key,
                message_id=asking.message_id,
                rules=(question.rule, *question.also),
                persona=turn.persona.name,
                digest=f"checkpoint:{question.checkpoint}" if question.checkpoint else digest_of(waiting.call, turn),
                checkpoint=question.checkpoint,
                about=one_line(shown.text[: 4 * MOST_ABOUT], MOST_ABOUT),
                asked_at=now,
                expires_at=waiting.ends_at,
                approvers=question.approvers,
                asker=asking.asker,
                language=asking.language,
            ),
            notice,
            besides=frozenset(self._waiting),
        )
        log.info("question_asked", number=stored.number, rule=question.rule, persona=turn.persona.name)
        return stored

    async def _waited(self, stored: StoredQuestion, ends_at: datetime, stopped: asyncio.Event) -> StoredQuestion:
        """Wait for an answer, for the end of its time, or for a stop."""
        settled = self._waiting[stored.number]
        async with asyncio.TaskGroup() as group:
            waits = [group.create_task(settled.wait()), group.create_task(stopped.wait())]
            # An answer that came between the question and this wait rang for nobody.
            time = asyncio.get_running_loop().time
            until = time() + self._until(ends_at)
            while (left := until - time()) > 0 and not any(wait.done() for wait in waits):
                known = await self._questions.find(stored.question.key, stored.number)
                if known is None or known.state is not QuestionState.OPEN:
                    break
                # What another node tells may be lost.
                patience = left if self._tell_nodes is None else min(left, LOOK_SECONDS)
                await asyncio.wait(waits, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
            for wait in waits:
                wait.cancel()
        state = QuestionState.STOPPED if stopped.is_set() else QuestionState.EXPIRED
        after, _ = await self.settle(stored, QuestionAnswer(state=state))
        return after

    def _outcome(self, stored: StoredQuestion) -> Notice:
        """Return what tells everybody what became of a question, where it was asked."""
        question = stored.question
        return Notice(
            id=PostId(f"{post_of(stored.number)}.{stored.state.value}"),
            key=question.key,
            notice=NoticeKind.ANSWERED,
            text=outcome_text(stored, question.language),
            settles=post_of(stored.number),
            language=question.language,
        )


def post_of(number: int) -> PostId:
    """Return the id of the post that asks."""
    return PostId(f"question.{number}")


def digest_of(call: ToolCall, turn: ToolTurn) -> str:
    """Return what stands for a call of a persona with all of its arguments, and for no other."""
    arguments = json.dumps(call.arguments, sort_keys=True, default=str)
    return hashlib.sha256(
        f"{turn.persona.name}\n{call.tool}\n{call.directory}\n{arguments}".encode("utf-8", "replace")
    ).hexdigest()


def _feedback(question: Ask, stored: StoredQuestion) -> str:
    told = says.FEEDBACK.get(stored.state)
    if told is None:
        return ""
    if question.checkpoint and stored.state is QuestionState.DENIED:
        told = says.CHECKPOINT_DENIED
    why = says.BECAUSE.format(why=quotable(stored.why, MOST_WORDS)) if stored.why else ""
    go_on = "" if told is says.CHECKPOINT_DENIED else f" {says.GO_ON}"
    return f"{told.format(reason=_sentence(question.reason), why=why, checkpoint=question.checkpoint)}{go_on}"


def _unasked(question: Ask, state: QuestionState) -> Approval:
    """Return the no that a call is told about which nobody was asked any more."""
    log.info("question_not_asked", rule=question.rule, checkpoint=question.checkpoint, why=state.value)
    told = says.UNASKED[state].format(reason=_sentence(question.reason))
    return Approval(granted=False, feedback=f"{told} {says.GO_ON}")


def _sentence(reason: str) -> str:
    return f"{reason.rstrip('.')}."
