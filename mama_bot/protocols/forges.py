"""What the service asks of a forge: GitHub, GitLab, or one that is run elsewhere."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from mama_bot.model import (
    CommitChecks,
    ForgeAccess,
    ForgeKind,
    PullRequest,
    PullRequestProposal,
    ReviewComment,
    WatchedPullRequest,
)


class Forge(Protocol):
    """One project on one forge, with one token.

    Each method asks the network, in bounded time, and raises ForgeRefused or ForgeUnavailable.
    """

    @property
    def kind(self) -> ForgeKind:
        """Which forge it is."""
        ...

    @property
    def project(self) -> str:
        """The path of the project: "team/app"."""
        ...

    async def open(self, proposal: PullRequestProposal) -> tuple[PullRequest, bool]:
        """Return the open pull request of a branch, opened where there is none, and whether it is new."""
        ...

    async def read(self, number: int) -> PullRequest:
        """Return a pull request as it stands."""
        ...

    async def checks(self, commit: str) -> CommitChecks:
        """Return the checks of a commit."""
        ...

    async def comments(self, number: int, *, since: datetime) -> Sequence[ReviewComment]:
        """Return what people wrote under a pull request at that time or later, in order."""
        ...

    async def access(self) -> ForgeAccess:
        """Return whose the token is and what it may do."""
        ...


class PullRequestRecords(Protocol):
    """The pull requests that conversations opened; each method is one transaction."""

    async def keep(self, watched: WatchedPullRequest) -> None:
        """Note a pull request, in place of what was noted of that number in that repository."""
        ...

    async def known(self, repository: str, number: int) -> WatchedPullRequest | None:
        """Return what was noted of a pull request; None where nothing was."""
        ...

    async def watched(self, limit: int) -> Sequence[WatchedPullRequest]:
        """Return those that are not over, the latest first."""
        ...
