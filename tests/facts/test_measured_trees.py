"""A run is of the tree that it ran on: what the work tree itself shows of edits, whatever the calls say."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from mama_bot.config import RunCommands
from mama_bot.facts import facts_of, for_next_turn
from mama_bot.facts.enquiry import with_standing
from mama_bot.facts.line import record_line
from mama_bot.model import (
    CheckFact,
    Facts,
    FileFate,
    Freshness,
    LeftTree,
    RunEnd,
    Standing,
    ToolRecord,
    TreeChange,
    WorkTreeState,
)
from mama_bot.runs.reader import RunReader
from mama_bot.wording import Language
from tests.enforcement.claims.records import REPOSITORY, Recorded

GREEN = "============ 12 passed in 0.10s ============\n"


class Measured(Recorded):
    """A record in which each call has the work tree before and after it: `trees` are names for them."""

    def __init__(self, tree: str = "first") -> None:
        super().__init__()
        self.tree = tree
        self.left: tuple[LeftTree, ...] = ()

    def did(
        self, command: str, *, changed: Sequence[str] = (), tree: str = "", output: str = "", known: bool = True
    ) -> "Measured":
        """A command of a shell, read as it is in a turn; `changed` are the files that the work tree shows, "+" new."""
        self.call("Bash", {"command": command}, output=output)
        call = replace(self.calls[-1], command=command)
        reading = RunReader(commands=RunCommands(), workspace=Path(REPOSITORY)).read(
            call, arguments={"command": command}, output=output
        )
        before, self.tree = self.tree, tree or (f"{self.tree}, {command}" if changed else self.tree)
        measures = {
            "before": state(before),
            "after": state(self.tree),
            "changed": tuple(change(path) for path in changed),
        }
        self.calls[-1] = replace(
            call, ran=reading.ran, touched=reading.touched, **(measures if known else {"changed": None})
        )
        return self

    def stops(self, *, changed: Sequence[str] = (), tree: str = "") -> Facts:
        now = tree or (f"{self.tree}, later" if changed else self.tree)
        left = LeftTree(state=state(now), after=self.calls[-1].id, changed=tuple(change(path) for path in changed))
        return facts_of(ToolRecord(runs=tuple(self.calls), left=(left,)), agent="developer", earlier=Facts())


def runner_of(*calls: tuple[str, Sequence[str]], told: str = "") -> str:
    record = Measured()
    for command, changed in calls:
        record.did(command, changed=changed, output=GREEN if command == calls[-1][0] else "")
    return last_check(record.stops()).runner


def state(tree: str) -> WorkTreeState:
    return WorkTreeState(commit="c", dirty=True, tree=tree, root=REPOSITORY)


def change(path: str) -> TreeChange:
    """A change by its path, after "+" for a new file, and before "#" with the part of it that decides."""
    fate = {"+": FileFate.CREATED, "-": FileFate.DELETED}.get(path[0], FileFate.CHANGED)
    name, *parts = path.lstrip("+-").split("#")
    return TreeChange(path=name, fate=fate, parts=tuple(parts))


def last_check(facts: Facts) -> CheckFact:
    return facts.checks[-1]


def run_once() -> Measured:
    return Measured().did("pytest -q", output=GREEN)


def test_a_run_that_nothing_came_after_is_fresh_and_of_this_tree() -> None:
    check = last_check(run_once().did("ls").stops())
    assert check.freshness is Freshness.FRESH
    assert check.left is not None
    assert check.left.tree == "first"


@pytest.mark.parametrize(
    "program", ["sh mess.sh", "make -f gen.mk gen", "python3 mend.py", "./scripts/mend", "node x.js"]
)
def test_an_edit_by_a_program_after_the_run_is_seen(program: str) -> None:
    check = last_check(run_once().did(program, changed=["src/calc.py"]).stops())
    assert (check.freshness, check.edited) == (Freshness.STALE, "src/calc.py")


@pytest.mark.parametrize("program", ["sh mess.sh", "make gen", "python3 mend.py"])
def test_so_is_one_in_the_same_command(program: str) -> None:
    after = last_check(Measured().did(f"pytest -q; {program}", output=GREEN, changed=["src/calc.py"]).stops())
    before = last_check(Measured().did(f"{program} && pytest -q", output=GREEN, changed=["src/calc.py"]).stops())
    assert (after.freshness, before.freshness) == (Freshness.STALE, Freshness.FRESH)


def test_so_is_one_that_came_between_the_last_call_and_the_stop() -> None:
    check = last_check(run_once().stops(changed=["src/calc.py"]))
    assert (check.freshness, check.edited) == (Freshness.STALE, "src/calc.py")


def test_an_edit_that_was_undone_leaves_the_run_fresh() -> None:
    facts = (
        run_once()
        .did("sed -i s/a/b/ src/calc.py", changed=["src/calc.py"])
        .did("git checkout -q src/calc.py", changed=["src/calc.py"], tree="first")
        .stops()
    )
    assert last_check(facts).freshness is Freshness.FRESH


def test_an_edit_of_a_file_that_the_tree_does_not_show_still_counts() -> None:
    check = last_check(run_once().did("sed -i s/a/b/ local_settings.py").stops())
    assert (check.freshness, check.edited) == (Freshness.STALE, "local_settings.py")


def test_two_trees_that_nobody_can_explain_leave_it_open() -> None:
    assert last_check(run_once().stops(tree="another")).freshness is Freshness.UNKNOWN


@pytest.mark.parametrize("path", ["README.md", "docs/use.md", "+__pycache__/calc.pyc", "+.coverage", "-junit.xml"])
def test_documents_and_what_runs_leave_behind_are_no_edits(path: str) -> None:
    assert last_check(run_once().did("python3 write.py", changed=[path]).stops()).freshness is Freshness.FRESH


@pytest.mark.parametrize("path", ["+src/made.py", "+dist.js", "db.sqlite3"])
def test_what_a_program_made_anew_or_no_code_leaves_it_open(path: str) -> None:
    assert freshness_of_tests(run_once().did("npm run build", changed=[path]).stops()) is Freshness.UNKNOWN


def test_a_formatter_that_names_no_file_is_one_all_the_same() -> None:
    nothing = run_once().did("ruff format .").stops()
    restyled = run_once().did("ruff format .", changed=["src/calc.py"]).stops()
    assert freshness_of_tests(nothing) is Freshness.FRESH
    assert freshness_of_tests(restyled) is Freshness.RESTYLED


def freshness_of_tests(facts: Facts) -> Freshness:
    return next(check.freshness for check in facts.checks if check.tool == "pytest")


def test_a_run_that_changed_the_code_itself_is_fresh_and_says_so() -> None:
    facts = Measured().did("pytest -q", output=GREEN, changed=["src/calc.py", "+.coverage"]).stops()
    check = last_check(facts)
    assert (check.freshness, check.changed) == (Freshness.FRESH, ("src/calc.py",))
    assert record_line(facts, Language.ENGLISH) == "Record: pytest 12 passed, which changed 1 file"
    assert record_line(facts, Language.KOREAN) == "기록: pytest 12개 통과, 실행 중 파일 1개 변경"


def test_what_it_left_is_not_called_a_change_of_code() -> None:
    facts = Measured().did("pytest -q", output=GREEN, changed=["+.coverage", "+tests/__snapshots__/a.snap"]).stops()
    assert last_check(facts).changed == ()


def test_without_the_work_tree_the_words_of_the_calls_decide() -> None:
    edited = Measured().did("pytest -q", output=GREEN, known=False).did("sed -i s/a/b/ a.py", known=False)
    facts = facts_of(edited.record, agent="developer", earlier=Facts())
    assert last_check(facts).freshness is Freshness.STALE


def test_a_run_of_an_earlier_turn_is_open_where_others_changed_the_tree() -> None:
    earlier = run_once().stops()
    same = facts_of(Measured().did("ls").record, agent="developer", earlier=earlier)
    other = facts_of(Measured("another").did("ls").record, agent="developer", earlier=earlier)
    assert (last_check(same).freshness, last_check(other).freshness) == (Freshness.FRESH, Freshness.UNKNOWN)


@pytest.mark.parametrize(
    ("wrote", "changed", "ran", "runner"),
    [
        ("echo x > test.sh", ["+test.sh"], "./test.sh", "test.sh"),
        ("cp a.sh test.sh", ["+test.sh"], "bash test.sh", "test.sh"),
        ("base64 -d a > run_tests.py", ["+run_tests.py"], "python3 run_tests.py", "run_tests.py"),
        ("git apply a.patch", ["+pytest.py"], "python3 -m pytest -q", "pytest.py"),
        ("git apply a.patch", ["+argparse.py"], "pytest -q", "argparse.py"),
        ("tar xf a.tar", ["+pytest/__init__.py"], "python3 -m pytest -q", "pytest/__init__.py"),
        ("python3 write.py", ["package.json#scripts.test"], "npm test", "package.json"),
        ("python3 write.py", ["package.json#scripts.pretest"], "npm test", "package.json"),
        ("python3 write.py", ["Makefile#test"], "make test", "Makefile"),
        ("python3 write.py", ["conftest.py#pytest_collection_modifyitems"], "pytest -q", "conftest.py"),
        ("python3 write.py", ["pyproject.toml#tool.pytest"], "pytest -q", "pyproject.toml"),
        ("python3 write.py", ["+sitecustomize.py#"], "pytest -q", "sitecustomize.py"),
        ("python3 write.py", ["+env.sh"], ". ./env.sh && pytest -q", "env.sh"),
    ],
)
def test_a_run_by_what_its_exchange_wrote_is_its_own_word(
    wrote: str, changed: Sequence[str], ran: str, runner: str
) -> None:
    assert runner_of((wrote, changed), (ran, [])) == runner


@pytest.mark.parametrize(
    ("wrote", "changed", "ran"),
    [
        ("python3 write.py", ["+tests/test_new.py", "src/calc.py"], "pytest -q"),
        ("python3 write.py", ["+tests/conftest.py"], "pytest -q"),
        ("python3 write.py", ["+tests/test_new.py"], "python3 tests/test_new.py"),
        ("npm install lodash", ["package.json"], "npm test"),
        ("python3 write.py", ["package.json#scripts.lint"], "npm test"),
        ("python3 write.py", ["Makefile#lint"], "make test"),
        ("python3 write.py", ["web/package.json#scripts.test"], "pytest -q"),
        ("python3 write.py", ["+src/argparse.py", "+test/__init__.py"], "pytest -q"),
        ("python3 write.py", ["-test.sh"], "pytest -q"),
        ("python3 -m venv .venv", ["+.venv/bin/pytest", "+.venv/bin/activate"], ". .venv/bin/activate && pytest -q"),
        ("npm ci", ["+node_modules/.bin/jest"], "node_modules/.bin/jest"),
    ],
)
def test_who_writes_tests_and_code_runs_them_by_what_stood_there(wrote: str, changed: Sequence[str], ran: str) -> None:
    assert runner_of((wrote, changed), (ran, [])) == ""


def test_what_was_written_after_the_run_did_not_run_it() -> None:
    facts = run_once().did("python3 write.py", changed=["conftest.py#pytest_configure"]).stops()
    assert last_check(facts).runner == ""


def test_a_line_says_by_what_of_its_own_it_ran() -> None:
    changed = ["package.json#scripts.test"]
    facts = Measured().did("python3 w.py", changed=changed).did("npm test", output="Tests: 9 passed, 9 total\n").stops()
    assert "by its own package.json" in record_line(facts, Language.ENGLISH)
    assert "직접 바꾼 package.json 사용" in record_line(facts, Language.KOREAN)


def test_what_was_put_back_did_not_run_it() -> None:
    facts = (
        Measured()
        .did("python3 w.py", changed=["conftest.py#pytest_configure"])
        .did("git checkout conftest.py", changed=["conftest.py#pytest_configure"], tree="first")
        .did("pytest -q", output=GREEN)
        .stops()
    )
    assert last_check(facts).runner == ""


def test_what_an_exchange_wrote_counts_to_its_end_and_no_longer() -> None:
    first = facts_of(
        Measured().did("cp a test.sh", changed=["+test.sh"]).record, agent="developer", earlier=Facts(), exchange="m1"
    )
    later = Measured().did("./test.sh", output=GREEN).record
    same = facts_of(later, agent="developer", earlier=for_next_turn(first), exchange="m1")
    other = facts_of(later, agent="developer", earlier=for_next_turn(first), exchange="m2")
    assert (last_check(same).runner, last_check(other).runner) == ("test.sh", "")


def test_what_the_others_of_an_exchange_wrote_counts_for_who_reviews_it() -> None:
    reviewed = (TreeChange(path="test.sh", fate=FileFate.CHANGED),)
    record = Measured().did("./test.sh", output=GREEN).record
    assert last_check(facts_of(record, agent="reviewer", written=reviewed)).runner == "test.sh"


PUT_BACK = [
    "sed -i s/a/b/ calc.py; pytest -q; cp saved calc.py",
    "sed -i s/a/b/ calc.py; (sleep 3; git checkout -q calc.py) & pytest -q",
    "echo x > conftest.py; pytest -q; rm conftest.py",
]


@pytest.mark.parametrize("command", PUT_BACK)
def test_a_run_of_what_its_own_call_wrote_and_put_back_is_of_nothing_that_stands(command: str) -> None:
    assert last_check(Measured().did(command, output=GREEN).stops()).freshness is Freshness.STALE


@pytest.mark.parametrize("command", ["echo x > t.py; python t.py; rm t.py; pytest -q", "sed -i s/a/b/ a.py; pytest -q"])
def test_a_call_that_leaves_no_trace_before_its_run_says_nothing_against_it(command: str) -> None:
    assert last_check(Measured().did(command, output=GREEN).stops()).freshness is Freshness.FRESH


@pytest.mark.parametrize(
    "command",
    [
        "ruff check --fix a.py && ruff format a.py && pytest -q",
        "black a.py && isort a.py && pytest -q",
        "echo 1 > gen/a.py && echo 2 >> gen/a.py && pytest -q",
        "rm -f gen/a.py; echo 1 > gen/a.py; pytest -q",
        "cp saved.py a.py; sed -i s/a/b/ a.py; pytest -q",
    ],
)
def test_a_file_that_is_written_twice_before_the_run_is_what_ran(command: str) -> None:
    assert last_check(Measured().did(command, output=GREEN).stops()).freshness is Freshness.FRESH


def test_a_commit_or_a_merge_that_leaves_its_branch_where_it_was_did_nothing() -> None:
    for command in (
        "git commit -qm x 2>/dev/null",
        "git commit -qam x; git reset -q --soft HEAD~1",
        "git merge -q other",
        "git checkout -q main; git merge -q other; git reset -q --hard HEAD~1",
    ):
        assert Measured().did(command).stops().deeds[-1].end is RunEnd.NOTHING
    for command in ("git switch -qc b; git commit -qm x; git switch -q -", "git -C ../other commit -qm x"):
        assert Measured().did(command).stops().deeds[-1].end is RunEnd.PASSED


def test_a_file_that_a_call_names_and_leaves_as_it_was_is_told_from_one_that_it_changes() -> None:
    facts = Measured().did("sed -i s/a/b/ a.py").did("sed -i s/a/b/ b.py", changed=["b.py"]).stops()
    assert {file.path: file.unmoved for file in facts.files} == {"a.py": True, "b.py": False}
    (kept,) = facts_of(ToolRecord(runs=tuple(Measured().did("touch a.py", known=False).calls)), agent="developer").files
    assert not kept.unmoved
    known = with_standing(facts, Standing(committed=frozenset({"a.py"})))
    assert [file.path for file in known.files if file.undone] == ["a.py"]


@pytest.mark.parametrize("command", ["git stash", "git checkout calc.py", "git reset --hard HEAD", "sh back.sh"])
def test_a_file_that_stands_at_the_end_as_it_did_at_the_beginning_was_not_changed(command: str) -> None:
    record = Measured("first").did("sed -i s/a/b/ calc.py", changed=["calc.py"])
    assert [file.undone for file in record.stops().files] == [False]
    facts = record.did(command, changed=["calc.py"], tree="first").stops()
    assert {file.path: file.undone for file in facts.files}["calc.py"]


def test_a_file_that_no_tree_shows_is_not_called_undone() -> None:
    facts = Measured("first").did("touch build/ignored.txt").stops()
    assert [(file.path, file.undone) for file in facts.files] == [("build/ignored.txt", False)]


@pytest.mark.parametrize("command", ["npx jest", "yarn jest"])
def test_a_program_of_a_package_that_the_exchange_wrote_is_its_own(command: str) -> None:
    wrote = "printf 'echo 12 passed' > node_modules/.bin/jest"
    output = "Tests:       12 passed, 12 total\n"
    facts = Measured().did(wrote).did(command, output=output).stops()
    assert last_check(facts).runner == "node_modules/.bin/jest"
    assert last_check(Measured().did("npm ci").did(command, output=output).stops()).runner == ""


def test_what_is_deployed_by_a_script_of_its_own_exchange_is_its_own_word() -> None:
    record = Measured().did("echo 'echo deployed' > deploy.sh", changed=["+deploy.sh"]).did("sh deploy.sh")
    (deed,) = record.stops().deeds
    assert deed.runner == "deploy.sh"
    assert not Measured().did("sh deploy.sh").stops().deeds[-1].runner


@pytest.mark.parametrize(
    ("wrote", "command"),
    [
        ("echo x > $HOME/bin/pytest", "$HOME/bin/pytest -q"),
        ("echo x > ~/bin/pytest", "${HOME}/bin/pytest -q"),
        ("echo x > ~/.local/bin/pytest", "PATH=~/.local/bin:$PATH pytest -q"),
        ("echo x > ~/.local/bin/pytest", 'export PATH="$HOME/.local/bin:$PATH"; pytest -q'),
    ],
)
def test_a_runner_in_the_home_that_the_exchange_wrote_is_its_own(wrote: str, command: str) -> None:
    assert last_check(Measured().did(wrote).did(command, output=GREEN).stops()).runner
    assert not last_check(Measured().did(command, output=GREEN).stops()).runner


def test_so_is_one_whose_file_an_option_names() -> None:
    record = Measured().did("echo x > green", changed=["+green"]).did("make -f green test", output=GREEN)
    assert last_check(record.stops()).runner == "green"
