"""Whatever is done in whatever order, and whenever the service dies: the work of a conversation is there again."""

import asyncio
import contextlib
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from mama_bot.checkouts.own_git import OwnGit
from mama_bot.model import SCRATCH, Checkout
from mama_bot.testing.memory_checkouts import MemoryCheckoutRecords
from tests.checkouts.making import ONE, Life, files, make_source
from tests.end_to_end.evidence import git

NAMES = ("greeting", "note", "a/b", "한글")
TEXTS = ("", "x\n", "y\r\n")


@dataclass(frozen=True, kw_only=True)
class Step:
    """What is done, by the agent or by the service, which may die at a moment of it."""

    do: str
    name: str = ""
    text: str = ""
    moment: int | None = None


MOMENTS = st.one_of(st.none(), st.integers(0, 30))
STEPS = st.one_of(
    st.builds(Step, do=st.just("write"), name=st.sampled_from(NAMES), text=st.sampled_from(TEXTS)),
    st.builds(Step, do=st.just("delete"), name=st.sampled_from(NAMES)),
    st.builds(Step, do=st.sampled_from(("commit", "detach", "stash"))),
    st.builds(Step, do=st.just("branch"), name=st.sampled_from(("aside", "deep/branch"))),
    st.builds(Step, do=st.sampled_from(("put away", "restore")), moment=MOMENTS),
)


class Died(BaseException):
    """The service ended in the middle of what it did."""


@dataclass
class Clock:
    """How many things the service still does before it dies; None: it lives."""

    left: int | None = None

    def tick(self) -> None:
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                raise Died


@dataclass(frozen=True)
class MortalGit(OwnGit):
    """Git, for a service that may die before any command."""

    clock: Clock = field(default_factory=Clock)

    async def output(
        self,
        directory: Path,
        *arguments: str,
        given: bytes = b"",
        variables: Mapping[str, str] | None = None,
        filters: tuple[str, ...] = (),
        undecodable: str = "replace",
        writable: Sequence[Path] | None = None,
    ) -> str:
        self.clock.tick()
        return await OwnGit.output(
            self,
            directory,
            *arguments,
            given=given,
            variables=variables,
            filters=filters,
            undecodable=undecodable,
            writable=writable,
        )


class MortalRecords(MemoryCheckoutRecords):
    """What is stored, for a service that may die before and after it stores anything."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self._clock = clock

    async def keep(self, checkout: Checkout) -> None:
        self._clock.tick()
        await super().keep(checkout)
        self._clock.tick()


def held(tree: Path) -> tuple[dict[str, bytes], list[str], list[str]]:
    """What must never be lost: the files, the commits that people made, the entries of the stash."""
    made = git(tree, "log", "--branches", "HEAD", "--format=%s", "--invert-grep", "--grep=kept by mama-bot")
    return (
        files(tree),
        sorted(made.split("\n")),
        git(tree, "log", "-g", "--format=%T", "refs/stash").split() if git(tree, "for-each-ref", "refs/stash") else [],
    )


def work(tree: Path, step: Step) -> None:
    """Do what an agent does."""
    match step.do:
        case "write":
            (tree / step.name).parent.mkdir(parents=True, exist_ok=True)
            (tree / step.name).write_bytes(step.text.encode())
        case "delete":
            (tree / step.name).unlink(missing_ok=True)
        case "commit":
            git(tree, "add", "-A")
            git(tree, "commit", "-q", "--allow-empty", "-m", "Mine")
        case "branch":
            git(tree, "checkout", "-q", "-B", step.name)
        case "detach":
            git(tree, "checkout", "-q", "--detach")
        case _:
            git(tree, "stash", "--include-untracked")


async def lived(directory: Path, steps: Sequence[Step], name: str) -> None:
    clock = Clock()
    life = Life(directory, make_source(directory), records=MortalRecords(clock))
    checkouts = life.begun(git_=MortalGit(directory / "gitconfig", clock))
    tree = await checkouts.prepare(ONE, name)
    known = held(tree)
    for step in steps:
        if step.do in ("put away", "restore"):
            (checkout,) = await life.records.of_conversation(ONE)
            clock.left = step.moment
            with contextlib.suppress(Died):
                if step.do == "restore":
                    await checkouts.prepare(ONE, name)
                elif checkout.put_away_at is None:
                    await checkouts.put_away(checkout)
            clock.left = None
            checkouts = life.begun(git_=MortalGit(directory / "gitconfig", clock))
        else:
            tree = await checkouts.prepare(ONE, name)
            assert held(tree) == known
            work(tree, step)
            known = held(tree)
    assert held(await checkouts.prepare(ONE, name)) == known


@settings(max_examples=25, deadline=None)
@given(st.lists(STEPS, max_size=12), st.sampled_from(("app", SCRATCH)))
def test_the_work_of_a_conversation_is_there_whatever_happened(steps: list[Step], name: str) -> None:
    with tempfile.TemporaryDirectory() as directory:
        asyncio.run(lived(Path(directory), steps, name))
