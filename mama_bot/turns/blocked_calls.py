"""Rules and recovery: apart from each other, unless the settings let what rules blocked end a turn's further tries."""

from datetime import datetime

import structlog

from mama_bot.metrics import Metrics
from mama_bot.model import Phase, SessionId, Turn
from mama_bot.protocols import RuleReports

log = structlog.get_logger(__name__)


class BlockedCalls:
    """Says whether a turn gets no further try, since rules blocked `most` of its agent's calls (0: it always does)."""

    def __init__(self, *, reports: RuleReports, most: int, metrics: Metrics) -> None:
        self._reports = reports
        self._most = most
        self._metrics = metrics

    def are_too_many(self, turn: Turn, session: SessionId, *, since: datetime) -> bool:
        """Return whether so many calls of a session were blocked since its turn began, in this life of the service.

        Asked only where a try would follow: that there is none is logged and counted.
        """
        if not self._most:
            return False
        blocks = [
            each
            for each in self._reports.blocks(turn.key)
            if each.session == session and each.at >= since and each.phase is Phase.TOOL
        ]
        calls = len({each.at for each in blocks})  # several rules may block the same one
        if calls < self._most:
            return False
        rules = sorted({each.rule for each in blocks})
        log.warning("not_tried_again", turn=turn.id, persona=turn.persona, blocked=calls, rules=rules)
        self._metrics.count("turns_not_tried_again", persona=turn.persona)
        return True
