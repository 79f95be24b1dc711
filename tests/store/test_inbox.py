"""Messages wait durably, once each, and not too many."""

from pathlib import Path

import pytest

from mama_bot.errors import MessageRefused, QueueFull
from mama_bot.model import Attachment, Author, AuthorKind, ConversationKey, InboundMessage, MessageId, Platform
from mama_bot.store import Store
from tests.store.making import ELSEWHERE, HERE, START, message


async def waiting(store: Store) -> int:
    return (await store.history.queue()).waiting


async def test_an_accepted_message_is_loaded_as_it_was(store: Store, next_life: Store) -> None:
    whole = InboundMessage(
        id=MessageId("m1"),
        key=HERE,
        author=Author(id="b", name="봇", kind=AuthorKind.BOT),
        text="안녕하세요 👩‍💻\x00 tab\t end",
        received_at=START,
        attachments=(Attachment(name="a.png", media_type="image/png", size=3, path=Path("files/a.png")),),
    )
    assert await store.inbox.accept(whole)
    exchange = await next_life.turns.load(whole.id)
    assert exchange.message == whole
    assert exchange.turns == ()
    assert not exchange.stopped


async def test_a_redelivered_message_is_stored_once(store: Store) -> None:
    assert await store.inbox.accept(message(1))
    assert not await store.inbox.accept(message(1, text="the same id, delivered again"))
    assert await waiting(store) == 1
    assert (await store.turns.load(MessageId("m1"))).message == message(1)


async def test_a_redelivery_is_recognised_even_when_the_queue_is_full(store: Store) -> None:
    for number in range(3):
        await store.inbox.accept(message(number))
    assert not await store.inbox.accept(message(0))


async def test_a_full_conversation_refuses_and_stores_nothing(store: Store) -> None:
    for number in range(3):
        await store.inbox.accept(message(number))
    with pytest.raises(QueueFull, match="this conversation is full \\(3"):
        await store.inbox.accept(message(3))
    assert await waiting(store) == 3
    with pytest.raises(LookupError, match="m3"):
        await store.turns.load(MessageId("m3"))
    assert await store.inbox.accept(message(4, key=ELSEWHERE))


async def test_a_full_service_refuses_whatever_the_conversation(store: Store) -> None:
    for number in range(5):
        await store.inbox.accept(message(number, key=ConversationKey(Platform("web"), f"c{number}")))
    with pytest.raises(QueueFull, match="the service is full \\(5"):
        await store.inbox.accept(message(9, key=ELSEWHERE))


async def test_an_id_that_two_platforms_share_is_an_error_and_not_a_duplicate(store: Store) -> None:
    await store.inbox.accept(message(1))
    with pytest.raises(MessageRefused, match="unique over all conversations"):
        await store.inbox.accept(message(1, key=ConversationKey(Platform("slack"), "general")))


async def test_a_lone_surrogate_is_stored_as_the_replacement_character(store: Store) -> None:
    broken = message(1, text="cut \ud83d here", key=ConversationKey(Platform("web"), "ch\udc00"))
    assert await store.inbox.accept(broken)
    assert (await store.turns.load(broken.id)).message.text == "cut \ufffd here"
    assert not await store.inbox.accept(broken)
    (summary,) = await store.history.conversations(Platform("web"), 10)
    assert summary.title == "cut \ufffd here"


async def test_conversations_whose_printed_keys_are_the_same_stay_apart(store: Store) -> None:
    one, other = ConversationKey(Platform("web"), "a", "b"), ConversationKey(Platform("web"), "a/b")
    assert str(one) == str(other)
    await store.inbox.accept(message(1, key=one))
    assert (await store.history.view(other, 10)).messages == ()


async def test_the_words_of_an_agent_do_not_come_in_by_the_inbox(store: Store) -> None:
    with pytest.raises(ValueError, match="by the agent lead"):
        await store.inbox.accept(message(1, author=Author(id="lead", name="Lead", kind=AuthorKind.AGENT)))
    assert await waiting(store) == 0
