"""What goes wrong with agents again and again: a persona that cannot be started rests, and owners are told."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
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
from mama_bot.model import AgentPersona
from mama_bot.model_faults import ModelFault
from mama_bot.protocols import Clock, LeasedSession
from mama_bot.turns.sentences import LOGIN_IS_REFUSED, NO_CREDIT_LEFT, PERSONA_RESTS, PERSONA_STARTS, TROUBLE_ENDED
from mama_bot.wording import Said

log = structlog.get_logger(__name__)

LONGEST_REST = timedelta(minutes=15)

Alarm = Callable[[str, Said], None]
"""Tells the owners, with an id that is the same for the same occasion."""


@dataclass(slots=True, kw_only=True)
class _Starts:
    failures: int = 0
    rests_until: float | None = None
    rest: timedelta = field(default_factory=timedelta)


class AgentTroubles:
    """Counts, for each persona with each backend, the starts in a row that failed, and lets it rest after
    `start_failures` of them.

    A rest lasts `start_rest_seconds`, then a start is tried, and each further failure doubles the rest, to a quarter of
    an hour. That a backend's model service refuses everybody (login, credit) owners are told once, and once more when
    that is over.
    """

    def __init__(self, *, settings: PoolSettings, clock: Clock, metrics: Metrics, alarm: Alarm) -> None:
        self._most = settings.start_failures
        self._rest = timedelta(seconds=settings.start_rest_seconds)
        self._clock = clock
        self._metrics = metrics
        self._alarm = alarm
        self._starts: dict[tuple[str, str], _Starts] = {}  # by persona and backend
        self._refused: set[tuple[str, str]] = set()  # backend and trouble

    def _check(self, persona: AgentPersona) -> None:
        starts = self._starts.get((persona.name, persona.backend))
        if starts is None or starts.rests_until is None:
            return
        left = starts.rests_until - self._clock.monotonic()
        if left > 0:
            self._metrics.count("starts_spared", persona=persona.name)
            raise PersonaRests(failures=starts.failures, seconds=left)

    @asynccontextmanager
    async def starting(
        self, persona: AgentPersona, leased: AbstractAsyncContextManager[LeasedSession]
    ) -> AsyncIterator[LeasedSession]:
        """Lease a session for the block, unless its persona rests; a start that fails is counted."""
        self._check(persona)
        async with AsyncExitStack() as stack:
            try:
                lease = await stack.enter_async_context(leased)
            except AgentError as error:
                self._not_started(persona, error)
                raise
            if lease.fresh or lease.resumed:
                self._started(persona)
            yield lease

    def _not_started(self, persona: AgentPersona, error: AgentError) -> None:
        if not isinstance(error, AgentCrashed | AgentTimedOut | AgentUnavailable):
            return  # it waited for a place, or was stopped
        starts = self._starts.setdefault((persona.name, persona.backend), _Starts())
        starts.failures += 1
        self._metrics.count("failed_starts", persona=persona.name)
        if starts.failures < self._most:
            return
        opened = starts.rests_until is None
        starts.rest = min(LONGEST_REST, starts.rest * 2 or self._rest)
        starts.rests_until = self._clock.monotonic() + starts.rest.total_seconds()
        log.error(
            "persona_rests",
            persona=persona.name,
            backend=persona.backend,
            failures=starts.failures,
            seconds=starts.rest.total_seconds(),
        )
        if opened:
            rests = PERSONA_RESTS.of(persona=persona.name, count=starts.failures, error=error.sentence)
            self._tell(f"{persona.name}-{persona.backend}-rests", rests)

    def _started(self, persona: AgentPersona) -> None:
        starts = self._starts.pop((persona.name, persona.backend), None)
        if starts is not None and starts.rests_until is not None:
            log.info("persona_starts_again", persona=persona.name, backend=persona.backend)
            self._tell(f"{persona.name}-{persona.backend}-starts", PERSONA_STARTS.of(persona=persona.name))

    def refused(self, error: AgentError, *, backend: str) -> None:
        """Tell the owners where a backend's model service will refuse everybody until one of them does something."""
        if isinstance(error, LoginRefused):
            trouble, name = LOGIN_IS_REFUSED, "login"
        elif isinstance(error, ModelFailed) and error.fault is ModelFault.NO_CREDIT:
            trouble, name = NO_CREDIT_LEFT, "credit"
        else:
            return
        if (backend, name) not in self._refused:
            self._refused.add((backend, name))
            self._tell(f"{backend}-{name}", trouble.of(backend=backend, advice=error.advice))

    def answered(self, *, backend: str) -> None:
        """Note that the model of a backend's agents answers."""
        ended = {(other, name) for other, name in self._refused if other == backend}
        if ended:
            self._refused -= ended
            self._tell(f"{backend}-answers", TROUBLE_ENDED.of(backend=backend))

    def _tell(self, name: str, sentence: Said) -> None:
        self._alarm(f"agents-{name}-{int(self._clock.now().timestamp())}", sentence)
