"""The disk answers claims about files, git those about commits: where the record alone would not tell."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from mama_bot.config import EnforcementSettings
from mama_bot.enforcement import build_chain
from mama_bot.model import (
    CheckedClaim,
    Cleared,
    Draft,
    Enquiry,
    FileFate,
    Judgement,
    RunKind,
    Standing,
    ToolRun,
    Turn,
)
from mama_bot.protocols import Standings
from mama_bot.repositories import GitChanges, WorkspaceStandings
from tests.agents.conftest import SystemClock
from tests.enforcement.claims.records import Recorded
from tests.repositories.making import git, made_repository
from tests.store.making import message, turn

TURN = turn(message(), persona="developer")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return made_repository(tmp_path / "repo")


async def judged(
    repository: Path, text: str, recorded: Recorded, *, told: Sequence[ToolRun] = (), standings: Standings | None = None
) -> Judgement:
    chain = build_chain(
        settings=EnforcementSettings(),
        changed_files=GitChanges(workspace_of=lambda _: repository),
        clock=SystemClock(),
        standings=standings or WorkspaceStandings(workspace_of=lambda _: repository, seconds=20, own=repository.parent),
    )
    draft = Draft(turn_id=TURN.id, attempt=0, text=text, record=recorded.record)
    return await chain.judge(draft, replace(TURN, told=tuple(told)))


def claims(judgement: Judgement) -> list[CheckedClaim]:
    return [claim for stage in judgement.stages for claim in stage.decision.evidence.claims]


def committed(repository: Path, name: str, recorded: Recorded) -> str:
    """Commit a file, as the record tells it; return the commit's name."""
    (repository / name).write_text("y\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", name)
    commit = git(repository, "rev-parse", "--short", "HEAD")
    recorded.edited(name, FileFate.CREATED).ran(
        f"git commit -m {name}", RunKind.COMMIT, tool="git commit", target=commit
    )
    return commit


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Created `src/auth.py` with the login.", "src/auth.py is not there"),
        ("`src/auth.py`를 추가했습니다.", "src/auth.py 파일이 없습니다"),
    ],
)
async def test_a_file_that_is_nowhere_was_not_created(repository: Path, text: str, says: str) -> None:
    judgement = await judged(repository, text, Recorded().edited("a.py"))
    assert not isinstance(judgement.outcome, Cleared)
    assert [(claim.state.value, claim.says) for claim in claims(judgement)] == [("contradicted", says)]


async def test_a_file_that_was_written_and_is_gone_was_not_created_either(repository: Path) -> None:
    recorded = Recorded().edited("src/auth.py", FileFate.CREATED)
    assert claims(await judged(repository, "Created `src/auth.py`.", recorded))[0].state.value == "contradicted"
    (repository / "src").mkdir()
    (repository / "src" / "auth.py").touch()
    assert claims(await judged(repository, "Created `src/auth.py`.", recorded))[0].state.value == "confirmed"


async def test_a_file_that_is_there_was_not_deleted(repository: Path) -> None:
    (repository / "src").mkdir()
    (repository / "src" / "old.py").touch()
    (claim,) = claims(await judged(repository, "I deleted `src/old.py`.", Recorded().edited("a.py")))
    assert (claim.state.value, claim.says) == ("contradicted", "src/old.py is there")


async def test_what_a_script_or_somebody_else_may_have_written_is_not_contradicted(repository: Path) -> None:
    unknown = Recorded().call("mcp__files__put", {"name": "x"})
    assert claims(await judged(repository, "Created `src/auth.py`.", unknown))[0].state.value == "unsupported"
    other = Recorded(agent="helper").edited("b.py").calls
    judgement = await judged(repository, "Created `src/auth.py`.", Recorded(), told=other)
    assert claims(judgement)[0].state.value == "unsupported"


async def test_a_commit_that_no_branch_has_any_more_does_not_count(repository: Path) -> None:
    recorded = Recorded()
    commit = committed(repository, "b.py", recorded)
    assert claims(await judged(repository, f"Committed as {commit}.", recorded))[0].state.value == "confirmed"
    git(repository, "reset", "-q", "--hard", "HEAD~1")
    (claim,) = claims(await judged(repository, f"Committed as {commit}.", recorded))
    assert (claim.state.value, claim.reason.value) == ("unsupported", "elsewhere")
    assert f"no branch has {commit} any more" in claim.says


async def test_a_commit_that_the_repository_does_not_have_is_contradicted(repository: Path) -> None:
    judgement = await judged(repository, "The login is added. Committed as dead8ee.", Recorded().edited("a.py"))
    (claim,) = claims(judgement)
    assert (claim.state.value, claim.says) == ("contradicted", "the repository has no commit dead8ee")
    assert not isinstance(judgement.outcome, Cleared)


async def test_a_push_before_the_last_commit_is_no_push_of_it(repository: Path, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "origin.git")
    git(repository, "remote", "add", "origin", str(tmp_path / "origin.git"))
    recorded = Recorded()
    committed(repository, "b.py", recorded)
    git(repository, "push", "-q", "origin", "HEAD:main")
    recorded.ran("git push origin HEAD:main", RunKind.PUSH, tool="git push", target="origin main")
    assert claims(await judged(repository, "Pushed to origin/main.", recorded))[0].state.value == "confirmed"
    committed(repository, "c.py", recorded)
    (claim,) = claims(await judged(repository, "Pushed to origin/main.", recorded))
    assert (claim.state.value, claim.reason.value) == ("unsupported", "elsewhere")
    assert "as last fetched" in claim.says


class Counting:
    """Says that nothing is known, and how often it was asked; may fail."""

    def __init__(self, failure: Exception | None = None) -> None:
        self.asked: list[Enquiry] = []
        self._failure = failure

    async def standing(self, _: Turn, enquiry: Enquiry) -> Standing:
        self.asked.append(enquiry)
        if self._failure is not None:
            raise self._failure
        return Standing()


async def test_only_a_draft_that_claims_files_or_commits_makes_anybody_look_and_once(repository: Path) -> None:
    standings = Counting()
    recorded = Recorded().edited("a.py").ran("pytest")
    for text in ("The tests pass.", "Hello, what shall I do?", "See `src/auth.py` for the login."):
        await judged(repository, text, recorded, standings=standings)
    assert standings.asked == []
    await judged(repository, "Created `a.py` and `src/b.py`. Committed as dead8ee.", recorded, standings=standings)
    assert standings.asked == [Enquiry(files=("a.py",), names=("src/b.py",), hashes=("dead8ee",))]


async def test_where_nobody_can_look_the_record_counts(repository: Path) -> None:
    recorded = Recorded().edited("src/auth.py", FileFate.CREATED)
    judgement = await judged(repository, "Created `src/auth.py`.", recorded, standings=Counting(OSError("no disk")))
    assert isinstance(judgement.outcome, Cleared)
    assert claims(judgement)[0].state.value == "confirmed"
