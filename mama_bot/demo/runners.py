"""How the tests of a repository are run, by the files that a tool listed."""

from mama_bot.demo.common_replies import bash
from mama_bot.demo.model_script import ModelReply, ToolResult, ToolUse
from mama_bot.demo.observations import UNITTEST, TestsRun, ended_tests, files_listed

WITH_UNITTEST = "unittest in "
LOOK = (
    "git ls-files --cached --others --exclude-standard; "
    f"git grep --untracked -lE '^(import|from) unittest' -- '*.py' | sed 's/^/{WITH_UNITTEST}/'"
)
PYTEST = "python3 -m pytest"
PYTEST_FILES = frozenset(("conftest.py", "pytest.ini", "tests/conftest.py"))
OTHERS = {"Cargo.toml": "cargo test", "go.mod": "go test ./...", "package.json": "npm test", "Makefile": "make test"}


def look_for_tests() -> ToolUse:
    """Return the call that shows which tests there are."""
    return bash(LOOK, "See which tests there are")


def runner_of(result: ToolResult) -> str:
    """Return the command that runs the tests of what `look_for_tests` showed; "" where there are none."""
    files = files_listed(result)
    of_python = {name for name in files if _is_python_test(name)}
    lines = result.text.splitlines()
    of_unittest = {line.removeprefix(WITH_UNITTEST) for line in lines if line.startswith(WITH_UNITTEST)}
    if of_python:
        return UNITTEST if of_python <= of_unittest and not PYTEST_FILES.intersection(files) else PYTEST
    return next((command for name, command in OTHERS.items() if name in files), "")


def run_tests(command: str = UNITTEST) -> ModelReply:
    """Return the call that runs tests."""
    return ModelReply(tool_calls=(bash(f"{command} 2>&1", "Run the tests"),))


def own_tests(results: tuple[ToolResult, ...]) -> TestsRun | ModelReply:
    """Return how the tests of this repository ended, of the results so far: else what is to be called next."""
    if not results:
        return ModelReply(tool_calls=(look_for_tests(),))
    command = runner_of(results[0])
    if command and len(results) == 1:
        return run_tests(command)
    return ended_tests(results[1], command) if command else TestsRun(command="")


def _is_python_test(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py"))
