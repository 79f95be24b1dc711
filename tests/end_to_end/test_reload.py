"""Changed settings are taken up while a turn runs, which keeps what it began with; bad ones are refused whole."""

import asyncio
from pathlib import Path

import pytest
import yaml

from mama_bot.demo.model_script import ModelReply, ModelRequest
from mama_bot.errors import AccessRefused
from mama_bot.model import Author, ConversationKey, InboundMessage, MessageId, Origin, Platform
from mama_bot.testing.memory_gateway import MemoryGateway
from tests.end_to_end.team import running_team
from tests.people import START
from tests.waiting import until

pytestmark = pytest.mark.cli
TELEGRAM = Platform("telegram")


def telegram_message(number: int) -> InboundMessage:
    return InboundMessage(
        id=MessageId(f"telegram-{number}"),
        key=ConversationKey(TELEGRAM, "12"),
        author=Author(id="12", name="Choi"),
        text="Who are you?",
        received_at=START,
        origin=Origin(channel="12", direct=True),
    )


async def test_settings_change_while_a_turn_runs_and_bad_ones_are_refused_whole(tmp_path: Path) -> None:
    requests = list[ModelRequest]()
    held = asyncio.Event()
    waits = [0.0, 3.0]

    def script(request: ModelRequest) -> ModelReply:
        requests.append(request)
        held.set()
        return ModelReply(text="`a.py:3` has one figure.", delay_seconds=waits.pop() if waits else 0.0)

    telegram = MemoryGateway(platform=TELEGRAM)
    file, lead = tmp_path / "config.yaml", tmp_path / "personas" / "lead.md"

    def changed(**settings: object) -> None:
        content = yaml.safe_load(file.read_text())
        file.write_text(yaml.safe_dump({**content, **settings}))

    async with (
        running_team(
            tmp_path,
            script=script,
            others=[telegram],
            telegram={"access": {"owners": ["7"], "pairing": False}},
            reload={"look_seconds": 0},
            alarms={"look_seconds": 0.1, "well_seconds": 0.1},
        ) as team,
        team.client() as page,
    ):
        running = await team.say("Count the figures")
        await held.wait()
        lead.write_text(lead.read_text().replace("You are lead.", "You are lead, and answer in verse."))
        changed(
            telegram={"access": {"owners": ["7"], "people": ["12"], "pairing": False}},
            pool={"size": 3},
            enforcement={"mode": "observe"},
        )
        with pytest.raises(AccessRefused):
            await telegram.deliver(telegram_message(1))
        answer = (await page.post("/api/reload", json={})).json()
        assert (answer["taken"], answer["waiting"]) == (True, ["pool.size"])
        assert "pool.size" in answer["text"]["ko"]
        first = await team.settled(running)
        assert first.turns[0].attempts[0].judgement.outcome.kind == "cleared"
        assert await telegram.deliver(telegram_message(2))
        await until(lambda: any("verse" in request.system for request in requests))
        await team.settled(MessageId("telegram-2"))
        assert not any("verse" in request.system for request in requests[:1])
        told = await until(lambda: [post for post in telegram.posts if "pool.size" in post.text])
        assert told[0].key.channel == "direct-7"

        lead.write_text("---\nname: lead\ntols: [Read]\n---\nYou are nobody.\n")
        refused = (await page.post("/api/reload", json={})).json()
        assert (refused["taken"], "tols" in refused["text"]["en"]) == (False, True)
        await until(lambda: [post for post in telegram.posts if "were not taken" in post.text])
        assert await telegram.deliver(telegram_message(3))
        await team.settled(MessageId("telegram-3"))
        assert "verse" in requests[-1].system
        assert (await page.get("/readyz")).status_code == 200
        lead.write_text("---\nname: lead\ndisplay_name: Lead\ntools: [Read]\n---\nYou are lead again.\n")
        assert (await page.post("/api/reload", json={})).json()["taken"]
        await until(lambda: [post for post in telegram.posts if "in order again" in post.text])
