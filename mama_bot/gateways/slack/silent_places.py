"""Conversations in which nothing was heard before a gap: a first direct message has no mark to be read from."""

from collections.abc import Set
from dataclasses import dataclass

import structlog

from mama_bot.gateways.chat.gaps import Gaps
from mama_bot.gateways.chat.read_marks import MAX_MARKS, Marks
from mama_bot.gateways.slack.accounts import SlackAccounts
from mama_bot.gateways.slack.calls import TROUBLE, code_of, reason_of
from mama_bot.gateways.slack.constants import LISTED_BY
from mama_bot.gateways.slack.missed_pages import MissedPages
from mama_bot.gateways.slack.places import is_direct
from mama_bot.metrics import Metrics
from mama_bot.protocols import Clock

log = structlog.get_logger(__name__)

SILENT = "*"  # the name of their gap: no conversation of Slack is called so
MOST = 200
# Within so many seconds Slack tells of everything again by itself.
TOLD_AGAIN_SECONDS = 60.0
_NOT_LISTED = frozenset({"missing_scope", "not_allowed_token_type", "unknown_method"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Absence:
    """What was known when nothing was told any more; `since` is None where that was before this life."""

    since: float | None
    newest: int
    heard: Set[str]


class SilentPlaces:
    """Opens a gap in each conversation of the bot that has no mark, from the newest message heard anywhere before.

    That it has to be done is itself a gap: it outlives the service, and is tried again where Slack lists nothing.
    """

    def __init__(
        self, *, accounts: SlackAccounts, pages: MissedPages, marks: Marks, gaps: Gaps, clock: Clock, metrics: Metrics
    ) -> None:
        self._accounts = accounts
        self._pages = pages
        self._marks = marks
        self._gaps = gaps
        self._clock = clock
        self._metrics = metrics
        self._absence: _Absence | None = None
        self._heard_here = False
        self._heard: Set[str] = frozenset()

    def resume(self) -> None:
        """Know nothing of how long nobody listened, and of what an earlier life had looked for."""
        self._absence, self._heard_here, self._heard = None, False, frozenset()

    def begin(self) -> None:
        """Note that nothing is told from now on."""
        heard = self._marks.latest(MAX_MARKS)
        if self._absence is None and heard:
            self._absence = _Absence(
                since=self._clock.monotonic() if self._heard_here else None,
                newest=self._marks.of(heard[-1]),
                heard=frozenset(heard),
            )

    def connected(self, limit: int) -> None:
        """Note that there is a connection, and have the others looked for, unless that took no longer than a moment."""
        absence, self._absence, self._heard_here = self._absence, None, True
        if absence is None:
            return
        if absence.since is not None and self._clock.monotonic() - absence.since < TOLD_AGAIN_SECONDS:
            return
        if self._gaps.of(SILENT) is None:  # else it is still to be done for an earlier one, and covers this one
            self._heard = absence.heard
        self._gaps.open(SILENT, max(absence.newest, limit))

    async def look(self, after: int) -> None:
        """Open the gaps; raises what a call raises (TROUBLE)."""
        own = self._accounts.own
        scopes = frozenset[str]() if own is None else own.scopes
        kinds = [kind for kind, scope in LISTED_BY.items() if not scopes or scope in scopes]
        if not kinds:
            self._not_listed("no scope lets the bot list its conversations")
            return
        try:
            listed = await self._pages.conversations(kinds)
        except TROUBLE as error:
            if code_of(error) not in _NOT_LISTED:
                raise
            self._not_listed(reason_of(error))
            return
        names = [name for place in listed.messages if isinstance(name := place.get("id"), str) and name != SILENT]
        # Whoever writes directly waits for an answer in any case.
        silent = sorted((name for name in names if name not in self._heard), key=is_direct, reverse=True)
        if listed.cut or len(silent) > MOST:
            left = silent[MOST:]
            self._metrics.count(
                "slack_silent_places_not_read", max(len(left), 1)
            )  # of a list that was cut nobody knows
            log.warning(
                "silent_places_not_read",
                places=left[:MOST],
                number=len(left),
                remedy="Ask again what was not answered.",
            )
        for name in silent[:MOST]:
            self._gaps.open(name, after)

    def _not_listed(self, reason: str) -> None:
        self._metrics.count("slack_silent_places_not_listed")
        remedy = f"Give the bot the scopes {', '.join(LISTED_BY.values())}."
        log.warning("silent_places_not_listed", reason=reason, remedy=remedy)
