"""A persona with fallbacks: where its CLI cannot work another one does, and the conversation is told; the real CLIs."""

import os
from pathlib import Path
from typing import Any

import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest, ToolUse
from mama_bot.model import NoticeKind, TurnState
from tests.agents.model_apis import ModelStep, model_apis
from tests.end_to_end.team import Team, attempts, running_team
from tests.end_to_end.test_other_agents import CODEX, GEMINI, OPENCODE, OtherCli
from tests.session_hooks.cli_sessions import PROGRAMS, program_of

pytestmark = pytest.mark.cli

KOREAN = "`a.py:3`에 클래스가 하나 있습니다."
OTHER_SAYS = "`a.py:3` has 1 class."
CLAUDE_SAYS = "`b.py:7` has 2 classes."


def told_of_backends(team: Team) -> list[str]:
    return [notice.text for notice in team.notices() if notice.notice is NoticeKind.BACKEND]


@pytest.mark.parametrize("cli", [OPENCODE, CODEX], ids=lambda cli: cli.name)
async def test_where_the_login_has_expired_another_cli_answers_the_same_message_and_the_first_one_when_it_is_well(
    tmp_path: Path, cli: OtherCli
) -> None:
    program_of(cli.program)
    settings: dict[str, Any] = {cli.name: {"model": cli.model}}
    is_expired = True
    seen: list[str] = []

    def script(request: ModelRequest) -> ModelReply:
        if is_expired:
            return ModelReply(status=401)
        seen.append("\n".join(request.user_texts))
        return ModelReply(text=CLAUDE_SAYS)

    steps = (ModelStep(text="훌륭합니다! 완벽해요!"), ModelStep(text=OTHER_SAYS), ModelStep(text=KOREAN))
    async with (
        model_apis(tmp_path, *steps) as apis,
        running_team(
            tmp_path,
            script=script,
            environment={
                "PATH": f"{PROGRAMS}:{os.environ['PATH']}",
                "OPENAI_API_KEY": "scripted-openai",
                "OPENAI_BASE_URL": f"{apis.url}/v1",
            },
            personas={"developer": f"workspace: own\nbackend: [claude, {cli.name}]"},
            router={"default_persona": "developer"},
            **settings,
            pool={"start_rest_seconds": 0.01},
        ) as team,
    ):
        first = await team.settled(await team.say("Is the list in a.py complete?"))
        second = await team.settled(await team.say("a.py의 목록이 다 있나요?"))
        asked = await apis.asked()
        assert [reply.text for reply in team.replies()] == [OTHER_SAYS, KOREAN], "each message is answered once"
        (line,) = told_of_backends(team)
        assert f"{cli.name} until claude is well again" in line
        assert "login has expired" in line
        is_expired = False
        third = await team.settled(await team.say("And the list in b.py?"))
        receipts = await team.store.receipts.latest(third.message.key, 5)
        replies = team.replies()
    assert [exchange.turns[0].state for exchange in (first, second, third)] == [TurnState.ANSWERED] * 3
    assert attempts(first.turns[0]) == ["sent_back", "cleared"], "what it says is judged like any other's"
    assert replies[-1].text == CLAUDE_SAYS
    assert told_of_backends(team)[1:] == ["**developer** works with claude again."]
    assert any("list in a.py complete" in request for request in asked), "it is asked what the first one was asked"
    assert OTHER_SAYS in seen[0], "the first one is told what was said meanwhile"
    assert [receipt.fallback for receipt in receipts if receipt.fallback] == [cli.name] * 2
    assert [cli.name in reply.record_line for reply in replies] == [True, True, False]


async def test_a_cli_whose_model_fails_in_the_middle_of_a_turn_hands_on_with_what_was_done_in_the_record(
    tmp_path: Path,
) -> None:
    program_of("codex-acp")

    def script(request: ModelRequest) -> ModelReply:
        if request.tool_results:
            return ModelReply(status=429, retry_after_seconds=600)
        writes = {"command": "echo 42 > made.txt", "description": "writes"}
        return ModelReply(tool_calls=(ToolUse(name="Bash", arguments=writes),))

    async with (
        model_apis(tmp_path, ModelStep(text="I wrote `made.txt`.")) as apis,
        running_team(
            tmp_path,
            script=script,
            environment={
                "PATH": f"{PROGRAMS}:{os.environ['PATH']}",
                "OPENAI_API_KEY": "scripted-openai",
                "OPENAI_BASE_URL": f"{apis.url}/v1",
            },
            personas={"developer": "workspace: own\nbackend: [claude, codex]"},
            router={"default_persona": "developer"},
            codex={"model": "gpt-5.5"},
        ) as team,
    ):
        exchange = await team.settled(await team.say("made.txt에 42를 적어 줘."))
        asked = await apis.asked()
        lines = told_of_backends(team)
    (stored,) = exchange.turns
    assert stored.state is TurnState.ANSWERED
    record = stored.attempts[-1].draft.record
    assert [run.command for run in record.runs] == ["echo 42 > made.txt"]
    assert record.fallback == "codex"
    assert "codex" in lines[0]
    assert "다시 될 때까지" in lines[0]
    assert any("echo 42 > made.txt" in request or "cut off" in request for request in asked)


async def test_a_cli_that_is_not_there_is_passed_over_and_where_none_can_work_the_person_is_told_why(
    tmp_path: Path,
) -> None:
    def script(request: ModelRequest) -> ModelReply:
        return ModelReply(status=401) if "second" in request.last_user_text else ModelReply(text=CLAUDE_SAYS)

    async with running_team(
        tmp_path,
        script=script,
        personas={"developer": "workspace: own\nbackend: [opencode, claude]"},
        router={"default_persona": "developer"},
        pool={"start_rest_seconds": 0.01},
    ) as team:
        first = await team.settled(await team.say("Is the list in b.py complete?"))
        second = await team.settled(await team.say("And the second list?"))
        lines = told_of_backends(team)
        failed = [notice.text for notice in team.notices() if notice.notice is NoticeKind.FAILED]
    assert first.turns[0].state is TurnState.ANSWERED
    assert "there is no opencode" in lines[0]
    assert len(lines) == 1
    assert second.turns[0].state is TurnState.FAILED
    assert len(failed) == 1


@pytest.mark.parametrize("cli", [GEMINI, CODEX], ids=lambda cli: cli.name)
async def test_claude_takes_over_from_another_cli_whose_login_is_refused(tmp_path: Path, cli: OtherCli) -> None:
    program_of(cli.program)
    async with (
        model_apis(tmp_path, *[ModelStep(status=401)] * 40) as apis,
        running_team(
            tmp_path,
            script=lambda _: ModelReply(text=CLAUDE_SAYS),
            environment={
                "PATH": f"{PROGRAMS}:{os.environ['PATH']}",
                "OPENAI_API_KEY": "scripted-openai",
                "GEMINI_API_KEY": "scripted-gemini",
                "OPENAI_BASE_URL": f"{apis.url}/v1",
                "GOOGLE_GEMINI_BASE_URL": apis.url,
            },
            personas={"developer": f"workspace: own\nbackend: [{cli.name}, claude]\nmodel: {cli.model}"},
            router={"default_persona": "developer"},
        ) as team,
    ):
        exchange = await team.settled(await team.say("Is the list in b.py complete?"), seconds=90)
        replies = [reply.text for reply in team.replies()]
        (line,) = told_of_backends(team)
    assert exchange.turns[0].state is TurnState.ANSWERED
    assert replies == [CLAUDE_SAYS]
    assert f"until {cli.name} is well again" in line
