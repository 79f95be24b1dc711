"""The rules as a guard of sessions: what they remember, what they are told, what fails closed."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from mama_bot.agents.claude_watch import ClaudeWatch
from mama_bot.config import RunCommands
from mama_bot.metrics import Metrics
from mama_bot.model import (
    AgentPersona,
    Allow,
    Amend,
    Ask,
    Block,
    ChecksState,
    Compacts,
    Decision,
    RuleState,
    SessionStarts,
    ToolCall,
    ToolEnded,
    ToolTurn,
)
from mama_bot.rules.rule import Rule
from mama_bot.rules.rule_engine import RuleEngine
from mama_bot.rules.rule_guard import RuleGuard
from mama_bot.rules.rule_set import shipped_rules
from mama_bot.runs import RunReader
from mama_bot.tool_names import claude_call
from mama_bot.tool_policy.guards import Guards
from tests.rules.making import breakers_of, rules_of

PERSONA = AgentPersona(name="developer", display_name="", prompt="")


class States:
    """What is stored of sessions, in memory."""

    def __init__(self) -> None:
        self.states: dict[str, RuleState] = {}

    async def load(self, session: str) -> RuleState | None:
        return self.states.get(session)

    async def save(self, session: str, state: RuleState) -> None:
        self.states[session] = state


def guard_of(states: States, rules: tuple[Rule, ...] | None = None) -> RuleGuard:
    return RuleGuard(
        engine=RuleEngine(shipped_rules() if rules is None else rules),
        states=states,
        reader=lambda workspace: RunReader(commands=RunCommands(), workspace=workspace),
        protected_branches=("main",),
        now=lambda: datetime.now(UTC),
        metrics=Metrics(),
        breakers=breakers_of(shipped_rules() if rules is None else rules),
    )


def turn(workspace: Path, session: str = "one") -> ToolTurn:
    return ToolTurn(persona=PERSONA, workspace=workspace, read_only=False, session=session)


def call(tool: str, **arguments: str) -> ToolCall:
    return claude_call(tool, arguments)


async def test_a_file_that_was_read_may_be_changed_and_another_life_knows_it(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n", encoding="utf-8")
    states = States()
    edit = call("Edit", file_path=str(tmp_path / "a.py"), old_string="1", new_string="2")
    before = await guard_of(states).decide(edit, turn(tmp_path))
    read = ToolEnded(call=call("Read", file_path=str(tmp_path / "a.py")), ok=True, output="x = 1")
    await guard_of(states).at(read, turn(tmp_path))
    after = await guard_of(states).decide(edit, turn(tmp_path))
    other = await guard_of(states).decide(edit, turn(tmp_path, "another"))
    assert [decision.rule for decision in (before, after, other)] == ["read_before_write", "", "read_before_write"]


async def test_a_workspace_behind_a_link_is_the_same_by_both_names(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.py").write_text("x", encoding="utf-8")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    guard = guard_of(States())
    where = turn(tmp_path / "link")
    await guard.at(ToolEnded(call=call("Read", file_path=f"{tmp_path}/real/a.py"), ok=True, output="x"), where)
    edit = call("Edit", file_path=f"{tmp_path}/link/a.py", old_string="x", new_string="y")
    assert isinstance(await guard.decide(edit, where), Allow)
    assert isinstance(await guard.decide(call("Bash", command=f"rm -rf {tmp_path}/real/b"), where), Allow)


async def test_a_check_that_fails_is_read_from_what_ran(tmp_path: Path) -> None:
    states = States()
    guard = guard_of(states)
    output = "Exit code 1\nFAILED (failures=1)\nRan 3 tests in 0.1s\n"
    ran = ToolEnded(call=call("Bash", command="python3 -m unittest"), ok=False, output=output, exit_status=1)
    await guard.at(ran, turn(tmp_path))
    assert states.states["one"].checks is ChecksState.FAILED
    assert (
        await guard.decide(call("Bash", command="git commit -m x"), turn(tmp_path))
    ).rule == "commit_with_failing_checks"


@pytest.mark.parametrize(("branch", "rule"), [("main", "push_protected"), ("work", "")])
async def test_what_is_checked_out_decides_where_a_bare_push_goes(tmp_path: Path, branch: str, rule: str) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text(f"ref: refs/heads/{branch}\n", encoding="utf-8")
    assert (await guard_of(States()).decide(call("Bash", command="git push"), turn(tmp_path))).rule == rule


async def test_a_changed_call_is_decided_about_as_it_would_run(tmp_path: Path) -> None:
    changes = (
        "name: changes\nmatch: Bash\nwhen: command.text == 'a'\ndecision: modify\nset: {command: '\"rm -rf /etc\"'}"
    )
    guard = guard_of(States(), (*rules_of(tmp_path, changes), *shipped_rules()))
    decision = await guard.decide(call("Bash", command="a"), turn(tmp_path))
    assert (type(decision), decision.rule) == (Block, "remove_outside_workspace")


@pytest.mark.parametrize(
    ("tool", "arguments", "rule"),
    [
        ("mcp__terminal__run_command", {"command": "rm -rf /"}, "remove_outside_workspace"),
        ("mcp__terminal__Bash", {"command": ["rm", "-rf", "/"]}, "remove_outside_workspace"),
        ("mcp__fs__read_file", {"path": ".env"}, "read_secret_files"),
        ("mcp__fs__write_file", {"path": ".env", "content": "KEY=1"}, "write_secret_files"),
        ("mcp__notes__run_command", {"note": "rm -rf /"}, ""),
        ("mcp__fs__read_file", {"path": "README.md"}, ""),
    ],
)
async def test_the_tool_of_a_server_is_held_to_the_rules_of_what_it_does(
    tmp_path: Path, tool: str, arguments: dict[str, Any], rule: str
) -> None:
    assert (await guard_of(States()).decide(claude_call(tool, arguments), turn(tmp_path))).rule == rule


async def test_half_a_sign_in_a_call_keeps_no_rule_from_speaking(tmp_path: Path) -> None:
    guard = guard_of(States())
    asked = ({"command": "ls \ud83d"}, {"command": "rm -rf / \ud83d", "note\ud83d": ["\ud83d"]})
    rules = [(await guard.decide(claude_call("Bash", given), turn(tmp_path))).rule for given in asked]
    assert rules == ["", "remove_outside_workspace"]
    read = ToolEnded(call=call("Read", file_path="a\ud83d.py"), ok=False, output="no \ud83d")
    assert isinstance(await guard.at(read, turn(tmp_path)), Allow)


async def test_a_session_without_an_id_is_remembered_nowhere(tmp_path: Path) -> None:
    states = States()
    await guard_of(states).at(ToolEnded(call=call("Bash", command="ls"), ok=True, output="x"), turn(tmp_path, ""))
    assert states.states == {}


async def test_calls_at_the_same_time_are_all_counted(tmp_path: Path) -> None:
    rules = rules_of(tmp_path, "name: counting\ndecision: count\ncounts: calls")
    states = States()
    guard = guard_of(states, rules)
    async with asyncio.TaskGroup() as group:
        for _ in range(20):
            group.create_task(guard.decide(call("Bash", command="ls"), turn(tmp_path)))
    assert dict(states.states["one"].counters) == {"calls": 20}


class Fixed:
    """A guard that decides the same about every call."""

    def __init__(self, decision: Decision) -> None:
        self._decision = decision

    async def decide(self, call: ToolCall, turn: ToolTurn) -> Decision:
        return self._decision


@pytest.mark.parametrize("order", [1, -1])
async def test_of_several_guards_the_strictest_decides(tmp_path: Path, order: int) -> None:
    guards = [Fixed(Amend(rule="a", reason="r")), Fixed(Block(rule="b", reason="r", feedback="f")), Fixed(Allow())]
    assert (await Guards(*guards[::order]).decide(call("Bash", command="ls"), turn(tmp_path))).rule == "b"
    assert (await Guards(*guards[::2][::order]).decide(call("Bash", command="ls"), turn(tmp_path))).rule == "a"


async def hooked(tmp_path: Path, guard: RuleGuard, event: str, **given: Any) -> dict[str, Any]:
    """What the CLI is answered when it tells of an event."""
    watch = ClaudeWatch(
        watch=guard,
        call=lambda told: claude_call(str(told.get("tool_name", "")), told.get("tool_input", {})),
        turn=lambda _: turn(tmp_path),
    )
    (matcher,) = watch.matchers()[event]  # type: ignore[index]
    hook: Any = matcher.hooks[0]
    answer: dict[str, Any] = await hook({"hook_event_name": event, **given}, None, None)
    return answer


async def test_after_a_compaction_the_agent_is_told_how_its_checks_stand(tmp_path: Path) -> None:
    states = States()
    states.states["one"] = RuleState(edits=1, checks=ChecksState.FAILED)
    answer = await hooked(tmp_path, guard_of(states), "SessionStart", source="compact")
    assert "checks failed" in answer["hookSpecificOutput"]["additionalContext"]
    assert await hooked(tmp_path, guard_of(States()), "SessionStart", source="compact") == {}


async def test_a_rule_may_keep_a_session_from_being_compacted_and_speaks_of_nothing_else(tmp_path: Path) -> None:
    rules = rules_of(tmp_path, "name: stays\nevent: compaction\ndecision: block\nmessage: Not now.")
    guard = guard_of(States(), rules)
    assert await hooked(tmp_path, guard, "PreCompact", trigger="auto") == {"decision": "block", "reason": "Not now."}
    assert isinstance(await guard.at(SessionStarts(), turn(tmp_path)), Allow)
    assert isinstance(await guard.at(Compacts(), turn(tmp_path)), Block)


async def test_what_already_happened_goes_on_where_the_rules_cannot_be_asked(tmp_path: Path) -> None:
    class Broken(States):
        async def load(self, session: str) -> RuleState | None:
            raise OSError("the disk is gone")

    given = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": {"stdout": "x"}}
    assert await hooked(tmp_path, guard_of(Broken()), "PostToolUse", **given) == {}
    with pytest.raises(OSError, match="gone"):
        await guard_of(Broken()).decide(call("Bash", command="ls"), turn(tmp_path))


CHANGES = "name: changes\nmatch: Bash\nwhen: command.text == 'a'\ndecision: modify\nset: {command: '\"b\"'}"


@pytest.mark.parametrize("text", ["true", "command.text == 'a'", "command.text == 'b'"])
async def test_a_person_is_asked_about_the_changed_call_and_what_soft_rules_tell_goes_along(
    tmp_path: Path, text: str
) -> None:
    asks = f'name: asks\nmatch: Bash\nwhen: "{text}"\ndecision: ask\nmessage: May {{command.text}} run?'
    tells = "name: tells\nmatch: Bash\ndecision: tell\nmessage: Mind the gap."
    decision = await guard_of(States(), rules_of(tmp_path, CHANGES, asks, tells)).decide(
        call("Bash", command="a"), turn(tmp_path)
    )
    assert isinstance(decision, Ask)
    assert decision.amend is not None
    assert (decision.also, dict(decision.amend.arguments)) == ((), {"command": "b"})
    assert decision.amend.reminder == "Mind the gap."
    assert str(decision.question) == ("May a run?" if text.endswith("'a'") else "May b run?")


async def test_what_is_changed_before_a_question_is_blocked_where_a_rule_blocks_it(tmp_path: Path) -> None:
    asks = "name: asks\nmatch: Bash\ndecision: ask\nmessage: May it?"
    blocks = "name: blocks\nmatch: Bash\nwhen: command.text == 'b'\ndecision: block\nmessage: No."
    decision = await guard_of(States(), rules_of(tmp_path, CHANGES, asks, blocks)).decide(
        call("Bash", command="a"), turn(tmp_path)
    )
    assert isinstance(decision, Block)


async def test_a_changed_call_is_counted_once_as_it_runs(tmp_path: Path) -> None:
    states = States()
    counts = [f"name: n{text}\nmatch: Bash\nwhen: {when}\ndecision: count\ncounts: {text}" for text, when in COUNTED]
    await guard_of(states, rules_of(tmp_path, CHANGES, *counts)).decide(call("Bash", command="a"), turn(tmp_path))
    assert dict(states.states["one"].counters) == {"calls": 1, "changed": 1}


COUNTED = (("calls", "true"), ("asked", "command.text == 'a'"), ("changed", "command.text == 'b'"))
