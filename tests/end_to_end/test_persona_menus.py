"""Commands of personas, from a message in a chat to the real CLI; and what a persona has to have before it speaks."""

from pathlib import Path

import pytest

from mama_bot.demo.model_script import ModelReply
from mama_bot.errors import MessageRefused
from tests.end_to_end.team import running_team
from tests.end_to_end.test_rules import Watched
from tests.waiting import until

pytestmark = pytest.mark.cli

MENU = """workspace: shop
menu:
- command: explain
  description: {en: Explain a file, ko: 파일 설명}
  arguments: [file:file]
  prompt: "Explain {file} to {reader}, as {persona}."
variables:
- {name: reader, question: {en: "Who reads it?", ko: "누가 읽나요?"}}
critical_actions:
- file_loaded: STYLE.md"""


async def test_a_command_becomes_a_request_once_what_is_missing_is_known_and_the_persona_is_ready(
    tmp_path: Path,
) -> None:
    shop, model = tmp_path / "shop", Watched()
    shop.mkdir()
    (shop / "pay.py").write_text("x = 0\n", encoding="utf-8")
    async with running_team(
        tmp_path,
        script=model,
        repositories={"shop": {"source": str(shop), "mode": "in_place"}},
        personas={"developer": MENU},
    ) as team:
        with pytest.raises(MessageRefused, match=r"no file `pey\.py` in the workspace\. Did you mean `pay\.py`"):
            await team.say("/developer explain pey.py")
        with pytest.raises(MessageRefused, match=r"Who reads it\?"):
            await team.say("/developer explain pay.py")
        unready = await team.settled(await team.say("cashiers"))
        notices = await until(lambda: team.notices() or None)
        (shop / "STYLE.md").write_text("Write short sentences.\n", encoding="utf-8")
        model.push(ModelReply(text="`pay.py` sets `x` to 0, in 1 line."))
        exchange = await team.settled(await team.say("/developer explain pay.py"))
    assert unready.turns[0].attempts == ()
    assert "Developer does not begin: the file STYLE.md" in notices[0].text
    assert exchange.turns[0].turn.persona == "developer"  # not the lead, who answers by default
    assert exchange.turns[0].turn.prompt == "Explain pay.py to cashiers, as Developer."
    (request,) = model.requests
    assert "Explain pay.py to cashiers, as Developer." in request.last_user_text
    assert "Write short sentences." in request.system
