"""What reads the commands of personas, put together."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from mama_bot.app.configuration import Configuration
from mama_bot.checkouts import Checkouts
from mama_bot.deeds.diffs import Diffs
from mama_bot.errors import MamaBotError
from mama_bot.intake.persona_menus import MenuPlace, PersonaMenus
from mama_bot.model import AgentPersona, ConversationKey, InboundMessage, Platform
from mama_bot.protocols import Clock
from mama_bot.repositories.git import GitFailed
from mama_bot.store import Store
from mama_bot.turns.workspaces import OWN, Workspaces

STATE = Platform("menus")  # whose state in the store it is
LOOKING_SECONDS = 20.0


def persona_menus(
    configuration: Configuration, store: Store, checkouts: Checkouts, workspaces: Workspaces, diffs: Diffs, clock: Clock
) -> PersonaMenus:
    """Return what makes requests of the commands of this team."""

    async def place_of(persona: AgentPersona, message: InboundMessage) -> MenuPlace:
        name = (await checkouts.view(message.key, message.author.id, looks=False)).name
        workspace: Path | None
        try:
            if persona.workspace == OWN:
                workspace = workspaces.path(persona, message.key)
            else:
                name = name if persona.workspace == "team" else persona.workspace
                workspace = checkouts.path(message.key, name)
        except MamaBotError:  # nothing was made there yet
            workspace = None
        return MenuPlace(repository=name, workspace=workspace)

    async def changed_files(key: ConversationKey) -> Sequence[str]:
        try:
            async with asyncio.timeout(LOOKING_SECONDS):
                diff = await diffs.of_all(key)
        except (MamaBotError, GitFailed, OSError, TimeoutError):
            return ()
        return () if diff is None else [file.path for file in diff.files]

    menus = PersonaMenus(
        personas=configuration.personas,
        configured=configuration.settings.variables,
        state=store.gateway_state(STATE),
        place_of=place_of,
        changed_files=changed_files,
        now=clock.now,
    )
    configuration.followers.add(lambda new: menus.go_by(new.settings.variables))
    return menus
