"""Which earlier posts offer something else once a line tells that a change was undone, or brought back."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from mama_bot.delivery.departures import redacted
from mama_bot.model import Notice, OutboxEntry, Post
from mama_bot.protocols import Outbox

LONGEST = 200  # so often may one change be undone and brought back; beyond that buttons stay as they are


class EarlierOffers:
    """Finds the posts that tell of what a line takes back, and of what that one had taken back."""

    def __init__(self, outbox: Outbox, redact: Callable[[str], str]) -> None:
        self._outbox = outbox
        self._redact = redact

    async def of(self, post: Post) -> Sequence[tuple[OutboxEntry, bool]]:
        """Return the posts, as they left the house, each with whether its change is undone now."""
        offers: list[tuple[OutboxEntry, bool]] = []
        change = post.undoes if isinstance(post, Notice) else None
        undone = True
        while change is not None and len(offers) < LONGEST:
            told = [entry for entry in await self._outbox.telling(post.key, change) if all(entry.tried.values())]
            offers += [
                (replace(entry, post=redacted(self._redact, entry.post)), undone) for entry in told if entry.tried
            ]
            earlier = {entry.post.undoes for entry in told if isinstance(entry.post, Notice)} - {None}
            change, undone = next(iter(earlier), None), not undone
        return offers
