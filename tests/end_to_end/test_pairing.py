"""Somebody unknown, a code, `mama-bot pair` beside the running service: they are told, and served from then on."""

import re
from pathlib import Path
from typing import Any

import pytest

from mama_bot.app.configuration import read_configuration
from mama_bot.commands.pairing import settle_pairing
from mama_bot.demo.model_script import ModelReply
from mama_bot.model import Platform
from tests.end_to_end.places import TelegramPlace, telegram_place
from tests.end_to_end.team import running_team
from tests.waiting import until

pytestmark = pytest.mark.cli


async def test_who_is_paired_from_the_command_line_is_told_and_served(tmp_path: Path) -> None:
    async with telegram_place() as place:
        assert isinstance(place, TelegramPlace)
        stranger = place.server.add_person(2002, "민수", "이")
        chat = place.server.world.chats[2002]

        def shown(words: str) -> list[str]:
            return [text for text in place.server.shown(chat, bot=place.bot) if words in text]

        settings: dict[str, Any] = {"telegram": place.settings}
        script = lambda _: ModelReply(text="`a.py:3`에 클래스가 1개 있습니다.")  # noqa: E731
        async with running_team(tmp_path, script=script, environment=place.environment, **settings) as team:
            await until(lambda: team.running.gateways[Platform("telegram")].hearing().ok)
            place.server.say(stranger, "안녕하세요", bot=place.bot)
            await until(lambda: shown("코드는"))
            code = re.search(r"[A-Z]{4}-[A-Z]{4}", shown("코드는")[0])
            assert code is not None
            await settle_pairing(read_configuration(tmp_path / "config.yaml", environment={}), code[0], approve=True)
            await until(lambda: shown("소유자가 요청을 승인했습니다"))
            place.server.say(stranger, "클래스가 몇 개 있나요?", bot=place.bot)
            await until(lambda: shown("클래스가 1개"))
        assert len(shown("소유자가 요청을 승인했습니다")) == len(shown("코드는")) == 1
