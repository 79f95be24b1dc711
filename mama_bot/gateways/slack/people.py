"""The names of people and bots, asked once and kept for a while."""

import asyncio
from collections.abc import Iterable, Mapping

import structlog

from mama_bot.gateways.slack.accounts import SlackAccounts
from mama_bot.gateways.slack.calls import TROUBLE, reason_of
from mama_bot.protocols import Clock
from mama_bot.recent import Recent

log = structlog.get_logger(__name__)

LIMIT = 2000
KEPT_SECONDS = 3600.0
ASK_AGAIN_SECONDS = 30.0
# A name is asked for while Slack waits for its acknowledgement (3 s): better an id than a message that comes twice.
ASK_SECONDS = 1.5
# A message may name so many people that asking for all would hold up the channel.
ASK_ALL_SECONDS = 2 * ASK_SECONDS


class People:
    """Display names by id; an id stands for itself where Slack does not tell."""

    def __init__(self, *, accounts: SlackAccounts, clock: Clock) -> None:
        self._accounts = accounts
        self._clock = clock
        self._names: Recent[str, tuple[str, float]] = Recent(LIMIT)
        self._not_before = 0.0

    async def name(self, user: str) -> str:
        """Return the display name of a person or an app's user."""
        known = self._names.get(user)
        if known is not None and self._clock.monotonic() - known[1] < KEPT_SECONDS:
            self._names.move_to_end(user)
            return known[0]
        if self._clock.monotonic() < self._not_before:
            return user if known is None else known[0]
        try:
            async with asyncio.timeout(ASK_SECONDS):
                answer = await self._accounts.client().users_info(user=user)
        except TROUBLE as error:
            log.info("slack_name_not_known", user=user, reason=reason_of(error))
            name = user if known is None else known[0]
            if isinstance(error, TimeoutError):
                # The next name would cost as much time, and every message has an author.
                self._not_before = self._clock.monotonic() + ASK_AGAIN_SECONDS
            return self._keep(user, name, self._clock.monotonic() + ASK_AGAIN_SECONDS - KEPT_SECONDS)
        return self._keep(user, _display_name(answer.get("user")) or user, self._clock.monotonic())

    async def names(self, users: Iterable[str]) -> Mapping[str, str]:
        """Return the names of several people, as far as Slack tells them in time."""
        deadline = self._clock.monotonic() + ASK_ALL_SECONDS
        names = {}
        for user in users:
            if self._clock.monotonic() < deadline:
                names[user] = await self.name(user)
            else:
                names[user] = self._names[user][0] if user in self._names else user
        return names

    def _keep(self, user: str, name: str, since: float) -> str:
        self._names[user] = (name, since)
        return name


def _display_name(user: object) -> str:
    if not isinstance(user, Mapping):
        return ""
    profile = user.get("profile")
    first = profile if isinstance(profile, Mapping) else {}
    given = [first.get("display_name"), first.get("real_name"), user.get("real_name"), user.get("name")]
    return next((name.strip() for name in given if isinstance(name, str) and name.strip()), "")
