"""The one pipeline of what comes in from a chat, with a platform in memory."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from mama_bot.app.system_clock import SystemClock
from mama_bot.errors import MessageRefused, StoreUnavailable
from mama_bot.gateways.chat.arrivals import Arrival, ArrivalOutcome, ArrivalPort, Arrivals
from mama_bot.gateways.chat.attachments import Attachments, Fetched, FetchLimits, OfferedFile
from mama_bot.metrics import Metrics
from mama_bot.model import Author, ConversationKey, MessageId, Origin, Platform
from mama_bot.testing.memory_core import MemoryInlet
from mama_bot.wording import Language

PLATFORM = Platform("memory")


class Desk(ArrivalPort[str]):
    """A platform whose messages are their words, each with a file."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.told: list[str] = []
        self.closed: list[str] = []
        self.attachments = Attachments(
            platform=PLATFORM,
            platform_name="Memory",
            limits=FetchLimits(files=1, megabytes=1, seconds=5),
            uploads=directory,
            metrics=Metrics(),
            trouble=(OSError,),
        )

    def id_of(self, source: str) -> MessageId:
        return MessageId(f"memory:{source}")

    async def read(self, source: str, *, taken: bool) -> Arrival[str]:
        return Arrival(
            id=self.id_of(source),
            key=ConversationKey(PLATFORM, "c1"),
            author=Author(id="p", name="Kim"),
            origin=Origin(),
            text=source,
            language=Language.ENGLISH,
            source=source,
            has_files=True,
            wordless=not source,
        )

    async def fetch(self, arrival: Arrival[str]) -> Fetched:
        size = 5 if arrival.source else 2**21
        file = OfferedFile(name="a.txt", media_type="text/plain", size=size, address="a")
        return await self.attachments.keep(arrival.id, [file], content, language=arrival.language)

    async def tell(self, arrival: Arrival[str], markdown: str) -> None:
        self.told.append(markdown)

    async def close_thread(self, arrival: Arrival[str]) -> None:
        self.closed.append(arrival.source)

    def files(self) -> list[str]:
        return [path.name for path in self.directory.rglob("*") if path.is_file()]


async def content(_: OfferedFile) -> AsyncGenerator[bytes, None]:
    yield b"words"


def arrivals_of(desk: Desk) -> Arrivals[str]:
    return Arrivals(platform=PLATFORM, port=desk, clock=SystemClock(), metrics=Metrics())


async def test_the_files_of_a_refused_message_are_removed(tmp_path: Path) -> None:
    desk, inlet = Desk(tmp_path), MemoryInlet()
    inlet.refusal = MessageRefused("The service is stopping.")
    assert await arrivals_of(desk).take(inlet, "see this") is ArrivalOutcome.REFUSED
    assert (desk.told, desk.files()) == (["The service is stopping."], [])


async def test_a_stored_message_that_comes_again_and_is_refused_keeps_its_files(tmp_path: Path) -> None:
    desk, inlet = Desk(tmp_path), MemoryInlet()
    assert await arrivals_of(desk).take(inlet, "see this") is ArrivalOutcome.DELIVERED
    inlet.refusal = MessageRefused("The service is stopping.")
    assert await arrivals_of(desk).take(inlet, "see this") is ArrivalOutcome.REFUSED  # after a restart
    assert inlet.delivered[0].attachments[0].path.read_bytes() == b"words"


async def test_a_message_that_the_store_did_not_take_is_not_remembered(tmp_path: Path) -> None:
    desk, inlet = Desk(tmp_path), MemoryInlet()
    arrivals = arrivals_of(desk)
    inlet.refusal = StoreUnavailable(url="sqlite://", reason="locked", remedy="Wait.")
    with pytest.raises(StoreUnavailable):
        await arrivals.take(inlet, "see this")
    inlet.refusal = None
    assert await arrivals.take(inlet, "see this") is ArrivalOutcome.DELIVERED
    assert await arrivals.take(inlet, "see this") is ArrivalOutcome.REPEATED


async def test_a_message_that_is_nothing_but_a_refused_file_opens_no_thread(tmp_path: Path) -> None:
    desk, inlet = Desk(tmp_path), MemoryInlet()
    assert await arrivals_of(desk).take(inlet, "") is ArrivalOutcome.REFUSED
    assert (inlet.delivered, desk.closed) == ([], [""])
    assert ["larger than 1 MB" in line for line in desk.told] == [True]
