"""Who speaks where while everything fails: each conversation has numbers, and each number wants an answer."""

import asyncio
import random
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

import httpx

from benchmarks.chaos.lives import Lives
from mama_bot.gateways.chat.sentences import DUPLICATE
from mama_bot.wording import Language
from tests.end_to_end.places import Place

NUMBER = re.compile(r"Item (\d+) ")
LABEL = DUPLICATE.to(Language.ENGLISH).split(":")[0].strip("(")
AHEAD = 4


class Conversation(ABC):
    """One conversation, with the numbers that were asked there."""

    def __init__(self, name: str, note: Callable[[str], None]) -> None:
        self.name = name
        self.note = note
        self.asked: list[int] = []

    @abstractmethod
    async def ask(self, number: int) -> None:
        """Say `count N`, until whoever carries it has it."""

    @abstractmethod
    async def texts(self) -> Sequence[str]:
        """Return what the bot has posted, in order."""

    async def speak(self, chance: random.Random, quiet: asyncio.Event) -> None:
        """Ask one number after the other until it is quiet; never more than a few that have no answer."""
        while not quiet.is_set():
            number = len(self.asked) + 1
            await self.ask(number)
            self.asked.append(number)
            self.note(f"{self.name} asked {number}")
            await asyncio.sleep(chance.uniform(0.3, 4))
            while not quiet.is_set() and len(self.asked) - await self.heard() >= AHEAD:
                await asyncio.sleep(0.2)

    async def heard(self) -> int:
        """Return how many posts there are at all: what is told of a failure is an answer as well."""
        return len(await self.texts())


class PlatformConversation(Conversation):
    """A channel, thread or group on a platform's server."""

    def __init__(self, place: Place, note: Callable[[str], None]) -> None:
        super().__init__(place.platform, note)
        self.place = place

    async def ask(self, number: int) -> None:
        await self.place.say(f"count {number}")

    async def texts(self) -> Sequence[str]:
        return [post.text for post in self.place.posts()]


class PageConversation(Conversation):
    """A conversation on the page: what is not acknowledged is sent again under its id, as the page does."""

    def __init__(self, name: str, lives: Lives, note: Callable[[str], None]) -> None:
        super().__init__(name, note)
        self._lives = lives
        self._latest: Sequence[str] = ()

    async def ask(self, number: int) -> None:
        while True:
            try:
                service = self._lives.service
                if service is not None:
                    async with asyncio.timeout(10):
                        answer = await service.say(
                            f"count {number}", conversation=self.name, message=f"{self.name}-{number}"
                        )
                    if answer.status_code == 202:
                        return
            except (httpx.HTTPError, TimeoutError):
                pass
            await asyncio.sleep(0.1)

    async def texts(self) -> Sequence[str]:
        try:
            if self._lives.service is not None:
                async with asyncio.timeout(10):
                    posts = (await self._lives.service.conversation(self.name)).get("posts", ())
                self._latest = [str(post["text"]) for post in posts]
        except (httpx.HTTPError, TimeoutError, ValueError):
            pass
        return self._latest
