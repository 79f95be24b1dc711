"""Whose branch a deed is about is one decision: whatever is pressed, and however often, the same people may."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from mama_bot.deeds.diffs import Diffs
from mama_bot.intake.deed_commands import DeedCommands
from mama_bot.model import (
    Answer,
    Author,
    AuthorKind,
    Command,
    CommandName,
    InboundMessage,
    Merged,
    Notice,
    NoticeKind,
    Origin,
    Post,
    PostId,
    UndoChange,
    WorkChange,
)
from mama_bot.wording import Language
from tests.agents.conftest import SystemClock
from tests.checkouts.making import make_source
from tests.deeds.making import KEY, KIM, Bench, Site, made_turn

LEE = Author(id="U2", name="Lee", kind=AuthorKind.PERSON)


@dataclass
class Talk:
    """Two people whose turns changed the work tree of one thread, each with a post below which they press."""

    bench: Bench
    commands: DeedCommands
    kims: WorkChange
    lees: WorkChange

    async def presses(self, who: Author, name: CommandName, under: WorkChange | None, argument: str = "") -> Answer:
        command = Command(name=name, key=KEY, author=who, origin=Origin(channel=KEY.channel), argument=argument)
        post = None if under is None else PostId(f"p.{under.id}")
        return await self.commands.by_name[name](command, post, Language.ENGLISH)


def told(change: WorkChange) -> Post:
    text = "Changed."
    return Notice(id=PostId(f"p.{change.id}"), key=KEY, notice=NoticeKind.WITHHELD, text=text, change=change.id)


@asynccontextmanager
async def a_talk(directory: Path) -> AsyncIterator[Talk]:
    site = Site(directory, may_merge=("asker",))
    make_source(directory)
    async with site.life() as bench:
        kims = await bench.turn({"one": "1"})
        lees = await bench.turn({"two": "2"}, asker=LEE.id)
        assert kims is not None
        assert lees is not None
        for change in (kims, lees):
            turn, at = made_turn(change.id, KEY), SystemClock().now()  # of a turn which ran no checks
            message = InboundMessage(id=turn.message_id, key=KEY, author=KIM, text="Do it", received_at=at)
            await bench.store.inbox.accept(message)
            await bench.store.turns.add_turns([turn])
            post = told(change)
            assert isinstance(post, Notice)
            await bench.store.outbox.add(post)
        commands = DeedCommands(
            deeds=bench.deeds,
            diffs=Diffs(
                checkouts=bench.checkouts, records=bench.store.deeds, changes=bench.changes, history=bench.history
            ),
            checkouts=bench.checkouts,
            records=bench.store.deeds,
            reviews=bench.store.reviews,
            history=bench.store.history,
            outbox=bench.store.outbox,
            is_owner=lambda platform, author: False,
            clock=SystemClock(),
            new_id=lambda: f"d{next(bench.numbers)}",
            metrics=bench.metrics,
        )
        yield Talk(bench=bench, commands=commands, kims=kims, lees=lees)


@pytest.mark.parametrize("argument", ["", "anyway"])
async def test_a_branch_belongs_to_whom_its_latest_turn_worked_for_wherever_it_is_pressed(
    tmp_path: Path, argument: str
) -> None:
    async with a_talk(tmp_path) as talk:
        for under in (talk.kims, talk.lees, None):
            refused = await talk.presses(KIM, CommandName.MERGE, under, argument)
            assert (refused.done, refused.offers, "may" in refused.text) == (False, (), True)
        assert talk.bench.metrics.snapshot()["deeds_refused", (("kind", "merge"), ("platform", "slack"))] == 3


async def test_what_is_offered_to_somebody_they_may_do(tmp_path: Path) -> None:
    async with a_talk(tmp_path) as talk:
        cautioned = [await talk.presses(LEE, CommandName.MERGE, under) for under in (talk.kims, talk.lees, None)]
        assert [answer.done for answer in cautioned] == [False] * 3
        [offer] = {offer for answer in cautioned for offer in answer.offers}
        again = await talk.presses(LEE, offer.name, None, offer.argument)
        assert again.done, again.text  # it goes on, for nobody does it here
        await talk.bench.deeds.resume()
        [deed] = await talk.bench.store.deeds.deeds(KEY, 10)
        assert isinstance(deed.outcome, Merged)


@pytest.mark.parametrize("typed", [False, True])
async def test_who_merges_anyway_agrees_to_what_they_were_shown_and_to_nothing_that_came_after(
    tmp_path: Path, typed: bool
) -> None:
    async with a_talk(tmp_path) as talk:
        cautioned = await talk.presses(LEE, CommandName.MERGE, None)
        [offer] = cautioned.offers
        await talk.bench.turn({"three": "3"}, asker=LEE.id)
        refused = await talk.presses(LEE, offer.name, None, "anyway" if typed else offer.argument)
        assert not refused.done
        [anew] = refused.offers
        assert anew.argument != offer.argument
        await talk.presses(LEE, anew.name, None, "anyway" if typed else anew.argument)
        await talk.bench.deeds.resume()
        [deed] = await talk.bench.store.deeds.deeds(KEY, 10)
        assert isinstance(deed.outcome, Merged)


async def test_nobody_gets_a_right_by_an_undo_and_what_was_undone_counts_no_more(tmp_path: Path) -> None:
    async with a_talk(tmp_path) as talk:
        await talk.bench.done(UndoChange(change=talk.lees.id))  # by Kim
        assert len((await talk.presses(KIM, CommandName.MERGE, talk.lees)).offers) == 1
        assert (await talk.presses(LEE, CommandName.MERGE, talk.lees)).offers == ()
        await talk.bench.turn({"three": "3"}, asker=LEE.id)
        await talk.bench.done(UndoChange(change=talk.kims.id))  # by Kim again, and Lee's work stands
        assert (await talk.presses(KIM, CommandName.MERGE, talk.kims)).offers == ()
