"""The work of a conversation is merged into its source, wholly or not at all."""

import asyncio
import os
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from mama_bot.deeds.sentences import deed_told
from mama_bot.model import (
    SCRATCH,
    ChangeId,
    Conflicting,
    ConflictingFile,
    ConflictKind,
    Deed,
    Discarded,
    DiscardWork,
    MergeBranch,
    Merged,
    NotDone,
    PushBranch,
    Refusal,
    RestoreWork,
    UndoChange,
    Undone,
)
from mama_bot.wording import Language
from tests.checkouts.making import files
from tests.checkouts.test_nothing_is_lost import Clock
from tests.deeds.making import Bench, Site, made_site, write
from tests.deeds.mortal import MortalGit, death
from tests.end_to_end.evidence import git
from tests.waiting import SECONDS, until


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return made_site(tmp_path)


@pytest.fixture
async def bench(site: Site) -> AsyncIterator[Bench]:
    async with site.life() as begun:
        yield begun


async def test_what_was_in_no_commit_is_committed_first_and_told(bench: Bench, site: Site) -> None:
    await bench.turn({"greeting": "bye\n", "new": "x\n"})
    outcome = await bench.done(MergeBranch())
    assert isinstance(outcome, Merged)
    assert (outcome.branch, outcome.committed) == ("main", 2)
    assert git(site.source, "rev-parse", "main") == outcome.commit
    assert git(site.source, "log", "--format=%s", "main^2", "-1") == "Mend the greeting"
    assert "Asked for by Kim." in git(site.source, "log", "--format=%b", "main^2", "-1")
    tree = await bench.tree()
    assert git(tree, "status", "--porcelain") == ""
    assert git(tree, "rev-parse", "HEAD") == git(site.source, "rev-parse", "main^2")


async def test_what_is_merged_is_not_merged_again_and_later_work_is(bench: Bench) -> None:
    await bench.turn({"greeting": "bye\n"})
    assert isinstance(await bench.done(MergeBranch()), Merged)
    assert await bench.done(MergeBranch()) == NotDone(why=Refusal.NOTHING)
    await bench.turn({"greeting": "bye bye\n"})
    assert isinstance(await bench.done(MergeBranch()), Merged)


async def test_what_others_pushed_meanwhile_is_merged_with_it(bench: Bench, site: Site) -> None:
    await bench.turn({"new": "x\n"})
    (site.source / "theirs").write_text("y\n")
    git(site.source, "add", "theirs")
    git(site.source, "commit", "-qm", "Theirs")
    assert isinstance(await bench.done(MergeBranch()), Merged)
    assert (site.source / "theirs").exists()
    assert (site.source / "new").read_text() == "x\n"


async def test_conflicts_are_told_file_by_file_and_the_source_stays_as_it_is(bench: Bench, site: Site) -> None:
    await bench.turn({"greeting": "bye\n", "both": "a\n", ".gitignore": None})
    write(site.source, {"greeting": "hola\n", "both": "b\n", ".gitignore": "ignored\nmore\n"})
    git(site.source, "add", "-A")
    git(site.source, "commit", "-qm", "Theirs")
    head = git(site.source, "rev-parse", "main")
    outcome = await bench.done(MergeBranch())
    assert isinstance(outcome, Conflicting)
    assert set(outcome.files) == {
        ConflictingFile(path="greeting", how=ConflictKind.CONTENTS),
        ConflictingFile(path="both", how=ConflictKind.BOTH_ADDED),
        ConflictingFile(path=".gitignore", how=ConflictKind.DELETED),
    }
    assert git(site.source, "rev-parse", "main") == head
    assert files(await bench.tree()) == {"greeting": b"bye\n", "both": b"a\n"}


async def test_the_uncommitted_files_of_the_source_itself_are_not_touched(bench: Bench, site: Site) -> None:
    await bench.turn({"greeting": "bye\n"})
    (site.source / "greeting").write_text("mine, not committed\n")
    head = git(site.source, "rev-parse", "main")
    outcome = await bench.done(MergeBranch())
    assert isinstance(outcome, NotDone)
    assert outcome.why is Refusal.NOT_TAKEN
    assert "unstaged changes" in outcome.detail
    assert git(site.source, "rev-parse", "main") == head
    assert (site.source / "greeting").read_text() == "mine, not committed\n"


async def test_a_source_that_protects_its_branch_is_told_in_words_of_ours(bench: Bench, site: Site) -> None:
    hook = site.source / ".git" / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'GH006: Protected branch update failed for refs/heads/main.'\nexit 1\n")
    hook.chmod(0o755)
    await bench.turn({"greeting": "bye\n"})
    outcome = await bench.done(MergeBranch())
    assert isinstance(outcome, NotDone)
    assert (outcome.why, outcome.committed) == (Refusal.REFUSED, 1)
    assert outcome.detail == "The source protects main: its rules do not let the service push there."


async def test_what_a_hook_of_the_source_says_is_told(bench: Bench, site: Site) -> None:
    hook = site.source / ".git" / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho main is closed until Monday\nexit 1\n")
    hook.chmod(0o755)
    await bench.turn({"greeting": "bye\n"})
    outcome = await bench.done(MergeBranch())
    assert isinstance(outcome, NotDone)
    assert "main is closed until Monday" in outcome.detail


async def test_nothing_that_a_work_tree_configures_runs_in_a_merge(bench: Bench, site: Site, tmp_path: Path) -> None:
    tree = await bench.tree()
    ran = tmp_path / "ran"
    for name in ("filter.x.clean", "filter.x.smudge", "merge.x.driver", "core.fsmonitor", "gpg.program"):
        git(tree, "config", name, f"touch {ran}")
    (tree / ".git" / "hooks").mkdir(exist_ok=True)
    for name in ("reference-transaction", "post-checkout", "pre-commit"):
        (tree / ".git" / "hooks" / name).write_text(f"#!/bin/sh\ntouch {ran}\n")
        (tree / ".git" / "hooks" / name).chmod(0o755)
    write(site.source, {"greeting": "hi\n"})
    git(site.source, "commit", "-qam", "Theirs")
    write(tree, {".gitattributes": "* filter=x merge=x\n", "greeting": "bye\n"})
    assert not ran.exists()
    await bench.done(MergeBranch())
    assert not ran.exists()


async def test_a_merge_that_waits_for_an_agent_is_not_committed(bench: Bench) -> None:
    tree = await bench.tree()
    git(tree, "checkout", "-q", "-b", "aside")
    write(tree, {"greeting": "a\n"})
    git(tree, "commit", "-qam", "A")
    git(tree, "checkout", "-q", "-")
    write(tree, {"greeting": "b\n"})
    git(tree, "commit", "-qam", "B")
    with pytest.raises(Exception, match="merge"):
        git(tree, "merge", "aside")
    assert await bench.done(MergeBranch()) == NotDone(why=Refusal.UNFINISHED_MERGE)


async def test_in_place_and_without_a_repository_there_is_nothing_to_merge_or_discard(tmp_path: Path) -> None:
    site = made_site(tmp_path, in_place=True)
    async with site.life() as bench:
        await bench.turn({"greeting": "bye\n"})
        assert await bench.done(MergeBranch()) == NotDone(why=Refusal.IN_PLACE)
        assert await bench.done(DiscardWork()) == NotDone(why=Refusal.IN_PLACE)
    async with site.life(SCRATCH) as bench:
        await bench.turn({"note": "x\n"})
        assert await bench.done(MergeBranch()) == NotDone(why=Refusal.NO_REMOTE)


@pytest.mark.parametrize("moment", [0, 8, 16, 24, 28, 30, 32, 34, 36, 40, 44])
async def test_a_merge_that_was_cut_off_is_merged_once(tmp_path: Path, moment: int) -> None:
    site, clock = made_site(tmp_path), Clock()
    site.git, site.clock = MortalGit(tmp_path / "gitconfig", clock), clock
    async with site.life() as bench:
        await bench.turn({"greeting": "bye\n"})
        request = await bench.asked(MergeBranch())
        clock.left = moment
        with death():
            await bench.deeds.resume()
        clock.left = None
    async with site.life() as bench:
        await bench.deeds.resume()
        outcome = await bench.outcome(request)
        assert isinstance(outcome, Merged)
        assert outcome.committed == 1
        assert outcome.commit == git(site.source, "rev-parse", "main")
    assert git(site.source, "log", "--merges", "--format=%s").count("\n") == 0


async def test_discarded_work_comes_back_as_it_was_and_takes_its_turn_with_what_came_instead(bench: Bench) -> None:
    assert await bench.done(RestoreWork()) == NotDone(why=Refusal.NOTHING)
    assert await bench.done(DiscardWork()) == NotDone(why=Refusal.NOTHING)
    await bench.turn({"greeting": "bye\n"})
    first = files(await bench.tree())
    await bench.done(DiscardWork())
    await bench.turn({"other": "x\n"})
    second = files(await bench.tree())
    for expected in (first, second, first):
        await bench.done(RestoreWork())
        assert files(await bench.tree()) == expected


async def test_nobody_waits_until_the_files_of_discarded_work_are_removed(
    bench: Bench, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    await bench.turn({"greeting": "bye\n"})
    gate, program = site.directory / "gate", site.directory / "programs" / "rm"
    os.mkfifo(gate)
    write(program.parent, {"rm": f'#!/bin/sh\nread line <"{gate}"\nexec /bin/rm "$@"\n'})
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    async with asyncio.TaskGroup() as group:
        running = group.create_task(bench.deeds.run())
        outcome = await bench.deeds.ask(bench.request(DiscardWork()), seconds=SECONDS)
        assert isinstance(outcome, Discarded)
        [away] = (site.directory / "data").rglob("*.away")
        await asyncio.to_thread(gate.write_text, "on\n")
        await until(lambda: not away.exists())
        running.cancel()


async def test_whoever_worked_in_a_discarded_tree_begins_anew(bench: Bench, site: Site) -> None:
    await bench.turn({"greeting": "bye\n"})
    await bench.done(DiscardWork())
    assert site.forgotten == [bench.key]


@pytest.mark.parametrize("is_begun", [False, True])
async def test_a_repository_inside_is_named_and_nothing_is_lost(bench: Bench, *, is_begun: bool) -> None:
    change = await bench.turn({"greeting": "bye\n", "crate/src": "x\n"})
    tree = await bench.tree()
    git(tree / "crate", "init", "-q")
    if is_begun:
        git(tree / "crate", "add", "-A")
        git(tree / "crate", "commit", "-qm", "Begin")
    inside = NotDone(why=Refusal.REPOSITORY_INSIDE, files=("crate",))
    assert change is not None
    for deed in (MergeBranch(), PushBranch(), DiscardWork(), UndoChange(change=change.id)):
        assert await bench.done(deed) == inside
    assert (tree / "crate" / "src").read_text() == "x\n"
    assert (tree / "greeting").read_text() == "bye\n"
    told = deed_told(inside, bench.request(MergeBranch()))
    assert told.endswith("- `crate`")
    assert "remove its `.git`" in told


async def test_an_undo_after_a_merge_says_that_the_branch_keeps_the_change(bench: Bench) -> None:
    change = await bench.turn({"greeting": "bye\n"})
    await bench.done(MergeBranch())
    outcome = await bench.undo(change)
    assert isinstance(outcome, Undone)
    assert outcome.merged == "main"
    told = deed_told(outcome, bench.request(UndoChange(change=outcome.change)))
    assert "`main` keeps them: they were merged before." in told
    again = await bench.undo(await bench.change(outcome.change))
    assert isinstance(again, Undone)
    assert again.merged == ""


@pytest.mark.parametrize(
    ("deed", "english", "korean"),
    [
        (MergeBranch(), "There is nothing to merge", "병합할 것이 없습니다"),
        (DiscardWork(), "There is no work to discard", "버릴 작업이 없습니다"),
        (RestoreWork(), "/restore undoes a /discard", "되살릴 작업이 없습니다"),
        (UndoChange(change=ChangeId("t0")), "There is nothing to take back", "되돌릴 것이 없습니다"),
    ],
    ids=lambda each: getattr(each, "kind", ""),
)
async def test_what_cannot_be_done_for_want_of_work_is_named(
    bench: Bench, deed: Deed, english: str, korean: str
) -> None:
    outcome, request = await bench.done(deed), bench.request(deed)
    assert outcome == NotDone(why=Refusal.NOTHING)
    assert english in deed_told(outcome, request)
    assert korean in deed_told(outcome, replace(request, language=Language.KOREAN))
