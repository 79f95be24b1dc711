"""What a person at the terminal is told of the page when the service is ready."""

from dataclasses import replace
from pathlib import Path

import pytest

from mama_bot.commands.page_link import show_link
from mama_bot.testing.scripted_agent import ScriptedAgentBackend, ScriptedReply
from tests.end_to_end.team import running_team

ELSEWHERE = "http://10.1.2.3:8640"


@pytest.mark.parametrize(
    ("locale", "words"), [("en_US.UTF-8", "over HTTP that others can read"), ("ko_KR.UTF-8", "남이 읽을 수 있으니")]
)
async def test_where_other_machines_find_the_page_is_said_and_that_others_read_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, locale: str, words: str
) -> None:
    monkeypatch.setenv("LC_ALL", locale)
    backend = ScriptedAgentBackend(script=lambda *_: ScriptedReply(text="Here."))
    async with running_team(tmp_path, backends={"claude": backend}) as team:
        capsys.readouterr()
        show_link(team.running)
        alone = capsys.readouterr().out
        show_link(replace(team.running, elsewhere=ELSEWHERE))
        told = capsys.readouterr().out
    assert team.running.url in alone
    assert words not in alone
    assert f"{ELSEWHERE}" in told
    assert words in told
