"""What the store adds to a turn, and how many turns it bears: python -m benchmarks.store_cycle [DIRECTORY]."""

import argparse
import asyncio
import logging
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import structlog

from mama_bot.config import QueueSettings
from mama_bot.model import (
    Attempt,
    Audience,
    Author,
    Cleared,
    ConversationKey,
    Draft,
    InboundMessage,
    Judgement,
    MessageId,
    Platform,
    PostId,
    Receipt,
    Reply,
    SessionId,
    ToolRecord,
    ToolRun,
    Turn,
    TurnId,
    TurnKind,
    TurnState,
    text_hash,
)
from mama_bot.store import Store, open_store, sqlite_url

WARM_UP_SECONDS = 0.6
SENDERS = 50
TEXT = "src/auth.py: the token is now checked before the body is read. 인증을 먼저 확인합니다. " * 4


class WallClock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()


class Cycle:
    """Answers each message with one cleared reply, and notes when it was sent, stored, started and posted."""

    def __init__(self, store: Store, messages: int) -> None:
        self._store = store
        self._messages = messages
        self.sent: dict[str, float] = {}
        self.stored: dict[str, float] = {}
        self.started: dict[str, float] = {}
        self.posted: dict[str, float] = {}
        self.done = asyncio.Event()

    async def send(self, number: int, conversations: int) -> None:
        message = InboundMessage(
            id=MessageId(f"m{number}"),
            key=ConversationKey(Platform("web"), f"c{number % conversations}"),
            author=Author(id="u", name="U"),
            text="Refactor these three files.",
            received_at=datetime.now(UTC),
        )
        self.sent[message.id] = time.perf_counter()
        await self._store.inbox.accept(message)
        self.stored[message.id] = time.perf_counter()

    async def answer(self, message_id: MessageId) -> None:
        self.started[message_id] = time.perf_counter()
        message = (await self._store.turns.load(message_id)).message
        turn = make_turn(message)
        await self._store.turns.begin_exchange(message_id, [turn])
        await self._store.context.window(turn.key, before=message_id, max_entries=30, max_characters=12_000)
        await self._store.turns.begin_attempt(turn, 0, SessionId("s"))
        attempt, reply = make_reply(turn)
        await self._store.turns.finish(turn, TurnState.ANSWERED, attempt=attempt, posts=[reply])
        await self._store.outbox.mark_posted(
            Receipt(post_id=reply.id, platform_ids=("1",), posted_at=datetime.now(UTC))
        )
        self.posted[message_id] = time.perf_counter()
        if len(self.posted) == self._messages:
            self.done.set()

    async def abandoned(self, message_id: MessageId, error: Exception) -> None:
        raise SystemExit(f"{message_id}: {error!r}")


def make_turn(message: InboundMessage) -> Turn:
    return Turn(
        id=TurnId(f"t-{message.id}"),
        message_id=message.id,
        key=message.key,
        persona="lead",
        kind=TurnKind.REQUEST,
        audience=Audience.PERSON,
        asker=message.author,
        prompt=message.text,
    )


def make_reply(turn: Turn) -> tuple[Attempt, Reply]:
    now = datetime.now(UTC)
    judgement = Judgement(turn_id=turn.id, attempt=0, text_sha256=text_hash(TEXT), outcome=Cleared())
    runs = tuple(
        ToolRun(id=str(number), tool="Bash", arguments='{"command":"pytest"}', started_at=now, output_head="x" * 200)
        for number in range(3)
    )
    draft = Draft(turn_id=turn.id, attempt=0, text=TEXT, record=ToolRecord(runs=runs))
    reply = Reply(
        id=PostId(f"p-{turn.id}"),
        turn_id=turn.id,
        key=turn.key,
        persona="lead",
        display_name="Lead",
        text=TEXT,
        judgement=judgement,
    )
    return Attempt(draft=draft, judgement=judgement, at=now), reply


async def run(directory: Path, *, messages: int, conversations: int, concurrency: int, alone: bool) -> None:
    queue = QueueSettings(limit=1_000_000, per_conversation=1_000_000)
    with tempfile.TemporaryDirectory(dir=directory) as place:
        url = sqlite_url(Path(place) / "store.sqlite")
        async with open_store(url, clock=WallClock(), queue=queue) as store, asyncio.TaskGroup() as group:
            cycle = Cycle(store, messages)
            group.create_task(
                store.engine.run(cycle.answer, abandoned=cycle.abandoned, concurrency=concurrency, drain_seconds=1)
            )
            await asyncio.sleep(WARM_UP_SECONDS)
            began, worked = time.perf_counter(), time.process_time()
            await (send_alone if alone else send_together)(cycle, messages, conversations)
            await cycle.done.wait()
            wall, cpu = time.perf_counter() - began, time.process_time() - worked
            store.engine.stop()
    if alone:
        report_delays(cycle)
    else:
        print(
            f"{conversations:3} conversations, concurrency {concurrency:2}: {messages / wall:5.0f} messages/s, "
            f"{cpu / messages * 1000:.2f} ms of CPU each"
        )


async def send_alone(cycle: Cycle, messages: int, conversations: int) -> None:
    for number in range(messages):
        await cycle.send(number, conversations)
        while len(cycle.posted) <= number:
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.005)


async def send_together(cycle: Cycle, messages: int, conversations: int) -> None:
    for first in range(0, messages, SENDERS):
        async with asyncio.TaskGroup() as group:
            for number in range(first, min(first + SENDERS, messages)):
                group.create_task(cycle.send(number, conversations))


def report_delays(cycle: Cycle) -> None:
    print("one message at a time, ms:      p50    p99")
    for name, begin, end in (
        ("sent -> stored", cycle.sent, cycle.stored),
        ("stored -> exchange starts", cycle.stored, cycle.started),
        ("stored -> marked as posted", cycle.stored, cycle.posted),
    ):
        delays = sorted((end[name] - begin[name]) * 1000 for name in end)
        print(f"  {name:27} {quantile(delays, 0.5):6.2f} {quantile(delays, 0.99):6.2f}")


def quantile(ordered: Sequence[float], share: float) -> float:
    return ordered[int(len(ordered) * share)]


async def main(directory: Path) -> None:
    await run(directory, messages=400, conversations=50, concurrency=8, alone=True)
    for conversations, concurrency in ((50, 8), (50, 32), (1, 8)):
        await run(directory, messages=1500, conversations=conversations, concurrency=concurrency, alone=False)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", nargs="?", type=Path, default=Path(tempfile.gettempdir()))
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    asyncio.run(main(parser.parse_args().directory))
