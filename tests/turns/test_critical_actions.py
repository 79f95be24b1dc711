"""What a persona has to have before it speaks: verified by code, each time it is about to."""

from pathlib import Path

import pytest

from mama_bot.errors import PersonaNotReady
from mama_bot.model import AgentPersona, CriticalAction, Requirement
from mama_bot.turns.critical_actions import CriticalActions
from mama_bot.wording import Language

ACTIONS = CriticalActions(rules=["force_push"], checked=["shop"])


def persona(requirement: Requirement, value: str = "", workflow: str = "light") -> AgentPersona:
    action = CriticalAction(requirement=requirement, value=value)
    return AgentPersona(
        name="writer", display_name="Writer", prompt="You write.", workflow=workflow, critical_actions=(action,)
    )


async def verified(directory: Path, who: AgentPersona, repository: str = "shop") -> AgentPersona:
    (directory / "STYLE.md").write_text("Short sentences.\n", encoding="utf-8")
    return await ACTIONS.verified(who, directory, repository, read_only=False)


async def test_a_file_that_it_is_to_have_loaded_is_read_by_the_service_and_told_to_it(tmp_path: Path) -> None:
    ready = await verified(tmp_path, persona(Requirement.FILE_LOADED, "STYLE.md"))
    assert "Short sentences." in ready.instructions
    assert ready.instructions.startswith("You write.")
    there = await verified(tmp_path, persona(Requirement.FILE_EXISTS, "STYLE.md"))
    assert "Short sentences." not in there.instructions


@pytest.mark.parametrize(
    ("requirement", "value", "repository"),
    [
        (Requirement.RULE_ENABLED, "force_push", ""),
        (Requirement.CHECKS_PRESENT, "true", "shop"),
        (Requirement.WORKFLOW, "light", ""),
    ],
)
async def test_who_has_what_it_needs_is_as_it_was(
    tmp_path: Path, requirement: Requirement, value: str, repository: str
) -> None:
    who = persona(requirement, value)
    assert await verified(tmp_path, who, repository) == who


@pytest.mark.parametrize(
    ("requirement", "value", "told"),
    [
        (Requirement.FILE_LOADED, "docs/NONE.md", "the file docs/NONE.md that it has to have read is not in"),
        (Requirement.FILE_LOADED, "long.md", "the file long.md that it has to have read is longer than 40,000 bytes"),
        (Requirement.FILE_EXISTS, "link.md", "the file link.md"),
        (Requirement.FILE_EXISTS, "folder", "the file folder"),
        (Requirement.RULE_ENABLED, "network_install", "the rule network_install that it is to be held by is off"),
        (Requirement.CHECKS_PRESENT, "true", "the repository has no checks"),
        (Requirement.WORKFLOW, "full", "does not go by the workflow full"),
    ],
)
async def test_what_does_not_hold_is_one_sentence_and_the_persona_does_not_begin(
    tmp_path: Path, requirement: Requirement, value: str, told: str
) -> None:
    (tmp_path / "link.md").symlink_to("/etc/hostname")
    (tmp_path / "folder").mkdir()
    (tmp_path / "long.md").write_text("글" * 20_000, encoding="utf-8")
    with pytest.raises(PersonaNotReady) as raised:
        await verified(tmp_path, persona(requirement, value), "other")
    assert raised.value.to(Language.ENGLISH).startswith("Writer does not begin: ")
    assert told in raised.value.to(Language.ENGLISH)
    assert raised.value.to(Language.KOREAN).startswith("Writer: 시작하지 않습니다. ")
