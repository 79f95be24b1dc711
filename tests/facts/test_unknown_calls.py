"""Of which calls nobody can say that they ran no tests."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from mama_bot.facts.unknown_calls import is_unknown
from mama_bot.model import Run, RunEnd, RunKind, ToolKind, ToolRun

AT = datetime(2026, 3, 2, tzinfo=UTC)


def call(command: str, kind: ToolKind = ToolKind.SHELL) -> ToolRun:
    return ToolRun(id="c1", tool="tool", arguments="{}", kind=kind, command=command, started_at=AT)


UNKNOWN = (
    *("./ci.sh | tail", "docker run img", "make", "npm run build && git push", "hatch run test", "ssh host pytest"),
    *("find . -exec sh {} +", "psql -c 'select 1'", "cat <<", "git bisect run x", "gh run watch", "./gradlew build"),
)
KNOWN = (
    *("pytest -q", "cd src && ls -la | head", "mypy && ruff check .", "cat > a.py <<'E'\nrun_all_tests()\nE\n", ""),
    *("timeout 60 pytest | tail -3", "git commit -qam x && git push", "find . -name '*.py' | xargs wc -l"),
)


@pytest.mark.parametrize("command", UNKNOWN)
def test_a_call_that_may_have_run_tests(command: str) -> None:
    assert is_unknown(call(command))


@pytest.mark.parametrize("command", KNOWN)
def test_a_call_that_did_not(command: str) -> None:
    assert not is_unknown(call(command))


def test_a_script_that_printed_what_its_tests_said_is_known() -> None:
    tests = Run(kind=RunKind.TESTS, tool="ci.sh", command="./ci.sh", end=RunEnd.PASSED)
    assert not is_unknown(replace(call("./ci.sh"), ran=(tests,)))


def test_a_tool_that_nobody_knows_may_have_run_anything() -> None:
    assert is_unknown(call("", ToolKind.OTHER))
    assert not is_unknown(call("", ToolKind.READ))
