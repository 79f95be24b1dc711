"""An agent in the real CLI declares what came out of its work with our tools."""

from pathlib import Path

import pytest

from mama_bot.demo.model_script import ModelReply, ToolUse
from mama_bot.model import ClaimKind, Declaration, DeclaredOutcome, DeclaredVerdict, ToolKind
from tests.agents.conftest import Agents, answer, runs

pytestmark = pytest.mark.cli


def report(**arguments: object) -> ModelReply:
    return ModelReply(tool_calls=(ToolUse(name="mcp__mama__report", arguments=arguments),))


async def test_the_last_declaration_of_a_turn_counts(agents: Agents, workspace: Path) -> None:
    async with agents() as real:
        real.model.push(runs("echo done"))
        real.model.push(report(outcomes=[{"kind": "tests", "passed": 44}]))
        real.model.push(report(outcomes=[{"kind": "tests", "tool": "pytest", "passed": 45}], summary="Mended."))
        real.model.push(ModelReply(text="Mended."))
        ended = await answer(await real.open(workspace=workspace), "mend it")
    outcome = DeclaredOutcome(kind=ClaimKind.TESTS, tool="pytest", passed=45)
    assert ended.record.declaration_of() == Declaration(outcomes=(outcome,), summary="Mended.")
    assert [run.kind for run in ended.record.runs] == [ToolKind.SHELL, ToolKind.REPORT, ToolKind.REPORT]
    assert [run.tool for run in ended.record.work] == ["Bash"]


async def test_what_cannot_be_read_comes_back_with_the_nearest_name(agents: Agents, workspace: Path) -> None:
    async with agents() as real:
        real.model.push(report(outcomes=[{"kind": "test", "passed": 45}]))
        real.model.push(ModelReply(text="Told."), when='outcomes[0].kind is "test". Did you mean "tests"?')
        ended = await answer(await real.open(workspace=workspace), "mend it")
    assert ended.text == "Told."
    assert ended.record.declaration_of() is None


async def test_a_reviewer_that_may_only_look_submits_its_verdict(agents: Agents, workspace: Path) -> None:
    call = ToolUse(
        name="mcp__mama__submit_review", arguments={"verdict": "reject", "issues": ["calc.py:1 divides by zero"]}
    )
    async with agents() as real:
        real.model.push(ModelReply(tool_calls=(call,)))
        real.model.push(ModelReply(text="Rejected."))
        ended = await answer(await real.open(workspace=workspace, read_only=True), "review it")
    declared = Declaration(verdict=DeclaredVerdict.REJECT, findings=("calc.py:1 divides by zero",))
    assert ended.record.declaration_of() == declared
