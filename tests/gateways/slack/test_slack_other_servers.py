"""What servers may do that ours does not: fewer methods, other shapes, answers that are none."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from aiohttp import ClientSession, web
from aiohttp.test_utils import TestServer

from mama_bot.config import SlackSettings
from mama_bot.gateways.chat.attachments import Attachments, OfferedFile
from mama_bot.gateways.chat.command_forms import button_value
from mama_bot.gateways.slack.accounts import SlackAccounts
from mama_bot.gateways.slack.attachments import SlackFileServer, slack_limits
from mama_bot.gateways.slack.calls import TROUBLE, is_of_slack
from mama_bot.gateways.slack.rich_text import text_of_blocks
from mama_bot.gateways.slack.wire import Written, event_of
from mama_bot.metrics import Metrics
from mama_bot.model import Answer, CommandName, InboundMessage, MessageId, Platform
from mama_bot.wording import Language
from tests.gateways.slack.playing import Played, played
from tests.gateways.slack.test_slack_writing import a_reply, posted
from tests.platforms.slack_server.faults import Manner
from tests.waiting import until


def rich(*elements: object) -> list[object]:
    return [{"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": list(elements)}]}]


async def test_a_message_that_has_blocks_alone_is_read(play: Played) -> None:
    server = play.server
    user, emoji = {"type": "user", "user_id": server.app.user_id}, {"type": "emoji", "name": "tada", "unicode": "1f389"}
    blocks = rich(user, {"type": "text", "text": " fix a < b "}, {"type": "link", "url": "https://a.example"}, emoji)
    event = {"type": "message", "channel": server.channel.id, "user": server.person, "ts": "1790000000.000001"}
    async with play.running():
        assert await server.send_event(event | {"text": "", "blocks": blocks}).settled()
    assert [message.text for message in play.inlet.delivered] == ["fix a < b https://a.example🎉"]


@pytest.mark.parametrize(
    ("blocks", "words"),
    [
        ([{"type": "section", "text": {"type": "mrkdwn", "text": "*fix* <@U1>"}}], "*fix* <@U1>"),
        ([{"type": "header", "text": {"type": "plain_text", "text": "a < b"}}, {"type": "divider"}], "a &lt; b"),
        ([{"type": "context", "elements": [{"type": "mrkdwn", "text": "one"}, {"type": "image"}]}], "one"),
        ([{"type": "markdown", "text": "**fix**"}], "**fix**"),
        (rich({"type": "broadcast", "range": "here"}, {"type": "channel", "channel_id": "C1"}), "<!here><#C1>"),
        (
            [
                {
                    "type": "rich_text",
                    "elements": [
                        {"type": "rich_text_quote", "elements": [{"type": "text", "text": "one\ntwo"}]},
                        {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": "a = 1"}]},
                        {
                            "type": "rich_text_list",
                            "elements": [
                                {"type": "rich_text_section", "elements": [{"type": "text", "text": "three"}]}
                            ],
                        },
                    ],
                }
            ],
            "&gt; one\n&gt; two\n```\na = 1\n```\n• three",
        ),
        ([None, 7, {"type": "rich_text", "elements": {"no": "list"}}, {"type": "section", "text": 3}], ""),
    ],
)
def test_the_words_of_blocks(blocks: list[object], words: str) -> None:
    assert text_of_blocks(blocks) == words


def test_the_workspace_is_known_by_the_authorizations_alone() -> None:
    event = {"type": "app_mention", "channel": "C1", "user": "U1", "ts": "1790000000.000001", "text": "hello"}
    body = {"team_id": None, "event": event, "authorizations": [{"enterprise_id": "E1", "team_id": "T1"}]}
    found = event_of(body)
    assert isinstance(found, Written)
    assert found.team == "T1"


async def test_an_answer_that_is_no_object_loses_no_message(play: Played) -> None:
    server = play.server
    async with play.running():
        server.fail("users.info", manner=Manner.GARBAGE, times=100)
        assert await server.say("hello", channel=server.direct).settled()
    [message] = play.inlet.delivered
    assert message.author.name == server.person


@pytest.mark.parametrize("method", ["auth.test", "apps.connections.open"])
async def test_an_answer_that_is_no_object_is_no_end(play: Played, method: str) -> None:
    server = play.server
    garbage = server.fail(method, manner=Manner.GARBAGE, times=2)
    async with play.running():
        assert await server.say("hello", channel=server.direct).settled()
    assert garbage.met == 2


async def test_names_that_slack_does_not_tell_in_time_hold_up_one_message(play: Played) -> None:
    server = play.server
    async with play.running():
        server.fail("users.info", manner=Manner.SILENT, times=100)
        said = [server.say(f"{number}", user=f"U{number}", channel=server.direct) for number in range(6)]
        for one in said:
            assert await one.settled(attempts=20)
    assert [message.text for message in play.inlet.delivered] == [f"{number}" for number in range(6)]
    assert len(server.called("users.info")) == 1


@pytest.mark.parametrize("is_button", [True, False])
async def test_an_answer_that_cannot_be_shown_to_one_person_is_posted(play: Played, is_button: bool) -> None:
    server = play.server
    server.fail("chat.postEphemeral", "unknown_method", times=100)
    play.inlet.answer = Answer(text="Two wait.")
    post = a_reply(play)
    async with play.running() as gateway:
        [ts] = await posted(gateway, post)
        if is_button:
            envelope = server.press(post.key.channel, ts, button_value(CommandName.RECEIPT))
        else:
            envelope = server.slash("/mama", "queue")
        server.expire_response_urls()
        assert await envelope.settled()
        thread = post.key.thread if is_button else ""
        await until(lambda: "Two wait." in server.shown(server.channel.id, thread=thread))


async def test_an_event_that_fails_for_ever_comes_no_more_and_holds_up_nobody(tmp_path: Path) -> None:
    async with played(tmp_path, ack_seconds=0.1) as play:
        kept = play.inlet.deliver

        async def deliver(message: InboundMessage) -> bool:
            if message.text == "poison":
                raise ZeroDivisionError
            return await kept(message)

        object.__setattr__(play.inlet, "deliver", deliver)
        async with play.running():
            poison = play.server.say("poison", channel=play.server.direct)
            assert await play.server.say("hello", channel=play.server.direct).settled(attempts=20)
            await until(lambda: play.counted("slack_events_failed") >= 3)
            assert not any(envelope.acked for envelope in poison.envelopes)
            await until(lambda: all(envelope.acked for envelope in poison.envelopes))
            await until(
                lambda: any("could not be taken up" in line for line in play.server.shown(play.server.direct.id))
            )
        assert play.counted("slack_messages_given_up") == 1
    assert [message.text for message in play.inlet.delivered] == ["hello"]


async def test_the_files_of_a_message_have_one_deadline(tmp_path: Path) -> None:
    async def hang(_: web.Request) -> web.Response:
        await asyncio.sleep(3600)
        return web.Response()

    application = web.Application()
    application.router.add_get("/{name}", hang)
    metrics = Metrics()
    async with TestServer(application) as server, ClientSession() as session:
        settings = SlackSettings.model_validate({"bot_token": "xoxb-1", "api_url": str(server.make_url("/api/"))})
        accounts = SlackAccounts(settings=settings, personas=(), metrics=metrics)
        accounts.use(session)
        attachments = Attachments(
            platform=Platform("slack"),
            limits=replace(slack_limits(settings), message_seconds=1.0),
            uploads=tmp_path,
            metrics=metrics,
            trouble=TROUBLE,
        )
        chunks = SlackFileServer(accounts=accounts, settings=settings).chunks
        addresses = [str(server.make_url(f"/{number}")) for number in range(10)]
        files = [OfferedFile(name="a.txt", media_type="text/plain", size=3, address=address) for address in addresses]
        async with asyncio.timeout(8):
            fetched = await attachments.keep(MessageId("m1"), files, chunks, language=Language.ENGLISH)
    assert not fetched.kept
    assert len(fetched.left_out) == 10


@pytest.mark.parametrize(
    ("url", "api_url", "ours"),
    [
        ("https://files.slack.com/a", "https://slack.com/api/", True),
        ("http://slack.com/a", "https://slack.com/api/", False),
        ("https://slack.com.evil.example/a", "https://slack.com/api/", False),
        ("http://[a", "https://slack.com/api/", False),
        ("http://127.0.0.1:9/a", "http://localhost:8/api/", True),
        ("http://127.0.0.2:9/a", "http://127.0.0.1:8/api/", False),
    ],
)
def test_a_token_goes_to_slack_alone(url: str, api_url: str, ours: bool) -> None:
    assert is_of_slack(url, api_url) is ours


@pytest.mark.parametrize("method", ["files.getUploadURLExternal", "files.completeUploadExternal"])
@pytest.mark.parametrize("error", ["unknown_method", "missing_scope"])
async def test_where_slack_takes_no_files_their_words_are_posted(play: Played, method: str, error: str) -> None:
    server = play.server
    server.fail(method, error, times=100)
    post = a_reply(play, text="```\n" + "\n".join(f"line {number} <b>" for number in range(900)) + "\n```")
    async with play.running() as gateway:
        parts = gateway.parts(post)
        stamps = await posted(gateway, post)
        [index] = [part.index for part in parts if part.file is not None]
        assert await gateway.find(post, parts[index]) == stamps[index]
    told = server.workspace.message(post.key.channel, stamps[index])
    assert error in told["text"]
    assert "line 899 &lt;" in told["text"]
    assert told["thread_ts"] == post.key.thread
