"""What code verifies before a persona may speak: files, rules, checks, the order of work."""

import asyncio
import os
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from mama_bot.confinement.plain_files import plain_bytes
from mama_bot.errors import PersonaNotReady
from mama_bot.model import AgentPersona, CriticalAction, Requirement
from mama_bot.turns import sentences as says
from mama_bot.wording import Said

MOST_BYTES = 40_000
_LOADED = """\
# {name}

The service read this file of your workspace for you before you began. It is part of what you are told to go by.

{text}
"""


class CriticalActions:
    """Verifies the critical actions of personas; `rules` are those that are on, `checked` repositories with checks."""

    def __init__(self, *, rules: Collection[str], checked: Collection[str]) -> None:
        self._rules = frozenset(rules)
        self._checked = frozenset(checked)

    def go_by(self, rules: Collection[str]) -> None:
        """Know these rules to be on from now on."""
        self._rules = frozenset(rules)

    async def verified(
        self, persona: AgentPersona, workspace: Path, repository: str, *, read_only: bool
    ) -> AgentPersona:
        """Return a persona with the files that it is to have loaded in its instructions.

        Raises PersonaNotReady with the first requirement that does not hold.
        """
        loaded = []
        for action in persona.critical_actions:
            problem = self._problem(action, persona, repository, read_only=read_only)
            if problem is None and action.requirement in (Requirement.FILE_EXISTS, Requirement.FILE_LOADED):
                text = await asyncio.to_thread(_content, workspace, action.value)
                problem = says.NO_FILE_TO_LOAD.of(file=action.value) if text is None else None
                if text is not None and action.requirement is Requirement.FILE_LOADED:
                    if len(text) > MOST_BYTES:
                        problem = says.TOO_LONG_TO_LOAD.of(file=action.value, most=MOST_BYTES)
                    loaded.append(_LOADED.format(name=action.value, text=text.decode(errors="replace")))
            if problem is not None:
                raise PersonaNotReady(says.NOT_READY.of(name=persona.display_name, problem=problem))
        if not loaded:
            return persona
        return replace(persona, instructions="\n".join([persona.instructions or persona.prompt, *loaded]))

    def _problem(
        self, action: CriticalAction, persona: AgentPersona, repository: str, *, read_only: bool
    ) -> Said | None:
        match action.requirement:
            case Requirement.RULE_ENABLED if action.value not in self._rules:
                return says.NO_RULE_ON.of(rule=action.value)
            case Requirement.CHECKS_PRESENT if repository not in self._checked:
                return says.NO_CHECKS_PRESENT
            case Requirement.WORKFLOW if not read_only and persona.workflow != action.value:
                return says.ANOTHER_WORKFLOW.of(workflow=action.value)
            case _:
                return None


def _content(workspace: Path, name: str) -> bytes | None:
    """Return the beginning of a file of a workspace; None where there is none, or it leads out of the workspace."""
    root, place = os.path.realpath(workspace), os.path.realpath(workspace / name)
    try:
        return plain_bytes(Path(place), MOST_BYTES + 1) if place.startswith(f"{root}{os.sep}") else None
    except OSError:
        return None
