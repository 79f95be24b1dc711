import asyncio

import pytest

from mama_bot.errors import AccessRefused, QueueFull, StoreUnavailable
from mama_bot.model import AuthorKind, CommandName, ConversationKey, InboundMessage, Platform
from mama_bot.testing.memory_core import MemoryInlet
from mama_bot.wording import Said
from tests.gateways.slack.playing import Played
from tests.waiting import until

SLACK = Platform("slack")
UNAVAILABLE = StoreUnavailable(url="sqlite://", reason="locked", remedy="Wait.")


class StuckInlet(MemoryInlet):
    """Never comes back from storing: what was begun is lost with the process."""

    def __init__(self) -> None:
        super().__init__()
        self.begun = asyncio.Event()

    async def deliver(self, message: InboundMessage) -> bool:
        self.begun.set()
        await asyncio.Event().wait()
        return True


async def test_a_message_of_a_life_that_ended_before_it_was_stored_comes_again(play: Played) -> None:
    kept = play.inlet
    play.inlet = stuck = StuckInlet()
    async with play.running():
        said = play.server.say("fix it", channel=play.server.direct)
        await stuck.begun.wait()
    play.inlet = kept
    async with play.running():
        assert await said.settled(attempts=20)
    assert [message.text for message in kept.delivered] == ["fix it"]
    assert all(envelope.attempts > 1 for envelope in said.envelopes)


async def test_a_message_that_was_stored_in_an_earlier_life_is_stored_once(play: Played) -> None:
    async with play.running():
        said = play.server.say("fix it", mention=play.server.app)
        assert await said.settled()
    async with play.running():
        assert await play.server.tell_again(said).settled()
    assert len(play.inlet.delivered) == 1


async def test_the_two_events_of_a_mention_are_one_message(play: Played) -> None:
    async with play.running():
        said = play.server.say("fix it", mention=play.server.app)
        assert len(said.envelopes) == 2
        assert await said.settled()
    [message] = play.inlet.delivered
    assert message.id == f"slack:{play.server.workspace.team_id}:{said.channel}:{said.ts}"
    assert message.text == "fix it"
    assert message.author.name == "alice"
    assert message.origin is not None
    assert (message.origin.workspace, message.origin.channel) == (play.server.workspace.team_id, said.channel)
    assert not message.origin.direct


async def test_an_event_is_acknowledged_only_when_it_is_stored(play: Played) -> None:
    async with play.running():
        play.inlet.refusal = UNAVAILABLE
        said = play.server.say("fix it", channel=play.server.direct)
        await until(lambda: play.counted("slack_events_not_stored"))
        assert not any(envelope.acked for envelope in said.envelopes)


async def test_a_mention_opens_a_thread_of_its_own(play: Played) -> None:
    async with play.running():
        first = play.server.say("one", mention=play.server.app)
        second = play.server.say("two", mention=play.server.app)
        assert await first.settled()
        assert await second.settled()
    assert [message.key.thread for message in play.inlet.delivered] == [first.ts, second.ts]


async def test_answers_stay_in_the_channel_where_that_is_configured(play: Played) -> None:
    async with play.running(threads="keep"):
        said = play.server.say("one", mention=play.server.app)
        await said.settled()
        answer = play.server.say("two", mention=play.server.app, thread=said.ts)
        await answer.settled()
    assert [message.key.thread for message in play.inlet.delivered] == ["", said.ts]


async def test_in_a_thread_with_the_team_no_mention_is_needed_even_after_a_restart(play: Played) -> None:
    async with play.running():
        said = play.server.say("one", mention=play.server.app)
        await said.settled()
        await play.server.say("two", thread=said.ts).settled()
    async with play.running():
        await play.server.say("three", thread=said.ts, user=play.server.other).settled()
        await play.server.say("nothing to do with it").settled()
        await play.server.say("elsewhere", thread="1.000001").settled()
    assert [message.text for message in play.inlet.delivered] == ["one", "two", "three"]
    assert {message.key for message in play.inlet.delivered} == {ConversationKey(SLACK, said.channel, said.ts)}


async def test_an_answer_to_a_post_of_the_bot_needs_no_mention(play: Played) -> None:
    async with play.running(threads="keep"):
        await play.server.say("one", mention=play.server.app).settled()
        server = play.server
        post = server.workspace.add_message(
            server.channel, {"user": server.app.user_id, "bot_id": server.app.bot_id, "text": "done"}
        )
        await server.say("really?", thread=post["ts"]).settled()
    assert [message.text for message in play.inlet.delivered] == ["one", "really?"]


async def test_what_slack_made_of_a_text_is_read_back(play: Played) -> None:
    server = play.server
    text = f"hey {server.app.mention()} ask <@{server.other}> in <#C0GENERAL|general>: <http://a.b|a.b> &amp; `x&lt;y`"
    async with play.running():
        await server.say(text, raw=True).settled()
    assert [message.text for message in play.inlet.delivered] == ["hey ask bob in #general: a.b & `x<y`"]


async def test_people_whose_names_slack_does_not_tell_are_named_by_their_ids(play: Played) -> None:
    play.server.fail("users.info", status=500, times=10)
    async with play.running():
        await play.server.say("hello", channel=play.server.direct).settled()
    assert [message.author.name for message in play.inlet.delivered] == [play.server.person]


async def test_a_persona_is_called_by_its_own_app(play: Played) -> None:
    server = play.server
    persona = server.workspace.add_app("reviewer-bot")
    server.channel.members.add(persona.user_id)
    async with play.running(persona_tokens={"reviewer": persona.bot_token}):
        await server.say(f"{persona.mention()} look at this", raw=True).settled()
    assert [message.text for message in play.inlet.delivered] == ["@reviewer look at this"]


async def test_posts_of_our_own_apps_are_never_read(play: Played) -> None:
    server = play.server
    persona = server.workspace.add_app("reviewer-bot")
    server.channel.members.add(persona.user_id)
    async with play.running(persona_tokens={"reviewer": persona.bot_token}):
        said = server.say("begin", mention=server.app)
        await said.settled()
        for app in (server.app, persona):
            post = {"user": app.user_id, "bot_id": app.bot_id, "app_id": app.app_id}
            mention = f"{server.app.mention()} go on"
            server.workspace.add_message(server.channel, post | {"text": mention, "thread_ts": said.ts})
        last = server.say("end", thread=said.ts)
        await last.settled()
        await until(lambda: all(envelope.acked for envelope in server.sockets.envelopes))
    assert [message.text for message in play.inlet.delivered] == ["begin", "end"]


async def test_another_bot_is_heard_where_it_names_us_and_not_otherwise(play: Played) -> None:
    server = play.server
    async with play.running():
        said = server.say("begin", mention=server.app)
        await said.settled()
        await server.say_as_bot("a build failed", thread=said.ts).settled()
        await server.say_as_bot("hello", channel=server.direct).settled()
        await server.say_as_bot(f"{server.app.mention()} look", thread=said.ts).settled()
    people, bots = play.inlet.delivered
    assert (bots.text, bots.author.kind, bots.author.id) == ("look", AuthorKind.BOT, "B0OTHER")
    assert people.author.kind is AuthorKind.PERSON


async def test_a_preview_of_a_link_is_no_edit(play: Played) -> None:
    async with play.running():
        said = play.server.say("see example.com", channel=play.server.direct)
        await said.settled()
        await play.server.unfurl(said).settled()
        await play.server.edit(said, "see example.org").settled()
    assert [message.text for message in play.inlet.revised] == ["see example.org"]


async def test_the_first_message_of_a_thread_can_be_deleted_too(play: Played) -> None:
    async with play.running():
        said = play.server.say("one", mention=play.server.app)
        await said.settled()
        await play.server.say("two", thread=said.ts).settled()
        await play.server.delete(said).settled()
    assert [message.text for message in play.inlet.delivered] == ["two"]


@pytest.mark.parametrize("direct", [True, False])
async def test_a_refusal_is_shown_to_its_person_alone(play: Played, direct: bool) -> None:
    server = play.server
    play.inlet.refusal = QueueFull(scope="this conversation", limit=3)
    async with play.running():
        channel = server.direct if direct else server.channel
        assert await server.say("hello", channel=channel, mention=server.app).settled()
        await until(lambda: server.shown(channel.id))
    assert "full" in server.shown(channel.id)[0]
    assert [one.user for one in server.workspace.ephemerals] == ([] if direct else [server.person])


async def test_a_refusal_that_cannot_be_shown_to_one_is_said_in_the_thread(play: Played) -> None:
    server = play.server
    play.inlet.refusal = QueueFull(scope="this conversation", limit=3)
    server.fail("chat.postEphemeral", "user_not_in_channel")
    async with play.running():
        said = server.say("hello", mention=server.app)
        await until(lambda: server.shown(server.channel.id, thread=said.ts))


async def test_bots_are_told_of_no_refusal(play: Played) -> None:
    server = play.server
    play.inlet.refusal = AccessRefused(reason="not listed", tell=Said("no", "아니요"))
    async with play.running():
        await server.say_as_bot(f"{server.app.mention()} look").settled()
        play.inlet.refusal = None
        await server.say("hello", channel=server.direct).settled()
    assert server.shown(server.channel.id) == ["<@U0BOT1> look"]


async def test_a_command_behind_a_mention_is_answered_to_its_person(play: Played) -> None:
    server = play.server
    async with play.running():
        said = server.say("fix it", mention=server.app)
        await said.settled()
        await server.say("/status now", mention=server.app, thread=said.ts).settled()
        await until(lambda: server.workspace.ephemerals)
        await server.say("/stop", channel=server.direct).settled()
        await until(lambda: len(play.inlet.commands) == 2)
    status, stop = play.inlet.commands
    assert (status.name, status.argument) == (CommandName.STATUS, "now")
    assert status.key == ConversationKey(SLACK, server.channel.id, said.ts)
    assert stop.key == ConversationKey(SLACK, server.direct.id)
    assert [message.text for message in play.inlet.delivered] == ["fix it"]


async def test_many_messages_at_once_are_stored_in_order(play: Played) -> None:
    async with play.running():
        said = [play.server.say(f"message {number}", channel=play.server.direct) for number in range(200)]
        for one in said:
            assert await one.settled(attempts=2)  # on a busy machine one may be delivered twice
    assert [message.text for message in play.inlet.delivered] == [f"message {number}" for number in range(200)]


async def test_messages_to_many_conversations_are_stored_in_the_order_of_their_channel(play: Played) -> None:
    async with play.running():
        said = [play.server.say(f"task {number}", mention=play.server.app) for number in range(100)]
        for one in said:
            assert await one.settled(attempts=2)  # on a busy machine one may be delivered twice
    assert [message.text for message in play.inlet.delivered] == [f"task {number}" for number in range(100)]
