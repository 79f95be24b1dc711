import copy
import json
import os
import random
from collections.abc import Iterator

from tests.gateways.slack.playing import Played
from tests.platforms.slack_server.workspace import JsonObject

EVENTS = int(os.environ.get("FUZZ_EVENTS", "300"))
NUMBERS = (None, True, 0, -1, 2**70, 1.5)
TEXTS = ("", " ", "\x00", "\ud800", "<@U0BOT1>", "<@", "x" * 5000, "👩‍💻", "/mama")
KINDS = ("message_changed", "message_deleted", "bot_message", "file_share", "block_actions")
STRANGE: tuple[object, ...] = (*NUMBERS, *TEXTS, *KINDS, [], [[]], {}, {"a": []}, ["x", 1, None])


def seeds(play: Played) -> list[tuple[str, JsonObject]]:
    """Envelopes as they should be, of every kind."""
    server = play.server
    said = server.say("hello", mention=server.app, files=[server.file("a.txt", "text/plain", b"x")])
    server.edit(said, "hello again", mention=server.app)
    server.say("direct", channel=server.direct)
    server.delete(server.say("gone", channel=server.direct))
    server.say_as_bot(f"{server.app.mention()} look")
    server.slash("/mama", "status")
    own = {"user": server.app.user_id, "bot_id": server.app.bot_id, "text": "post"}
    post = server.workspace.add_message(server.channel, own)
    server.press(server.channel.id, post["ts"], "mama:receipt")
    return [(envelope.kind, copy.deepcopy(envelope.payload)) for envelope in server.sockets.envelopes]


def places(value: object) -> Iterator[tuple[JsonObject | list[object], str | int]]:
    """Every place within a value that can be changed."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield value, name
            yield from places(inner)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield value, index
            yield from places(inner)


def spoiled(payload: JsonObject, chance: random.Random) -> JsonObject:
    made: JsonObject = copy.deepcopy(payload)
    for _ in range(chance.randint(1, 4)):
        where, name = chance.choice(list(places(made)) or [(made, "type")])
        if isinstance(where, dict) and chance.random() < 0.3:
            where.pop(str(name), None)
        else:
            where[name] = copy.deepcopy(chance.choice(STRANGE))  # type: ignore[index]
    return made


async def test_the_gateway_goes_on_whatever_comes(play: Played) -> None:
    chance, server = random.Random(5), play.server
    async with play.running() as gateway:
        known = seeds(play)
        sent = []
        for _ in range(EVENTS):
            kind, payload = chance.choice(known)
            sent.append(server.sockets.send(server.app, kind, spoiled(payload, chance)))
            if len(sent) % 100 == 0:
                await sent[-1].settled()
        for envelope in sent:
            # Slack repeats events alone: a command or a press may be lost with a connection that a busy machine ended.
            repeated = envelope.kind == "events_api"
            assert await envelope.settled(attempts=3 if repeated else 1) or not repeated, json.dumps(envelope.payload)
        assert await server.say("still there?", channel=server.direct).settled()
        assert gateway.hearing().ok
    assert play.inlet.delivered[-1].text == "still there?"
    assert play.counted("slack_events_failed") == 0
    assert play.counted("slack_work_failed") == 0
