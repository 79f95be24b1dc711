"""Messages wait durably, once each, and not too many."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from mama_bot.config import QueueSettings
from mama_bot.errors import MessageRefused, QueueFull
from mama_bot.model import Attachment, Author, AuthorKind, ConversationKey, InboundMessage, InLine, MessageId, Platform
from mama_bot.store import Store
from mama_bot.store.database import Database
from tests.store.making import ELSEWHERE, HERE, START, TickingClock, message, turn
from tests.waiting import until


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


async def test_an_accepted_message_knows_how_many_come_before_it_in_its_conversation(store: Store) -> None:
    first, second, other = message(1), message(2), message(3, key=ELSEWHERE)
    assert [await store.inbox.accept(each) for each in (first, second, other, first)] == [
        InLine(ahead=0),
        InLine(ahead=1),
        InLine(ahead=0),
        None,
    ]


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


async def test_the_title_of_what_a_trigger_asked_has_no_marks(store: Store) -> None:
    text = 'Look at <foreign-3f2a91bc field="issue.title">Login <b>fails</foreign-3f2a91bc>\n\nMaterial.'
    await store.inbox.accept(message(1, text=text, key=ConversationKey(Platform("web"), "hook")))
    (summary,) = await store.history.conversations(Platform("web"), 10)
    assert summary.title == "Look at Login <b>fails"


async def test_conversations_whose_printed_keys_are_the_same_stay_apart(store: Store) -> None:
    one, other = ConversationKey(Platform("web"), "a", "b"), ConversationKey(Platform("web"), "a/b")
    assert str(one) == str(other)
    await store.inbox.accept(message(1, key=one))
    assert (await store.history.view(other, 10)).messages == ()


async def test_the_words_of_an_agent_do_not_come_in_by_the_inbox(store: Store) -> None:
    with pytest.raises(ValueError, match="by the agent lead"):
        await store.inbox.accept(message(1, author=Author(id="lead", name="Lead", kind=AuthorKind.AGENT)))
    assert await waiting(store) == 0


async def said(store: Store) -> list[str]:
    window = await store.context.window(HERE, before=None, max_entries=10, max_characters=10_000)
    return [entry.text for entry in window]


async def title(store: Store) -> str:
    [summary] = await store.history.conversations(HERE.platform, 5)
    return summary.title


async def test_the_new_text_of_a_message_that_waits_replaces_the_old_one_everywhere(store: Store) -> None:
    file = Attachment(name="a.png", media_type="image/png", size=3, path=Path("files/a.png"))
    await store.inbox.accept(replace(message(1, "Fix teh bug"), attachments=(file,)))
    await store.inbox.accept(message(2, "And then rest"))
    assert await store.inbox.revise(message(1, "Fix the bug \ud800"))
    assert (await store.turns.load(MessageId("m1"))).message == replace(
        message(1, "Fix the bug \ufffd"), attachments=(file,)
    )
    assert await said(store) == ["Fix the bug \ufffd\n[attached: a.png]", "And then rest"]
    assert await title(store) == "Fix the bug \ufffd"
    assert await store.inbox.revise(message(2, "And rest"))
    assert await title(store) == "Fix the bug \ufffd"


async def test_a_message_is_known_in_whichever_thread_its_answer_will_be(store: Store) -> None:
    await store.inbox.accept(message(1))
    opened = ConversationKey(HERE.platform, HERE.channel, "opened")
    assert await store.inbox.revise(message(1, "new", key=opened))
    assert (await store.turns.load(MessageId("m1"))).message == message(1, "new")
    assert not await store.inbox.revise(message(1, "newer", key=ELSEWHERE))
    assert not await store.inbox.withdraw(ELSEWHERE, MessageId("m1"))
    assert await store.inbox.withdraw(opened, MessageId("m1"))


async def test_what_is_withdrawn_is_never_worked_on_and_nobody_reads_it(store: Store) -> None:
    await store.inbox.accept(message(1, "Forget this."))
    await store.inbox.accept(message(2, "Do this."))
    assert await store.inbox.withdraw(HERE, MessageId("m1"))
    assert await said(store) == ["Do this."]
    assert (await store.turns.load(MessageId("m1"))).stopped
    assert await store.outbox.pending(HERE) == []
    assert not await store.inbox.revise(message(1, "again"))
    assert not await store.inbox.accept(message(1, "Forget this."))
    assert await ran(store, 1) == ["m2"]


async def ran(store: Store, number: int) -> list[str]:
    """The messages that the engine ran, once it has done so many."""
    done: list[str] = []

    async def exchange(message_id: MessageId) -> None:
        done.append(message_id)

    async def abandoned(message_id: MessageId, error: Exception) -> None:
        raise AssertionError(message_id) from error

    async with asyncio.TaskGroup() as group:
        group.create_task(store.engine.run(exchange, abandoned=abandoned, concurrency=2, drain_seconds=5))
        await until(lambda: len(done) >= number)
        store.engine.stop()
    return done


async def test_an_edit_may_make_another_request_of_a_command_and_what_is_added_joins_it(store: Store) -> None:
    asked = replace(message(1, "/dev do a"), request="Do a.", addressed_to="dev")
    await store.inbox.accept(asked)
    edited = replace(asked, text="/dev do b", request="Do b.")
    assert await store.inbox.revise(edited)
    exchange = replace(await store.turns.load(asked.id), added=(message(2, "and c"),))
    assert (exchange.message.request, exchange.message.addressed_to) == ("Do b.", "dev")
    assert exchange.request.request == "Do b.\n\nand c"
    assert await store.inbox.revise(message(1, "plain words"))
    assert (await store.turns.load(asked.id)).request.request == ""


async def test_what_has_begun_is_neither_revised_nor_withdrawn(store: Store) -> None:
    await store.inbox.accept(message(1))
    answers: list[bool] = []

    async def exchange(message_id: MessageId) -> None:
        answers.append(await store.inbox.revise(message(1, "late")))
        answers.append(await store.inbox.withdraw(HERE, message_id))

    async def abandoned(message_id: MessageId, error: Exception) -> None:
        raise AssertionError(message_id) from error

    async with asyncio.TaskGroup() as group:
        group.create_task(store.engine.run(exchange, abandoned=abandoned, concurrency=1, drain_seconds=5))
        await until(lambda: len(answers) == 2)
        store.engine.stop()
    assert answers == [False, False]
    assert await store.inbox.waiting(HERE, MessageId("m1")) is None
    assert await said(store) == [message(1).text]


async def test_what_a_dead_process_had_begun_is_not_revised(store: Store) -> None:
    await store.inbox.accept(message(1))
    await store.turns.add_turns([turn(message(1))])
    assert not await store.inbox.revise(message(1, "late"))
    assert not await store.inbox.withdraw(HERE, MessageId("m1"))


async def test_a_message_is_either_withdrawn_or_worked_on_however_close_the_two_come(
    database: Database, clock: TickingClock
) -> None:
    many = QueueSettings(limit=1000, per_conversation=1000)
    store = Store(database=database, clock=clock, queue=many, backoff_seconds=0)
    ids = [MessageId(f"m{number}") for number in range(60)]
    for number in range(len(ids)):
        await store.inbox.accept(message(number, key=ConversationKey(Platform("web"), f"c{number % 4}")))
    done: list[MessageId] = []
    withdrawn: list[MessageId] = []

    async def exchange(message_id: MessageId) -> None:
        done.append(message_id)

    async def abandoned(message_id: MessageId, error: Exception) -> None:
        raise AssertionError(message_id) from error

    async with asyncio.TaskGroup() as group:
        group.create_task(store.engine.run(exchange, abandoned=abandoned, concurrency=4, drain_seconds=5))
        for number in (*range(len(ids) - 1, -1, -2), *range(0, len(ids), 2)):
            if await store.inbox.withdraw(ConversationKey(Platform("web"), f"c{number % 4}"), ids[number]):
                withdrawn.append(ids[number])
        await until(lambda: len(done) + len(withdrawn) == len(ids))
        store.engine.stop()
    assert sorted(done + withdrawn) == sorted(ids)
