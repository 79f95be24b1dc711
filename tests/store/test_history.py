"""What the page reads: conversations, the end of one of them, and the queue."""

from mama_bot.model import ConversationKey, MessageId, Platform, QueueState, TurnState
from mama_bot.store import Store
from tests.store.making import ELSEWHERE, HERE, attempt, message, notice, reply, turn

WEB = Platform("web")


async def exchange(store: Store, number: int, key: ConversationKey = HERE) -> None:
    asked = message(number, f"question {number}", key)
    answer = turn(asked)
    await store.inbox.accept(asked)
    await store.turns.add_turns([answer])
    await store.turns.finish(
        answer, TurnState.ANSWERED, attempt=attempt(answer, text="Three files changed."), posts=[reply(answer)]
    )


async def test_conversations_come_latest_first_with_their_first_line_as_title(store: Store) -> None:
    await exchange(store, 1)
    await store.inbox.accept(message(2, "\n\n  " + "긴 제목 " * 40 + "\nmore", ELSEWHERE))
    await store.inbox.accept(message(3, key=ConversationKey(Platform("slack"), "c")))
    latest, earlier = await store.history.conversations(WEB, 10)
    assert (latest.key, earlier.key) == (ELSEWHERE, HERE)
    assert latest.title.startswith("긴 제목")
    assert len(latest.title) == 80
    assert (earlier.title, earlier.waiting) == ("question 1", 1)
    await store.inbox.accept(message(4))
    assert [summary.key for summary in await store.history.conversations(WEB, 1)] == [HERE]


async def test_a_reply_makes_its_conversation_the_latest(store: Store) -> None:
    await store.inbox.accept(message(1))
    await store.inbox.accept(message(2, key=ELSEWHERE))
    answer = turn(message(1))
    await store.turns.add_turns([answer])
    await store.turns.finish(answer, TurnState.ANSWERED, posts=[reply(answer)])
    assert [summary.key for summary in await store.history.conversations(WEB, 10)] == [HERE, ELSEWHERE]


async def test_a_view_holds_the_last_messages_with_all_that_belongs_to_them(store: Store) -> None:
    await store.outbox.add(notice(1))
    for number in (1, 2, 3):
        await exchange(store, number)
    await exchange(store, 4, ELSEWHERE)
    view = await store.history.view(HERE, 2)
    assert [one.id for one in view.messages] == ["m2", "m3"]
    assert [entry.post.id for entry in view.posts] == ["p-t-m2", "p-t-m3"]
    assert [stored.turn.id for stored in view.turns] == ["t-m2", "t-m3"]
    assert [len(stored.attempts) for stored in view.turns] == [1, 1]
    assert view.queued == ("m1", "m2", "m3")
    whole = await store.history.view(HERE, 10)
    assert [entry.post.id for entry in whole.posts] == ["n1", "p-t-m1", "p-t-m2", "p-t-m3"]


async def test_an_unknown_conversation_is_empty(store: Store) -> None:
    view = await store.history.view(ELSEWHERE, 10)
    assert (view.messages, view.posts, view.turns, view.queued) == ((), (), (), ())
    assert (await store.history.view(ELSEWHERE, 0)).messages == ()


async def test_the_queue_counts_messages_that_wait(store: Store) -> None:
    assert await store.history.queue() == QueueState(waiting=0, running=0, limit=5)
    await exchange(store, 1)
    assert await store.history.queue() == QueueState(waiting=1, running=0, limit=5)
    assert (await store.turns.load(MessageId("m1"))).message.id == "m1"


async def test_an_attempt_is_found_in_its_own_conversation_alone(store: Store) -> None:
    await exchange(store, 1)
    kept = await store.history.attempt(HERE, turn(message(1)).id, 0)
    assert kept is not None
    assert kept.draft.text == "Three files changed."
    assert await store.history.attempt(ELSEWHERE, turn(message(1)).id, 0) is None
    assert await store.history.attempt(HERE, turn(message(1)).id, 1) is None
