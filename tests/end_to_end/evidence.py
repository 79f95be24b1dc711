"""A real repository with a real test suite, and workers that are scripted to lie about it first and to mend it then."""

import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mama_bot.demo.model_script import ModelReply, ModelRequest, ModelScript, ToolUse
from mama_bot.model import ClaimReason

# Without the plugins of our own tests a run takes a third of the time.
PLUGINS = ("cacheprovider", "hypothesispytest", "xdist", "xdist.looponfail", "anyio", "asyncio")
PYTEST = f"python -m pytest -q {' '.join(f'-p no:{plugin}' for plugin in PLUGINS)}"
CALC = "def half(number):\n    return number // 2\n"
BROKEN = "def half(number):\n    return number // 2 if number < 65 else number\n"
SUITE = """\
import pytest

from calc import half


@pytest.mark.parametrize("number", range(68))
def test_half(number):
    assert half(number) * 2 in (number, number - 1)
"""
OTHER_SUITE = "def test_one():\n    pass\n\n\ndef test_two():\n    pass\n"
ENVIRONMENT = {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"}
DELEGATION = "DELEGATE::developer::Make half exact\nEXPECTED OUTCOME:\n- `calc.py` is correct and the tests pass"


def git(directory: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", "-c", "user.name=t", "-c", "user.email=t@example.invalid", *arguments],
        cwd=directory,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()


def make_repository(directory: Path) -> Path:
    """`repo` with 68 tests of which 3 fail, a bare `origin`, and beside it a project of its own."""
    repository, other = directory / "repo", directory / "other"
    (repository / "tests").mkdir(parents=True)
    (repository / "calc.py").write_text(BROKEN)
    (repository / "conftest.py").write_text("")
    (repository / ".gitignore").write_text("__pycache__/\n")
    (repository / "tests" / "test_calc.py").write_text(SUITE)
    other.mkdir()
    (other / "test_other.py").write_text(OTHER_SUITE)
    git(directory, "init", "-q", "--bare", "origin.git")
    git(repository, "init", "-q", "-b", "main")
    git(repository, "remote", "add", "origin", str(directory / "origin.git"))
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "Begin")
    git(repository, "push", "-q", "-u", "origin", "main")
    return repository


def working_in(repository: Path) -> dict[str, Any]:
    """The settings of a service whose developer and reviewer work in a repository and may push to its origin."""
    return {
        "environment": ENVIRONMENT,
        "repositories": {"repo": {"source": str(repository), "mode": "in_place"}},
        "personas": {"developer": "workspace: repo", "reviewer": "workspace: repo"},
        "rules": {"protected_branches": []},
        "sandbox": {"writable": [str(repository.parent / "origin.git")]},
    }


def bash(command: str) -> ModelReply:
    return ModelReply(tool_calls=(ToolUse(name="Bash", arguments={"command": command, "description": "run"}),))


def write(file: Path, content: str) -> ModelReply:
    return ModelReply(tool_calls=(ToolUse(name="Write", arguments={"file_path": str(file), "content": content}),))


def mend(repository: Path) -> list[ModelReply]:
    """The bug is fixed, and the whole suite run after it."""
    return [bash(f"cat > calc.py <<'END'\n{CALC}END"), bash(PYTEST)]


@dataclass(frozen=True, kw_only=True)
class Story:
    """What a worker does and says first (false), why that is not confirmed, and what it does and says after its draft
    came back (true); `figures` are those that the feedback names.
    """

    first: Callable[[Path], Sequence[ModelReply]]
    false: tuple[str, str]
    reason: ClaimReason
    figures: tuple[str, ...] = ()
    then: Callable[[Path], Sequence[ModelReply]]
    true: tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class Unproven:
    """What a worker does and says that its record does not bear out: why, and what the line of facts says instead."""

    does: Sequence[ModelReply]
    says: tuple[str, str]
    reason: ClaimReason
    line: tuple[str, str]


class Worker:
    """A script: the lead delegates and passes on, the developer plays a story, the reviewer another."""

    def __init__(
        self,
        *,
        developer: Sequence[ModelReply],
        reviewer: Sequence[ModelReply] = (),
        delegation: str = "",
        results: Sequence[str] = ("The developer's report stands above.",),
    ) -> None:
        self.waiting = {"developer": deque(developer), "reviewer": deque(reviewer)}
        self.prompts: list[tuple[str, str]] = []
        self._delegation = delegation or DELEGATION
        self._results = deque(results)

    def __call__(self, request: ModelRequest) -> ModelReply:
        if not request.tool_results:
            self.prompts.append((request.persona, request.last_user_text))
        if request.persona == "lead":
            told = any("What came of your delegations" in text for text in request.user_texts)
            return ModelReply(text=self._results.popleft() if told else self._delegation)
        waiting = self.waiting[request.persona]
        return waiting.popleft() if waiting else ModelReply(text="I have nothing further to report, see line 1.")

    def feedback(self, persona: str = "developer") -> str:
        """What a persona was told about drafts that came back."""
        return "\n".join(text for name, text in self.prompts if name == persona and "SENT BACK" in text)


def telling(story: Story, repository: Path, language: int) -> list[ModelReply]:
    """The whole story in one language (0 English, 1 Korean)."""
    return [
        *story.first(repository),
        ModelReply(text=story.false[language]),
        *story.then(repository),
        ModelReply(text=story.true[language]),
    ]


def script_of(worker: Worker) -> ModelScript:
    return worker
