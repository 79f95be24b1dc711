"""What a person is told with praise, other agents read without it: through the window and in a fresh session."""

from pathlib import Path

import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest
from mama_bot.model import TurnState
from tests.end_to_end.team import attempts, running_team
from tests.end_to_end.test_team_tools import bash

pytestmark = pytest.mark.cli

PRAISE = {
    "en": "What a brilliant plan, you are amazing!",
    "ko": "정말 훌륭하고 인상적인 계획입니다!",
}
MATTER = {
    "en": "The rounding of `shop/prices.py` lives in one function, and `cat shop/prices.py` shows two callers of it. "
    "The third one, in the report, is still open.",
    "ko": "`shop/prices.py`의 반올림은 함수 하나에 있고 두 곳에서 부릅니다. 보고서의 호출은 아직 남아 있습니다.",
}
LEFT_OUT = "[1 sentence of praise or filler is left out]"


@pytest.mark.parametrize("language", ["en", "ko"])
async def test_praise_for_a_person_is_posted_whole_and_reaches_no_other_agent(tmp_path: Path, language: str) -> None:
    praise, matter = PRAISE[language], MATTER[language]
    heard: list[str] = []

    def script(request: ModelRequest) -> ModelReply:
        if request.persona == "lead":
            return ModelReply(text=f"{praise} {matter}")
        if not request.tool_results:
            heard.append("\n".join(request.user_texts))
            return bash("ls")
        return ModelReply(text="The third caller is read; nothing is changed yet.")

    async with running_team(tmp_path, script=script) as team:
        told = await team.settled(await team.say("Where do we round?"))
        asked = await team.settled(await team.say("@developer look at the third caller"))
        reply, _ = team.replies()
        entries = [entry.text for entry in await team.context()]
    assert attempts(told.turns[0]) == ["cleared"]
    assert asked.turns[0].state is TurnState.ANSWERED
    assert reply.text == f"{praise} {matter}"
    assert f"[agent] Lead: {matter}\n\n{LEFT_OUT}" in heard[0]
    assert praise not in "".join((*heard, *entries))


async def test_where_only_observed_is_agents_read_what_was_posted(tmp_path: Path) -> None:
    heard: list[str] = []

    def script(request: ModelRequest) -> ModelReply:
        if request.persona == "lead":
            return ModelReply(text=f"{PRAISE['en']} {MATTER['en']}")
        heard.append(request.last_user_text)
        return ModelReply(text="Nothing is changed yet.")

    async with running_team(tmp_path, script=script, enforcement={"mode": "observe"}) as team:
        await team.settled(await team.say("Where do we round?"))
        await team.settled(await team.say("@developer look at the third caller"))
    assert f"[agent] Lead: {PRAISE['en']} {MATTER['en']}" in heard[0]
