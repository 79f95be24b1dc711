"""Events of any shape: the gateway reads what it can, and goes on."""

import os
import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mama_bot.gateways.discord.addressing import Identity, Names, addressed_text, mentions_us
from mama_bot.gateways.discord.client import READ
from mama_bot.gateways.discord.wire import DiscordMessage, NotUnderstood, Person, guild_of, interaction_of, message_of
from tests.gateways.discord.stage import DiscordUnderTest
from tests.platforms.discord_server import DiscordServer
from tests.waiting import until

EVENTS = int(os.environ.get("FUZZ_EVENTS", "300"))
ODD: list[Any] = [None, True, -1, 0, 2**70, 1.5, "", "x" * 5000, "<@1>", "\ud800", [], {}, [None], {"id": None}, [[1]]]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(
        st.sampled_from(["id", "author", "content", "channel_id", "mentions", "data", "member", "roles", "type"]), inner
    ),
)  # fmt: skip
IDENTITY = Identity(bot="1", bot_roles=frozenset({"2"}), persona_bots={"3": "developer"}, persona_roles={"4": "tester"})
NAMES = Names(role=lambda role: f"role{role}", channel=lambda channel: f"channel{channel}")


def altered(chance: random.Random, value: Any) -> Any:
    """The same with something wrong in it."""
    if chance.random() < 0.15:
        return chance.choice(ODD)
    if isinstance(value, dict):
        kept = {name: altered(chance, one) for name, one in value.items() if chance.random() > 0.05}
        return {**kept, "unknown_field": 1}
    if isinstance(value, list):
        return [altered(chance, one) for one in value]
    return value


def samples(server: DiscordServer) -> list[Any]:
    message = server.world.event_of(
        server.world.new_message(
            server.channel, server.world.users[server.person], {"content": f"<@{server.bot}> fuzz"}
        )
    )
    member = server.world.member(server.person)
    interaction = {
        "id": "5",
        "application_id": server.world.application_id,
        "token": "t",
        "type": 3,
        "data": {"custom_id": "mama:stop"},
        "channel_id": server.channel,
        "member": member,
    }
    deletion = {"id": message["id"], "ids": [message["id"]], "channel_id": server.channel}
    return [message, interaction, deletion, server.world.guild(), server.world.channels[server.channel]]


async def test_events_of_any_shape_do_not_end_the_gateway(under_test: DiscordUnderTest) -> None:
    server, chance = under_test.server, random.Random(7)
    kinds = [name for name in READ if name not in {"READY", "RESUMED"}] + ["UNKNOWN_KIND", "PRESENCE_UPDATE"]
    [session] = server.sessions.live.values()
    shapes = samples(server)
    for _ in range(EVENTS):
        await session.dispatch(chance.choice(kinds), altered(chance, chance.choice(shapes)))
    await under_test.say("still here", message_id="m1")
    await until(lambda: "still here" in [message.text for message in under_test.inlet.delivered])
    assert under_test.gateway.hearing().ok
    assert server.sessions.identified == 1
    assert under_test.counted("discord_events_failed") == 0


@given(JSON)
def test_what_cannot_be_read_is_said_to_be_so(raw: Any) -> None:
    for read in (message_of, guild_of, interaction_of):
        try:
            read(raw)
        except NotUnderstood:
            continue


@given(st.text(st.characters(codec="utf-8", exclude_characters="<`")))
def test_text_without_marks_stays_as_it_is(text: str) -> None:
    message = a_message(f"<@1>{text}")
    assert mentions_us(message, IDENTITY)
    assert addressed_text(message, IDENTITY, NAMES) == text.lstrip()


@given(
    st.lists(st.sampled_from(["<@1> ", "<@3>", "<@&4>", "<#5>", "`<@3>`", "<:a:1>", "```", "`", "<@", " 가 ", "\n"]))
)
def test_code_is_never_changed_and_nothing_is_left_of_our_mention(pieces: list[str]) -> None:
    text = "".join(pieces)
    words = addressed_text(a_message(text), IDENTITY, NAMES)
    if "`" not in text:
        assert "<@1>" not in words
    assert words.count("`") == text.count("`")


def a_message(text: str) -> DiscordMessage:
    return DiscordMessage(id="10", channel="11", guild="12", author=Person(id="13", name="P"), text=text)
