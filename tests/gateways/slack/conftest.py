from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.gateways.slack.playing import Played, played


@pytest.fixture
async def play(tmp_path: Path) -> AsyncIterator[Played]:
    async with played(tmp_path) as made:
        yield made
