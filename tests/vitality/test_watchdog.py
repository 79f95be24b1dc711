"""Owners are told of each trouble once, and once when it has ended, whatever happens in between."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mama_bot.errors import StoreUnavailable
from mama_bot.model import Hearing, Lack, Need, Platform, Trouble, TroubleKind
from mama_bot.testing.memory_core import MemoryState
from mama_bot.vitality import Watchdog
from mama_bot.vitality.signs import disk_sign, hearing_sign, lacking_sign, store_sign
from mama_bot.wording import Language, Said
from tests.intake.admitting import SetClock

SLACK = Platform("slack")
REVOKED = Said("The token was revoked.", "토큰이 취소되었습니다.")
WELL = Hearing(ok=True)
DEAF = Hearing(ok=False, reasons=(REVOKED,))


@dataclass
class Watched:
    """A service whose state a test sets, and what owners were told of it."""

    clock: SetClock = field(default_factory=SetClock)
    state: MemoryState = field(default_factory=MemoryState)
    common: MemoryState | None = None
    hearing: Hearing | None = WELL
    breaks: bool = False
    told: list[tuple[str, str]] = field(default_factory=list)
    beats: list[list[TroubleKind]] = field(default_factory=list)

    def watchdog(self) -> Watchdog:
        """A watchdog as each life of the service makes one."""

        def alarm(occasion: str, sentence: Said) -> None:
            if occasion not in [before for before, _ in self.told]:  # the outbox has each occasion once
                self.told.append((occasion, sentence.to(Language.ENGLISH)))

        def beat(troubles: Sequence[Trouble]) -> None:
            self.beats.append([trouble.kind for trouble in troubles])

        def hearings() -> dict[Platform, Hearing]:
            if self.breaks:
                raise OSError("nothing can be told")
            return {} if self.hearing is None else {SLACK: self.hearing}

        return Watchdog(
            signs=(hearing_sign(hearings),),
            told=self.state,
            common=self.common,
            alarm=alarm,
            patience={TroubleKind.DEAF: 120},
            clock=self.clock,
            every_seconds=10,
            well_seconds=60,
            beat=beat,
            left=lambda _kind, subject: Platform(subject) not in hearings(),
        )

    @property
    def sentences(self) -> list[str]:
        return [sentence for _, sentence in self.told]


async def looked(watched: Watched, watchdog: Watchdog, seconds: float) -> None:
    """So long later, with a look every ten seconds."""
    for _ in range(round(seconds / 10)):
        watched.clock.seconds += 10
        await watchdog.look()


async def test_a_trouble_is_told_once_and_once_when_it_has_ended() -> None:
    watched = Watched()
    watchdog = watched.watchdog()
    assert watchdog.troubles() is None
    await looked(watched, watchdog, 10)
    assert watchdog.troubles() == []
    watched.hearing = DEAF
    await looked(watched, watchdog, 100)
    assert watched.sentences == []
    await looked(watched, watchdog, 600)
    (sentence,) = watched.sentences
    assert "slack" in sentence
    assert "The token was revoked." in sentence
    watched.hearing = WELL
    await looked(watched, watchdog, 50)
    assert len(watched.sentences) == 1
    await looked(watched, watchdog, 600)
    assert watched.sentences[1:] == ["✅ mama-bot hears slack again."]
    assert watched.beats[0] == watched.beats[-1] == []
    assert [TroubleKind.DEAF] in watched.beats


async def test_of_nodes_that_have_a_platform_in_turns_one_tells_that_it_is_not_heard_and_one_that_it_is() -> None:
    common, told = MemoryState(), list[tuple[str, str]]()
    here, there = (Watched(hearing=None, common=common, told=told) for _ in range(2))
    watchdogs = [(each, each.watchdog()) for each in (here, there)]

    async def looked_by_both(seconds: float) -> None:
        for each, watchdog in watchdogs:
            await looked(each, watchdog, seconds)

    for holder, other in ((here, there), (there, here)) * 2:  # the connection changes hands
        holder.hearing, other.hearing = DEAF, None
        await looked_by_both(250)
    (deaf,) = here.sentences
    assert "mama-bot hears nothing on slack" in deaf
    there.hearing, here.hearing = None, WELL
    await looked_by_both(130)
    assert len(told) == 2
    assert "hears slack again" in here.sentences[1]
    here.hearing, there.hearing = None, DEAF  # later it is not heard once more
    await looked_by_both(250)
    assert "mama-bot hears nothing on slack" in here.sentences[2]
    assert len(told) == 3


async def test_what_comes_and_goes_is_told_once_and_a_second_time_only_after_its_end_was_told() -> None:
    watched = Watched()
    watchdog = watched.watchdog()
    for _ in range(5):
        watched.hearing = DEAF
        await looked(watched, watchdog, 200)
        watched.hearing = WELL
        await looked(watched, watchdog, 30)
    assert len(watched.sentences) == 1
    await looked(watched, watchdog, 60)
    watched.hearing = DEAF
    await looked(watched, watchdog, 200)
    assert len(watched.sentences) == 3


async def test_a_restart_tells_nothing_again_and_tells_what_ended_meanwhile() -> None:
    watched = Watched(hearing=DEAF)
    await looked(watched, watched.watchdog(), 200)
    await looked(watched, watched.watchdog(), 200)
    assert len(watched.sentences) == 1
    watched.hearing = WELL
    await looked(watched, watched.watchdog(), 200)
    await looked(watched, watched.watchdog(), 200)
    assert watched.sentences[1:] == ["✅ mama-bot hears slack again."]


async def test_a_watchdog_that_looks_no_more_is_itself_a_trouble_and_so_is_the_end_of_the_service() -> None:
    watched = Watched()
    watchdog = watched.watchdog()
    await watchdog.look()
    watched.clock.seconds += 200
    assert [trouble.kind for trouble in watchdog.troubles() or ()] == [TroubleKind.STALLED]
    await watchdog.look()
    watchdog.drain()
    assert [trouble.kind for trouble in watchdog.troubles() or ()] == [TroubleKind.DRAINING]


async def test_what_a_platform_that_is_heard_has_missed_is_told_and_stops_no_work() -> None:
    heard = {SLACK: Hearing(ok=True, behind=(REVOKED,)), Platform("web"): WELL}
    (behind,) = await hearing_sign(lambda: heard)()
    assert (behind.kind, behind.subject, behind.stops_work) == (TroubleKind.BEHIND, SLACK, False)
    watched = Watched(hearing=heard[SLACK])
    watchdog = watched.watchdog()
    await watchdog.look()
    watched.hearing = WELL
    for _ in range(3):
        watched.clock.seconds += 120
        await watchdog.look()
    first, last = (text for _, text in watched.told)
    assert "revoked" in first
    assert "waits for nothing any more" in last


async def test_what_will_not_be_read_is_told_beside_what_is_not_read_yet_and_its_end_is_no_news() -> None:
    lost = Said("Gone.", "사라졌습니다.")
    watched = Watched(hearing=Hearing(ok=True, behind=(REVOKED,)))
    watchdog = watched.watchdog()
    await watchdog.look()
    watched.hearing = Hearing(ok=True, behind=(REVOKED,), lost=(lost,))
    await watchdog.look()
    watched.hearing = WELL
    for _ in range(3):
        watched.clock.seconds += 120
        await watchdog.look()
    first, second, last = (text for _, text in watched.told)
    assert ("revoked" in first, second) == (True, "Gone.")
    assert "waits for nothing any more" in last


async def test_each_loss_is_told_once_also_beside_an_earlier_one_and_after_a_restart() -> None:
    losses = [Said(f"Gone: {name}.", f"사라짐: {name}.") for name in "abc"]
    watched = Watched(hearing=Hearing(ok=True, lost=(losses[0],)))
    watchdog = watched.watchdog()
    await watchdog.look()
    watched.hearing = Hearing(ok=True, lost=(losses[0], losses[1]))
    await watchdog.look()
    watched.hearing = Hearing(ok=True, lost=(losses[2],))
    await watched.watchdog().look()
    assert [text for _, text in watched.told] == ["Gone: a.", "Gone: b.", "Gone: c."]


async def test_a_store_that_takes_nothing_or_never_answers_is_told_with_its_reason() -> None:
    async def refused() -> None:
        raise StoreUnavailable(url="mama-bot.sqlite", reason="the disk is full", remedy="Free some space.")

    async def silent() -> None:
        await asyncio.Event().wait()

    (full,), (late,) = await store_sign(refused)(), await store_sign(silent, seconds=0.01)()
    assert (full.kind, late.kind) == (TroubleKind.STORE, TroubleKind.STORE)
    assert "the disk is full" in full.sentence.to(Language.ENGLISH)
    assert "응답하지 않습니다" in late.sentence.to(Language.KOREAN)


async def test_a_disk_without_room_and_a_missing_need_are_told(tmp_path: Path) -> None:
    assert not await disk_sign(tmp_path, least_megabytes=0)()
    (low,) = await disk_sign(tmp_path, least_megabytes=10**12)()
    assert (low.kind, low.stops_work) == (TroubleKind.DISK, False)
    missing = [Lack(need=Need.LOGIN, sentence=REVOKED, stops_work=False), Lack(need=Need.GIT, sentence=REVOKED)]
    assert [trouble.subject for trouble in await lacking_sign(lambda: missing)()] == ["git"]


async def test_a_sign_that_breaks_does_not_tell_that_all_is_well() -> None:
    watched = Watched(hearing=DEAF)
    watchdog = watched.watchdog()
    await looked(watched, watchdog, 200)
    watched.breaks = True
    await looked(watched, watchdog, 200)
    assert len(watched.sentences) == 1
    assert [trouble.kind for trouble in watchdog.troubles() or ()] == [TroubleKind.DEAF]


async def test_a_store_that_never_answers_holds_up_no_sign_of_life() -> None:
    class Silent(MemoryState):
        async def put(self, entries: Mapping[str, str]) -> None:
            await asyncio.Event().wait()

    watched = Watched(hearing=DEAF, state=Silent())
    watchdog = watched.watchdog()
    await looked(watched, watchdog, 110)
    beats = len(watched.beats)
    watched.clock.seconds += 20
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        late = group.create_task(watchdog.look())
        while len(watched.beats) == beats:
            await asyncio.sleep(0)
        late.cancel()
    assert watched.sentences, "owners are told all the same"
