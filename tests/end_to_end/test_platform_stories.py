"""The story in a Discord channel, a Slack thread and a Telegram group, with the real CLI and a real repository."""

from pathlib import Path
from typing import Any

import pytest

from mama_bot.demo.story import story
from mama_bot.model import Platform
from tests.end_to_end.places import PLACES, PROGRESS
from tests.end_to_end.team import running_team
from tests.waiting import until

pytestmark = pytest.mark.cli

PERSONAS = Path(__file__).parents[2] / "personas"


@pytest.mark.parametrize(
    ("platform", "request_text", "figures"),
    [
        ("discord", "Refactor these 3 files", "8 tests, OK"),
        ("slack", "3개 파일을 리팩토링해 주세요", "테스트 8개 통과"),
        ("telegram", "3개 파일을 리팩토링해 주세요", "테스트 8개 통과"),
    ],
)
async def test_person_lead_developer_reviewer(tmp_path: Path, platform: str, request_text: str, figures: str) -> None:
    async with PLACES[platform]() as place:
        settings: dict[str, Any] = {platform: place.settings}
        async with running_team(
            tmp_path, script=story(), personas_directory=str(PERSONAS), environment=place.environment, **settings
        ) as team:
            await until(lambda: team.running.gateways[Platform(platform)].hearing().ok)
            await place.say(request_text)
            await until(lambda: len(place.posts()) >= 5)
            await until(lambda: not any(post.text.startswith(PROGRESS) for post in place.everything()))
        posts = place.posts()
    assert [post.name for post in posts] == ["Lead", "Developer", "Lead", "Reviewer", "Lead"]
    assert figures in posts[-1].text
    assert not any("excellent" in post.text.lower() for post in posts)
