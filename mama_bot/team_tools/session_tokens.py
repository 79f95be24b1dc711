"""Tokens: who has one calls the tools of one session of an agent, for as long as that session lives."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field

from mama_bot.team_tools.tool_desk import ToolDesk


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """Whom a token lets in: the desk of its session, and which processes of this machine belong to that (None: any)."""

    desk: ToolDesk
    is_of_session: Callable[[int], bool] | None = field(default=None, repr=False)


class SessionTokens:
    """The tokens that hold now; only their hashes are kept."""

    def __init__(self, *, new_token: Callable[[], str]) -> None:
        self._new_token = new_token
        self._holders: dict[str, Holder] = {}

    def issue(self, holder: Holder) -> str:
        """Return a token that nobody else has."""
        token = self._new_token()
        self._holders[_hash(token)] = holder
        return token

    def end(self, token: str) -> None:
        """Let a token hold no longer: its session is over."""
        self._holders.pop(_hash(token), None)

    def holder(self, token: str) -> Holder | None:
        """Return whom a token lets in; None: nobody."""
        return self._holders.get(_hash(token)) if token else None


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
