"""The seeds' story in a Slack thread: person, lead, developer, lead, reviewer, lead, each under its own name."""

from pathlib import Path

import pytest

from mama_bot.gateways.chat.commands import button_value
from mama_bot.model import CommandName
from mama_bot.testing.slack_server import slack_server
from mama_bot.testing.slack_server.workspace import JsonObject
from mama_bot.testing.story import story
from tests.end_to_end.team import running_team
from tests.gateways.contract import until

pytestmark = pytest.mark.cli

PERSONAS = Path(__file__).parents[2] / "personas"


async def test_the_story_in_a_slack_thread(tmp_path: Path) -> None:
    async with slack_server() as server:
        tokens = {"MAMA_SLACK__BOT_TOKEN": server.app.bot_token, "MAMA_SLACK__APP_TOKEN": server.app.app_token}
        async with running_team(
            tmp_path,
            script=story(),
            personas_directory=str(PERSONAS),
            environment=tokens,
            slack={"api_url": server.api_url, "access": {"people": [server.person]}},
        ):
            await server.sockets.until_open(server.app)
            said = server.say("Refactor these 3 files", mention=server.app)

            def replies() -> list[JsonObject]:
                return [one for one in server.workspace.thread(said.channel, said.ts) if "username" in one]

            await until(lambda: len(replies()) == 5, seconds=60)
            shown = replies()
            assert await server.press(said.channel, shown[-1]["ts"], button_value(CommandName.RECEIPT)).settled()
            await until(lambda: server.workspace.ephemerals)
            assert await server.slash("/mama", "agents", user=server.other).settled()
            assert await server.slash("/mama", "agents").settled()
            await until(lambda: len(server.workspace.ephemerals) == 2)
    assert [one["username"] for one in shown] == ["Lead", "Developer", "Lead", "Reviewer", "Lead"]
    assert "8 tests, OK" in shown[-1]["text"]
    receipt, agents = server.workspace.ephemerals
    assert (receipt.user, receipt.thread) == (server.person, said.ts)
    assert "unittest" in receipt.text
    assert "Developer" in agents.text
