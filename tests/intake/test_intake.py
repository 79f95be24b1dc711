"""The one way in: a message is checked, stored, and only then said to be taken."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mama_bot.app.service_parts import waiting_in_line
from mama_bot.app.system_clock import SystemClock
from mama_bot.config import AccessSettings, QueueSettings
from mama_bot.errors import AccessRefused, MessageRefused, QueueFull
from mama_bot.intake.intake import Intake
from mama_bot.message_line import MessageStandings, marked_by
from mama_bot.metrics import Metrics
from mama_bot.model import (
    Answer,
    Attachment,
    Author,
    Command,
    CommandName,
    ConversationKey,
    InboundMessage,
    InLine,
    MessageId,
    Origin,
    StopAsked,
    WaitingLine,
)
from mama_bot.protocols import Inbox
from mama_bot.store.sqlite import open_sqlite
from mama_bot.store.store import Store, open_store, sqlite_url
from mama_bot.wording import Language
from tests.intake.admitting import PLACE, Door, SetClock
from tests.people import HERE, PERSON, message
from tests.store.test_faults import locked


class Shelf:
    """An inbox that keeps what it is given."""

    def __init__(self) -> None:
        self.kept: list[InboundMessage] = []

    async def accept(self, message: InboundMessage) -> InLine:
        self.kept.append(message)
        return InLine(ahead=0)

    async def waiting(self, key: ConversationKey, message_id: MessageId) -> InboundMessage | None:
        return None

    async def unfinished(self, key: ConversationKey, message_id: MessageId) -> bool:
        return False

    async def revise(self, message: InboundMessage) -> bool:
        return False

    async def withdraw(self, key: ConversationKey, message_id: MessageId) -> bool:
        return False

    async def add_to_running(
        self, key: ConversationKey, *, by: str | None = None, message_id: MessageId | None = None
    ) -> Sequence[InboundMessage]:
        return ()

    async def line(self, key: ConversationKey, *, most: int) -> WaitingLine:
        return WaitingLine()

    async def waited_in(self) -> Sequence[ConversationKey]:
        return ()


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    queue = QueueSettings(per_conversation=2)
    async with open_store(sqlite_url(tmp_path / "s.sqlite"), clock=SystemClock(), queue=queue) as opened:
        yield opened


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


async def stop(key: ConversationKey, by: str) -> StopAsked:
    return StopAsked(running=MessageId("m1")) if by == "Minsu" and key == HERE else StopAsked()


@pytest.fixture
def intake(store: Store, metrics: Metrics) -> Intake:
    return made(store.inbox, store, metrics)


def made(inbox: Inbox, store: Store, metrics: Metrics, *, max_characters: int = 100_000) -> Intake:
    door = Door(store, SetClock(), AccessSettings(people=("u1",)), metrics=metrics)
    return Intake(
        inbox=inbox,
        standings=MessageStandings(inbox=inbox, mark=marked_by({})),
        steer=waiting_in_line,
        stop=stop,
        commands=answer,
        access=door.access,
        max_characters=max_characters,
        metrics=metrics,
    )


async def answer(command: Command) -> Answer:
    return Answer(text=f"{command.name.value} for {command.author.name}")


async def text_of(store: Store, name: str = "m1") -> str:
    return (await store.turns.load(MessageId(name))).message.text


@pytest.mark.parametrize("text", ["", " \n\t", "\u3000\u00a0", "\u200b\u200d\ufeff", "\u3164", "\ufe0f", "\0"])
async def test_an_empty_message_is_refused(intake: Intake, metrics: Metrics, text: str) -> None:
    with pytest.raises(MessageRefused, match="The message is empty"):
        await intake.deliver(message(text))
    assert metrics.snapshot() == {("messages_refused", (("reason", "MessageRefused"),)): 1}


@pytest.mark.parametrize("text", ["👍", "👨‍👩‍👧", "❤️", "?", "ㅋ", "x" * 100_000])
async def test_anything_visible_is_taken_as_it_is(store: Store, intake: Intake, metrics: Metrics, text: str) -> None:
    assert await intake.deliver(message(text))
    assert await text_of(store) == text
    assert metrics.snapshot() == {("messages", (("platform", "web"),)): 1}


async def test_a_file_without_words_is_taken(intake: Intake) -> None:
    file = Attachment(name="a.png", media_type="image/png", size=1, path=Path("a.png"))
    assert await intake.deliver(replace(message(""), attachments=(file,)))


async def test_a_message_that_is_too_long_is_refused_with_the_figures(intake: Intake) -> None:
    with pytest.raises(MessageRefused, match=r"has 204,800 characters; at most 100,000 fit\. .* in parts\."):
        await intake.deliver(message("x" * 204_800))


@pytest.mark.parametrize(
    ("given_text", "kept"),
    [("a\ud800b", "a\ufffdb"), ("\udfff", "\ufffd"), ("a\ud83d", "a\ufffd"), ("\ud83d\ude00 x", "😀 x")],
)
async def test_lone_surrogates_are_replaced_and_pairs_joined(
    store: Store, intake: Intake, given_text: str, kept: str
) -> None:
    assert await intake.deliver(replace(message(given_text), author=replace(PERSON, name=given_text)))
    stored = (await store.turns.load(MessageId("m1"))).message
    assert (stored.text, stored.author.name) == (kept, kept)


async def test_a_redelivery_is_taken_once(store: Store, intake: Intake, metrics: Metrics) -> None:
    assert await intake.deliver(message("first"))
    assert not await intake.deliver(message("first"))
    assert await text_of(store) == "first"
    assert metrics.snapshot()["messages_repeated", (("platform", "web"),)] == 1


async def test_a_full_queue_is_told_and_counted(intake: Intake, metrics: Metrics) -> None:
    for number in (1, 2):
        await intake.deliver(message("x", number=number))
    with pytest.raises(QueueFull):
        await intake.deliver(message("x", number=3))
    assert metrics.snapshot()["messages_refused", (("reason", "QueueFull"),)] == 1


async def test_a_stop_is_handed_on(intake: Intake) -> None:
    assert await intake.stop(HERE, "Minsu")
    assert not await intake.stop(HERE, "somebody")


STRANGER = Author(id="u9", name="Choi")
HALL = Origin(channel="general")


def from_chat(text: str, *, author: Author = PERSON, number: int = 1) -> InboundMessage:
    return replace(message(text, number=number, key=PLACE), author=author, origin=HALL)


async def test_who_is_not_served_is_refused_before_anything_else_is_said(
    store: Store, intake: Intake, metrics: Metrics
) -> None:
    for text in ("hello", "", "x" * 200_000):
        with pytest.raises(AccessRefused) as refused:
            await intake.deliver(from_chat(text, author=STRANGER))
        assert refused.value.to(Language.ENGLISH) == ""
    assert metrics.snapshot() == {("access_refused", (("platform", "memory"), ("reason", "stranger"))): 3}
    with pytest.raises(LookupError):
        await store.turns.load(MessageId("m1"))


async def test_who_is_served_is_taken(store: Store, intake: Intake) -> None:
    assert await intake.deliver(from_chat("hello"))
    assert await text_of(store) == "hello"


async def test_a_command_is_answered_for_whom_is_served_only(intake: Intake) -> None:
    command = Command(name=CommandName.STATUS, key=PLACE, author=PERSON, origin=HALL)
    assert (await intake.command(command)).text == f"status for {PERSON.name}"
    with pytest.raises(AccessRefused):
        await intake.command(replace(command, author=STRANGER))


async def test_while_nobody_can_be_known_a_strangers_command_is_told_nothing(tmp_path: Path, metrics: Metrics) -> None:
    path = tmp_path / "locked.sqlite"
    async with open_sqlite(path, busy_seconds=0.05) as database:
        shop = Store(database=database, clock=SystemClock(), queue=QueueSettings())
        intake = made(shop.inbox, shop, metrics)
        command = Command(name=CommandName.STATUS, key=PLACE, author=STRANGER, origin=Origin(channel="d", direct=True))
        with locked(path), pytest.raises(AccessRefused) as refused:
            await intake.command(command)
    assert refused.value.to(Language.ENGLISH) == ""
    assert metrics.snapshot()["commands_refused", (("platform", "memory"),)] == 1


async def test_a_refusal_is_said_in_the_language_of_the_message(store: Store, intake: Intake) -> None:
    assert "메시지가 200,000자입니다. 100,000자까지" in await refusal(intake, message("가" * 200_000))
    for number in (1, 2):
        await intake.deliver(replace(message("안녕하세요"), id=MessageId(f"k{number}")))
    assert "대기열이 가득 찼습니다(메시지 2개 대기)" in await refusal(
        intake, replace(message("안녕하세요"), id=MessageId("k3"))
    )


async def refusal(intake: Intake, refused: InboundMessage) -> str:
    """Return what the author of a message that is refused is told."""
    with pytest.raises((MessageRefused, QueueFull)) as error:
        await intake.deliver(refused)
    return error.value.to(refused.language)


async def test_the_new_text_of_a_waiting_message_is_taken(store: Store, intake: Intake, metrics: Metrics) -> None:
    await intake.deliver(from_chat("helo"))
    assert await intake.revise(from_chat("hello"))
    assert await text_of(store) == "hello"
    assert metrics.snapshot()["messages_revised", (("platform", "memory"),)] == 1
    assert not await intake.revise(from_chat("who?", number=2))


async def test_a_new_text_that_cannot_be_taken_is_told_and_the_old_one_stays(store: Store, intake: Intake) -> None:
    await intake.deliver(from_chat("hello"))
    for text, said in (("", "is empty"), ("x" * 200_000, "at most 100,000 fit")):
        with pytest.raises(MessageRefused, match=said):
            await intake.revise(from_chat(text))
    assert await text_of(store) == "hello"
    assert not await intake.revise(from_chat("", number=7)), "nobody is told of a message that is not ours to change"


async def test_nobody_else_changes_a_message(store: Store, intake: Intake) -> None:
    await intake.deliver(from_chat("hello"))
    with pytest.raises(AccessRefused):
        await intake.revise(from_chat("goodbye", author=STRANGER))
    assert not await intake.revise(replace(from_chat("goodbye", author=STRANGER), origin=None))
    assert await text_of(store) == "hello"


async def test_a_deleted_message_that_waits_is_forgotten(store: Store, intake: Intake, metrics: Metrics) -> None:
    await intake.deliver(from_chat("hello"))
    assert await intake.withdraw(PLACE, MessageId("m1"))
    assert not await intake.withdraw(PLACE, MessageId("m1"))
    assert (await store.history.queue()).waiting == 0
    assert metrics.snapshot()["messages_withdrawn", (("platform", "memory"),)] == 1
    assert not await intake.deliver(from_chat("hello")), "a redelivery does not bring it back"


@pytest.fixture
def open_shelf(store: Store) -> tuple[Shelf, Intake]:
    shelf = Shelf()
    return shelf, made(shelf, store, Metrics(), max_characters=20)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.characters(categories=["Cs", "L", "So", "Zs", "Cc"])))
async def test_any_text_is_stored_as_utf_8_or_refused(open_shelf: tuple[Shelf, Intake], text: str) -> None:
    shelf, intake = open_shelf
    shelf.kept.clear()
    try:
        await intake.deliver(message(text))
    except MessageRefused:
        assert not shelf.kept
    else:
        assert shelf.kept[0].text.encode().decode() == shelf.kept[0].text
