"""Whether the service can hear, for whoever watches over it."""

from collections.abc import Callable, Mapping

from mama_bot.gateways.web.json_views import Json
from mama_bot.model import Hearing, Platform
from mama_bot.protocols import Clock

STARTING_SECONDS = 60.0


class Health:
    """Says ok only when every gateway hears: a service that is connected and deaf is not healthy."""

    def __init__(
        self, *, hearing: Callable[[], Mapping[Platform, Hearing]], clock: Clock, starting_seconds: float
    ) -> None:
        self._hearing = hearing
        self._clock = clock
        self._starting_seconds = starting_seconds
        self._began = clock.monotonic()

    def answer(self, *, details: bool) -> tuple[int, Json]:
        """Return the HTTP status (200 or 503) and what it stands for; the reasons are for those who have the key alone.

        Until a minute after the start a gateway that does not hear yet is "starting", afterwards "deaf".
        """
        hearings = self._hearing()
        gateways = {platform: _view(hearing, details=details) for platform, hearing in hearings.items()}
        if all(hearing.ok for hearing in hearings.values()):
            return 200, {"status": "ok", "gateways": gateways}
        starting = self._clock.monotonic() - self._began < self._starting_seconds
        return 503, {"status": "starting" if starting else "deaf", "gateways": gateways}

    def gateways(self) -> list[Json]:
        """Return each gateway by its platform, with the reason why it does not hear."""
        return [{"platform": platform, **_view(hearing, details=True)} for platform, hearing in self._hearing().items()]


def _view(hearing: Hearing, *, details: bool) -> Json:
    since = hearing.since.isoformat() if hearing.since else None
    return {"ok": hearing.ok, "since": since, **({"reason": hearing.reason} if details else {})}
