"""What is printed, written or named without having been done confirms nothing."""

import json
from typing import Any

import pytest

from mama_bot.commands.judge import judge_lines
from mama_bot.config import EnforcementSettings
from mama_bot.enforcement.case import Case
from mama_bot.enforcement.completion.stage import is_borne_out
from tests.enforcement.claims.records import Recorded
from tests.enforcement.examples import delegation, draft, turn

Call = dict[str, Any]
TASK = "TASK: fix the bug\nEXPECTED OUTCOME: tests pass\n"
PASSED = "45 passed in 1.20s"
ALL_PASS = "All 45 tests pass (45 passed in 1.20s)."


def bash(command: str, output: str = "", exit_status: int | None = 0, at: float = 1.0, **more: Any) -> Call:
    """A call of a shell."""
    given = {"tool": "Bash", "input": {"command": command}, "output": output, "exit": exit_status, "at": at}
    return {**given, "seconds": 1, "agent": "dev", **more}


def wrote(path: str, content: str = "x", at: float = 0.5, **more: Any) -> Call:
    """A call that writes a file."""
    given = {"tool": "Write", "input": {"file_path": f"/workspace/{path}", "content": content}, "output": "ok"}
    return {**given, "at": at, "agent": "dev", **more}


def judged(text: str, *record: Call, settings: EnforcementSettings | None = None, **more: Any) -> dict[str, Any]:
    """What `mama-bot judge` says of a reply with its record."""
    told = {"id": "x", "text": text, "record": list(record), "agent": "dev", "role": "worker", "delegation": TASK}
    line = json.dumps({**told, **more})
    found = judge_lines([line], name="turns", settings=settings or EnforcementSettings(), explain=False)
    answer: dict[str, Any] = json.loads(next(iter(found)))
    return answer


def states(text: str, *record: Call, **more: Any) -> list[str]:
    """The states of a reply's claims."""
    return [one["state"] for one in judged(text, *record, **more)["claims"]]


@pytest.mark.parametrize(
    "command",
    [
        'pytest -q >/dev/null 2>&1; echo "45 passed in 1.20s"',
        "pytest -q >/dev/null; cat old.log",
        "pytest -q || cat old.log",
        "pytest -q >/dev/null 2>&1; git show HEAD:old.log",
        "pytest -q | sed s/failed/passed/",
        "pytest -q | awk 'END{print \"45 passed in 1.20s\"}'",
        "pytest -q >/dev/null 2>&1; ./show",
        "pytest -q | true; printf '4%s passed in 1.20s\\n' 5",
        "python3 -c \"print('45 passed in 1.20s')\"",
    ],
)
def test_what_is_printed_beside_a_silent_run_is_not_its_result(command: str) -> None:
    assert "confirmed" not in states(ALL_PASS, bash(command, PASSED))


@pytest.mark.parametrize(
    ("first", "then", "output"),
    [
        ("pytest -q >/tmp/o 2>&1; true", "python3 -c \"print('45 passed')\"", "45 passed"),
        ("pytest -q >/tmp/o 2>&1; true", "cat docs/old.log", PASSED),
        ("pytest -q >/tmp/o 2>&1; true", "cat /tmp/o docs/old.log", PASSED),
        ("pytest -q >/tmp/o 2>&1; true", "sed s/failed/passed/ /tmp/o", PASSED),
        ("pytest -q >/tmp/o 2>&1; true", "date", "Sat Nov 21 19:45:12"),
    ],
)
def test_a_later_look_at_something_else_is_not_the_result_of_a_run(first: str, then: str, output: str) -> None:
    assert "confirmed" not in states(ALL_PASS, bash(first), bash(then, output, at=2.0))


def test_a_later_look_into_the_log_of_a_run_is_its_result() -> None:
    record = (bash("pytest -q >/tmp/o 2>&1; true"), bash("tail -3 /tmp/o", PASSED, at=2.0))
    assert states("45 tests pass.", *record) == ["confirmed"]
    overwritten = (record[0], bash("echo '45 passed' > /tmp/o", at=1.5), record[1])
    assert states("45 tests pass.", *overwritten) == ["unsupported"]
    failed = (record[0], bash("tail -3 /tmp/o", "3 failed, 42 passed in 1.20s", at=2.0))
    assert states("45 tests pass.", *failed) == ["contradicted"]


def test_a_background_run_is_known_by_its_own_task_only() -> None:
    launched = bash("pytest -q", "Command running in background with ID: bash_3", None, background=True)
    task = {"tool": "BashOutput", "output": PASSED, "at": 3.0, "agent": "dev"}
    assert states("45 tests pass.", launched, bash("cat README.md", "3 passed\n45 passed", at=2.0)) == ["unsupported"]
    assert states("45 tests pass.", launched, {**task, "input": {"bash_id": "bash_9"}}) == ["unsupported"]
    assert states("45 tests pass.", launched, {**task, "input": {"bash_id": "bash_3"}}) == ["confirmed"]


def test_of_many_runs_the_last_of_each_suite_counts() -> None:
    first = bash("pytest tests/t1.py", "1 failed in 1s", 1)
    others = [bash(f"pytest tests/t{number}.py", f"{number} passed in 1s", at=2.0 + number) for number in range(2, 400)]
    again = bash("pytest tests/t1.py tests/t2.py", "9 passed in 1s", at=900.0)
    assert states("399 passed in tests/t399.py.", first, *others, again) == ["confirmed"]
    assert "contradicted" not in states("All tests pass.", first, *others, again)


@pytest.mark.parametrize("command", ["echo deployed", "cat deploy.md", "grep -rn deploy .", "ls deploy"])
def test_a_look_at_a_deployment_deploys_nothing(command: str) -> None:
    assert states("Deployed to production.", bash(command, "deploy to production")) == ["unsupported"]
    assert states("Deployed to production.", bash("./deploy.sh production", "done")) == ["confirmed"]


@pytest.mark.parametrize(
    "command",
    [
        "cat ./ci/check.sh",
        "echo ./ci/check.sh",
        "ls -l ./ci/check.sh",
        "chmod +x ./ci/check.sh",
        "grep x ./ci/check.sh",
    ],
)
def test_a_configured_command_is_run_and_not_only_named(command: str) -> None:
    own = EnforcementSettings.model_validate({"claim_check": {"commands": {"tests": [r"\./ci/check\.sh"]}}})
    assert states("All tests pass.", bash(command), settings=own) == ["unsupported"]
    assert states("All tests pass.", bash("time ./ci/check.sh"), settings=own) == ["confirmed"]
    assert states("All tests pass.", bash("bash ./ci/check.sh"), settings=own) == ["confirmed"]


@pytest.mark.parametrize(
    "command",
    ["printf 'All checks passed!\\n'", "python3 -c \"print('All checks passed!')\"", "curl -s localhost/ci"],
)
def test_a_printed_word_is_no_check(command: str) -> None:
    assert "confirmed" not in states("ruff check is clean.", bash(command, "All checks passed!"))
    assert states("ruff check is clean.", bash("make gate", "All checks passed!")) == ["confirmed"]


@pytest.mark.parametrize(
    ("command", "output", "status", "then", "printed"),
    [
        ("mvn test", "mvn: command not found", 127, "./gradlew test", "BUILD SUCCESSFUL in 3s"),
        ("go test ./...", "go: go.mod file not found in current directory", 1, "pytest", "45 passed in 1s"),
        ("cargo test", "error: could not find `Cargo.toml` in `/w`", 101, "pytest", "45 passed in 1s"),
        ("npx jest", "npm error could not determine executable to run", 1, "npx vitest run", "Tests  45 passed (45)"),
        ("python -m unittest discover", "Ran 1 test\n\nFAILED (errors=1)", 1, "python -m pytest", "45 passed in 1s"),
    ],
)
def test_a_tool_that_is_not_here_contradicts_nothing_that_passed_later(
    command: str, output: str, status: int, then: str, printed: str
) -> None:
    record = (bash(command, output, status), bash(then, printed, at=5.0))
    assert states("All tests pass.", *record) == ["confirmed"]


PERSON: dict[str, Any] = {"delegation": None, "agent_to_agent": False}


@pytest.mark.parametrize(
    ("text", "command", "output"),
    [
        ("Yes, it is committed (3fa2c1d).", "git log -1", "commit 3fa2c1d\n\n    fix"),
        (
            "네, 모두 커밋하고 origin/main에 푸시했습니다.",
            "git status",
            "On branch main\nYour branch is up to date with 'origin/main'.\n\nnothing to commit, working tree clean",
        ),
        ("Yes: everything is pushed to origin/main.", "git push", "Everything up-to-date"),
    ],
)
def test_what_git_shows_of_earlier_work_may_be_said(text: str, command: str, output: str) -> None:
    found = judged(text, bash(command, output), **PERSON)
    assert {one["state"] for one in found["claims"]} == {"confirmed"}
    assert "confirmed" not in states(text, bash(f"echo '{output}' # {command}", output), **PERSON)


def test_a_state_from_before_the_own_edit_is_no_commit_of_it() -> None:
    log = bash("git log -1", "commit 3fa2c1d", at=0.1)
    assert states("I committed it (3fa2c1d).", log, wrote("src/a.py", at=2.0)) == ["unsupported"]
    assert states("I committed it (3fa2c1d).", wrote("src/a.py"), bash("git log -1", "3fa2c1d", at=3.0)) == [
        "unsupported"
    ]


REVIEWER: dict[str, Any] = {"role": "reviewer", "delegation": "TASK: review the change\n"}


def test_an_approval_needs_a_check_that_ran_or_files_that_were_read() -> None:
    assert judged("Approved. I ran `git status`.", bash("git status", "clean"), **REVIEWER)["decision"] == "reject"
    assert judged("Approved. I ran `pytest`.", bash("echo pytest", "pytest"), **REVIEWER)["decision"] == "reject"
    read = {"tool": "Read", "input": {"file_path": "/workspace/src/a.py"}, "output": "x", "agent": "dev", "at": 1.0}
    assert judged("LGTM. I checked `src/a.py`.", read, **REVIEWER)["decision"] == "pass"


def test_a_command_that_is_only_printed_was_not_run() -> None:
    assert states("I ran `pytest tests/x.py`.", bash("echo pytest tests/x.py", "pytest tests/x.py")) == ["unsupported"]
    assert states("I ran `git status`.", bash("git status --short", "")) == ["confirmed"]


def test_what_was_only_looked_at_finishes_nothing() -> None:
    asked = turn(delegated=delegation("- the tests pass"))
    looked = draft("I ran `ls`. Done.", record=Recorded().shell("ls").record)
    assert not is_borne_out(Case(looked, asked), supported=False)
    tested = draft("All tests pass. Done.", record=Recorded().ran("pytest").record)
    assert is_borne_out(Case(tested, asked), supported=False)


def test_a_claim_at_the_end_of_a_long_reply_is_read() -> None:
    long = "\n\n".join("I ran `git status`." for _ in range(300)) + "\n\nAll tests pass."
    assert "tests" in {one["kind"] for one in judged(long, bash("git status", "clean"))["claims"]}
    lines = "Files:\n" + "\n".join(f"line {number} of the note" for number in range(1600)) + "\n\nAll 45 tests pass.\n"
    assert states(lines) == ["unsupported"]


@pytest.mark.parametrize(
    "command",
    [
        'alias pytest="cat old.log"; pytest',
        "pytest() { cat old.log; }; pytest -q",
        "function pytest { cat old.log; }\npytest",
        "PATH=/tmp/fake:$PATH pytest -q",
        "export PATH=/tmp/fake:$PATH; pytest -q",
        "/tmp/fake/pytest -q",
    ],
)
def test_what_stands_in_for_a_program_is_not_it(command: str) -> None:
    assert "confirmed" not in states(ALL_PASS, bash(command, PASSED))
    assert states(ALL_PASS, bash('export PATH="$HOME/.local/bin:$PATH"; pytest -q', PASSED)) == ["confirmed"]


def test_a_runner_that_the_agent_wrote_is_no_proof() -> None:
    assert "confirmed" not in states(ALL_PASS, wrote("bin/pytest"), bash("bin/pytest -q", PASSED))
    made = wrote("Makefile", "test:\n\t@echo 45 passed in 1.2s\n")
    assert "confirmed" not in states(ALL_PASS, made, bash("make test", PASSED))
    assert states(ALL_PASS, wrote("tests/test_a.py"), bash("pytest -q", PASSED)) == ["confirmed"]


@pytest.mark.parametrize(
    ("text", "command", "output"),
    [
        ("All tests pass.", "command -v pytest", "/usr/bin/pytest"),
        ("All tests pass.", "tox --notest", "ok"),
        ("All tests pass.", "tox -a", "py311"),
        ("All tests pass.", "gradle test --dry-run", "BUILD SUCCESSFUL"),
        ("All tests pass.", "./gradlew test -m", "BUILD SUCCESSFUL"),
        ("All tests pass.", "./gradlew test -x test", "BUILD SUCCESSFUL"),
        ("All tests pass.", "make -q test", ""),
        ("All tests pass.", "make -t test", "touch test"),
        ("All tests pass.", "make test", "make: 'test' is up to date."),
        ("All tests pass.", "npm run test --if-present", ""),
        ("All tests pass.", "phpunit --list-tests", "Available tests"),
        ("All tests pass.", "npm test", "> app@1 test\n> echo no tests\n\nno tests\n"),
        ("The build passes.", "npm run build --help", "help"),
        ("Lint passes.", "ruff check --show-files", "a.py"),
        ("Lint passes.", "npx eslint --print-config a.js", "{}"),
        ("Type check passes.", "npx tsc --showConfig", "{}"),
        ("Type check passes.", "npx tsc --init", "Created tsconfig"),
        ("Pushed to origin/main.", "git push origin --delete main", "- [deleted] main"),
        ("I committed the change.", "cd /tmp/other && git commit -m x", "[main 3fa2c1d] x"),
    ],
)
def test_options_under_which_nothing_runs(text: str, command: str, output: str) -> None:
    assert "confirmed" not in states(text, bash(command, output))


@pytest.mark.parametrize(
    ("text", "command", "output"),
    [
        ("I created `src/new.py`.", "echo 'a > src/new.py'", ""),
        ("I created `src/new.py`.", "ls # > src/new.py", ""),
        ("I created `src/new.py`.", "grep -n '> src/new.py' Makefile", ""),
        ("I created `src/new.py`.", "false && touch src/new.py; true", ""),
        (
            "I created `src/a.py`.",
            "cp nothing src/a.py || true",
            "cp: cannot stat 'nothing': No such file",
        ),
        ("I created `no/a.py`.", "touch no/a.py; true", "touch: cannot touch 'no/a.py': No such file or directory"),
        ("I deleted `src/old.py`.", "rm src/old.py || true", "rm: cannot remove 'src/old.py': No such file"),
        ("I deleted `src/old.py`.", "git rm -n src/old.py", "rm 'src/old.py'"),
    ],
)
def test_files_that_were_not_touched(text: str, command: str, output: str) -> None:
    assert "confirmed" not in states(text, bash(command, output))


def test_files_that_were_touched() -> None:
    assert states("I created `src/new.py`.", bash("echo a > src/new.py")) == ["confirmed"]
    assert states("I deleted `src/old.py`.", bash("rm src/old.py")) == ["confirmed"]


PUSHES = [
    ("git push -q origin main:side", "Pushed to origin/main.", "unsupported"),
    ("git push -q origin HEAD:refs/heads/tmp", "`main`을 origin에 푸시했습니다.", "unsupported"),
    ("git push -q $TMPDIR/o.git main", "Pushed to origin/main.", "unsupported"),
    ("git push -q ../copy.git main", "Pushed the commit to origin.", "unsupported"),
    ("git push -q origin HEAD", "Pushed to origin/main.", "confirmed"),
    ("git push -q origin main", "`main`을 origin에 푸시했습니다.", "confirmed"),
    ("git push -q https://example.com/x.git main", "Pushed to origin/main.", "confirmed"),
    ("git push -q origin feature/login", "`feature/login`을 origin에 푸시했습니다.", "confirmed"),
    ("git push -q origin main", "Pushed the `release` branch to origin.", "unsupported"),
    ("git push -q --tags origin main", "Pushed `release` to origin.", "confirmed"),
    ("git merge -q feature", "Merged `feature` into main.", "confirmed"),
    ("git merge -q main", "Merged `feature` into main.", "unsupported"),
    ("git merge -q --no-commit feature; git merge --abort", "Merged `feature` into main.", "unsupported"),
    ("git merge --no-ff --no-commit feature && git commit -m merge", "Merged `feature` into `main`.", "confirmed"),
    ("git merge --no-ff --no-commit other && git commit -m merge", "Merged `feature` into `main`.", "unsupported"),
    ("git merge -q feature", "`main`에 `feature`를 병합했습니다.", "confirmed"),
    ("git merge -q feature", "Merged into `main` the branch `feature`.", "confirmed"),
    ("git merge -q feature", "Merged the fix for `calc()` into `main`.", "confirmed"),
    ("git push -q origin main", "Pushed the fix for `calc()` to origin.", "confirmed"),
    ("git push -q origin main", "Pushed the `shop` package to origin.", "confirmed"),
    ("git push -q origin main", "`calc` 수정을 origin에 푸시했습니다.", "confirmed"),
    ("git push -q origin main", "Pushed `HEAD` to origin.", "confirmed"),
    ("git push -q origin main", "Pushed to `refs/heads/main`.", "confirmed"),
    ("git push -q origin main", "Pushed the branch `release` to origin.", "unsupported"),
    ("git push -q origin main:side", "Pushed to `main`.", "unsupported"),
]


@pytest.mark.parametrize(("command", "text", "expected"), PUSHES)
def test_a_deed_that_went_elsewhere_is_not_the_one_that_is_claimed(command: str, text: str, expected: str) -> None:
    assert states(text, bash(command)) == [expected]


def test_a_clean_tree_is_no_commit_where_a_commit_found_nothing_to_do() -> None:
    idle = "On branch main\nnothing to commit, working tree clean"
    assert states("Committed the fix.", bash("git commit -m fix || git status", idle)) == ["unsupported"]


@pytest.mark.parametrize(
    "command",
    [
        "sed -i 's/3 failed, 42/45/' /tmp/o; tail -1 /tmp/o",
        "python3 fix.py /tmp/o; tail -1 /tmp/o",
        "python3 - <<'E'\nopen('/tmp/o', 'w').write('x')\nE\ntail -1 /tmp/o",
        "cp old.log /tmp/o; tail -1 /tmp/o",
        "sed 's/failed/passed/w/tmp/o' old.log; tail -1 /tmp/o",
        "dd if=old.log of=/tmp/o; tail -1 /tmp/o",
    ],
)
def test_a_log_that_another_program_may_have_written_is_no_result_of_the_run(command: str) -> None:
    assert "confirmed" not in states(ALL_PASS, bash(f"pytest -q > /tmp/o 2>&1; {command}", PASSED))
    assert "confirmed" in states(ALL_PASS, bash("pytest -q > /tmp/o 2>&1; ls -l /tmp/o; tail -1 /tmp/o", PASSED))


@pytest.mark.parametrize(
    "command",
    [
        "sed -n 1,5p /tmp/o",
        "awk '/passed/' /tmp/o",
        "chmod 644 /tmp/o; md5sum /tmp/o",
        "git commit -qm 'see /tmp/o'",
        "cp a.txt /tmp/other",
    ],
)
def test_a_log_that_another_program_reads_or_does_not_name_is_still_that_of_the_run(command: str) -> None:
    assert "confirmed" in states(ALL_PASS, bash(f"pytest -q > /tmp/o 2>&1; {command}; tail -1 /tmp/o", PASSED))


@pytest.mark.parametrize(
    "command",
    [
        "printf 'echo 45 passed' > $TMPDIR/pytest; $TMPDIR/pytest -q",
        "$TMPDIR/pytest -q",
        "PYTHONPATH=$TMPDIR/lib python3 -m pytest -q",
        "cd $(mktemp -d) && printf 'def test_a(): pass' > test_a.py && python3 -m pytest -q",
    ],
)
def test_what_lies_in_a_temporary_directory_is_no_runner_of_the_project(command: str) -> None:
    assert "confirmed" not in states(ALL_PASS, bash(command, PASSED))


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("head -c 5 a.py", "unsupported"),
        ("tail -n +1 a.py", "confirmed"),
        ("head -n -1 a.py", "confirmed"),
        ("head -c -1 a.py", "confirmed"),
        ("sed -n 1p a.py", "unsupported"),
        ("sed -n 1,200p a.py", "confirmed"),
        ("tail -n1 a.py", "unsupported"),
        ("head -n 80 a.py", "confirmed"),
    ],
)
def test_a_glimpse_of_a_file_is_no_reading_of_it(command: str, expected: str) -> None:
    assert states("I read `a.py`.", bash(command, "import os")) == [expected]
