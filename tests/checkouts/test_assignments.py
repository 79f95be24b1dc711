"""Which repository a conversation works in: decided by its first message, and changed by nobody but a person."""

from pathlib import Path

import pytest

from mama_bot.checkouts import Checkouts
from mama_bot.config import RepositorySettings, WorkTreeSettings
from mama_bot.errors import RepositoryUnavailable
from mama_bot.model import SCRATCH, Author, ConversationKey, InboundMessage, MessageId, Platform
from mama_bot.protocols import CheckoutRecords
from mama_bot.testing.memory_checkouts import MemoryCheckoutRecords
from tests.agents.conftest import SystemClock
from tests.people import START

SLACK = Platform("slack")


def begun(directory: Path, records: CheckoutRecords, *, default: str = "", **names: tuple[str, ...]) -> Checkouts:
    """Work trees where each repository has places, people among them by a letter U."""
    repositories = {
        name: RepositorySettings(
            source=f"file:///srv/{name}",
            channels=tuple(place for place in places if "/U" not in place),
            people=tuple(place for place in places if "/U" in place),
        )
        for name, places in names.items()
    }
    return Checkouts(
        directory=directory,
        repositories=repositories,
        settings=WorkTreeSettings(),
        records=records,
        clock=SystemClock(),
        new_id=lambda: "0",
        default=default,
    )


def said(channel: str, thread: str = "", person: str = "U9") -> InboundMessage:
    return InboundMessage(
        id=MessageId("m1"),
        key=ConversationKey(SLACK, channel, thread),
        author=Author(id=person, name="Kim"),
        text="Fix it",
        received_at=START,
    )


async def assigned(checkouts: Checkouts, message: InboundMessage) -> str:
    place = await checkouts.begin(message.key, message.author.id)
    assert place.repository is not None
    return place.repository


@pytest.mark.parametrize(
    ("message", "repository"),
    [
        (said("C1"), "app"),
        (said("C1", "17"), "app"),
        (said("C1", "42"), "docs"),
        (said("D7", person="U1"), "docs"),
        (said("C1", person="U1"), "app"),
        (said("C2"), "rest"),
    ],
)
async def test_thread_channel_person_and_default_decide_in_this_order(
    tmp_path: Path, message: InboundMessage, repository: str
) -> None:
    places = {"app": ("slack/C1",), "docs": ("slack/C1/42", "slack/U1"), "rest": ()}
    checkouts = begun(tmp_path, MemoryCheckoutRecords(), default="rest", **places)
    assert await assigned(checkouts, message) == repository
    assert checkouts.repository(message.key) == repository


async def test_what_was_decided_stays_whatever_the_configuration_becomes(tmp_path: Path) -> None:
    records = MemoryCheckoutRecords()
    assert await assigned(begun(tmp_path, records, app=("slack/C1",)), said("C1", "1")) == "app"
    later = begun(tmp_path, records, app=(), docs=("slack/C1",))
    assert await assigned(later, said("C1", "1", person="U8")) == "app"
    assert await assigned(later, said("C1", "2")) == "docs"


async def test_a_choice_holds_for_its_channel_and_the_conversation_in_which_it_was_made(tmp_path: Path) -> None:
    records = MemoryCheckoutRecords()
    checkouts = begun(tmp_path, records, app=("slack/C1", "slack/C1/42"), docs=())
    first, second = said("C1", "1"), said("C1", "2")
    for message in (first, second):
        assert await assigned(checkouts, message) == "app"
    await checkouts.assignments.choose(first.key, "docs", by="U1")
    later = begun(tmp_path, records, app=("slack/C1", "slack/C1/42"), docs=())
    assert [await assigned(later, message) for message in (first, second, said("C1", "3"))] == [
        "docs",
        "app",
        "docs",
    ]
    assert await assigned(later, said("C1", "42")) == "app", "a thread that the configuration names is named on purpose"
    assert await assigned(begun(tmp_path, records, app=("slack/C1",)), said("C1", "4")) == "app", "docs is gone"


async def test_a_conversation_of_an_earlier_release_keeps_its_directory(tmp_path: Path) -> None:
    records = MemoryCheckoutRecords()
    checkouts = begun(tmp_path, records, default="app", app=())
    checkouts.path(said("C1").key, SCRATCH).mkdir(parents=True)
    assert await assigned(checkouts, said("C1")) == SCRATCH


async def test_a_repository_that_is_not_configured_any_more_is_told(tmp_path: Path) -> None:
    records = MemoryCheckoutRecords()
    await assigned(begun(tmp_path, records, app=("slack/C1",)), said("C1"))
    later = begun(tmp_path, records)
    with pytest.raises(RepositoryUnavailable, match=r"works in the repository app, which is not configured any more"):
        await later.prepare(said("C1").key, await assigned(later, said("C1")))
