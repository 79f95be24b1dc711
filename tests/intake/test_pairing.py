"""Somebody unknown gets a code in a direct message, and is served when an owner confirms it."""

import asyncio
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest

from mama_bot.app.system_clock import SystemClock
from mama_bot.config import AccessSettings, QueueSettings
from mama_bot.errors import AccessRefused, StoreUnavailable
from mama_bot.intake.pairing_requests import LETTERS, PairingRequests
from mama_bot.model import Author, ConversationKey, Notice, NoticeKind, Origin, PairingState, Platform
from mama_bot.store import Store, open_store, sqlite_url
from mama_bot.store.pairings import FRESH_SECONDS, OPEN_REQUESTS
from mama_bot.store.sqlite import open_sqlite
from mama_bot.testing.memory_gateway import MEMORY, MemoryGateway
from mama_bot.wording import Language
from tests.commands.places import Place
from tests.intake.admitting import DIRECT, KIM, LEE, PLACE, Door, SetClock
from tests.store.test_faults import locked
from tests.waiting import until, until_stored

OPEN = AccessSettings(owners=("boss", "chief"))
DAY = 24 * 3600
CODE = re.compile(rf"[{LETTERS}]{{4}}-[{LETTERS}]{{4}}")


async def told(
    door: Door, author: Author = KIM, origin: Origin = DIRECT, *, language: Language = Language.ENGLISH
) -> str | None:
    try:
        await door.access.check(origin, author, PLACE, language)
    except AccessRefused as error:
        return error.to(language)
    return None


async def code_for(door: Door, author: Author = KIM) -> str:
    found = CODE.search(await told(door, author) or "")
    assert found is not None
    return found[0]


async def test_an_unknown_person_gets_a_code_and_is_served_when_it_is_confirmed(store: Store, clock: SetClock) -> None:
    door = Door(store, clock, OPEN)
    code = await code_for(door)
    clock.seconds += 61
    settled = await store.pairings.settle(code.lower().replace("-", " "), approve=True, by="boss")
    assert (settled.person, settled.state, settled.settled_by) == ("u1", PairingState.PAIRED, "boss")
    assert await told(door) is None
    assert await told(door, origin=Origin(channel="anywhere")) is None
    assert await told(door, LEE, Origin(channel="anywhere")) == ""


async def test_in_korean_the_code_is_told_in_korean(store: Store, clock: SetClock) -> None:
    text = await told(Door(store, clock, OPEN), language=Language.KOREAN) or ""
    assert "소유자" in text
    assert CODE.search(text)


async def test_the_same_person_gets_the_same_code_and_is_told_once_a_minute(store: Store, clock: SetClock) -> None:
    door = Door(store, clock, OPEN)
    code = await code_for(door)
    assert await told(door) == ""
    assert await code_for(door, LEE) != code
    clock.seconds += 61
    assert await code_for(door) == code
    clock.seconds += DAY
    assert await code_for(door) != code


async def test_a_person_whom_the_store_could_not_note_gets_their_code_with_the_next_delivery(
    tmp_path: Path, clock: SetClock
) -> None:
    path = tmp_path / "locked.sqlite"
    async with open_sqlite(path, busy_seconds=0.05) as database:
        door = Door(Store(database=database, clock=clock, queue=QueueSettings()), clock, OPEN)
        with locked(path), pytest.raises(StoreUnavailable):
            await told(door)
        assert CODE.search(await told(door) or "")


async def nothing_waits(store: Store) -> bool:
    return await store.outbox.conversations_with_pending() == []


@pytest.mark.parametrize("origin", [Origin(channel="c1"), Origin(workspace="w", channel="c")])
async def test_codes_are_given_in_direct_messages_only(store: Store, clock: SetClock, origin: Origin) -> None:
    assert await told(Door(store, clock, OPEN), origin=origin) == ""
    assert await told(Door(store, clock, AccessSettings(pairing=False))) == ""
    assert await store.pairings.all(5) == []


async def test_somebody_who_was_denied_hears_nothing_for_a_day(store: Store, clock: SetClock) -> None:
    door = Door(store, clock, OPEN)
    code = await code_for(door)
    await store.pairings.settle(code, approve=False, by="boss")
    clock.seconds += DAY - 100
    assert await told(door) == ""
    clock.seconds += 200
    assert await code_for(door) != code


async def test_requests_are_bounded(store: Store, clock: SetClock) -> None:
    door = Door(store, clock, OPEN)
    for number in range(OPEN_REQUESTS):
        await code_for(door, Author(id=f"p{number}", name="P"))
    assert await told(door) == ""
    assert door.counted("pairings_refused") == 1
    clock.seconds += DAY + 1
    assert await code_for(door)


async def test_every_owner_is_told_of_a_new_request_once_with_buttons(store: Store, clock: SetClock) -> None:
    door = Door(store, clock, OPEN)
    async with asyncio.TaskGroup() as group:
        task = group.create_task(door.run())
        code = await code_for(door)
        clock.seconds += 61
        assert await code_for(door) == code
        other = await code_for(door, LEE)
        await until(lambda: len(door.gateway.posts) == 4)
        task.cancel()
    notices = [post for post in door.gateway.posts if isinstance(post, Notice)]
    assert [(notice.key.channel, notice.approval) for notice in notices] == [
        (f"direct-{owner}", approval) for approval in (code, other) for owner in ("boss", "chief")
    ]
    assert notices[0].notice is NoticeKind.PAIRING
    assert notices[0].text == f"`김민수` (id u1) wants to talk to the team on Memory. Code {code}."


@pytest.mark.parametrize(
    ("language", "words"), [(Language.ENGLISH, "An owner confirmed"), (Language.KOREAN, "소유자가 요청을 승인했습니다")]
)
async def test_whom_an_owner_confirmed_is_told_once_in_their_language_also_after_a_restart(
    tmp_path: Path, store: Store, clock: SetClock, language: Language, words: str
) -> None:
    door = Door(store, clock, OPEN)
    found = CODE.search(await told(door, language=language) or "")
    assert found is not None
    assert not await store.pairings.is_paired(MEMORY, "u1")
    async with open_store(sqlite_url(tmp_path / "s"), clock=clock, queue=QueueSettings()) as other:
        await other.pairings.settle(found[0], approve=True, by="mama-bot pair")
    async with asyncio.TaskGroup() as group:
        task = group.create_task(door.run())
        await until(lambda: len(door.gateway.posts) == 2)
        assert [post.key.channel for post in door.gateway.posts] == ["direct-boss", "direct-chief"]
        door.gateway.ready.set()
        await until(lambda: len(door.gateway.posts) == 3)
        await until_stored(lambda: nothing_waits(store))
        task.cancel()
    notice = door.gateway.posts[-1]
    assert isinstance(notice, Notice)
    assert (notice.key.channel, notice.notice, notice.approval) == ("direct-u1", NoticeKind.PAIRING, "")
    assert notice.text.startswith(words)
    assert await store.pairings.is_paired(MEMORY, "u1")
    restarted = Door(store, clock, OPEN)
    restarted.gateway.ready.set()
    async with asyncio.TaskGroup() as group:
        task = group.create_task(restarted.run())
        await asyncio.sleep(0.2)
        task.cancel()
    assert restarted.gateway.posts == []


async def test_a_platform_that_hangs_keeps_nobody_on_another_from_being_told(store: Store, clock: SetClock) -> None:
    class Hanging(MemoryGateway):
        async def direct(self, person: str) -> ConversationKey | None:
            await asyncio.Event().wait()
            return None

    door = Door(store, clock, OPEN)
    other = Platform("other")
    hanging = Hanging(platform=other)
    metrics = door.metrics
    requests = PairingRequests(
        pairings=store.pairings,
        settings=lambda: {MEMORY: OPEN, other: OPEN},
        gateways={other: hanging, MEMORY: door.gateway},
        outbox=store.outbox,
        clock=clock,
        metrics=metrics,
        chance=random.Random(3),
    )
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(door.run()), group.create_task(requests.run())]
        await requests.ask(other, KIM, Language.ENGLISH)
        await asyncio.sleep(0.05)
        await requests.ask(MEMORY, LEE, Language.ENGLISH)
        await until(lambda: len(door.gateway.posts) == 2)
        for task in tasks:
            task.cancel()


async def test_owners_read_no_markup_and_no_control_characters_of_a_stranger(store: Store, clock: SetClock) -> None:
    await code_for(
        Door(store, clock, OPEN), Author(id="u1", name="[Boss](https://evil.example)\x1b[31m\n<@1>" + "x" * 200)
    )
    [pairing] = await store.pairings.all(5)
    assert pairing.name.startswith("Boss https://evil.example 31m @1 xxx")
    assert len(pairing.name) == 80


async def test_an_owner_who_cannot_be_written_to_keeps_nobody_else_from_being_told(
    store: Store, clock: SetClock
) -> None:
    class Deaf(MemoryGateway):
        async def direct(self, person: str) -> ConversationKey | None:
            if person == "boss":
                raise KeyError(person)
            return await super().direct(person) if person == "chief" else None

    door = Door(store, clock, AccessSettings(owners=("boss", "nobody", "chief")), gateway=Deaf())
    async with asyncio.TaskGroup() as group:
        task = group.create_task(door.run())
        await code_for(door)
        await until(lambda: len(door.gateway.posts) == 1)
        task.cancel()
    assert [post.key for post in door.gateway.posts] == [ConversationKey(MEMORY, "direct-chief")]


async def test_what_another_process_confirms_is_seen_some_seconds_later(
    tmp_path: Path, store: Store, clock: SetClock
) -> None:
    door = Door(store, clock, OPEN)
    code = await code_for(door)
    async with open_store(sqlite_url(tmp_path / "s"), clock=clock, queue=QueueSettings()) as other:
        await other.pairings.settle(code, approve=True, by="mama-bot pair")
    assert not await store.pairings.is_paired(MEMORY, "u1")
    clock.seconds += FRESH_SECONDS + 0.1
    assert await store.pairings.is_paired(MEMORY, "u1")


# --- `mama-bot pair` ------------------------------------------------------------------------------


def asked(place: Place, *authors: Author) -> list[str]:
    codes = ["ACDE-FGHJ", "KLMN-PQRT", "UVWX-YACD"][: len(authors)]

    async def work() -> None:
        place.database.parent.mkdir(parents=True)
        url = sqlite_url(place.database)
        async with open_store(url, clock=SystemClock(), queue=QueueSettings()) as store:
            for author, code in zip(authors, codes, strict=True):
                await store.pairings.ask(MEMORY, author.id, author.name, code=code)

    asyncio.run(work())
    return codes


def test_the_command_lists_confirms_and_ends(place: Place) -> None:
    kim, lee = asked(place, KIM, replace(LEE, name="Lee"))
    listed = place.run("pair").output
    assert f"{kim}  memory/u1  김민수" in listed
    assert f"{lee}  memory/u2  Lee" in listed
    confirmed = place.run("pair", kim.lower())
    assert (confirmed.status, confirmed.complaint) == (0, "")
    assert confirmed.output.startswith("김민수 (memory/u1) is paired")
    assert place.run("pair", "--deny", lee).output.startswith("Lee (memory/u2) is denied")
    listed = place.run("pair").output
    assert "There are no open requests." in listed
    assert "memory/u1  김민수  since" in listed
    assert '"state": "paired"' in place.run("pair", "--json").output
    assert place.run("pair", "--remove", "memory/u1").status == 0
    assert "Nobody is paired." in place.run("pair").output


def test_where_nobody_asked_the_list_is_empty(place: Place) -> None:
    told = place.run("pair")
    assert (told.status, told.output) == (0, "There are no open requests.\nNobody is paired.\n")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["ZZZZ-ZZZZ"], "There is no request with the code 'ZZZZ-ZZZZ'"),
        (["--deny", "\x1b[31m"], "There is no request with the code '31M'"),
        (["--remove", "memory/u9"], "Nobody is paired as memory/u9"),
        (["--remove", "u9"], "'u9' names nobody"),
        (["ACDE-FGHJ", "--remove", "memory/u1"], "cannot be used so"),
    ],
)
def test_what_is_not_there_is_said_in_one_sentence(place: Place, arguments: list[str], complaint: str) -> None:
    asked(place, KIM)
    told = place.run("pair", *arguments)
    assert (told.status, told.output) == (2, "")
    assert complaint in told.complaint


def test_a_request_is_settled_once(place: Place) -> None:
    [code] = asked(place, KIM)
    place.run("pair", code)
    told = place.run("pair", "--deny", code)
    assert told.status == 2
    assert "was settled before: it is paired" in told.complaint
