"""Whether the service can hear, for whoever watches over it."""

from collections.abc import Callable, Mapping, Sequence

from mama_bot.gateways.web.json_views import Json
from mama_bot.model import Hearing, Lack, Platform
from mama_bot.protocols import Clock
from mama_bot.wording import Language

STARTING_SECONDS = 60.0


class Health:
    """Says ok only when every gateway hears and agents can work: a service that cannot answer is not healthy."""

    def __init__(
        self,
        *,
        hearing: Callable[[], Mapping[Platform, Hearing]],
        lacking: Callable[[], Sequence[Lack]],
        clock: Clock,
        starting_seconds: float,
    ) -> None:
        self._hearing = hearing
        self._lacking = lacking
        self._clock = clock
        self._starting_seconds = starting_seconds
        self._began = clock.monotonic()

    def answer(self, *, details: bool) -> tuple[int, Json]:
        """Return the HTTP status (200 or 503) and what it stands for; the reasons are for those who have the key alone.

        Until a minute after the start a gateway that does not hear yet is "starting", afterwards "deaf". What the
        machine lacks is named; where agents cannot work without it the service is "lacking".
        """
        hearings, lacks = self._hearing(), self._lacking()
        gateways = {platform: _view(hearing, details=details) for platform, hearing in hearings.items()}
        view = {"gateways": gateways, "lacks": [_lack_view(lack, details=details) for lack in lacks]}
        if any(lack.stops_work for lack in lacks):
            return 503, {"status": "lacking", **view}
        if all(hearing.ok for hearing in hearings.values()):
            return 200, {"status": "ok", **view}
        starting = self._clock.monotonic() - self._began < self._starting_seconds
        return 503, {"status": "starting" if starting else "deaf", **view}

    def gateways(self) -> list[Json]:
        """Return each gateway by its platform, with the reason why it does not hear, in each language."""
        return [
            {"platform": platform, **_view(hearing, details=False), "reason": _reasons(hearing)}
            for platform, hearing in self._hearing().items()
        ]


def _lack_view(lack: Lack, *, details: bool) -> Json:
    remedy = {"remedy": lack.sentence.to(Language.ENGLISH)} if details else {}
    return {"need": lack.need.value, "stops_work": lack.stops_work, **remedy}


def _view(hearing: Hearing, *, details: bool) -> Json:
    since = hearing.since.isoformat() if hearing.since else None
    return {"ok": hearing.ok, "since": since, **({"reason": hearing.why(Language.ENGLISH)} if details else {})}


def _reasons(hearing: Hearing) -> Json:
    return {language.value: hearing.why(language) for language in Language}
