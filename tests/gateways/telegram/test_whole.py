"""The whole service as its own process, with the real CLI, in a Telegram chat; and killed there again and again."""

import asyncio
import random
from collections.abc import Mapping
from pathlib import Path

import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest
from mama_bot.demo.model_server import ModelServer
from tests.end_to_end.service_process import service_process
from tests.end_to_end.team import write_configuration
from tests.gateways.telegram.harness import GROUP_ID, TOKEN
from tests.platforms.telegram_server import Chat, TelegramServer
from tests.waiting import until

pytestmark = pytest.mark.cli

KILLS = 3
MESSAGES = 2


def script(request: ModelRequest) -> ModelReply:
    return ModelReply(text="`a.py` has 3 functions: `f`, `g`, `h`.", delay_seconds=0.1)


def configuration(directory: Path) -> Path:
    return write_configuration(directory, claude={"source": "real"}, router={"default_persona": "developer"})


def environment(server: TelegramServer, model: ModelServer) -> Mapping[str, str]:
    return {
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": "test",
        "MAMA_TELEGRAM__TOKEN": TOKEN,
        "MAMA_TELEGRAM__API_URL": server.api_url,
        "MAMA_TELEGRAM__FILES_URL": server.files_url,
        "MAMA_TELEGRAM__ACCESS": '{"people": ["2001"]}',
    }


async def test_a_question_in_a_group_is_answered_there(tmp_path: Path) -> None:
    async with TelegramServer() as server, ModelServer(script=script) as model:
        chat = server.add_group(GROUP_ID, server.add_bot(TOKEN, "mama_bot"))
        person = server.add_person(2001, "Alice")
        async with service_process(configuration(tmp_path), environment(server, model)) as service:
            question = server.say(person, "@mama_bot how many functions has a.py?", chat=chat)
            await until(lambda: any("3 functions" in text for text in server.shown(chat)))
            assert await service.terminate() == 0
        answers = [call.fields for call in server.called("sendMessage") if "3 functions" in call.fields["text"]]
        assert len(answers) == 1
        assert answers[0]["reply_parameters"]["message_id"] == question["message_id"]


async def test_kills_at_any_moment_lose_nothing_and_repeat_nothing_unsaid(tmp_path: Path) -> None:
    dice = random.Random(11)
    file = configuration(tmp_path)
    async with TelegramServer() as server, ModelServer(script=script) as model:
        bot, person = server.add_bot(TOKEN, "mama_bot"), server.add_person(2001, "Alice")
        private, asked = server.world.chats[person.id], list[int]()
        for _ in range(KILLS):
            for number in range(MESSAGES):
                asked.append(server.say(person, f"how many functions? ({number})", bot=bot)["message_id"])
            async with service_process(file, environment(server, model)) as service:
                await asyncio.sleep(dice.uniform(0.0, 2.0))
                await service.kill()
        async with service_process(file, environment(server, model)) as service:
            # Counting the posts would take a repeated reply for the answer to a message that still waits.
            await until(lambda: answered(server).keys() >= set(asked))
            await until(lambda: bot.queue.confirmed > bot.queue.last)
            assert await service.terminate() == 0
        said_once = [text for text in answers(server, private) if "duplicate" not in text]
        assert len(said_once) <= KILLS * MESSAGES
        assert list(answered(server)) == asked


def answered(server: TelegramServer) -> dict[int, None]:
    """The messages that were replied to, in the order of their first replies."""
    replies = [call.fields for call in server.called("sendMessage") if "3 functions" in call.fields["text"]]
    return dict.fromkeys(fields["reply_parameters"]["message_id"] for fields in replies)


def answers(server: TelegramServer, chat: Chat) -> list[str]:
    return [text for text in server.shown(chat) if "3 functions" in text]
