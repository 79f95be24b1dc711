"""Who is served on the chat platforms, as the page shows and decides it."""

from mama_bot.gateways.web.json_views import Json
from mama_bot.model import Pairing, PairingState
from mama_bot.protocols import Clock, Pairings

MAX_SHOWN = 200


class AccessPanel:
    """The requests of unknown people, and who was confirmed; without a chat platform there is nothing to show."""

    def __init__(self, pairings: Pairings | None, *, clock: Clock) -> None:
        self._pairings = pairings
        self._clock = clock

    async def view(self) -> Json | None:
        """Open requests and paired people, newest first; None without a chat platform."""
        if self._pairings is None:
            return None
        known, now = await self._pairings.all(MAX_SHOWN), self._clock.now()
        return {
            "open": [_pairing_view(pairing) for pairing in known if pairing.is_open(now)],
            "people": [_pairing_view(pairing) for pairing in known if pairing.state is PairingState.PAIRED],
        }

    async def settle(self, code: str, *, approve: bool, by: str) -> Json | None:
        """Decide a request; None without a chat platform. Raises PairingRefused."""
        if self._pairings is None:
            return None
        return _pairing_view(await self._pairings.settle(code, approve=approve, by=by))


def _pairing_view(pairing: Pairing) -> Json:
    return {
        "platform": pairing.platform,
        "person": pairing.person,
        "name": pairing.name,
        "code": pairing.code,
        "asked_at": pairing.asked_at.isoformat(),
    }
