"""What a turn changed is shown and undone on each platform, through the whole service with the real CLI."""

from pathlib import Path
from typing import Any

import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest
from mama_bot.model import Platform
from tests.end_to_end.evidence import bash
from tests.end_to_end.places import PLACES
from tests.end_to_end.team import running_team
from tests.end_to_end.test_repositories import make_source
from tests.waiting import until

pytestmark = pytest.mark.cli


def script(request: ModelRequest) -> ModelReply:
    if request.tool_results:
        return ModelReply(text="The greeting is in `greeting`.")
    return bash("ls; echo hallo > greeting")


@pytest.mark.parametrize("platform", PLACES)
async def test_whoever_asked_sees_the_diff_and_undoes_it_and_may_not_merge(tmp_path: Path, platform: str) -> None:
    source = make_source(tmp_path, other="hello\n")
    async with PLACES[platform]() as place:
        settings: dict[str, Any] = {
            platform: place.settings,
            "router": {"default_persona": "developer"},
            "repositories": {"app": {"source": str(source)}},
            "default_repository": "app",
            "enforcement": {"enabled": False},
        }

        def says(words: str) -> bool:
            return any(words in post.text for post in place.posts())

        async with running_team(tmp_path, script=script, environment=place.environment, **settings) as team:
            await until(lambda: team.running.gateways[Platform(platform)].hearing().ok)
            await place.say("Write a greeting")
            await until(lambda: says("The greeting is in"))
            await place.say("/diff")
            await until(lambda: says("+hallo"))
            await place.say("/undo")
            await until(lambda: says("Changes were undone by"))
            await place.say("/merge")
            counted = team.running.metrics.snapshot
            await until(lambda: any(name == "deeds_refused" for name, _ in counted()))
        trees = [*(tmp_path / "data" / "scripted" / "work_trees").glob("*/app")]
        assert trees
        assert not any((tree / "greeting").exists() for tree in trees)
