"""Where agents work: in the repository of their conversation, in a configured one, or in a directory of their own."""

from collections.abc import Callable, Mapping
from pathlib import Path

from mama_bot.checkouts.checkouts import Checkouts, slug
from mama_bot.checkouts.delegate_trees import DelegateTrees
from mama_bot.errors import AgentUnavailable
from mama_bot.model import SCRATCH, AgentPersona, ConversationKey, InboundMessage, Turn, TurnId
from mama_bot.recent import Recent

REMEMBERED_PATHS = 1_000
OWN = "own"


class Workspaces:
    """Finds and prepares where a persona works in a conversation: in a directory below `root`, or a checkout.

    `delegate_trees` are the work trees that delegations have of their own (None: they have none).
    """

    def __init__(self, *, root: Path, checkouts: Checkouts, delegate_trees: DelegateTrees | None = None) -> None:
        self._root = root
        self._checkouts = checkouts
        self._delegate_trees = delegate_trees
        self._paths: Recent[tuple[str, ConversationKey], Path] = Recent(REMEMBERED_PATHS)

    def of(self, personas: Mapping[str, AgentPersona]) -> Callable[[Turn], Path]:
        """Return what says where a turn of these personas works; it raises AgentUnavailable for one of nobody here."""

        def workspace_of(turn: Turn) -> Path:
            persona = personas.get(turn.persona)
            if persona is None:
                reason = f"{turn.persona} is not in the team any more"
                raise AgentUnavailable(backend="any", reason=reason, remedy="Ask somebody else.")
            return self.path(persona, turn.key, turn.work_tree)

        return workspace_of

    async def begin(self, message: InboundMessage) -> None:
        """Learn, and when it is the first message decide, in which repository a conversation works."""
        place = await self._checkouts.begin(message.key, message.author.id)
        if self._delegate_trees is not None:
            self._delegate_trees.learn(message.key, place.delegate_trees)

    def works_apart(self, persona: AgentPersona, key: ConversationKey) -> bool:
        """Return whether a persona to whom something is delegated works in a work tree of its own."""
        trees = self._delegate_trees
        return trees is not None and persona.workspace != OWN and trees.works_apart(self.repository(persona, key))

    def repository(self, persona: AgentPersona, key: ConversationKey) -> str:
        """Return the configured repository in which a persona works in a conversation; `SCRATCH` for none."""
        if persona.workspace == OWN:
            return SCRATCH
        return self._checkouts.repository(key) if persona.workspace == "team" else persona.workspace

    def path(self, persona: AgentPersona, key: ConversationKey, work_tree: TurnId | None = None) -> Path:
        """Return the directory, whether or not it exists: in the work tree of a delegation where that is there.

        Raises RepositoryUnavailable.
        """
        if persona.workspace != OWN:
            return self._apart(persona, key, work_tree) or self._checkouts.path(key, self.repository(persona, key))
        path = self._paths.get((persona.name, key))
        if path is None:
            path = self._paths[persona.name, key] = self._root / slug(key) / persona.name
        return path

    def _apart(self, persona: AgentPersona, key: ConversationKey, work_tree: TurnId | None) -> Path | None:
        trees = self._delegate_trees
        return None if trees is None else trees.known(work_tree, self.repository(persona, key))

    async def prepare(self, persona: AgentPersona, turn: Turn) -> Path:
        """Return the directory in which a persona works in a turn, made when it is new.

        Raises AgentUnavailable when it cannot be made, RepositoryUnavailable when its repository is out of reach.
        """
        if persona.workspace != OWN:
            repository = self.repository(persona, turn.key)
            if turn.work_tree == turn.id and self._delegate_trees is not None:
                return await self._delegate_trees.prepare(turn, repository)
            return self._apart(persona, turn.key, turn.work_tree) or await self._checkouts.prepare(turn.key, repository)
        path = self.path(persona, turn.key)
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise AgentUnavailable(
                backend=persona.backend,
                reason=f"its workspace {path} cannot be made ({error.strerror or error})",
                remedy="Make data_directory writable, or free some space",
            ) from error
        return path
