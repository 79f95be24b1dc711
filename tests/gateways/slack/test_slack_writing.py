from dataclasses import replace

import pytest

from mama_bot.errors import DeliveryFailed, DeliveryUnknown
from mama_bot.gateways.chat.command_forms import button_value
from mama_bot.gateways.slack.gateway import SlackGateway
from mama_bot.model import CommandName, ConversationKey, MessageId, Notice, NoticeKind, Post, PostId, Reply
from mama_bot.wording import Language
from tests.gateways.slack.playing import DEVELOPER, REVIEWER, Played
from tests.gateways.slack.test_slack_reading import SLACK
from tests.gateways.under_test import a_post
from tests.platforms.slack_server.faults import Manner
from tests.platforms.slack_server.workspace import JsonObject


def a_reply(play: Played, *, persona: str = "developer", text: str = "All 3 tests pass. 끝.") -> Reply:
    post = a_post(ConversationKey(SLACK, play.server.channel.id, "1700000000.000001"), "reply", text=text)
    assert isinstance(post, Reply)
    known = DEVELOPER if persona == "developer" else REVIEWER
    return replace(post, persona=known.name, display_name=known.display_name, avatar=known.avatar)


async def posted(gateway: SlackGateway, post: Post) -> list[str]:
    return [await gateway.post(post, part) for part in gateway.parts(post)]


def buttons(message: JsonObject) -> list[str]:
    return [
        element["action_id"]
        for block in message.get("blocks", [])
        if block["type"] == "actions"
        for element in block["elements"]
    ]


async def test_each_persona_posts_under_its_own_name_and_picture(play: Played) -> None:
    async with play.running() as gateway:
        [first] = await posted(gateway, a_reply(play))
        [second] = await posted(gateway, replace(a_reply(play, persona="reviewer"), id=PostId("p2")))
    messages = [play.server.workspace.message(play.server.channel.id, ts) for ts in (first, second)]
    assert [message["username"] for message in messages] == ["Developer", "리뷰어"]
    assert messages[0]["icons"] == {"icon_emoji": ":hammer:"}
    assert messages[1]["icons"] == {"icon_url": "https://pictures.example/r.png"}
    assert all(message["thread_ts"] == "1700000000.000001" for message in messages)


async def test_without_the_scope_a_reply_begins_with_the_name(play: Played) -> None:
    play.server.app.scopes.remove("chat:write.customize")
    async with play.running() as gateway:
        [ts] = await posted(gateway, a_reply(play))
    message = play.server.workspace.message(play.server.channel.id, ts)
    assert "username" not in message
    assert message["text"].lstrip("*").startswith("Developer")


async def test_a_name_that_slack_refuses_is_written_into_the_text(play: Played) -> None:
    play.server.fail("chat.postMessage", "missing_scope")
    async with play.running() as gateway:
        [ts] = await posted(gateway, a_reply(play))
        assert gateway.parts(a_reply(play))[0].text.lstrip("*").startswith("Developer")
    assert play.server.workspace.message(play.server.channel.id, ts)["text"].startswith("Developer\n")


async def test_a_persona_with_an_app_of_its_own_posts_by_it(play: Played) -> None:
    server = play.server
    persona = server.workspace.add_app("reviewer-bot")
    server.channel.members.add(persona.user_id)
    async with play.running(persona_tokens={"reviewer": persona.bot_token}) as gateway:
        [ts] = await posted(gateway, a_reply(play, persona="reviewer"))
        assert await gateway.find(a_reply(play, persona="reviewer"), gateway.parts(a_reply(play))[0]) == ts
    assert server.workspace.message(server.channel.id, ts)["bot_id"] == persona.bot_id


async def test_a_persona_whose_app_is_not_in_the_channel_posts_by_the_main_one(play: Played) -> None:
    server = play.server
    persona = server.workspace.add_app("reviewer-bot")
    async with play.running(persona_tokens={"reviewer": persona.bot_token}) as gateway:
        [ts] = await posted(gateway, a_reply(play, persona="reviewer"))
    message = server.workspace.message(server.channel.id, ts)
    assert (message["bot_id"], message["username"]) == (server.app.bot_id, "리뷰어")


async def test_the_last_text_of_a_reply_bears_the_buttons(play: Played) -> None:
    async with play.running() as gateway:
        stamps = await posted(gateway, a_reply(play, text="word " * 1600))
    messages = [play.server.workspace.message(play.server.channel.id, ts) for ts in stamps]
    texts = [message for message in messages if not message.get("files")]
    assert len(texts) > 1
    assert not any(buttons(message) for message in messages if message is not texts[-1])
    assert buttons(texts[-1]) == [button_value(CommandName.RECEIPT), button_value(CommandName.REPORT)]


async def test_buttons_speak_the_language_of_the_person_whatever_the_agent_writes(play: Played) -> None:
    async with play.running() as gateway:
        [ts] = await posted(gateway, replace(a_reply(play, text="Only English."), language=Language.KOREAN))
        [other] = await posted(gateway, replace(a_reply(play, text="Only English."), id=PostId("p2")))
    for stamp, labels in ((ts, ["근거 보기", "잘못된 판정 신고"]), (other, ["Receipt", "Report as wrong"])):
        [actions] = play.server.workspace.message(play.server.channel.id, stamp)["blocks"][-1:]
        assert [element["text"]["text"] for element in actions["elements"]] == labels


async def test_the_line_of_facts_is_a_context_block_before_the_words(play: Played) -> None:
    line = "Record: 3 files · no tests were run · not committed"
    async with play.running() as gateway:
        [ts] = await posted(gateway, replace(a_reply(play), record_line=line))
        *stamps, _ = await posted(
            gateway, replace(a_reply(play, text="word " * 1600), id=PostId("p2"), record_line=line)
        )
    blocks = play.server.workspace.message(play.server.channel.id, ts)["blocks"]
    assert [block["type"] for block in blocks] == ["context", "section", "actions"]
    assert blocks[0]["elements"][0]["text"] == f"_{line}_"
    assert blocks[1]["text"]["text"] == "All 3 tests pass. 끝."
    first = play.server.workspace.message(play.server.channel.id, stamps[0])
    assert [block["type"] for block in first["blocks"]] == ["context", "section", "section"]


async def test_a_question_for_approval_bears_its_buttons(play: Played) -> None:
    key = ConversationKey(SLACK, play.server.direct.id)
    notice = Notice(id=PostId("n1"), key=key, notice=NoticeKind.NEEDS_PERSON, text="May it push?", approval="a-1")
    async with play.running() as gateway:
        [ts] = await posted(gateway, notice)
    pressed = buttons(play.server.workspace.message(key.channel, ts))
    assert pressed == [button_value(CommandName.APPROVE, "a-1"), button_value(CommandName.DENY, "a-1")]


async def test_a_pace_that_slack_asks_for_is_kept(play: Played) -> None:
    async with play.running() as gateway:
        play.server.fail("chat.postMessage", status=429, retry_after=7)
        with pytest.raises(DeliveryFailed) as caught:
            await posted(gateway, a_reply(play))
        assert caught.value.retry_after_seconds == 7
        assert not caught.value.permanent
    assert play.counted("slack_rate_limited") == 1


async def test_after_a_long_refusal_nothing_is_sent_before_its_time(play: Played) -> None:
    async with play.running() as gateway:
        play.server.fail("chat.postMessage", status=429, retry_after=600)
        for _ in range(2):
            with pytest.raises(DeliveryFailed):
                await posted(gateway, a_reply(play))
    assert len(play.server.called("chat.postMessage")) == 1


@pytest.mark.parametrize("manner", [Manner.REFUSED, Manner.ANSWER_LOST])
async def test_what_became_of_a_post_without_an_answer_is_looked_up(play: Played, manner: Manner) -> None:
    post = a_reply(play)
    async with play.running() as gateway:
        [part] = gateway.parts(post)
        await posted(gateway, replace(post, id=PostId("another")))
        play.server.fail("chat.postMessage", status=503, manner=manner)
        with pytest.raises(DeliveryUnknown):
            await gateway.post(post, part)
        found = await gateway.find(post, part)
    assert len(play.server.called("chat.postMessage")) == 2
    assert (found is None) == (manner is Manner.REFUSED)


async def test_an_answer_that_is_nonsense_leaves_the_outcome_open(play: Played) -> None:
    async with play.running() as gateway:
        play.server.fail("chat.postMessage", manner=Manner.GARBAGE)
        with pytest.raises(DeliveryUnknown):
            await posted(gateway, a_reply(play))


async def test_a_post_is_found_outside_threads_behind_many_others(play: Played) -> None:
    server = play.server
    async with play.running() as gateway:
        said = server.say("hello", channel=server.direct)
        post = replace(
            a_reply(play),
            key=ConversationKey(SLACK, server.direct.id),
            answers=MessageId(f"slack:T0TEAM:{server.direct.id}:{said.ts}"),
        )
        [ts] = await posted(gateway, post)
        for number in range(450):
            server.workspace.add_message(server.direct, {"user": server.app.user_id, "text": f"{number}"})
        assert await gateway.find(post, gateway.parts(post)[0]) == ts
        assert await gateway.find(replace(post, id=PostId("p9")), gateway.parts(post)[0]) is None


async def test_where_slack_does_not_let_us_look_the_outcome_stays_unknown(play: Played) -> None:
    post = a_reply(play)
    async with play.running() as gateway:
        play.server.fail("conversations.replies", "missing_scope")
        with pytest.raises(DeliveryUnknown):
            await gateway.find(post, gateway.parts(post)[0])


async def test_a_possible_duplicate_is_labelled(play: Played) -> None:
    post = a_reply(play, text="테스트 3개가 모두 통과했습니다.")
    async with play.running() as gateway:
        ts = await gateway.post(post, gateway.parts(post)[0], repeated=True)
    assert "중복" in play.server.workspace.message(post.key.channel, ts)["text"]


@pytest.mark.parametrize("error", ["channel_not_found", "not_in_channel", "is_archived", "restricted_action"])
async def test_a_channel_that_is_shut_is_said_to_be_so(play: Played, error: str) -> None:
    async with play.running() as gateway:
        play.server.fail("chat.postMessage", error)
        with pytest.raises(DeliveryFailed) as caught:
            await posted(gateway, a_reply(play))
    assert caught.value.permanent
    assert play.counted("slack_channel_refused") == 1


async def test_after_its_removal_from_a_channel_the_bot_says_what_to_do(play: Played) -> None:
    async with play.running() as gateway:
        play.server.remove_from(play.server.channel)
        with pytest.raises(DeliveryFailed, match="/invite") as caught:
            await posted(gateway, a_reply(play))
        assert caught.value.permanent


async def test_a_revoked_token_is_no_end_for_a_post(play: Played) -> None:
    async with play.running() as gateway:
        play.server.app.revoked = True
        with pytest.raises(DeliveryFailed) as caught:
            await posted(gateway, a_reply(play))
        assert not caught.value.permanent
        play.server.app.revoked = False
        assert await posted(gateway, a_reply(play))


async def test_blocks_that_slack_refuses_are_left_out(play: Played) -> None:
    async with play.running() as gateway:
        play.server.fail("chat.postMessage", "invalid_blocks")
        [ts] = await posted(gateway, a_reply(play))
    message = play.server.workspace.message(play.server.channel.id, ts)
    assert "blocks" not in message
    assert "All 3 tests pass" in message["text"]


async def test_a_reply_whose_thread_is_gone_is_posted_in_the_channel_and_found_there(play: Played) -> None:
    post = a_reply(play)
    async with play.running() as gateway:
        play.server.fail("chat.postMessage", "thread_not_found")
        [ts] = await posted(gateway, post)
        assert "thread_ts" not in play.server.workspace.message(post.key.channel, ts)
        assert await gateway.find(post, gateway.parts(post)[0]) == ts


async def test_the_service_writes_to_a_person(play: Played) -> None:
    async with play.running() as gateway:
        assert await gateway.direct(play.server.person) == ConversationKey(SLACK, play.server.direct.id)
        assert await gateway.direct("U0NOBODY") is None
