"""Which of its backends a persona works with: the first one that is well, and what a person is told of a change."""

from dataclasses import dataclass, field, replace
from datetime import timedelta

import structlog

from mama_bot.config import PoolSettings
from mama_bot.errors import (
    AgentCrashed,
    AgentError,
    AgentTimedOut,
    AgentUnavailable,
    LoginRefused,
    ModelFailed,
    PersonaRests,
)
from mama_bot.metrics import Metrics
from mama_bot.model import AgentPersona, ConversationKey, Turn
from mama_bot.model_faults import ModelFault
from mama_bot.personas import ANY_AGENT
from mama_bot.protocols import Clock
from mama_bot.recent import Recent
from mama_bot.turns.sentences import WORKS_WITH_ANOTHER, WORKS_WITH_ITS_OWN
from mama_bot.wording import Said

log = structlog.get_logger(__name__)

LONGEST_REST = timedelta(minutes=15)
REMEMBERED_CONVERSATIONS = 10_000
# What another model's service need not suffer from; a request that is refused or too long would be so again.
OF_SERVICE = frozenset(
    {
        ModelFault.RATE_LIMITED,
        ModelFault.OVERLOADED,
        ModelFault.BROKEN,
        ModelFault.NO_ANSWER,
        ModelFault.NO_CREDIT,
        ModelFault.UNKNOWN_MODEL,
    }
)


@dataclass(slots=True, kw_only=True)
class _Trouble:
    """Why a backend cannot work for a persona, and until when it is not tried again."""

    error: AgentError
    until: float
    rest: timedelta = field(default_factory=timedelta)


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendChange:
    """Another backend than before works in a conversation, and what its people are told of that."""

    backend: str
    sentence: Said


class BackendChoices:
    """Chooses among the backends of a persona: the first one that is not known to be out of order.

    One that failed is left alone for `start_rest_seconds`, or for as long as its service asks to wait; then the next
    turn tries it first again, and each further failure doubles the rest, to a quarter of an hour.
    """

    def __init__(self, *, settings: PoolSettings, clock: Clock, metrics: Metrics) -> None:
        self._rest = timedelta(seconds=settings.start_rest_seconds)
        self._clock = clock
        self._metrics = metrics
        self._troubles: dict[tuple[str, str], _Trouble] = {}  # by persona and backend
        self._told: Recent[tuple[ConversationKey, str], str] = Recent(REMEMBERED_CONVERSATIONS)

    def chosen(self, persona: AgentPersona) -> AgentPersona:
        """Return the persona as it works now, with one backend: where all are out of order, with its first one."""
        well = next((backend for backend in persona.backends if self._is_well(persona, backend)), persona.backend)
        return _with_backend(persona, well)

    def _is_well(self, persona: AgentPersona, backend: str) -> bool:
        trouble = self._troubles.get((persona.name, backend))
        return trouble is None or trouble.until <= self._clock.monotonic()

    def passes_on(self, persona: AgentPersona, working: AgentPersona, error: AgentError, *, worked: bool) -> bool:
        """Note that a backend failed, and return whether another one, which is well, is to be tried for the same turn.

        An agent that is lost after it `worked` is no reason: what it did might end another one likewise.
        """
        if not persona.fallbacks or not is_out_of_order(error, working.backend, worked=worked):
            return False
        name = (persona.name, working.backend)
        known = self._troubles.get(name)
        rest = min(LONGEST_REST, known.rest * 2) if known is not None else self._rest
        asked = error.retry_after_seconds if isinstance(error, ModelFailed) else None
        wait = max(rest.total_seconds(), asked or 0.0)
        self._troubles[name] = _Trouble(error=error, until=self._clock.monotonic() + wait, rest=rest)
        self._metrics.count("backends_out_of_order", persona=persona.name, backend=working.backend)
        log.warning(
            "backend_out_of_order",
            persona=persona.name,
            backend=working.backend,
            reason=str(error),
            seconds=wait,
        )
        return any(each != working.backend and self._is_well(persona, each) for each in persona.backends)

    def begins(self, persona: AgentPersona, working: AgentPersona, turn: Turn) -> BackendChange | None:
        """Return what the people of a conversation are told before another backend works there, once; None: nothing."""
        if working.backend == persona.backend or self._told.get((turn.key, persona.name)) == working.backend:
            return None
        self._told[turn.key, persona.name] = working.backend
        troubles = [self._troubles.get((persona.name, backend)) for backend in persona.backends]
        error = next((trouble.error for trouble in troubles if trouble is not None), None)
        sentence = WORKS_WITH_ANOTHER.of(
            persona=persona.name,
            backend=working.backend,
            first=persona.backend,
            error="" if error is None else error.sentence,
        )
        return BackendChange(backend=working.backend, sentence=sentence)

    def answered(self, persona: AgentPersona, working: AgentPersona, turn: Turn) -> BackendChange | None:
        """Note that a backend works; return what the people are told where it is the first one again; None: nothing."""
        if self._troubles.pop((persona.name, working.backend), None) is not None:
            log.info("backend_works_again", persona=persona.name, backend=working.backend)
        if working.backend != persona.backend or self._told.pop((turn.key, persona.name), None) is None:
            return None
        sentence = WORKS_WITH_ITS_OWN.of(persona=persona.name, backend=persona.backend)
        return BackendChange(backend=persona.backend, sentence=sentence)


def is_out_of_order(error: AgentError, backend: str, *, worked: bool) -> bool:
    """Return whether an error says that a backend cannot work now: it is missing, logged out, out of quota or down."""
    match error:
        case LoginRefused() | PersonaRests():
            return True
        case AgentUnavailable():
            return error.backend == backend  # others are of the workspace, or of a service that stops
        case ModelFailed():
            return error.fault in OF_SERVICE
        case AgentCrashed() | AgentTimedOut():
            return not worked
        case _:
            return False


def _with_backend(persona: AgentPersona, backend: str) -> AgentPersona:
    command = persona.command if backend == ANY_AGENT else ""
    model = persona.model if backend == persona.backend else None
    return replace(persona, backend=backend, fallbacks=(), command=command, model=model)
