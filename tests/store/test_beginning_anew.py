"""What beginning anew in a conversation does to what is stored, and single messages and posts read back."""

from mama_bot.model import ConversationKey, MessageId, PostId, SessionId, TurnState
from mama_bot.store import Store
from tests.store.making import ELSEWHERE, HERE, PERSON, START, message, reply, turn


async def window(store: Store, key: ConversationKey = HERE) -> list[str]:
    entries = await store.context.window(key, before=None, max_entries=30, max_characters=1000)
    return [entry.text for entry in entries]


async def test_what_was_said_before_is_not_read_any_more_and_what_comes_is(store: Store) -> None:
    await store.inbox.accept(message(1, "before"))
    await store.inbox.accept(message(2, "there", key=ELSEWHERE))
    await store.context.begin_anew(HERE, by=PERSON, at=START)
    assert await window(store) == []
    await store.inbox.accept(message(3, "after"))
    assert await window(store) == ["after"]
    await store.context.begin_anew(HERE, by=PERSON, at=START)
    assert await window(store) == []
    assert await window(store, ELSEWHERE) == ["there"]


async def test_the_history_keeps_what_was_said(store: Store) -> None:
    await store.inbox.accept(message(1, "before"))
    await store.context.begin_anew(HERE, by=PERSON, at=START)
    view = await store.history.view(HERE, 10)
    assert [one.text for one in view.messages] == ["before"]


async def test_the_sessions_of_the_conversation_are_forgotten_and_no_others(store: Store) -> None:
    for number, key in ((1, HERE), (2, ELSEWHERE)):
        await store.inbox.accept(message(number, key=key))
        begun = turn(message(number, key=key))
        await store.turns.add_turns([begun])
        await store.turns.begin_attempt(begun, 0, SessionId(f"session-{number}"))
    await store.context.begin_anew(HERE, by=PERSON, at=START)
    persona = turn(message(1)).persona
    assert await store.turns.session(HERE, persona) is None
    assert await store.turns.session(ELSEWHERE, persona) == "session-2"


async def test_a_reply_to_a_message_that_waited_meanwhile_is_read(store: Store) -> None:
    await store.inbox.accept(message(1, "waits"))
    await store.context.begin_anew(HERE, by=PERSON, at=START)
    answer = turn(message(1))
    await store.turns.add_turns([answer])
    await store.turns.finish(answer, TurnState.ANSWERED, posts=[reply(answer, "answered")])
    assert await window(store) == ["answered"]


async def test_a_message_and_a_post_are_found_in_their_conversation_alone(store: Store) -> None:
    await store.inbox.accept(message(1, "hello"))
    answer = turn(message(1))
    await store.turns.add_turns([answer])
    post = reply(answer, "answered")
    await store.turns.finish(answer, TurnState.ANSWERED, posts=[post])
    assert await store.history.message(HERE, MessageId("m1")) == message(1, "hello")
    assert await store.history.posted(HERE, post.id) == post
    assert await store.history.message(ELSEWHERE, MessageId("m1")) is None
    assert await store.history.posted(ELSEWHERE, post.id) is None
    assert await store.history.message(HERE, MessageId("m2")) is None
    assert await store.history.posted(HERE, PostId("p2")) is None
