"""What each CLI sends is the moment that it means, and what is decided the answer that it understands: golden files."""

from collections.abc import Mapping
from typing import Any

import pytest

from mama_bot.model import Allow, Amend, Ask, Block, Decision, Moment, ToolAsked, ToolEnded
from mama_bot.session_hooks.installation import SETTINGS
from mama_bot.session_hooks.session_clis import CLIS
from mama_bot.tool_names import call_of
from tests.session_hooks.recorded import recorded_answers, recorded_hooks

INPUTS = [
    pytest.param(cli, hook, id=f"{cli}-{hook['input']['hook_event_name']}-{number}")
    for cli in sorted(CLIS)
    for number, hook in enumerate(recorded_hooks(cli))
]
CHANGE = Amend(rule="r", reason="why", arguments=(("command", "echo changed"),))
DECISIONS: Mapping[str, Decision] = {
    "allow": Allow(),
    "remind": Amend(rule="r", reason="why", reminder="부드럽게 말합니다."),
    "change": CHANGE,
    "ask": Ask(rule="r", reason="why", question="배포해도 될까요?"),
    "block": Block(rule="r", reason="why", feedback="Not like this."),
}
SHELLS = {"claude": "Bash", "gemini": "run_shell_command", "codex": "exec_command"}


def told(moment: Moment | None) -> dict[str, Any] | None:
    """A moment as the golden files write it."""
    if moment is None:
        return None
    if not isinstance(moment, ToolAsked | ToolEnded):
        source = getattr(moment, "source", None)
        return {"phase": moment.phase.value} | ({"source": source} if source else {})
    call = moment.call
    what = {"tool": call.tool, "kind": call.kind.value, "directory": call.directory}
    what |= {"command": call.command} if call.command else {}
    what |= {"paths": list(call.paths)} if call.paths else {}  # type: ignore[dict-item] # as JSON has it
    if isinstance(moment, ToolAsked):
        return {"phase": moment.phase.value, **what}
    end = {"ok": moment.ok, "output": moment.output, "exit_status": moment.exit_status}
    return {"phase": moment.phase.value, **what, **end}


@pytest.mark.parametrize(("cli", "hook"), INPUTS)
def test_what_a_cli_sends_is_the_moment_that_it_means(cli: str, hook: dict[str, Any]) -> None:
    assert told(CLIS[cli].moment_told(hook["input"])) == hook["moment"]


@pytest.mark.parametrize("cli", sorted(CLIS))
def test_what_is_decided_is_the_answer_that_the_cli_understands(cli: str) -> None:
    call = call_of(SHELLS[cli], {"command": "make deploy", "description": "x"})
    given = {
        event: {name: CLIS[cli].answer_of(event, decision, call) for name, decision in DECISIONS.items()}
        for event in SETTINGS[cli].events
    }
    assert given == recorded_answers(cli)


@pytest.mark.parametrize("cli", sorted(CLIS))
def test_every_hook_that_is_installed_was_recorded(cli: str) -> None:
    assert {hook["input"]["hook_event_name"] for hook in recorded_hooks(cli)} >= set(SETTINGS[cli].events)


def test_codex_runs_no_patch_that_a_rule_wants_changed() -> None:
    patch = call_of("apply_patch", {"command": "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch"})
    answer = CLIS["codex"].answer_of("PreToolUse", DECISIONS["change"], patch)
    assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"


@pytest.mark.parametrize(("cli", "event"), [("claude", "PreToolUse"), ("gemini", "BeforeTool")])
def test_a_person_at_the_terminal_is_asked_about_the_changed_call(cli: str, event: str) -> None:
    call = call_of(SHELLS[cli], {"command": "make deploy", "description": "x"})
    question = Ask(rule="r", reason="why", question="May it?", amend=CHANGE)
    answer = CLIS[cli].answer_of(event, question, call)["hookSpecificOutput"]
    changed = answer.get("updatedInput") or answer.get("tool_input")
    assert changed == {"command": "echo changed", "description": "x"}
