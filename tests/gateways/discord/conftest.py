from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.gateways.discord.stage import DiscordUnderTest, connected
from tests.platforms.discord_server import DiscordServer


@pytest.fixture
async def server() -> AsyncIterator[DiscordServer]:
    async with DiscordServer() as running:
        yield running


@pytest.fixture
async def under_test(server: DiscordServer, tmp_path: Path) -> AsyncIterator[DiscordUnderTest]:
    async with connected(server, tmp_path) as running:
        yield running
