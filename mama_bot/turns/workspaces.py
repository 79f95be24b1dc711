"""Where agents work: in the repository of their conversation, in a configured one, or in a directory of their own."""

import asyncio
import shutil
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from mama_bot.checkouts.checkouts import Checkouts, slug
from mama_bot.errors import AgentUnavailable
from mama_bot.model import SCRATCH, AgentPersona, ConversationKey, InboundMessage, Turn
from mama_bot.recent import Recent

REMEMBERED_PATHS = 1_000


class Workspaces:
    """Finds and prepares the directory in which a persona works in a conversation.

    `seed` makes the scratch repository of a conversation that has no other.
    """

    def __init__(
        self,
        *,
        root: Path,
        checkouts: Checkouts,
        seed: Callable[[Path], Awaitable[None]] | None = None,
    ) -> None:
        self._root = root
        self._checkouts = checkouts
        self._seed = seed
        self._lock = asyncio.Lock()
        self._paths: Recent[tuple[str, ConversationKey], Path] = Recent(REMEMBERED_PATHS)

    def of(self, personas: Mapping[str, AgentPersona]) -> Callable[[Turn], Path]:
        """Return what says where a turn of these personas works; it raises AgentUnavailable for one of nobody here."""

        def workspace_of(turn: Turn) -> Path:
            persona = personas.get(turn.persona)
            if persona is None:
                reason = f"{turn.persona} is not in the team any more"
                raise AgentUnavailable(backend="any", reason=reason, remedy="Ask somebody else.")
            return self.path(persona, turn.key)

        return workspace_of

    async def begin(self, message: InboundMessage) -> None:
        """Learn, and when it is the first message decide, in which repository a conversation works."""
        await self._checkouts.assign(message)

    def repository(self, persona: AgentPersona, key: ConversationKey) -> str:
        """Return the configured repository in which a persona works in a conversation; `SCRATCH` for none."""
        match persona.workspace:
            case "own":
                return SCRATCH
            case "team":
                return self._checkouts.repository(key)
            case name:
                return name

    def path(self, persona: AgentPersona, key: ConversationKey) -> Path:
        """Return the directory, whether or not it exists; raises RepositoryUnavailable."""
        repository = self.repository(persona, key)
        if repository != SCRATCH:
            return self._checkouts.path(key, repository)
        name = "team" if persona.workspace == "team" else persona.name
        path = self._paths.get((name, key))
        if path is None:
            path = self._paths[name, key] = self._root / slug(key) / name
        return path

    async def prepare(self, persona: AgentPersona, key: ConversationKey) -> Path:
        """Return the directory, made and seeded when it is new.

        Raises AgentUnavailable when it cannot be made, RepositoryUnavailable when its repository is out of reach.
        """
        repository = self.repository(persona, key)
        if repository != SCRATCH:
            return await self._checkouts.prepare(key, repository)
        path = self.path(persona, key)
        if path.is_dir():
            return path
        async with self._lock:
            try:
                if not path.exists():
                    await self._make(path, seeded=persona.workspace == "team")
            except OSError as error:
                raise AgentUnavailable(
                    backend=persona.backend,
                    reason=f"its workspace {path} cannot be made ({error.strerror or error})",
                    remedy="Make data_directory writable, or free some space",
                ) from error
        return path

    async def _make(self, path: Path, *, seeded: bool) -> None:
        # Seeded under another name first: a directory that exists is complete. What a crash left is thrown away.
        making = path.with_name(path.name + ".making")
        if making.exists():
            shutil.rmtree(making)
        making.mkdir(parents=True)
        if self._seed is not None and seeded:
            await self._seed(making)
        making.rename(path)
