"""Whether the service hears and can work, for whoever watches over it."""

from collections.abc import Callable, Mapping, Sequence

from mama_bot.gateways.web.json_views import Json
from mama_bot.model import Hearing, Lack, Platform, Trouble, TroubleKind
from mama_bot.protocols import Clock
from mama_bot.wording import Language, Said

STARTING_SECONDS = 60.0


class Health:
    """Answers whoever watches: whether the service hears what people write, and whether it can work on it.

    `troubles` is what is wrong as of the last look, None before the first.
    """

    def __init__(
        self,
        *,
        hearing: Callable[[], Mapping[Platform, Hearing]],
        lacking: Callable[[], Sequence[Lack]],
        troubles: Callable[[], Sequence[Trouble] | None],
        clock: Clock,
        starting_seconds: float,
    ) -> None:
        self._hearing = hearing
        self._lacking = lacking
        self._troubles = troubles
        self._clock = clock
        self._starting_seconds = starting_seconds
        self._began = clock.monotonic()

    def hears(self, *, details: bool) -> tuple[int, Json]:
        """Return the HTTP status (200 or 503) and what it stands for; the reasons are for those who have the key alone.

        Until a minute after the start a gateway that does not hear yet is "starting", afterwards "deaf". What can be
        heard and not kept is not heard: then it is "refusing".
        """
        hearings = self._hearing()
        view = {"gateways": {platform: _view(hearing, details=details) for platform, hearing in hearings.items()}}
        kinds = {trouble.kind for trouble in self._troubles() or ()}
        if TroubleKind.STALLED in kinds:
            return 503, {"status": "stalled", **view}
        if TroubleKind.STORE in kinds:
            return 503, {"status": "refusing", **view}
        if all(hearing.ok for hearing in hearings.values()):
            return 200, {"status": "ok", **view}
        starting = self._clock.monotonic() - self._began < self._starting_seconds
        return 503, {"status": "starting" if starting else "deaf", **view}

    def refused_settings(self) -> Said | None:
        """Return what is wrong with the settings that were read last, None where they are in force."""
        refused = (trouble for trouble in self._troubles() or () if trouble.kind is TroubleKind.SETTINGS)
        return next((trouble.sentence for trouble in refused), None)

    def works(self, *, details: bool) -> tuple[int, Json]:
        """Return the same of whether it can work: it hears, stores, has what agents need, and is not about to stop."""
        lacks, troubles = self._lacking(), self._troubles()
        view = {
            "lacks": [_lack_view(lack, details=details) for lack in lacks],
            "troubles": [_trouble_view(trouble, details=details) for trouble in troubles or ()],
        }
        status, heard = self.hears(details=details)
        if troubles is None:
            return 503, {**heard, "status": "starting", **view}
        if status != 200:
            return status, {**heard, **view}
        if any(lack.stops_work for lack in lacks):
            return 503, {**heard, "status": "lacking", **view}
        stopping = next((trouble for trouble in troubles if trouble.stops_work), None)
        if stopping is not None:
            return 503, {**heard, "status": stopping.kind.value, **view}
        return 200, {**heard, "status": "ready", **view}

    def lives(self) -> tuple[int, Json]:
        """Return the same of whether it looks after itself: what no restart mends is none of its business."""
        stalled = TroubleKind.STALLED in {trouble.kind for trouble in self._troubles() or ()}
        return (503, {"status": "stalled"}) if stalled else (200, {"status": "alive"})

    def gateways(self) -> list[Json]:
        """Return each gateway by its platform, with the reason why it does not hear, in each language."""
        return [
            {"platform": platform, **_view(hearing, details=False), "reason": _reasons(hearing)}
            for platform, hearing in self._hearing().items()
        ]


def _lack_view(lack: Lack, *, details: bool) -> Json:
    remedy = {"remedy": lack.sentence.to(Language.ENGLISH)} if details else {}
    return {"need": lack.need.value, "stops_work": lack.stops_work, **remedy}


def _trouble_view(trouble: Trouble, *, details: bool) -> Json:
    reason = {"reason": trouble.sentence.to(Language.ENGLISH)} if details else {}
    return {"kind": trouble.kind.value, "of": trouble.subject, "stops_work": trouble.stops_work, **reason}


def _view(hearing: Hearing, *, details: bool) -> Json:
    since = hearing.since.isoformat() if hearing.since else None
    return {"ok": hearing.ok, "since": since, **({"reason": hearing.why(Language.ENGLISH)} if details else {})}


def _reasons(hearing: Hearing) -> Json:
    return {language.value: hearing.why(language) for language in Language}
