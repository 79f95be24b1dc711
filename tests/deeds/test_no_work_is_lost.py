"""Whatever people do with the work of a conversation, and whenever the service dies of it: none is lost."""

import asyncio
import contextlib
import hashlib
import os
import subprocess
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import event, given, settings
from hypothesis import strategies as st

from mama_bot.model import (
    SCRATCH,
    Deed,
    DiscardWork,
    MergeBranch,
    NotDone,
    PushBranch,
    Refusal,
    RestoreWork,
    UndoChange,
    Undone,
    WorkChange,
)
from tests.checkouts.making import files
from tests.checkouts.test_nothing_is_lost import Clock
from tests.deeds.making import Bench, Site, made_site, write
from tests.deeds.mortal import MortalGit, death
from tests.end_to_end.evidence import git

NAMES = ("greeting", "note", "a/b", "a", "한글")
TEXTS = ("", "x\n", "y\r\n", "1\n2\n3\n", "1\nB\n3\n")
DEEDS = ("undo", "redo", "merge", "push", "discard", "restore")


@dataclass(frozen=True, kw_only=True)
class Step:
    """What is done, by an agent, a person or the service, which may die at a moment of it."""

    do: str
    name: str = ""
    text: str | None = None
    which: int = 0
    moment: int | None = None


MOMENTS = st.one_of(st.none(), st.integers(0, 60))
WRITTEN = {"name": st.sampled_from(NAMES), "text": st.one_of(st.none(), st.sampled_from(TEXTS))}
TURNS = st.builds(Step, do=st.sampled_from(("turn", "turn that commits")), **WRITTEN)
STEPS = st.one_of(
    TURNS,
    st.builds(Step, do=st.just("edit"), **WRITTEN),
    *(st.builds(Step, do=st.just(deed), which=st.integers(0, 2), moment=MOMENTS) for deed in DEEDS),
    st.builds(Step, do=st.just("put away")),
)


def written(tree: Path, step: Step) -> None:
    """Write or delete a file, as far as the disk lets one: a directory stays a directory."""
    with contextlib.suppress(OSError):
        write(tree, {step.name: step.text})


def blob(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def reachable(site: Site) -> set[str]:
    """Every object that a reference of the service's, of a work tree or of the source leads to."""
    data = site.directory / "data"
    places = [*data.glob("repositories/*/*.git"), *data.glob("work_trees/*/*/.git"), *data.glob("workspaces/*/*/.git")]
    lent = os.pathsep.join(str(place / "objects") for place in places)
    found: set[str] = set()
    for place in [*places, site.source / ".git"]:
        if place.name == "store.git":
            continue
        environment = os.environ | {"GIT_ALTERNATE_OBJECT_DIRECTORIES": lent, "GIT_DIR": str(place)}
        listed = subprocess.run(
            ["git", "rev-list", "--objects", "--all"], check=True, capture_output=True, text=True, env=environment
        ).stdout
        found |= {line.split(" ", 1)[0] for line in listed.splitlines()}
    return found


@dataclass
class History:
    """What happened so far: the changes of turns and undos, and everything that ever lay on the disk before a deed."""

    changes: list[WorkChange] = field(default_factory=list)
    ever: set[bytes] = field(default_factory=set)
    discarded: list[dict[str, bytes]] = field(default_factory=list)


async def wanted(bench: Bench, step: Step, history: History) -> Deed | None:
    match step.do:
        case "undo" | "redo":
            changes = [change for change in history.changes if (change.undoes is not None) is (step.do == "redo")]
            return UndoChange(change=changes[-1 - step.which % len(changes)].id) if changes else None
        case "merge":
            return MergeBranch()
        case "push":
            return PushBranch()
        case "discard":
            return DiscardWork()
        case _:
            return RestoreWork()


def check(deed: Deed, outcome: object, before: dict[str, bytes], after: dict[str, bytes], history: History) -> None:
    """Hold what a deed did against what it says."""
    if isinstance(outcome, Undone):
        others = set(before) | set(after)
        assert {name for name in others if before.get(name) != after.get(name)} <= set(outcome.files)
    elif isinstance(outcome, NotDone) or isinstance(deed, MergeBranch | PushBranch):
        assert after == before
        assert not isinstance(outcome, NotDone) or outcome.why is not Refusal.GONE
    elif isinstance(deed, DiscardWork):
        history.discarded.append(before)
    else:
        assert after == history.discarded.pop()
        history.discarded.append(before)


Pruned = Callable[[Site, Bench, Step, History, Clock], Awaitable[None]]


async def lived(
    site: Site, steps: Sequence[Step], repository: str, clock: Clock, *, pruned: Pruned | None = None
) -> None:
    history = History()
    for step in steps:
        async with site.life(repository) as bench:
            tree = await bench.tree()
            if step.do == "edit":
                written(tree, step)
            elif step.do.startswith("turn"):
                turn = await bench.begin()
                written(tree, step)
                if step.do == "turn that commits":
                    git(tree, "add", "-A")
                    git(tree, "commit", "-q", "--allow-empty", "-m", "Mine")
                change = await bench.changes.end(turn, tree)
                history.changes += [change] if change else []
            elif step.do == "put away":
                before = files(tree)
                checkout = await bench.checkouts.known(bench.key, repository)
                assert checkout is not None
                assert await bench.checkouts.put_away(checkout)
                assert files(await bench.tree()) == before
            elif pruned is not None and step.do == "prune":
                await pruned(site, bench, step, history, clock)
            elif deed := await wanted(bench, step, history):
                await done(site, bench, deed, step, history, clock)


async def done(site: Site, bench: Bench, deed: Deed, step: Step, history: History, clock: Clock) -> None:
    """Do a deed in a life that may die of it, and the next one ends it."""
    before = files(await bench.tree())
    history.ever |= set(before.values())
    request = await bench.asked(deed)
    clock.left = step.moment
    with death():
        await bench.deeds.resume()
    clock.left = None
    async with site.life(bench.repository) as next_life:
        await next_life.deeds.resume()
        outcome = await next_life.outcome(request)
        after = files(await next_life.tree())
        if isinstance(outcome, Undone):
            history.changes.append(await next_life.change(outcome.change))
    event(f"{deed.kind}: {outcome.kind}{f' ({outcome.why})' if isinstance(outcome, NotDone) else ''}")
    check(deed, outcome, before, after, history)
    held = reachable(site) | {blob(content) for content in after.values()}
    assert {blob(content) for content in history.ever} <= held


@settings(max_examples=12, deadline=None)
@given(TURNS, st.lists(STEPS, min_size=5, max_size=9), st.sampled_from(("app", "app", SCRATCH)))
def test_no_work_is_lost_whatever_people_do_with_it_and_whenever_the_service_dies(
    first: Step, steps: list[Step], repository: str
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        site, clock = made_site(Path(directory)), Clock()
        site.git = MortalGit(Path(directory) / "gitconfig", clock)
        site.clock = clock
        asyncio.run(lived(site, [first, *steps], repository, clock))
