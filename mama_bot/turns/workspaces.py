"""Where agents work: a directory for each conversation and agent, for the whole team, or a configured repository."""

import asyncio
import hashlib
import re
import shutil
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from mama_bot.errors import AgentUnavailable
from mama_bot.model import AgentPersona, ConversationKey, Turn
from mama_bot.recent import Recent

REMEMBERED_PATHS = 1_000
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")


def slug(key: ConversationKey) -> str:
    """Return a directory name for a conversation: readable, safe, and never the same for two conversations."""
    digest = hashlib.sha256(repr((key.platform, key.channel, key.thread)).encode()).hexdigest()[:10]
    return f"{_UNSAFE.sub('-', str(key))[:40].strip('-')}-{digest}"


class Workspaces:
    """Finds and prepares the directory in which a persona works in a conversation."""

    def __init__(
        self,
        *,
        root: Path,
        configured: Mapping[str, Path],
        seed: Callable[[Path], Awaitable[None]] | None = None,
    ) -> None:
        self._root = root
        self._configured = configured
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

    def path(self, persona: AgentPersona, key: ConversationKey) -> Path:
        """Return the directory, whether or not it exists."""
        if persona.workspace in self._configured:
            return self._configured[persona.workspace]
        name = "team" if persona.workspace == "team" else persona.name
        path = self._paths.get((name, key))
        if path is None:
            path = self._paths[name, key] = self._root / slug(key) / name
        return path

    async def prepare(self, persona: AgentPersona, key: ConversationKey) -> Path:
        """Return the directory, made and seeded when it is new.

        Raises AgentUnavailable when it cannot be made, or a configured one is gone.
        """
        path = self.path(persona, key)
        if path.is_dir():
            return path
        if persona.workspace in self._configured:
            raise AgentUnavailable(
                backend=persona.backend,
                reason=f"its workspace {path} is no directory",
                remedy=f"Restore it, or change workspaces.{persona.workspace}.path",
            )
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
