"""The set-up offers the agents of this machine to a new team."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from mama_bot.app.configuration import read_configuration
from mama_bot.commands.setup.init import SetUpAnswers
from tests.commands.test_init import set_up


@pytest.mark.parametrize(
    ("login", "answer", "backends"),
    [
        ({}, "y", ("gemini", "codex")),
        ({}, "n", ("claude",)),
        ({"ANTHROPIC_API_KEY": "k"}, "y", ("claude", "gemini", "codex")),
        ({"ANTHROPIC_API_KEY": "k"}, "n", ("claude",)),
    ],
)
def test_the_agents_that_are_here_and_logged_in_are_offered_to_a_new_team(
    tmp_path: Path, login: Mapping[str, str], answer: str, backends: tuple[str, ...]
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("gemini", "codex-acp", "opencode"):
        (programs / name).write_text("#!/bin/sh\n", encoding="utf-8")
        (programs / name).chmod(0o755)
    (programs / "opencode").unlink()
    environment = {"PATH": str(programs), "HOME": str(tmp_path), "GEMINI_API_KEY": "g", "OPENAI_API_KEY": "o", **login}
    place = tmp_path / "place"
    told = set_up(place, "", answer, "y", environment=environment)
    assert told.written
    assert "Gemini CLI, Codex" in told.output
    personas = read_configuration(place / "config.yaml", environment={}).personas.values()
    assert {persona.backends for persona in personas} == {backends}
    assert ("scripted model would answer" in told.output) is (not login and answer == "n")
    again = set_up(place, "", environment=environment)
    assert "Gemini CLI, Codex" not in again.output, "a team that is there is left as it is"


def test_with_yes_another_agent_works_only_where_claude_cannot(tmp_path: Path) -> None:
    (tmp_path / "gemini").write_text("#!/bin/sh\n", encoding="utf-8")
    (tmp_path / "gemini").chmod(0o755)
    environment = {"PATH": str(tmp_path), "HOME": str(tmp_path), "GEMINI_API_KEY": "g"}
    for name, login, backend in (("one", {}, "gemini"), ("two", {"ANTHROPIC_API_KEY": "k"}, "claude")):
        answers = SetUpAnswers(repository="", yes=True)
        set_up(tmp_path / name, environment={**environment, **login}, answers=answers)
        personas = read_configuration(tmp_path / name / "config.yaml", environment={}).personas.values()
        assert {persona.backends for persona in personas} == {(backend,)}
