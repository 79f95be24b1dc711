"""Values for the tests of the store, with only the parts that matter to a test spelled out."""

from datetime import UTC, datetime, timedelta

from mama_bot.model import (
    Attempt,
    Audience,
    Author,
    Cleared,
    ConversationKey,
    Draft,
    InboundMessage,
    Judgement,
    MessageId,
    Notice,
    NoticeKind,
    Outcome,
    Platform,
    PostId,
    Receipt,
    Reminders,
    Reply,
    SentBack,
    SessionId,
    ToolRecord,
    ToolRun,
    Turn,
    TurnId,
    TurnKind,
    Usage,
    text_hash,
    well_formed,
)
from mama_bot.store import Store
from mama_bot.tool_names import with_kind

START = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
HERE = ConversationKey(Platform("web"), "general", "thread")
ELSEWHERE = ConversationKey(Platform("web"), "random")
PERSON = Author(id="u1", name="김민수")


class TickingClock:
    """A clock that goes on by a millisecond whenever somebody looks."""

    def __init__(self) -> None:
        self._now = START

    def now(self) -> datetime:
        self._now += timedelta(milliseconds=1)
        return self._now

    def monotonic(self) -> float:
        return (self.now() - START).total_seconds()

    def advance(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)


def message(
    number: int = 1, text: str = "Please look at this.", key: ConversationKey = HERE, author: Author = PERSON
) -> InboundMessage:
    return InboundMessage(id=MessageId(f"m{number}"), key=key, author=author, text=text, received_at=START)


def turn(of: InboundMessage, name: str = "", persona: str = "lead") -> Turn:
    return Turn(
        id=TurnId(name or f"t-{of.id}"),
        message_id=of.id,
        key=of.key,
        persona=persona,
        kind=TurnKind.REQUEST,
        audience=Audience.PERSON,
        asker=of.author,
        prompt=of.text,
    )


def judgement(of: Turn, text: str, outcome: Outcome | None = None, attempt: int = 0) -> Judgement:
    return Judgement(
        turn_id=of.id, attempt=attempt, text_sha256=text_hash(text), outcome=Cleared() if outcome is None else outcome
    )


def reply(of: Turn, text: str = "Three files changed.", name: str = "") -> Reply:
    text = well_formed(text)  # as the draft that was cleared
    return Reply(
        id=PostId(name or f"p-{of.id}"),
        turn_id=of.id,
        key=of.key,
        persona=of.persona,
        display_name=of.persona.title(),
        text=text,
        judgement=judgement(of, text),
    )


def attempt(of: Turn, number: int = 0, text: str = "Great job!", outcome: Outcome | None = None) -> Attempt:
    record = ToolRecord(
        runs=(
            with_kind(ToolRun(id="r1", tool="Bash", arguments='{"command":"pytest"}', started_at=START, exit_status=0)),
        )
    )
    draft = Draft(turn_id=of.id, attempt=number, text=text, record=record, usage=Usage(input_tokens=5, cost_usd=0.25))
    return Attempt(draft=draft, judgement=judgement(of, text, outcome, number), at=START)


def sent_back() -> SentBack:
    return SentBack(stage="response_validator", rule="praise", reason="praise", feedback="Say what you did.")


def receipt(post_id: PostId, *platform_ids: str) -> Receipt:
    return Receipt(post_id=post_id, platform_ids=platform_ids or ("77",), posted_at=START)


def notice(number: int = 1, key: ConversationKey = HERE) -> Notice:
    return Notice(id=PostId(f"n{number}"), key=key, notice=NoticeKind.FAILED, text="It failed.")


async def reminders_of(store: Store, begins: Turn) -> Reminders:
    """What a turn is reminded of as it begins."""
    return await store.turns.begin_attempt(begins, 0, SessionId("s"))
