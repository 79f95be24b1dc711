"""Nobody is served who is not listed, and everybody who is, wherever the list says."""

import pytest
from structlog.testing import capture_logs

from mama_bot.config import AccessSettings
from mama_bot.errors import AccessRefused
from mama_bot.intake.access import BOT_MESSAGES, BOT_SECONDS
from mama_bot.model import Author, AuthorKind, CommandName, ConversationKey, Origin
from mama_bot.store import Store
from mama_bot.testing.memory_gateway import MEMORY
from mama_bot.wording import Language
from tests.intake.admitting import BOT, DIRECT, KIM, LEE, PLACE, Door, SetClock

HALL = Origin(workspace="w1", channel="c1", roles=("r1", "r2"))


async def told(
    door: Door,
    author: Author = KIM,
    origin: Origin = HALL,
    *,
    key: ConversationKey = PLACE,
    command: CommandName | None = None,
    new: bool = False,
) -> str | None:
    """What somebody who is refused is told; None: they are served."""
    try:
        await door.access.check(origin, author, key, command=command, new=new)
    except AccessRefused as error:
        return error.to(Language.ENGLISH)
    return None


GUEST = Origin(workspace="other", channel="c1", guest=True)


@pytest.mark.parametrize(
    ("settings", "served"),
    [
        (AccessSettings(servers=("w1",), channels=("c1",)), False),
        (AccessSettings(servers=("w1", "other")), True),
        (AccessSettings(people=("u1",)), True),
    ],
)
async def test_a_person_of_another_company_is_served_where_they_or_their_company_are_listed(
    store: Store, clock: SetClock, settings: AccessSettings, served: bool
) -> None:
    assert (await told(Door(store, clock, settings), origin=GUEST) is None) is served


@pytest.mark.parametrize("author", [KIM, BOT])
@pytest.mark.parametrize("origin", [HALL, Origin()])
async def test_with_empty_lists_nobody_is_served(store: Store, clock: SetClock, author: Author, origin: Origin) -> None:
    door = Door(store, clock)
    assert await told(door, author, origin) == ""
    assert door.counted("access_refused") == 1


@pytest.mark.parametrize(
    "settings",
    [
        AccessSettings(owners=("u1",)),
        AccessSettings(people=("x", "u1")),
        AccessSettings(roles=("r2",)),
        AccessSettings(channels=("c1",)),
        AccessSettings(servers=("w1",)),
    ],
)
async def test_whoever_or_wherever_is_listed_is_served(store: Store, clock: SetClock, settings: AccessSettings) -> None:
    assert await told(Door(store, clock, settings)) is None


@pytest.mark.parametrize(
    "settings",
    [
        AccessSettings(owners=("u2",), people=("c1", "w1"), roles=("u1", "r3"), channels=("w1",), servers=("c1",)),
        AccessSettings(bots=("u1",)),
    ],
)
async def test_an_id_counts_only_in_its_own_list(store: Store, clock: SetClock, settings: AccessSettings) -> None:
    assert await told(Door(store, clock, settings)) == ""


async def test_a_listed_person_is_served_everywhere_and_another_only_in_a_listed_place(
    store: Store, clock: SetClock
) -> None:
    door = Door(store, clock, AccessSettings(people=("u1",), channels=("c1",), pairing=False))
    assert await told(door, KIM, Origin(channel="c9")) is None
    assert await told(door, KIM, DIRECT) is None
    assert await told(door, LEE, HALL) is None
    assert await told(door, LEE, Origin(channel="c9")) == ""
    assert await told(door, LEE, DIRECT) == ""


async def test_a_bot_is_served_only_when_it_is_listed_even_in_a_listed_place(store: Store, clock: SetClock) -> None:
    places = AccessSettings(channels=("c1",), servers=("w1",), people=("b1",))
    assert await told(Door(store, clock, places), BOT) == ""
    assert await told(Door(store, clock, AccessSettings(bots=("b1",))), BOT) is None


async def test_an_agent_of_ours_is_never_answered(store: Store, clock: SetClock) -> None:
    agent = Author(id="lead", name="Lead", kind=AuthorKind.AGENT)
    door = Door(store, clock, AccessSettings(channels=("c1",), people=("lead",), bots=("lead",)))
    assert await told(door, agent) == ""


@pytest.mark.parametrize("kind", [AuthorKind.SCHEDULE, AuthorKind.HOOK])
async def test_nobody_on_a_platform_passes_for_a_trigger(store: Store, clock: SetClock, kind: AuthorKind) -> None:
    author = Author(id="hook:ci", name="hook ci", kind=kind)
    door = Door(store, clock, AccessSettings(channels=("c1",), people=("hook:ci",), bots=("hook:ci",)))
    assert await told(door, author) == ""


async def test_a_bot_that_writes_too_much_in_a_conversation_is_refused_for_a_minute(
    store: Store, clock: SetClock
) -> None:
    door = Door(store, clock, AccessSettings(bots=("b1",)))
    elsewhere = ConversationKey(MEMORY, "elsewhere")
    with capture_logs() as logs:
        answers = [await told(door, BOT, new=True) for _ in range(BOT_MESSAGES + 5)]
    assert answers == [None] * BOT_MESSAGES + [""] * 5
    assert [entry["event"] for entry in logs if entry["log_level"] == "warning"] == ["bot_too_quick"]
    assert door.counted("access_refused") == 5
    assert await told(door, BOT, key=elsewhere, new=True) is None
    clock.seconds += BOT_SECONDS - 1
    assert await told(door, BOT, new=True) == ""
    clock.seconds += 1
    assert await told(door, BOT, new=True) is None


async def test_a_bot_at_a_calm_pace_is_never_refused(store: Store, clock: SetClock) -> None:
    door = Door(store, clock, AccessSettings(bots=("b1",)))
    for _ in range(100):
        clock.seconds += BOT_SECONDS / BOT_MESSAGES
        assert await told(door, BOT, new=True) is None


@pytest.mark.parametrize("command", [CommandName.APPROVE, CommandName.DENY])
async def test_only_owners_approve(store: Store, clock: SetClock, command: CommandName) -> None:
    door = Door(store, clock, AccessSettings(owners=("u1",), people=("u2",), bots=("b1",)))
    assert await told(door, KIM, command=command) is None
    assert "Only an owner" in (await told(door, LEE, command=command) or "")
    assert "Only an owner" in (await told(door, BOT, command=command) or "")
    stranger = Author(id="u3", name="Choi")
    assert await told(door, stranger, command=command) == ""
    assert await told(door, stranger, DIRECT, command=command) == ""
    assert await store.pairings.all(5) == []


async def test_a_refusal_is_logged_once_an_hour_for_each_person_and_counted_each_time(
    store: Store, clock: SetClock
) -> None:
    door = Door(store, clock)
    with capture_logs() as logs:
        for author in (KIM, KIM, LEE, KIM):
            await told(door, author)
        clock.seconds += 3601
        await told(door, KIM)
    warned = [entry for entry in logs if entry["log_level"] == "warning"]
    assert [(entry["event"], entry["person"], entry["channel"]) for entry in warned] == [
        ("access_refused", person, "c1") for person in ("u1", "u2", "u1")
    ]
    assert door.counted("access_refused") == 5


async def test_ids_that_are_not_there_match_nothing(store: Store, clock: SetClock) -> None:
    door = Door(store, clock, AccessSettings(people=("u9",), channels=("c9",), servers=("w9",), pairing=False))
    assert await told(door, Author(id="", name=""), Origin()) == ""


async def test_a_platform_whose_gateway_decides_is_not_asked_twice(store: Store, clock: SetClock) -> None:
    assert await told(Door(store, clock, decided=frozenset({MEMORY}))) is None
