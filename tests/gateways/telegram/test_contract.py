"""The promises of every gateway, kept by the one to Telegram."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.gateways.contract import ChatContract
from tests.gateways.stuck_posts import StuckPostContract
from tests.gateways.telegram.harness import Telegram, telegram


class TestTelegramContract(ChatContract, StuckPostContract):
    @pytest.fixture
    async def under_test(self, tmp_path: Path) -> AsyncIterator[Telegram]:
        async with telegram(tmp_path) as running:
            yield running
