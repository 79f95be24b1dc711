"""Reconciliation of claims about files, commands, reading and measurements."""

import pytest

from mama_bot.model import ClaimKind, FileFate, RunEnd, RunKind
from tests.enforcement.claims.records import REPOSITORY, Recorded, answer, claim, verdict

CONFIRMED = ("confirmed", "")


@pytest.mark.parametrize("named", ["src/new.py", f"{REPOSITORY}/src/new.py", "new.py", "./src/new.py", "`src/new.py`"])
def test_a_file_is_confirmed_in_every_spelling(named: str) -> None:
    recorded = Recorded().edited("src/new.py", FileFate.CREATED)
    assert verdict(recorded, claim(ClaimKind.CREATED, subjects=(named,))) == CONFIRMED


def test_a_file_that_nothing_wrote_was_not_created() -> None:
    recorded = Recorded().call("Read", {"file_path": f"{REPOSITORY}/src/old.py"}).edited("src/other.py")
    for kind in (ClaimKind.CREATED, ClaimKind.CHANGED):
        found = answer(recorded, claim(kind, subjects=("src/old.py",)))
        assert (found.state, found.reason) == ("contradicted", "no_such_run")
        assert found.says == "nothing in the record wrote src/old.py"


def test_a_write_that_failed_contradicts() -> None:
    recorded = Recorded().call("Write", {"file_path": f"{REPOSITORY}/src/new.py"}, ok=False)
    assert verdict(recorded, claim(ClaimKind.CREATED, subjects=("src/new.py",))) == ("contradicted", "failed")
    recorded.edited("src/new.py", FileFate.CREATED)
    assert verdict(recorded, claim(ClaimKind.CREATED, subjects=("src/new.py",))) == CONFIRMED


def test_a_file_that_was_created_and_removed_is_gone() -> None:
    recorded = Recorded().edited("a.py", FileFate.CREATED).edited("a.py", FileFate.DELETED)
    assert verdict(recorded, claim(ClaimKind.CREATED, subjects=("a.py",))) == ("contradicted", "failed")
    assert verdict(recorded, claim(ClaimKind.DELETED, subjects=("a.py",))) == CONFIRMED


def test_a_command_that_names_the_file_may_have_written_it() -> None:
    recorded = Recorded().shell("./generate src/new.py")
    assert verdict(recorded, claim(ClaimKind.CREATED, subjects=("src/new.py",))) == CONFIRMED
    looked = Recorded().shell("cat src/new.py && ls src | grep new.py")
    assert verdict(looked, claim(ClaimKind.CREATED, subjects=("src/new.py",)))[0] == "contradicted"


def test_what_a_generator_wrote_is_shown_by_the_status_after_it() -> None:
    recorded = Recorded().shell("python manage.py makemigrations", touched=[""])
    said = claim(ClaimKind.CREATED, subjects=("migrations/0007_add.py",))
    assert verdict(recorded, said) == ("unsupported", "no_such_run")
    recorded.shell("git status --short", output="?? migrations/0007_add.py")
    assert verdict(recorded, said) == CONFIRMED


def test_a_file_of_another_agent_is_not_ones_own() -> None:
    recorded = Recorded().edited("src/a.py", agent="writer")
    assert verdict(recorded, claim(ClaimKind.CHANGED, subjects=("src/a.py",))) == ("unsupported", "another_agent")


def test_a_claim_without_a_file_needs_any_change() -> None:
    assert verdict(Recorded().edited("src/a.py"), claim(ClaimKind.CHANGED)) == CONFIRMED
    assert verdict(Recorded().shell("ls"), claim(ClaimKind.CHANGED)) == ("unsupported", "no_such_run")


def test_no_other_files_were_touched_holds_for_those_that_are_named() -> None:
    recorded = Recorded().edited("src/auth.py").edited("tests/test_auth.py").edited("README.md")
    said = claim(ClaimKind.ONLY_THESE, "no other files touched")
    assert verdict(recorded, said, reply="changed src/auth.py and its tests") == CONFIRMED
    recorded.edited("src/billing.py")
    found = answer(recorded, said, reply="changed src/auth.py and its tests")
    assert found.state == "contradicted"
    assert "billing.py" in found.says


@pytest.mark.parametrize(
    ("subject", "said"),
    [
        ("alembic upgrade head", CONFIRMED),
        ("alembic", CONFIRMED),
        ("docker compose up", ("unsupported", "no_such_run")),
    ],
)
def test_a_command_was_run_when_the_record_has_it(subject: str, said: tuple[str, str]) -> None:
    recorded = Recorded().shell("cd db && alembic -c a.ini upgrade head")
    assert verdict(recorded, claim(ClaimKind.RAN, subjects=(subject,))) == said


def test_a_file_that_was_never_opened_was_not_checked() -> None:
    recorded = Recorded(agent="reviewer").call("Read", {"file_path": f"{REPOSITORY}/src/a.py"})
    assert verdict(recorded, claim(ClaimKind.CHECKED, subjects=("src/a.py",))) == CONFIRMED
    assert verdict(recorded, claim(ClaimKind.CHECKED)) == CONFIRMED
    assert verdict(recorded, claim(ClaimKind.CHECKED, subjects=("src/b.py",))) == ("unsupported", "no_such_run")
    assert verdict(Recorded(), claim(ClaimKind.CHECKED)) == ("unsupported", "no_such_run")


def test_a_bug_was_reproduced_when_something_ran_and_went_wrong() -> None:
    said = claim(ClaimKind.REPRODUCED, "reproduced the crash")
    assert verdict(Recorded().shell("cat src/a.py"), said) == ("unsupported", "no_such_run")
    assert verdict(Recorded().ran("pytest"), said) == ("unsupported", "no_such_run")
    assert verdict(Recorded().ran("pytest", end=RunEnd.FAILED), said) == CONFIRMED
    assert verdict(Recorded().shell("python repro.py", ok=False), said) == CONFIRMED


def test_a_measured_figure_stands_in_an_output() -> None:
    said = claim(ClaimKind.BENCHMARK, "p95 is 82 ms", subjects=("82 ms",))
    recorded = Recorded().ran("python bench.py", RunKind.BENCHMARK, output="p50 0.041 s\np95 0.0817 s")
    assert verdict(recorded, said) == CONFIRMED
    other = claim(ClaimKind.BENCHMARK, "p95 is 12 ms", subjects=("12 ms",))
    assert verdict(recorded, other) == ("contradicted", "other_figures")
    assert verdict(Recorded().shell("ls"), said) == ("unsupported", "no_such_run")
