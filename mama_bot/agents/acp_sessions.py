"""Which session of an agent stands behind a session of ours: agents choose the ids of their own sessions."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from mama_bot.model import SessionId

MOST = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownSession:
    """A session as the agent names it, and what it had cost when that was noted last."""

    agents_id: str
    cost_usd: float


class AcpSessions:
    """The sessions of one agent's home, in a file that the agent cannot write."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def known(self, session_id: SessionId) -> KnownSession | None:
        """Return what is known of a session; None for nothing."""
        return self._read().get(session_id)

    def keep(self, session_id: SessionId, agents_id: str, cost_usd: float) -> None:
        """Note a session; of very many the oldest are forgotten. Raises OSError."""
        sessions = {**self._read(), session_id: KnownSession(agents_id=agents_id, cost_usd=cost_usd)}
        kept = [*sessions.items()][-MOST:]
        draft = self._file.with_name(f"{self._file.name}.new")
        draft.write_text(json.dumps({key: asdict(session) for key, session in kept}), encoding="utf-8")
        draft.replace(self._file)

    def spent(self, session_id: SessionId, cost_usd: float) -> float:
        """Return what a session has cost since this was asked last, and note what it has cost now; raises OSError."""
        known = self._read().get(session_id)
        if known is None or cost_usd <= known.cost_usd:
            return 0.0
        self.keep(session_id, known.agents_id, cost_usd)
        return cost_usd - known.cost_usd

    def _read(self) -> dict[SessionId, KnownSession]:
        try:
            read = json.loads(self._file.read_text(encoding="utf-8"))
            return {
                SessionId(key): KnownSession(agents_id=str(each["agents_id"]), cost_usd=float(each["cost_usd"]))
                for key, each in read.items()
            }
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return {}
