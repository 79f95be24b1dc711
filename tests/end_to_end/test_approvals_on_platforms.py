"""Questions of rules on the platforms, by their buttons; and over kills of the service, with the real CLI."""

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest
from mama_bot.demo.model_server import ModelServer
from mama_bot.gateways.chat.command_forms import button_value
from mama_bot.model import CommandName, Platform
from tests.end_to_end.evidence import bash
from tests.end_to_end.places import (
    DiscordPlace,
    SlackPlace,
    TelegramPlace,
    discord_place,
    slack_place,
    telegram_place,
)
from tests.end_to_end.service_process import ServiceProcess, service_process
from tests.end_to_end.team import running_team, write_configuration
from tests.end_to_end.test_approvals import with_rules
from tests.waiting import SECONDS, until

pytestmark = pytest.mark.cli

ASKED = re.compile(r"call (\w+)")


def script(request: ModelRequest) -> ModelReply:
    """The call that a message asks for, once it came back: a reply."""
    name = ASKED.findall(" ".join(request.user_texts))[-1]
    if request.tool_results:
        return ModelReply(text=f"I was asked for {name}, and looked at 1 thing.")
    return bash(f"echo paid {name} >> paid.txt")


async def until_so(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(SECONDS):
        while not condition():
            await asyncio.sleep(0.05)


class Chat:
    """A group on Telegram with its owner and another person who is served."""

    def __init__(self, place: TelegramPlace) -> None:
        self.place = place
        self.other = place.server.add_person(2002, "Bob", "Lee")

    def questions(self, number: int) -> list[dict[str, Any]]:
        """The posts of a question: two where the service died before it knew that the first had gone out."""
        boxes = self.place.server.world.boxes(self.place.chat)
        messages = [message for box in boxes for message in box.messages.values()]
        return [message for message in messages if str(message.get("text", "")).startswith(f"#{number} ·")]

    def question(self, number: int) -> dict[str, Any] | None:
        return next(iter(self.questions(number)), None)

    async def asked(self, number: int) -> dict[str, Any]:
        await until_so(lambda: self.question(number) is not None)
        message = self.question(number)
        assert message is not None
        return message

    def press(self, number: int, name: CommandName, *, by_other: bool = False) -> str:
        message, person = self.question(number), self.other if by_other else self.place.person
        assert message is not None
        return self.place.server.press(person, message, button_value(name, f"tool-{number}"))

    async def told(self, query: str) -> str:
        known = self.place.server.world.queries[query]
        await until_so(lambda: known.answer is not None)
        return str((known.answer or {}).get("text"))

    async def settled(self, number: int, words: str) -> None:
        def is_so() -> bool:
            told = [words in str(message.get("text", "")) for message in self.questions(number)]
            return any(told) and not any("reply_markup" in message for message in self.questions(number))

        await until_so(is_so)


async def test_questions_outlive_kills_and_are_answered_by_buttons_also_while_the_service_is_away(
    tmp_path: Path,
) -> None:
    async with ModelServer(script=script) as model, telegram_place() as place:
        assert isinstance(place, TelegramPlace)
        alice = place.person.id
        access = {"people": [alice, 2002], "owners": [alice]}
        file = write_configuration(
            with_rules(tmp_path),
            claude={"source": "real"},
            router={"default_persona": "developer"},
            turns={"steer": "on_request"},
            telegram={**place.settings, "access": access},
        )
        environment = {"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "test", **place.environment}

        chat = Chat(place)

        async def ask(service: ServiceProcess, name: str, number: int) -> None:
            await service.hears("telegram")
            await place.say(f"call {name}")
            await chat.asked(number)
            # Killed before it is noted that the question went out, the service would ask anew: tested elsewhere.
            await until_so(lambda: any(line.get("post") == f"question.{number}" for line in service.events))

        def paid() -> list[str]:
            files = [*tmp_path.glob("data/**/paid.txt")]
            return files[0].read_text().split("\n")[:-1] if files else []

        async with service_process(file, environment) as service:
            await ask(service, "one", 1)
            await service.kill()
        chat.press(1, CommandName.APPROVE)  # while nobody listens
        async with service_process(file, environment) as service:
            await until_so(lambda: any("asked for one" in post.text for post in place.posts()))
            await chat.settled(1, "#1: approved by Alice Kim")
            assert paid() == ["paid one"]
            await ask(service, "two", 2)
            await service.kill()
        async with service_process(file, environment) as service:
            await service.hears("telegram")
            assert "You may not answer #2" in await chat.told(chat.press(2, CommandName.APPROVE, by_other=True))
            assert "#2: denied by Alice Kim" in await chat.told(chat.press(2, CommandName.DENY))
            assert "settled already" in await chat.told(chat.press(2, CommandName.APPROVE))
            await until_so(lambda: any("asked for two" in post.text for post in place.posts()))
            await chat.settled(2, "#2: denied by Alice Kim")
            assert (paid(), chat.question(3)) == (["paid one"], None)
            assert await service.terminate() == 0


async def test_on_discord_and_slack_the_question_itself_shows_who_answered_what(tmp_path: Path) -> None:
    async with discord_place() as discord, slack_place() as slack:
        assert isinstance(discord, DiscordPlace)
        assert isinstance(slack, SlackPlace)
        channel, person = slack.server.channel.id, slack.server.person
        settings: dict[str, Any] = {
            "discord": {
                **discord.settings,
                "access": {"channels": [discord.server.channel], "owners": [discord.server.person]},
            },
            "slack": {**slack.settings, "access": {"people": [person], "owners": [person]}},
            "router": {"default_persona": "developer"},
        }
        environment = {**discord.environment, **slack.environment}

        def on_discord(words: str) -> Any:
            return next((each for each in discord.server.shown() if words in each.text), None)

        def on_slack(words: str) -> tuple[str, Any]:
            known = slack.server.workspace.messages.items()
            return next(((ts, each) for (_, ts), each in known if words in each.get("text", "")), ("", None))

        async with running_team(with_rules(tmp_path), script=script, environment=environment, **settings) as team:
            gateways = team.running.gateways
            await until(lambda: all(gateways[Platform(name)].hearing().ok for name in ("discord", "slack")))
            await discord.say("call one")
            await until(lambda: on_discord("#1 ·"))
            asked = on_discord("#1 ·")
            assert "echo paid one >> paid.txt" in asked.text
            value = button_value(CommandName.DENY, "tool-1")
            assert value in asked.buttons
            first, again = [await discord.server.press(asked.id, value) for _ in range(2)]
            await until(lambda: first.texts and again.texts)
            assert sorted("settled already" in "".join(each.texts) for each in (first, again)) == [False, True]
            assert (first.hidden, again.hidden) == (True, True)
            await until(lambda: "#1: denied by" in on_discord("#1 ·").text and not on_discord("#1 ·").buttons)

            await slack.say("call two")
            await until(lambda: on_slack("#2 ·")[1])
            ts, _ = on_slack("#2 ·")
            slack.server.press(channel, ts, button_value(CommandName.ALWAYS, "tool-2"))
            await until(lambda: "#2: approved by" in on_slack("#2 ·")[1]["text"])
            assert not on_slack("#2 ·")[1].get("blocks")
            await until(lambda: on_slack("asked for two")[1])
            await slack.say("call three")
            await until(lambda: on_slack("asked for three")[1])
        assert not on_slack("#3 ·")[1]
