"""Which repository a conversation works in: decided once, by its place, by who asks, or as a person chose."""

import asyncio
from collections.abc import Callable, Mapping

import structlog

from mama_bot.config import RepositorySettings
from mama_bot.model import SCRATCH, ConversationKey
from mama_bot.protocols import CheckoutRecords, Clock
from mama_bot.recent import Recent

log = structlog.get_logger(__name__)

REMEMBERED = 10_000


class Assignments:
    """Assigns a repository to each conversation.

    `default` is for those that nothing else says anything about; `has_scratch` tells whether one has worked
    in a scratch directory.
    """

    def __init__(
        self,
        *,
        repositories: Mapping[str, RepositorySettings],
        records: CheckoutRecords,
        clock: Clock,
        default: str,
        has_scratch: Callable[[ConversationKey], bool],
    ) -> None:
        self._repositories = repositories
        self._records = records
        self._clock = clock
        self._default = default
        self._has_scratch = has_scratch
        self._assigned: Recent[ConversationKey, str] = Recent(REMEMBERED)

    async def assign(self, key: ConversationKey, person: str, name: str | None) -> str:
        """Return the repository that a conversation works in: `name`, where one was assigned, else decided for good."""
        if name is None:
            # An earlier release gave every conversation a scratch directory: work may lie there.
            begun = await asyncio.to_thread(self._has_scratch, key)
            name = await self._records.assign(key, SCRATCH if begun else await self.suggested(key, person))
            log.info("repository_assigned", conversation=str(key), repository=name)
        self._assigned[key] = name
        return name

    async def suggested(self, key: ConversationKey, person: str) -> str:
        """Return the repository for a conversation that begins: by thread, channel, who asks, or the default."""
        channel = f"{key.platform}/{key.channel}"
        by_place = {
            place: name for name, each in self._repositories.items() for place in (*each.channels, *each.people)
        }
        if str(key) != channel and str(key) in by_place:
            return by_place[str(key)]
        chosen = await self._records.choice(channel)
        if chosen is not None and (chosen == SCRATCH or chosen in self._repositories):
            return chosen
        return by_place.get(channel) or by_place.get(f"{key.platform}/{person}") or self._default

    def of(self, key: ConversationKey) -> str:
        """Return the repository that a conversation was assigned; `SCRATCH` where nothing is known of it."""
        return self._assigned.get(key, SCRATCH)

    async def choose(self, key: ConversationKey, name: str, *, by: str) -> None:
        """Let this conversation, and those that begin in its channel, work in a repository, as a person chose."""
        await self._records.choose(f"{key.platform}/{key.channel}", name, by=by, at=self._clock.now())
        self._assigned[key] = await self._records.assign(key, name, anew=True)
        log.info("repository_chosen", conversation=str(key), repository=name, by=by)
