"""The one pipeline of what comes in from a chat, with a platform in memory."""

from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import pytest

from mama_bot.app.system_clock import SystemClock
from mama_bot.errors import MessageRefused, StoreUnavailable
from mama_bot.gateways.chat.arrivals import Arrival, ArrivalOutcome, ArrivalPort, Arrivals
from mama_bot.gateways.chat.attachments import Attachments, Fetched, FetchLimits, OfferedFile
from mama_bot.gateways.chat.command_forms import Button
from mama_bot.metrics import Metrics
from mama_bot.model import Author, AuthorKind, ConversationKey, MessageId, Origin, Platform
from mama_bot.testing.memory_core import MemoryInlet
from mama_bot.wording import Language, Said

PLATFORM = Platform("memory")
TOO_LARGE = 2**21


class Desk(ArrivalPort[str]):
    """A platform whose messages are their words, each with a file; `of`, when set, is the message all words are of."""

    author = Author(id="p", name="Kim")
    locale = Language.ENGLISH
    size = 5
    of = ""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.told: list[str] = []
        self.closed: list[str] = []
        self.attachments = Attachments(
            platform=PLATFORM,
            limits=FetchLimits(files=1, megabytes=1, seconds=5),
            uploads=directory,
            metrics=Metrics(),
            trouble=(OSError,),
        )

    def id_of(self, source: str) -> MessageId:
        return MessageId(f"memory:{self.of or source}")

    async def read(self, source: str, *, taken: bool) -> Arrival[str]:
        return Arrival(
            id=self.id_of(source),
            key=ConversationKey(PLATFORM, "c1"),
            author=self.author,
            origin=Origin(),
            text=source,
            source=source,
            locale=self.locale,
            has_files=True,
            wordless=not source,
        )

    async def fetch(self, arrival: Arrival[str]) -> Fetched:
        size = self.size if arrival.source else TOO_LARGE
        file = OfferedFile(name="a.txt", media_type="text/plain", size=size, address="a")
        return await self.attachments.keep(arrival.id, [file], content, language=arrival.language)

    async def tell(self, arrival: Arrival[str], markdown: str, buttons: Sequence[Button] = ()) -> None:
        self.told.append(markdown)

    async def close_thread(self, arrival: Arrival[str]) -> None:
        self.closed.append(arrival.source)

    def files(self) -> list[str]:
        return [path.name for path in self.directory.rglob("*") if path.is_file()]


async def content(_: OfferedFile) -> AsyncGenerator[bytes, None]:
    yield b"words"


def arrivals_of(desk: Desk, metrics: Metrics | None = None) -> Arrivals[str]:
    return Arrivals(platform=PLATFORM, port=desk, clock=SystemClock(), metrics=metrics or Metrics())


def edits_of(metrics: Metrics) -> dict[str, int]:
    counted = [(dict(labels), count) for (name, labels), count in metrics.snapshot().items() if name == "chat_edits"]
    return {labels["outcome"]: count for labels, count in counted}


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


async def test_a_bot_is_not_told_what_was_left_out(tmp_path: Path) -> None:
    desk, inlet = Desk(tmp_path), MemoryInlet()
    desk.author, desk.size = Author(id="b", name="Builds", kind=AuthorKind.BOT), TOO_LARGE
    assert await arrivals_of(desk).take(inlet, "see this") is ArrivalOutcome.DELIVERED
    assert desk.told == []


async def test_what_was_left_out_is_told_once(tmp_path: Path) -> None:
    desk, inlet = Desk(tmp_path), MemoryInlet()
    desk.size = TOO_LARGE
    assert await arrivals_of(desk).take(inlet, "see this") is ArrivalOutcome.DELIVERED
    assert await arrivals_of(desk).take(inlet, "see this") is ArrivalOutcome.REPEATED  # after a restart
    assert ["larger than 1 MB" in line for line in desk.told] == [True]


async def test_what_was_left_out_of_an_edit_is_told(tmp_path: Path) -> None:
    desk, inlet, metrics = Desk(tmp_path), MemoryInlet(), Metrics()
    desk.of = "m1"
    arrivals = arrivals_of(desk, metrics)
    await arrivals.take(inlet, "see this")
    desk.size = TOO_LARGE
    await arrivals.revise(inlet, "see that")
    assert [message.text for message in inlet.delivered] == ["see that"]
    assert ["larger than 1 MB" in line for line in desk.told] == [True]
    assert edits_of(metrics) == {"taken": 1}


async def test_an_edit_that_is_nothing_but_a_refused_file_is_refused(tmp_path: Path) -> None:
    desk, inlet, metrics = Desk(tmp_path), MemoryInlet(), Metrics()
    desk.of = "m1"
    arrivals = arrivals_of(desk, metrics)
    await arrivals.take(inlet, "see this")
    await arrivals.revise(inlet, "")
    assert [message.text for message in inlet.delivered] == ["see this"]
    assert ["larger than 1 MB" in line for line in desk.told] == [True]
    assert edits_of(metrics) == {"refused": 1}


@pytest.mark.parametrize("refusal", [None, MessageRefused("The service is stopping.")])
async def test_the_files_of_an_edit_that_was_not_taken_are_removed(
    tmp_path: Path, refusal: MessageRefused | None
) -> None:
    desk, inlet = Desk(tmp_path), MemoryInlet()
    inlet.refusal = refusal
    await arrivals_of(desk).revise(inlet, "see that")  # late: nothing waits
    assert desk.files() == []


async def test_an_edit_that_was_not_taken_leaves_the_files_of_its_message(tmp_path: Path) -> None:
    desk, inlet = Desk(tmp_path), MemoryInlet()
    desk.of = "m1"
    arrivals = arrivals_of(desk)
    await arrivals.take(inlet, "see this")
    inlet.history.answered.add(MessageId("memory:m1"))
    await arrivals.revise(inlet, "see that")
    assert inlet.delivered[0].attachments[0].path.read_bytes() == b"words"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("pytest -q", Language.ENGLISH),
        ("pytest 돌려 주세요", Language.KOREAN),
        ("👍", Language.KOREAN),
        ("42", Language.KOREAN),
    ],
)
async def test_a_message_is_refused_and_answered_in_one_language(tmp_path: Path, text: str, language: Language) -> None:
    desk, inlet = Desk(tmp_path), MemoryInlet()
    desk.locale = Language.KOREAN
    arrivals = arrivals_of(desk)
    await arrivals.take(inlet, text)
    inlet.refusal = MessageRefused(Said("Not now.", "지금은 안 됩니다."))
    await arrivals.revise(inlet, text)
    assert [message.language for message in inlet.delivered] == [language]
    assert desk.told == [Said("Not now.", "지금은 안 됩니다.").to(language)]
