"""The service killed at random moments of a conversation on each platform: nothing is lost, nothing doubled unlabelled.

`KILLS` in the environment says how often (default 4 for each platform).
"""

import asyncio
import os
import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest, ToolUse
from mama_bot.demo.model_server import ModelServer
from mama_bot.gateways.chat.sentences import DUPLICATE
from mama_bot.wording import Language
from tests.end_to_end.places import PLACES, Place, SlackPlace, slack_place
from tests.end_to_end.service_process import service_process
from tests.end_to_end.team import write_configuration
from tests.waiting import SECONDS

pytestmark = pytest.mark.cli

KILLS = int(os.environ.get("KILLS", "4"))
NUMBER = re.compile(r"Item (\d+) ")


def script(request: ModelRequest) -> ModelReply:
    """A tool call, then praise that is sent back, then the answer: steps enough for a kill between any two."""
    asked = re.findall(r"count (\d+)", " ".join(request.user_texts))[-1]
    if not request.tool_results:
        arguments = {"command": "sleep 0.1", "description": "count"}
        return ModelReply(tool_calls=(ToolUse(name="Bash", arguments=arguments),))
    if "[SENT BACK" not in request.last_user_text and int(asked) % 3 == 0:
        return ModelReply(text="Understood! What an excellent, truly brilliant question!", delay_seconds=0.05)
    return ModelReply(text=f"Item {asked} has 3 functions: `f`, `g`, `h`.", delay_seconds=0.05)


def answered(place: Place) -> list[int]:
    """The numbers that were answered, in order, those left out that are labelled as possible duplicates."""
    numbers = []
    for post in place.posts():
        found = NUMBER.search(post.text)
        if found and DUPLICATE.to(Language.ENGLISH).split(":")[0].strip("(") not in post.text:
            numbers.append(int(found[1]))
    return numbers


def seen(place: Place) -> set[int]:
    """The numbers that were answered at all."""
    return {int(found[1]) for post in place.posts() if (found := NUMBER.search(post.text))}


async def settled(place: Place, sent: int) -> None:
    """Wait until all is answered, and for whatever would come twice."""
    try:
        async with asyncio.timeout(SECONDS):
            while seen(place) != set(range(1, sent + 1)):
                await asyncio.sleep(0.05)
            await asyncio.sleep(1.0)
    except TimeoutError:
        lost = sorted(set(range(1, sent + 1)) - seen(place))
        lines = [post.text for post in place.posts() if NUMBER.search(post.text) is None]
        raise AssertionError(f"{lost} of {sent} were not answered; other posts: {lines}") from None


@pytest.mark.parametrize("platform", PLACES)
async def test_nothing_is_lost_or_doubled_when_the_service_is_killed_again_and_again(
    tmp_path: Path, platform: str
) -> None:
    chance = random.Random(os.environ.get("KILL_SEED", "11"))
    sent = 0
    async with ModelServer(script=script) as model, PLACES[platform]() as place:
        settings: dict[str, Any] = {platform: place.settings}
        file = write_configuration(
            tmp_path,
            claude={"source": "real"},
            router={"default_persona": "developer"},
            turns={"steer": "on_request"},
            **settings,
        )
        environment = {"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "test", **place.environment}
        async with service_process(file, environment) as service:
            await service.hears(platform)
            sent += 1
            await place.say(f"count {sent}")
            async with asyncio.timeout(SECONDS):
                while not seen(place):
                    await asyncio.sleep(0.02)
        for _ in range(KILLS):
            async with service_process(file, environment) as service:
                if chance.random() < 0.7:  # else it is said while nobody listens
                    await asyncio.sleep(chance.uniform(0, 0.5))
                sent += 1
                await place.say(f"count {sent}")
                await asyncio.sleep(chance.uniform(0, 2.5))
                await service.kill()
        async with service_process(file, environment):
            await settled(place, sent)
    once = Counter(answered(place))
    assert [number for number, times in once.items() if times > 1] == []
    first = list(dict.fromkeys(int(found[1]) for post in place.posts() if (found := NUMBER.search(post.text))))
    assert first == sorted(first)


async def test_a_first_direct_message_that_slack_tells_of_no_more_is_answered_after_the_restart(tmp_path: Path) -> None:
    async with ModelServer(script=script) as model, slack_place() as place:
        assert isinstance(place, SlackPlace)
        file = write_configuration(
            tmp_path,
            claude={"source": "real"},
            router={"default_persona": "developer"},
            slack=place.settings,
        )
        environment = {"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "test", **place.environment}
        async with service_process(file, environment) as service:
            await service.hears("slack")
            await place.say("count 1")
            await settled(place, 1)
            await service.kill()
        direct = place.server.direct
        place.server.write_untold("count 2", channel=direct)
        async with service_process(file, environment):
            async with asyncio.timeout(SECONDS):
                while not any("Item 2 has" in text for text in place.server.shown(direct.id)):
                    await asyncio.sleep(0.05)
