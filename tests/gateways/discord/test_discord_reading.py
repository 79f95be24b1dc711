"""Which messages are for the team, and what they say."""

from pathlib import Path

import pytest

from mama_bot.backoff import Backoff
from mama_bot.errors import AccessRefused, MessageRefused, StoreUnavailable
from mama_bot.gateways.discord.patience import Patience
from mama_bot.gateways.discord.timings import Timings
from mama_bot.model import AuthorKind, CommandName, ConversationKey
from tests.gateways.discord.stage import DISCORD, TIMINGS, DiscordUnderTest, connected
from tests.gateways.under_test import a_post
from tests.platforms.discord_server import DiscordServer, File
from tests.waiting import until


async def read(under_test: DiscordUnderTest, text: str, *, channel: str = "", answers: str = "") -> str | None:
    """What the core was given of a text; None when nothing."""
    before = len(under_test.inlet.delivered)
    await under_test.write(text, channel=channel, answers=answers)
    new = under_test.inlet.delivered[before:]
    return new[0].text if new else None


async def test_talk_among_people_is_not_for_the_team(under_test: DiscordUnderTest) -> None:
    assert await read(under_test, "hello everyone") is None
    assert await read(under_test, "@everyone look") is None
    assert await read(under_test, f"`<@{under_test.server.bot}>` is how a mention is written") is None


async def test_a_mention_may_stand_anywhere(under_test: DiscordUnderTest) -> None:
    bot = under_test.server.bot
    assert await read(under_test, f"please <@!{bot}> build it") == "please build it"


async def test_marks_become_names(under_test: DiscordUnderTest) -> None:
    server = under_test.server
    bob = server.world.add_user("bob", shown="Bob @developer")
    text = f"<@{server.bot}> ask <@{bob}> in <#{server.channel}> <:party:123456> </deploy now:55> `<@{bob}>`"
    assert await read(under_test, text) == f"ask Bob developer in #general :party: /deploy now `<@{bob}>`"


async def test_code_and_spaces_stay_as_they_are(under_test: DiscordUnderTest) -> None:
    text = "고쳐 줘\n```py\n  <:a:1>  # x\n```\n\tend"
    assert await read(under_test, f"<@{under_test.server.bot}>\n{text}") == text


async def test_a_persona_is_mentioned_by_its_role_or_its_bot(server: DiscordServer, tmp_path: Path) -> None:
    role = server.world.add_role("Reviewers")
    bot = server.add_bot("dev", "dev-token")
    roles, tokens = {"reviewer": role}, {"developer": "dev-token"}
    async with connected(server, tmp_path, persona_roles=roles, persona_tokens=tokens) as under_test:
        await until(lambda: bot in under_test.gateway._identity.persona_bots)
        assert await read(under_test, f"<@&{role}> look at <@{bot}>'s work") == "@reviewer look at @developer's work"
        assert await read(under_test, f"<@{bot}> build it") == "@developer build it"


async def test_the_role_that_discord_gave_the_bot_is_the_bot(server: DiscordServer, tmp_path: Path) -> None:
    role = server.world.add_role("mama", bot=server.bot)
    async with connected(server, tmp_path) as under_test:
        assert await read(under_test, f"<@&{role}> hello") == "hello"


async def test_a_direct_message_needs_no_mention(under_test: DiscordUnderTest) -> None:
    direct = under_test.server.direct_channel()
    assert await read(under_test, "hello", channel=direct) == "hello"
    [message] = under_test.inlet.delivered
    assert message.key == ConversationKey(DISCORD, direct)
    assert message.origin is not None
    assert message.origin.direct


async def test_in_a_thread_one_mention_is_enough_even_over_a_restart(server: DiscordServer, tmp_path: Path) -> None:
    thread = server.world.add_thread(server.channel, "talk", server.person)["id"]
    async with connected(server, tmp_path) as first:
        assert await read(first, "before", channel=thread) is None
        assert await read(first, f"<@{server.bot}> join", channel=thread) == "join"
        assert await read(first, "go on", channel=thread) == "go on"
        assert first.inlet.delivered[-1].key == ConversationKey(DISCORD, server.channel, thread)
    async with connected(server, tmp_path, state=first.state) as second:
        assert await read(second, "and on", channel=thread) == "and on"


async def test_where_a_message_came_from_is_told(server: DiscordServer, tmp_path: Path) -> None:
    server.world.member_roles[server.person] = ["77"]
    async with connected(server, tmp_path) as under_test:
        await under_test.say("hello", message_id="m1")
        [message] = under_test.inlet.delivered
        assert message.origin is not None
        assert message.origin.workspace == server.world.guild_id
        assert (message.origin.channel, message.origin.roles) == (server.channel, ("77",))
        assert (message.author.id, message.author.name) == (server.person, "Alice")


async def test_a_reply_to_a_post_of_ours_needs_no_mention(under_test: DiscordUnderTest) -> None:
    post = a_post(under_test.conversation(), "reply")
    [posted] = [await under_test.gateway.post(post, part) for part in under_test.gateway.parts(post)]
    assert await read(under_test, "and now?", answers=posted) == "and now?"
    people = await under_test.write("between people")
    assert await read(under_test, "yes", answers=people) is None


async def test_our_own_posts_start_nothing(server: DiscordServer, tmp_path: Path) -> None:
    bot = server.add_bot("dev", "dev-token")
    async with connected(server, tmp_path, persona_tokens={"developer": "dev-token"}) as under_test:
        await until(lambda: bot in under_test.gateway._identity.persona_bots)
        for author in (bot, server.bot):
            await under_test.write(f"<@{server.bot}> hello", author=author)
        assert under_test.inlet.delivered == []


async def test_another_bot_is_heard_as_a_bot_and_only_when_it_mentions_us(under_test: DiscordUnderTest) -> None:
    server = under_test.server
    other = server.world.add_user("helper", bot=True)
    await under_test.write("nothing for you", author=other)
    await under_test.write(f"<@{server.bot}> build failed", author=other)
    [message] = under_test.inlet.delivered
    assert (message.author.kind, message.author.id) == (AuthorKind.BOT, other)


async def test_a_foreign_webhook_is_a_bot(under_test: DiscordUnderTest) -> None:
    server = under_test.server
    hook = {"id": server.world.snowflake(), "application_id": None, "name": "CI"}
    before = under_test.settled()
    await server.say(f"<@{server.bot}> red", webhook=hook)
    await until(lambda: under_test.settled() > before)
    [message] = under_test.inlet.delivered
    assert (message.author.kind, message.author.id) == (AuthorKind.BOT, hook["id"])


async def test_an_edit_that_came_too_late_changes_nothing(under_test: DiscordUnderTest) -> None:
    await under_test.say("one", message_id="m1")
    under_test.inlet.history.answered.add(under_test.inlet.delivered[0].id)
    await under_test.edit("m1", "two")
    await until(lambda: under_test.counted("chat_edits"))
    assert [message.text for message in under_test.inlet.delivered] == ["one"]


@pytest.mark.parametrize(("text", "name", "argument"), [
    ("status", CommandName.STATUS, ""),
    ("/usage 7", CommandName.USAGE, "7"),
    ("/report 잘못", CommandName.REPORT, "잘못"),
])  # fmt: skip
async def test_a_command_may_be_written(
    under_test: DiscordUnderTest, text: str, name: CommandName, argument: str
) -> None:
    await under_test.write(f"<@{under_test.server.bot}> {text}")
    [command] = under_test.inlet.commands
    assert (command.name, command.argument) == (name, argument)
    assert under_test.inlet.delivered == []
    await until(lambda: name.value in "".join(under_test.shown()))


async def test_a_task_that_begins_like_a_command_is_a_task(under_test: DiscordUnderTest) -> None:
    assert await read(under_test, f"<@{under_test.server.bot}> stop the server") == "stop the server"
    assert under_test.inlet.commands == []


async def test_files_beyond_the_limits_are_named(server: DiscordServer, tmp_path: Path) -> None:
    async with connected(server, tmp_path, max_attachments=1, max_attachment_megabytes=1) as under_test:
        files = [File(name=name, media_type="text/plain", content=content)
                 for name, content in (("a.txt", b"a"), ("b.txt", b"b"))]  # fmt: skip
        await server.say(f"<@{server.bot}> see", files=files)
        await until(lambda: under_test.inlet.delivered)
        [message] = under_test.inlet.delivered
        assert [one.name for one in message.attachments] == ["a.txt"]
        await until(lambda: "b.txt" in "".join(under_test.shown()))
        big = File(name="big.bin", media_type="application/octet-stream", content=bytes(2**20 + 1))
        await server.say(f"<@{server.bot}> see", files=[big])
        await until(lambda: "big.bin" in "".join(under_test.shown()))


async def test_a_file_that_is_gone_is_named(under_test: DiscordUnderTest) -> None:
    server = under_test.server
    server.world.files = _Gone()
    await server.say(f"<@{server.bot}> see", files=[File(name="a.txt", media_type="text/plain", content=b"a")])
    await until(lambda: "a.txt" in "".join(under_test.shown()))
    await until(lambda: under_test.inlet.delivered)


class _Gone(dict[str, File]):
    def get(self, key: object, default: object = None) -> None:  # type: ignore[override]
        return None


async def test_a_message_that_no_store_takes_is_given_up_aloud(server: DiscordServer, tmp_path: Path) -> None:
    impatient = Timings(marks=0.02, patience=Patience(pauses=Backoff(first=0.01, longest=0.02), whole_seconds=0.1))
    async with connected(server, tmp_path, timings=impatient) as under_test:
        under_test.inlet.refusal = StoreUnavailable(url="sqlite://", reason="locked", remedy="Wait.")
        await under_test.say("hello", message_id="m1")
        await until(lambda: "Send it again" in "".join(under_test.shown()))
        await until(lambda: under_test.outcomes().get("given_up") == 1)


async def test_a_refusal_answers_the_message(under_test: DiscordUnderTest) -> None:
    under_test.inlet.refusal = MessageRefused("The message is empty.")
    await under_test.say("", message_id="m1")
    [line] = [one for one in under_test.server.shown() if one.author == "mama"]
    assert (line.text, line.answers) == ("The message is empty.", under_test.ids["m1"])


async def test_the_mark_of_a_channel_is_kept_and_only_grows(under_test: DiscordUnderTest) -> None:
    await under_test.say("one", message_id="m1")
    await under_test.say("two", message_id="m2")
    await under_test.say("one", message_id="m1")
    name = f"seen/{under_test.server.channel}"
    await until(lambda: under_test.state.values.get(name) == under_test.ids["m2"])
    assert TIMINGS.marks < 1


async def test_a_stranger_does_not_bring_the_team_into_a_thread(under_test: DiscordUnderTest) -> None:
    server = under_test.server
    thread = server.world.add_thread(server.channel, "talk", server.person)["id"]
    under_test.inlet.refusal = AccessRefused(reason="not listed")
    await under_test.write(f"<@{server.bot}> hello", channel=thread)
    under_test.inlet.refusal = None
    assert await read(under_test, "between us", channel=thread) is None


async def test_an_edit_waits_for_the_store(under_test: DiscordUnderTest) -> None:
    await under_test.say("helo", message_id="m1")
    under_test.inlet.refusal = StoreUnavailable(url="sqlite://", reason="locked", remedy="Wait.")
    await under_test.edit("m1", "hello")
    await until(lambda: under_test.counted("chat_messages_held"))
    under_test.inlet.refusal = None
    await until(lambda: under_test.inlet.revised)
    assert [message.text for message in under_test.inlet.delivered] == ["hello"]
