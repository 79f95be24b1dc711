"""Work trees that conversations have of their own, and what stands in them."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from mama_bot.model.conversations import ConversationKey
from mama_bot.wording import Said

SCRATCH = ""  # the name of no repository: a conversation without one has a scratch repository of its own


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkout:
    """The work tree that a conversation has of a repository (`SCRATCH`: its scratch one), on a branch of its own.

    `base` is the commit where the branch began. What was `put_away_at` is on no disk but in the service's own store,
    and comes back to a new path.
    """

    key: ConversationKey
    repository: str
    branch: str
    base: str
    path: Path
    made_at: datetime
    used_at: datetime
    put_away_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckoutState:
    """What git says of a checkout now: commits that its base lacks, and files that no commit holds as they are."""

    branch: str
    ahead: int
    uncommitted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingContents:
    """What a repository names and no work tree of it holds: submodules, and the large files of git LFS."""

    submodules: tuple[str, ...] = ()
    large_files: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryView:
    """What a person is shown of the repository of a conversation; `names` are those that can be chosen.

    `state` is None while nothing was done, `failure` is what went wrong when its work tree was set up, `locks` are
    those that a git which runs may hold there.
    """

    name: str
    source: str = ""
    in_place: bool = False
    state: CheckoutState | None = None
    failure: str = ""
    missing: MissingContents = MissingContents()
    locks: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedServer:
    """An MCP server that a repository brings and that is not offered: why, what it declares, what stands for that."""

    name: str
    why: Said
    declaration: str
    digest: str
    can_be_allowed: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedOffer:
    """The MCP servers and skills that a repository brings, and that nobody has allowed as they are."""

    repository: str = ""
    servers: tuple[RefusedServer, ...] = ()
    skills: tuple[str, ...] = ()
