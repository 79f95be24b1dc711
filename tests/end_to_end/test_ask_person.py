"""An agent asks the person whom it works for, and waits: from the real CLI to the chat and back."""

from pathlib import Path

import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest, ToolUse
from mama_bot.gateways.chat.command_forms import buttons_under
from mama_bot.model import CommandName, NoticeKind, TurnState
from tests.end_to_end.team import running_team
from tests.end_to_end.test_approvals import give, question
from tests.end_to_end.test_team_tools import delegates

pytestmark = pytest.mark.cli

KOREAN = "어느 데이터베이스로 할까요?"


def asks(words: str, *choices: str) -> ModelReply:
    arguments = {"question": words, "choices": list(choices)}
    return ModelReply(tool_calls=(ToolUse(name="mcp__mama__ask_person", arguments=arguments),))


async def test_a_lead_and_its_delegate_are_answered_by_a_button_and_by_plain_words(tmp_path: Path) -> None:
    heard: list[str] = []

    def script(request: ModelRequest) -> ModelReply:
        heard.extend(result.text for result in request.tool_results[-1:])
        if request.persona == "developer":
            if not request.tool_results:
                return asks("Which port does the staging server have?")
            return ModelReply(text="The staging server has port 8443, as Kim told me.")
        match len(request.tool_results):
            case 0:
                return asks(KOREAN, "PostgreSQL", "SQLite {file}")
            case 1:
                return delegates("Find the port")
            case _:
                return ModelReply(text="SQLite 파일로 하고, 스테이징 서버의 포트는 8443입니다.")

    async with running_team(tmp_path, script=script, pool={"size": 1}) as team:
        message = await team.say("데이터베이스를 골라 주세요")
        first = await question(team)
        assert first.notice is NoticeKind.ASKED
        assert f"**#1 · Lead의 질문:**\n\n> {KOREAN}\n\n1. PostgreSQL\n2. SQLite {{file}}" in first.text
        button = buttons_under(first)[1]
        assert button.label.to("ko") == "SQLite {file}"  # type: ignore[arg-type]
        approved = await give(team, CommandName.APPROVE, "1")
        chosen = await give(team, button.name, button.argument)
        again = await give(team, CommandName.ANSWER, "1 something else")
        second = await question(team, 2)
        answer = await team.say("8443, but not from outside")
        exchange = await team.settled(message)
        status = await team.store.turns.load(answer)
    assert [approved.done, chosen.done, again.done] == [False, True, False]
    assert "/answer 1" in approved.text
    assert second.choices == ()
    assert heard[0] == "Kim, memory kim answered: SQLite {file}"
    assert "Kim answered: 8443, but not from outside" in heard
    assert [stored.state for stored in exchange.turns] == [TurnState.ANSWERED] * 2
    assert status.turns == ()  # the answer was none of a request of its own
    assert team.gateway.settled[first.id].text == "#1: Kim, memory kim 님의 답: “SQLite {file}”"


async def test_an_answer_that_comes_while_the_service_is_away_and_none_in_time(tmp_path: Path) -> None:
    heard: list[str] = []

    def script(request: ModelRequest) -> ModelReply:
        if request.persona == "reviewer":
            return ModelReply(text="Nothing is open here.")
        heard.extend(result.text for result in request.tool_results[-1:])
        if not any("answered" in result.text for result in request.tool_results):
            return asks("Which port?")
        return ModelReply(text="The port is 8443." if "8443" in heard[-1] else "The port is open: nobody told me.")

    async with running_team(tmp_path, script=script, turns={"drain_seconds": 0}) as team:
        message = await team.say("Find the port")
        await question(team)
        await team.say("@reviewer Look around")  # for somebody else: it is no answer, and waits
    async with running_team(tmp_path, script=script, turns={"answer_seconds": 1}) as team:
        assert (await give(team, CommandName.ANSWER, "1 8443")).done
        await team.settled(message)
        assert "The port is 8443." in [reply.text for reply in team.replies()]
        team.numbers = iter(range(10, 20))  # type: ignore[assignment]
        heard.clear()
        await team.settled(await team.say("Find the port again"))
        assert heard[-1].startswith("Nobody answered within")
        late = await give(team, CommandName.ANSWER, "2 8443")
    assert not late.done
    assert "the agent goes on without" in late.text
