"""The one way in: a message is checked, stored, and only then said to be taken."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mama_bot.app.clock import SystemClock
from mama_bot.app.intake import Intake
from mama_bot.config import QueueSettings
from mama_bot.errors import MessageRefused, QueueFull
from mama_bot.metrics import Metrics
from mama_bot.model import Answer, Attachment, Command, ConversationKey, InboundMessage, MessageId
from mama_bot.store.store import Store, open_store, sqlite_url
from tests.people import HERE, PERSON, message


class Shelf:
    """An inbox that keeps what it is given."""

    def __init__(self) -> None:
        self.kept: list[InboundMessage] = []

    async def accept(self, message: InboundMessage) -> bool:
        self.kept.append(message)
        return True

    async def waits(self, key: ConversationKey, message_id: MessageId) -> bool:
        return False

    async def revise(self, message: InboundMessage) -> bool:
        return False

    async def withdraw(self, key: ConversationKey, message_id: MessageId) -> bool:
        return False


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    queue = QueueSettings(per_conversation=2)
    async with open_store(sqlite_url(tmp_path / "s.sqlite"), life="one", clock=SystemClock(), queue=queue) as opened:
        yield opened


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


async def stop(key: ConversationKey, by: str) -> bool:
    return by == "Minsu" and key == HERE


async def commands(command: Command) -> Answer:
    return Answer(text=command.name.value)


@pytest.fixture
def intake(store: Store, metrics: Metrics) -> Intake:
    return Intake(inbox=store.inbox, stop=stop, commands=commands, max_characters=100_000, metrics=metrics)


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


async def test_a_closed_intake_takes_nothing(intake: Intake) -> None:
    intake.close()
    with pytest.raises(MessageRefused, match="The service is stopping"):
        await intake.deliver(message("hello"))


async def test_a_stop_is_handed_on(intake: Intake) -> None:
    assert await intake.stop(HERE, "Minsu")
    assert not await intake.stop(HERE, "somebody")


@given(st.text(st.characters(categories=["Cs", "L", "So", "Zs", "Cc"])))
async def test_any_text_is_stored_as_utf_8_or_refused(text: str) -> None:
    shelf = Shelf()
    try:
        await Intake(inbox=shelf, stop=stop, commands=commands, max_characters=20, metrics=Metrics()).deliver(
            message(text)
        )
    except MessageRefused:
        assert not shelf.kept
    else:
        assert shelf.kept[0].text.encode().decode() == shelf.kept[0].text
