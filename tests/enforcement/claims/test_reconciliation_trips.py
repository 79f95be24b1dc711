"""Reconciliation: which changes of a work tree make a run stale, and which are none."""

import pytest

from mama_bot.enforcement.claims.reconciliation.trips import branches_of, gits
from mama_bot.model import ClaimKind, Counts, FileFate, FileTouch, Run, RunEnd, RunKind
from tests.enforcement.claims.records import REPOSITORY, Recorded, claim, verdict

GREEN = Counts(passed=22)
RED = Counts(failed=2, passed=20)
SAID = claim(text="22 passed", counts=GREEN)
CONFIRMED = ("confirmed", "")
STALE = ("unsupported", "before_last_edit")


def step(
    recorded: Recorded,
    command: str,
    *touched: tuple[str, int],
    counts: Counts | None = None,
    end: RunEnd = RunEnd.PASSED,
    output: str = "",
) -> Recorded:
    """A shell call that may run the tests, and writes files before it (0) or after it (1)."""
    ran = [Run(kind=RunKind.TESTS, tool="pytest", command="pytest -q", end=end, counts=counts)] if counts else []
    touches = [FileTouch(path=path, fate=FileFate.CHANGED, after=after) for path, after in touched]
    return recorded.call("Bash", {"command": command}, ran=ran, touched=touches, output=output)


def green() -> Recorded:
    return Recorded().edited("src/lru.py").ran("pytest -q", counts=GREEN)


def test_what_was_stashed_and_taken_back_is_as_it_was() -> None:
    recorded = step(green(), "git stash -q && pytest -q; git stash pop", ("", 0), ("", 1), counts=RED)
    assert verdict(recorded, SAID) == CONFIRMED


def test_a_run_without_the_stashed_work_says_nothing_of_the_work() -> None:
    recorded = step(Recorded().edited("src/lru.py"), "git stash", ("", 0)).ran("pytest", counts=GREEN)
    assert verdict(step(recorded, "git stash pop", ("", 0)), SAID) == STALE


def test_a_stash_that_was_not_taken_back_changes_the_tree() -> None:
    assert verdict(step(green(), "git stash", ("", 0)), SAID) == STALE


@pytest.mark.parametrize("back", ["git switch -q -", "git checkout feat/lru"])
def test_who_looks_at_another_branch_and_comes_back_changed_nothing(back: str) -> None:
    recorded = green().shell("git status -sb", output="## feat/lru...origin/feat/lru")
    step(recorded, "git switch -q main && pytest -q", ("", 0), counts=Counts(passed=19))
    assert verdict(step(recorded, back, ("", 0)), SAID) == CONFIRMED


def test_who_goes_to_another_branch_and_stays_is_elsewhere_now() -> None:
    recorded = green().shell("git status -sb", output="## feat/lru")
    assert verdict(step(recorded, "git checkout other", ("", 0)), SAID) == STALE


def test_a_file_that_was_tried_in_another_version_and_restored_is_no_change() -> None:
    recorded = Recorded().ran("pytest -q", counts=GREEN)
    command = "git checkout -q main -- src/lru.py && pytest -q tests/test_lru.py; git checkout -q HEAD -- src/lru.py"
    step(recorded, command, ("src/lru.py", 0), ("src/lru.py", 1), counts=RED, end=RunEnd.FAILED)
    assert verdict(recorded, claim(text="22 passed", counts=GREEN), reply="22 passed; 2 failed without it") == CONFIRMED


def test_a_mutation_that_was_taken_back_is_no_change() -> None:
    recorded = Recorded().ran("pytest -q", counts=GREEN)
    step(recorded, "sed -i 's/</<=/' src/lru.py", ("src/lru.py", 0))
    recorded.ran("pytest -q", end=RunEnd.FAILED, counts=RED)
    step(recorded, "git checkout -- src/lru.py", ("src/lru.py", 0))
    assert verdict(recorded, SAID, reply="22 passed; with the mutation 2 failed") == CONFIRMED


def test_to_restore_a_file_that_was_worked_on_undoes_the_work() -> None:
    assert verdict(step(green(), "git checkout -- src/lru.py", ("src/lru.py", 0)), SAID) == STALE


@pytest.mark.parametrize(
    ("command", "output", "said"),
    [
        ("git pull --rebase -q origin main", "", CONFIRMED),
        ("git pull", "Fast-forward\n docs/guide.md | 2 +-\n 1 file changed", CONFIRMED),
        ("git pull", "Fast-forward\n src/other.py | 2 +-\n 1 file changed", STALE),
        ("git merge origin/main", "CONFLICT (content): Merge conflict in src/lru.py", STALE),
        ("git cherry-pick 1a2b3c4", "", STALE),
        ("git reset --hard HEAD~1", "", STALE),
    ],
)
def test_what_git_brings_counts_where_it_is_code(command: str, output: str, said: tuple[str, str]) -> None:
    assert verdict(step(green(), command, ("", 0), output=output), SAID) == said


def test_the_branch_that_was_worked_on_comes_home_as_it_was() -> None:
    recorded = green().shell("git push -q origin feat/cli")
    step(recorded, "git switch -q main && git merge --no-ff -q feat/cli -m merge", ("", 0))
    assert verdict(recorded, SAID) == CONFIRMED


@pytest.mark.parametrize(
    ("command", "tool", "kind", "output", "said"),
    [
        ("black .", "black", RunKind.FORMAT, "All done!\n12 files left unchanged.", CONFIRMED),
        ("black .", "black", RunKind.FORMAT, "reformatted src/lru.py\n1 file reformatted, 3 left unchanged", STALE),
        ("black -q src; ruff check .", "black", RunKind.FORMAT, "All checks passed!", STALE),
        ("prettier --write .", "prettier", RunKind.FORMAT, "src/a.js 12ms (unchanged)\nREADME.md 4ms", CONFIRMED),
        ("prettier --write .", "prettier", RunKind.FORMAT, "src/a.js 12ms\nREADME.md 4ms", STALE),
        ("ruff check --fix .", "ruff", RunKind.LINT, "All checks passed!", CONFIRMED),
        ("ruff check --fix .", "ruff", RunKind.LINT, "Found 2 errors (2 fixed, 0 remaining).", STALE),
    ],
)
def test_a_formatter_counts_where_it_wrote_code(
    command: str, tool: str, kind: RunKind, output: str, said: tuple[str, str]
) -> None:
    run = Run(kind=kind, tool=tool, command=command, end=RunEnd.PASSED)
    touch = FileTouch(path="", fate=FileFate.CHANGED)
    recorded = green().call("Bash", {"command": command}, ran=(run,), touched=(touch,), output=output)
    assert verdict(recorded, SAID) == said


@pytest.mark.parametrize(
    ("kind", "selected", "path", "fate", "said"),
    [
        (RunKind.TYPES, ("src",), "tests/test_a.py", FileFate.CHANGED, CONFIRMED),
        (RunKind.TYPES, ("src",), "src/a.py", FileFate.CHANGED, STALE),
        (RunKind.LINT, (), "tests/test_a.py", FileFate.CHANGED, STALE),
        (RunKind.LINT, (), "tests/test_a.py", FileFate.DELETED, CONFIRMED),
        (RunKind.TESTS, ("tests/test_a.py",), "tests/test_b.py", FileFate.CREATED, CONFIRMED),
        (RunKind.TESTS, ("tests/test_a.py",), "tests/conftest.py", FileFate.CHANGED, STALE),
        (RunKind.TESTS, (), "dist/index.js", FileFate.CREATED, CONFIRMED),
    ],
)
def test_an_edit_counts_for_the_runs_that_it_concerns(
    kind: RunKind, selected: tuple[str, ...], path: str, fate: FileFate, said: tuple[str, str]
) -> None:
    recorded = Recorded().ran("check", kind, selected=selected).edited(path, fate)
    assert verdict(recorded, claim(ClaimKind(kind.value), text="clean")) == said


def test_git_commands_are_told_from_other_words() -> None:
    assert gits("cd x && git stash push -q; echo git checkout | git switch -") == (("stash", "push"), ("switch", "-"))
    assert not (gits("git checkout -b feat/x"))
    assert set(branches_of("git push -q origin HEAD:feat/y", "On branch feat/x\n[feat/z 1a2b3c4] note")) == {
        "feat/x",
        "feat/y",
        "feat/z",
    }


def test_a_run_in_a_package_beside_the_work_counts_where_the_claim_names_it() -> None:
    recorded = Recorded().edited("libs/tiles/tiles.py")
    recorded.ran("pytest -q", counts=GREEN, directory=f"{REPOSITORY}/libs/geo".removeprefix(f"{REPOSITORY}/"))
    assert verdict(recorded, claim(text="libs/geo: 22 passed", counts=GREEN)) == CONFIRMED
    assert verdict(recorded, SAID) == ("unsupported", "elsewhere")
