"""The seeds' story in a Telegram group: person, lead, developer, lead, reviewer, lead, each under its own name."""

from pathlib import Path

import pytest

from mama_bot.testing.story import story
from mama_bot.testing.telegram_server import TelegramServer
from tests.end_to_end.team import running_team
from tests.gateways.contract import until

pytestmark = pytest.mark.cli

PERSONAS = Path(__file__).parents[2] / "personas"
TOKEN = "7000000001:AAmain"
GROUP = -1001234567890


async def test_the_story_in_a_telegram_group(tmp_path: Path) -> None:
    async with TelegramServer() as server:
        bot = server.add_bot(TOKEN, "mama_bot", name="Mama")
        chat = server.add_group(GROUP, bot, kind="supergroup")
        person = server.add_person(2001, "Alice", "Kim")
        async with running_team(
            tmp_path,
            script=story(),
            personas_directory=str(PERSONAS),
            environment={"MAMA_TELEGRAM__TOKEN": TOKEN},
            telegram={
                "api_url": server.api_url,
                "files_url": server.files_url,
                "access": {"people": [2001]},
                "poll_seconds": 2,
            },
        ):
            server.say(person, "@mama_bot Refactor these 3 files", chat=chat)

            def replies() -> list[str]:
                return [text for text in server.shown(chat) if not text.startswith("⏳")]

            await until(lambda: len(replies()) == 5, seconds=60)
            shown = replies()
    assert "8 tests, OK" in shown[-1]
    assert [text.splitlines()[0] for text in shown] == ["Lead", "Developer", "Lead", "Reviewer", "Lead"]
