"""How posts look on Discord, and what happens when Discord does not take them."""

from dataclasses import replace
from pathlib import Path

import pytest

from mama_bot.errors import DeliveryFailed, DeliveryUnknown, MessageRefused
from mama_bot.gateways.discord.forms import username_of
from mama_bot.model import (
    ConversationKey,
    MessageId,
    Notice,
    NoticeKind,
    OutgoingFile,
    Part,
    Post,
    PostId,
    Reply,
)
from mama_bot.protocols import Gateway
from tests.gateways.discord.stage import DISCORD, DiscordUnderTest, connected
from tests.gateways.under_test import a_post
from tests.platforms.discord_server import DiscordServer, Shown
from tests.waiting import until


async def post(gateway: Gateway, one: Post) -> list[str]:
    return [await gateway.post(one, part) for part in gateway.parts(one)]


def ours(server: DiscordServer, channel: str = "") -> list[Shown]:
    return [one for one in server.shown(channel) if one.author != "alice"]


def a_reply(key: ConversationKey, text: str = "All 3 tests pass. 끝.", **more: object) -> Reply:
    reply = a_post(key, "reply", text=text)
    assert isinstance(reply, Reply)
    return replace(reply, **more)  # type: ignore[arg-type]


async def test_each_persona_has_its_own_name_and_picture(under_test: DiscordUnderTest) -> None:
    key, server = under_test.conversation(), under_test.server
    await post(under_test.gateway, a_reply(key, display_name="Mina", avatar="https://example.org/mina.png"))
    await post(under_test.gateway, a_reply(key, "seen", id=PostId("p2"), display_name="Rev", avatar="📎"))
    first, second = ours(server)
    assert (first.author, first.avatar, first.webhook) == ("Mina", "https://example.org/mina.png", True)
    assert (second.author, second.avatar) == ("Rev", None)
    assert len(server.world.webhooks) == 1


@pytest.mark.parametrize("name", ["Discord expert", "CLYDE", "", "n" * 100])
async def test_a_name_that_discord_keeps_to_itself_is_written_otherwise(
    under_test: DiscordUnderTest, name: str
) -> None:
    await post(under_test.gateway, a_reply(under_test.conversation(), display_name=name))
    [shown] = ours(under_test.server)
    assert shown.author == username_of(name)


async def test_a_notice_is_by_the_bot_and_answers_the_message(under_test: DiscordUnderTest) -> None:
    await under_test.say("hello", message_id="m1")
    answers = MessageId(under_test.id_of("m1"))
    key = under_test.conversation()
    await post(
        under_test.gateway,
        Notice(id=PostId("n"), key=key, notice=NoticeKind.STOPPED, text="Stopped.", answers=answers),
    )
    [shown] = ours(under_test.server)
    assert (shown.author, shown.answers, shown.buttons) == ("mama", under_test.ids["m1"], ("mama:retry",))


async def test_nobody_is_notified_by_what_an_agent_writes(under_test: DiscordUnderTest) -> None:
    reply = a_reply(under_test.conversation(), "@everyone look")
    [part] = under_test.gateway.parts(reply)
    forms: list[dict[str, object]] = []
    keep = under_test.server.world.new_message

    def new_message(channel: str, author: object, form: dict[str, object], *more: object, **named: object) -> object:
        forms.append(form)
        return keep(channel, author, form, *more, **named)  # type: ignore[arg-type]

    under_test.server.world.new_message = new_message  # type: ignore[assignment,method-assign]
    await under_test.gateway.post(reply, part)
    assert [form["allowed_mentions"] for form in forms] == [{"parse": [], "replied_user": False}]


async def test_in_a_direct_message_the_name_stands_above(under_test: DiscordUnderTest) -> None:
    direct = under_test.server.direct_channel()
    await post(under_test.gateway, a_reply(ConversationKey(DISCORD, direct), "끝.", display_name="Mina"))
    [shown] = ours(under_test.server, direct)
    assert (shown.author, shown.text, shown.webhook) == ("mama", "**Mina**\n끝.", False)


async def test_where_webhooks_are_not_allowed_the_name_stands_above(under_test: DiscordUnderTest) -> None:
    under_test.server.deny("MANAGE_WEBHOOKS")
    reply = a_reply(under_test.conversation(), display_name="Mina")
    [platform_id] = await post(under_test.gateway, reply)
    [shown] = ours(under_test.server)
    assert shown.text.startswith("**Mina**\n")
    assert await under_test.gateway.find(reply, under_test.gateway.parts(reply)[0]) == platform_id


async def test_a_name_that_has_no_room_above_gets_a_line_of_its_own(under_test: DiscordUnderTest) -> None:
    under_test.server.deny("MANAGE_WEBHOOKS")
    reply = a_reply(under_test.conversation(), display_name="Mina")
    part = Part(index=0, text="x" * 2000, plain="x" * 2000, last=True)
    await under_test.gateway.post(reply, part)
    await under_test.gateway.post(reply, part)
    assert [shown.text for shown in ours(under_test.server)] == ["**Mina**", "x" * 2000]


async def test_a_persona_with_its_own_bot_posts_by_it(server: DiscordServer, tmp_path: Path) -> None:
    server.add_bot("dev-bot", "dev-token")
    async with connected(server, tmp_path, persona_tokens={"developer": "dev-token"}) as under_test:
        reply = a_reply(under_test.conversation())
        [platform_id] = await post(under_test.gateway, reply)
        [shown] = ours(server)
        assert (shown.author, shown.webhook, shown.buttons) == ("dev-bot", False, ())
        assert await under_test.gateway.find(reply, under_test.gateway.parts(reply)[0]) == platform_id


async def test_a_persona_whose_bot_is_not_let_in_posts_by_the_webhook(server: DiscordServer, tmp_path: Path) -> None:
    async with connected(server, tmp_path, persona_tokens={"developer": "unknown"}) as under_test:
        await post(under_test.gateway, a_reply(under_test.conversation()))
        assert [shown.webhook for shown in ours(server)] == [True]


async def test_a_webhook_that_was_deleted_is_made_again(under_test: DiscordUnderTest) -> None:
    key = under_test.conversation()
    await post(under_test.gateway, a_reply(key))
    under_test.server.remove_webhooks()
    await post(under_test.gateway, a_reply(key, "again", id=PostId("p2")))
    assert [shown.text for shown in ours(under_test.server)] == ["All 3 tests pass. 끝.", "again"]


async def test_the_webhook_is_found_again_after_a_restart_even_without_its_record(
    server: DiscordServer, tmp_path: Path
) -> None:
    for _ in range(2):
        async with connected(server, tmp_path) as under_test:
            await post(under_test.gateway, a_reply(under_test.conversation()))
            assert len(server.world.webhooks) == 1
            server.forget_sessions()


async def test_a_task_gets_a_thread_when_there_is_something_to_post(server: DiscordServer, tmp_path: Path) -> None:
    async with connected(server, tmp_path, threads="task") as under_test:
        asked = await under_test.write(f"<@{server.bot}> build the shop")
        [message] = under_test.inlet.delivered
        assert message.key == ConversationKey(DISCORD, server.channel, asked)
        assert asked not in server.world.channels
        await post(under_test.gateway, a_reply(message.key, answers=message.id))
        assert server.world.channels[asked]["name"] == "build the shop"
        [shown] = ours(server, asked)
        assert shown.author == "Developer"
        await under_test.write("and then?", channel=asked)
        assert under_test.inlet.delivered[-1].key == message.key


async def test_a_planned_thread_is_opened_after_a_restart(server: DiscordServer, tmp_path: Path) -> None:
    async with connected(server, tmp_path, threads="task") as first:
        asked = await first.write(f"<@{server.bot}> build the shop")
    async with connected(server, tmp_path, state=first.state, threads="task") as second:
        reply = a_reply(ConversationKey(DISCORD, server.channel, asked))
        assert await second.gateway.find(reply, second.gateway.parts(reply)[0]) is None
        await post(second.gateway, reply)
        assert server.world.channels[asked]["name"] == "build the shop"


@pytest.mark.parametrize("is_open", [True, False])
async def test_a_thread_stays_when_its_message_comes_again_and_is_refused(
    server: DiscordServer, tmp_path: Path, is_open: bool
) -> None:
    async with connected(server, tmp_path, threads="task") as first:
        asked = await first.write(f"<@{server.bot}> build the shop")
        reply = a_reply(ConversationKey(DISCORD, server.channel, asked))
        if is_open:
            await post(first.gateway, reply)
    async with connected(server, tmp_path, state=first.state, inlet=first.inlet, threads="task") as second:
        second.inlet.refusal = MessageRefused("The service is stopping.")
        before = second.settled()
        await server.repeat(asked)
        await until(lambda: second.settled() > before)
        second.inlet.refusal = None
        await post(second.gateway, reply)
        await second.write("and then?", channel=asked)
        [_, message] = second.inlet.delivered
        assert (message.text, message.key) == ("and then?", reply.key)


async def test_a_refused_task_leaves_no_thread_planned(server: DiscordServer, tmp_path: Path) -> None:
    async with connected(server, tmp_path, threads="task") as under_test:
        under_test.inlet.refusal = MessageRefused("The service is stopping.")
        asked = await under_test.write(f"<@{server.bot}> build the shop")
        assert not [name for name in under_test.state.values if name.endswith(asked)]


async def test_where_no_thread_can_be_opened_the_channel_stands_in(server: DiscordServer, tmp_path: Path) -> None:
    server.deny("CREATE_PUBLIC_THREADS")
    async with connected(server, tmp_path, threads="task") as under_test:
        await under_test.write(f"<@{server.bot}> build the shop")
        [message] = under_test.inlet.delivered
        [platform_id] = await post(under_test.gateway, a_reply(message.key))
        [shown] = ours(server)
        interaction = await server.press(platform_id, shown.buttons[0])
        await until(lambda: interaction.texts)
        assert under_test.inlet.commands[-1].key == message.key


@pytest.mark.parametrize("by", ["webhook", "bot"])
async def test_an_archived_thread_is_woken(under_test: DiscordUnderTest, by: str) -> None:
    server = under_test.server
    if by == "bot":
        server.deny("MANAGE_WEBHOOKS")
    thread = server.world.add_thread(server.channel, "old", server.person)["id"]
    server.archive(thread)
    await post(under_test.gateway, a_reply(ConversationKey(DISCORD, server.channel, thread)))
    assert len(ours(server, thread)) == 1


async def test_a_channel_that_is_gone_is_a_failure_for_good(under_test: DiscordUnderTest) -> None:
    under_test.server.remove_channel(under_test.server.channel)
    with pytest.raises(DeliveryFailed) as failed:
        await post(under_test.gateway, a_reply(under_test.conversation()))
    assert failed.value.permanent


async def test_a_channel_that_the_bot_was_shut_out_of_is_a_failure_for_good(under_test: DiscordUnderTest) -> None:
    under_test.server.deny("VIEW_CHANNEL")
    with pytest.raises(DeliveryFailed) as failed:
        await post(under_test.gateway, a_post(under_test.conversation(), "notice"))
    assert failed.value.permanent


@pytest.mark.parametrize("kind", ["reply", "notice"])
async def test_a_post_that_was_taken_before_the_fault_is_found_and_not_repeated(
    under_test: DiscordUnderTest, kind: str
) -> None:
    one = a_post(under_test.conversation(), kind)
    [part] = under_test.gateway.parts(one)
    under_test.server.refuse(502, "POST /webhooks/" if kind == "reply" else "/messages", done=True)
    with pytest.raises(DeliveryUnknown):
        await under_test.gateway.post(one, part)
    [shown] = ours(under_test.server)
    assert await under_test.gateway.find(one, part) == shown.id


async def test_a_post_of_the_bot_comes_once_whatever_is_sent_again(under_test: DiscordUnderTest) -> None:
    one = a_post(under_test.conversation(), "notice")
    assert await post(under_test.gateway, one) == await post(under_test.gateway, one)
    assert len(ours(under_test.server)) == 1


async def test_an_equal_post_of_before_is_not_taken_for_this_one(under_test: DiscordUnderTest) -> None:
    key = under_test.conversation()
    await post(under_test.gateway, a_reply(key, "Done."))
    other = a_reply(key, "Done.", id=PostId("p2"))
    assert await under_test.gateway.find(other, under_test.gateway.parts(other)[0]) is None


async def test_a_history_that_may_not_be_read_leaves_it_unknown(under_test: DiscordUnderTest) -> None:
    under_test.server.deny("READ_MESSAGE_HISTORY")
    one = a_reply(under_test.conversation())
    with pytest.raises(DeliveryUnknown):
        await under_test.gateway.find(one, under_test.gateway.parts(one)[0])


async def test_a_possible_duplicate_says_so(under_test: DiscordUnderTest) -> None:
    one = a_reply(under_test.conversation(), "All 3 tests pass.")
    [part] = under_test.gateway.parts(one)
    await under_test.gateway.post(one, part, repeated=True)
    [shown] = ours(under_test.server)
    assert "duplicate" in shown.text
    assert shown.text.endswith("All 3 tests pass.")


@pytest.mark.parametrize("everywhere", [True, False])
async def test_a_rate_limit_is_waited_for(under_test: DiscordUnderTest, everywhere: bool) -> None:
    under_test.server.refuse(429, "POST /webhooks/", retry_after=0.05, everywhere=everywhere)
    await post(under_test.gateway, a_reply(under_test.conversation()))
    assert len(ours(under_test.server)) == 1


async def test_a_long_rate_limit_is_told_to_the_delivery(under_test: DiscordUnderTest) -> None:
    under_test.server.refuse(429, "POST /webhooks/", retry_after=120)
    with pytest.raises(DeliveryFailed) as failed:
        await post(under_test.gateway, a_reply(under_test.conversation()))
    assert failed.value.retry_after_seconds == 120


async def test_the_bucket_of_a_channel_is_kept_without_a_refusal(under_test: DiscordUnderTest) -> None:
    under_test.server.limits.limit, under_test.server.limits.seconds = 5, 0.2
    for number in range(12):
        await post(under_test.gateway, a_reply(under_test.conversation(), str(number), id=PostId(f"p{number}")))
    assert [shown.text for shown in ours(under_test.server)] == [str(number) for number in range(12)]
    assert under_test.server.limits.hits == 0


async def test_markup_that_is_refused_is_posted_as_plain_text(under_test: DiscordUnderTest) -> None:
    reply = a_reply(under_test.conversation())
    part = Part(index=0, text="*" * 2001, plain="stars", last=True)
    await under_test.gateway.post(reply, part)
    assert [shown.text for shown in ours(under_test.server)] == ["stars"]


async def test_a_file_goes_out_with_its_words(under_test: DiscordUnderTest, tmp_path: Path) -> None:
    path = tmp_path / "report.txt"
    path.write_bytes("결과".encode())
    file = OutgoingFile(name="보고서.txt", media_type="text/plain", size=6, path=path)
    reply = a_reply(under_test.conversation())
    part = Part(index=0, text="here it is", plain="here it is", file=file)
    platform_id = await under_test.gateway.post(reply, part)
    [shown] = ours(under_test.server)
    assert (shown.text, shown.files) == ("here it is", ("보고서.txt",))
    assert [one.content.decode() for one in under_test.server.world.files.values()] == ["결과"]
    assert await under_test.gateway.find(reply, part) == platform_id


@pytest.mark.parametrize("gone", [True, False])
async def test_a_file_that_cannot_go_out_is_named(under_test: DiscordUnderTest, tmp_path: Path, gone: bool) -> None:
    path = tmp_path / "big.bin"
    if not gone:
        path.write_bytes(b"x")
        under_test.server.refuse(413, "POST /webhooks/")
    file = OutgoingFile(name="big.bin", media_type="application/octet-stream", size=1, path=path)
    part = Part(index=0, text="here", plain="here", last=True, file=file)
    await under_test.gateway.post(a_reply(under_test.conversation()), part)
    [shown] = ours(under_test.server)
    assert shown.text.startswith("here\n")
    assert "big.bin" in shown.text
    assert shown.files == ()


async def test_the_service_can_write_to_a_person(under_test: DiscordUnderTest) -> None:
    key = await under_test.gateway.direct(under_test.server.person)
    assert key == ConversationKey(DISCORD, under_test.server.direct_channel())
    assert await under_test.gateway.direct("1") is None


async def test_a_post_with_nothing_to_see_is_posted_all_the_same(under_test: DiscordUnderTest) -> None:
    part = Part(index=0, text=" \n", plain=" \n", last=True)
    await under_test.gateway.post(a_reply(under_test.conversation()), part)
    assert [shown.text for shown in ours(under_test.server)] == ["—"]
