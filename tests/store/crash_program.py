"""A small service for the test that kills it: stores messages, answers them step by step, posts the answers."""

import asyncio
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic

from mama_bot.config import QueueSettings
from mama_bot.delivery import Delivery
from mama_bot.metrics import Metrics
from mama_bot.model import (
    ConversationKey,
    Hearing,
    InboundMessage,
    MessageId,
    MessageStanding,
    Notice,
    Part,
    Platform,
    Post,
    Progress,
    SessionId,
    Turn,
    TurnState,
)
from mama_bot.protocols import Inlet
from mama_bot.store import Store, open_store
from tests.store.making import attempt, message, reply, sent_back, turn

WEB = Platform("web")
MESSAGES = 100
CONVERSATIONS = 5


class WallClock:
    """The real time."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return monotonic()


def nth_message(number: int) -> InboundMessage:
    return message(number, key=ConversationKey(Platform("web"), f"c{number % CONVERSATIONS}"))


class Journal:
    """What really happened, in a file that outlives the process."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("a", buffering=1)
        self._path = path

    def note(self, *words: object) -> None:
        self._file.write(" ".join(map(str, (*words, os.getpid()))) + "\n")

    def holds(self, *words: object) -> bool:
        wanted = " ".join(map(str, words)) + " "
        return any(line.startswith(wanted) for line in self._path.read_text().splitlines())


class Wall:
    """A platform whose memory is the journal; each post has two parts."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    platform = WEB

    async def run(self, inlet: Inlet) -> None:
        raise NotImplementedError

    def hearing(self) -> Hearing:
        return Hearing(ok=True)

    def parts(self, post: Post) -> tuple[Part, ...]:
        return tuple(Part(index=index, text=post.text, plain="", last=index == 1) for index in range(2))

    async def post(self, post: Post, part: Part, *, repeated: bool = False) -> str:
        await asyncio.sleep(0.001)
        self._journal.note("posted", post.id, part.index)
        await asyncio.sleep(0.002)  # a kill here leaves a post of which the store does not know
        return f"{post.id}/{part.index}"

    async def find(self, post: Post, part: Part) -> str | None:
        self._journal.note("looked", post.id, part.index)
        return f"{post.id}/{part.index}" if self._journal.holds("posted", post.id, part.index) else None

    async def settle(self, question: Notice, answer: Notice, platform_id: str) -> bool:
        raise NotImplementedError

    async def offer(self, post: Post, ids: Mapping[int, str], *, undone: bool) -> None:
        raise NotImplementedError

    async def mark(self, standing: MessageStanding) -> None:
        pass

    async def show(self, progress: Progress) -> None:
        raise NotImplementedError

    async def direct(self, person: str) -> ConversationKey | None:
        raise NotImplementedError


class Service:
    """One life of the service."""

    def __init__(self, store: Store, journal: Journal) -> None:
        self._store = store
        self._journal = journal
        self._delivery = Delivery(
            gateways={WEB: Wall(journal)},
            outbox=store.outbox,
            bell=store.post_bell,
            metrics=Metrics(),
            clock=WallClock(),
        )

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(
                self._store.engine.run(self._answer, abandoned=self._abandoned, concurrency=3, drain_seconds=5)
            )
            await self._receive()
            while (state := await self._store.history.queue()).waiting + state.running:
                await asyncio.sleep(0.02)
            self._store.engine.stop()

    async def _receive(self) -> None:
        # The platform delivers everything again after a crash, for it does not know what was acknowledged.
        for number in range(MESSAGES):
            if await self._store.inbox.accept(nth_message(number)):
                self._journal.note("stored", f"m{number}")
            await asyncio.sleep(0.002)

    async def _answer(self, message_id: MessageId) -> None:
        self._journal.note("begin", message_id)
        exchange = await self._store.turns.load(message_id)
        answer = turn(exchange.message)
        if not any(stored.state is TurnState.ANSWERED for stored in exchange.turns):
            await self._work(answer)
        await self._delivery.flush(exchange.message.key)
        self._journal.note("end", message_id)

    async def _work(self, answer: Turn) -> None:
        await self._store.turns.add_turns([answer])
        for number in range(2):
            await self._store.turns.begin_attempt(answer, number, SessionId("s"))
            await asyncio.sleep(0.03)
            if number == 0:
                await self._store.turns.add_attempt(attempt(answer, 0, outcome=sent_back()))
        said = reply(answer, f"answer to {answer.message_id}")
        await self._store.turns.finish(
            answer, TurnState.ANSWERED, attempt=attempt(answer, 1, said.text), posts=[said], reminders=["r"]
        )

    async def _abandoned(self, message_id: MessageId, error: Exception) -> None:
        self._journal.note("abandoned", message_id, repr(error))


async def live(url: str, journal: Path) -> None:
    queue = QueueSettings(limit=1000, per_conversation=1000)
    async with open_store(url, clock=WallClock(), queue=queue, standby=asyncio.Event()) as store:
        await Service(store, Journal(journal)).run()


def main(url: str, journal: str) -> None:
    asyncio.run(live(url, Path(journal)))
