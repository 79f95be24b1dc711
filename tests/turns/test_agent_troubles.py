"""A persona that cannot be started rests, and owners are told once of what only they can mend."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest

from mama_bot.config import PoolSettings
from mama_bot.errors import AgentCrashed, LoginRefused, ModelFailed, PersonaRests, PoolExhausted
from mama_bot.metrics import Metrics
from mama_bot.model import AgentPersona
from mama_bot.model_faults import ModelFault
from mama_bot.protocols import LeasedSession
from mama_bot.turns.agent_troubles import AgentTroubles
from mama_bot.wording import Language, Said


class HandClock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.time = datetime(2026, 1, 1, tzinfo=UTC)
        self.set_back = timedelta()

    def now(self) -> datetime:
        return self.time - self.set_back

    def monotonic(self) -> float:
        return self.time.timestamp()


class Started:
    """A lease of a new process."""

    fresh = True
    resumed = False


@asynccontextmanager
async def lease(error: Exception | None) -> AsyncIterator[LeasedSession]:
    if error is not None:
        raise error
    started: LeasedSession = Started()  # type: ignore[assignment]
    yield started


class Watched:
    """Troubles with what owners were told."""

    def __init__(self) -> None:
        self.clock = HandClock()
        self.told: list[str] = []
        self.ids: set[str] = set()
        settings = PoolSettings(start_failures=2, start_rest_seconds=60)
        self.troubles = AgentTroubles(settings=settings, clock=self.clock, metrics=Metrics(), alarm=self._alarm)

    def _alarm(self, occasion: str, sentence: Said) -> None:
        assert sentence.to(Language.KOREAN) != sentence.to(Language.ENGLISH)
        self.told.append(sentence.to(Language.ENGLISH))
        self.ids.add(occasion)

    async def start(self, error: Exception | None = None, persona: str = "developer") -> bool:
        """Try to start; False: it rests."""
        try:
            async with self.troubles.starting(
                AgentPersona(name=persona, display_name=persona, prompt="x"), lease(error)
            ):
                return True
        except PersonaRests:
            return False
        except (AgentCrashed, PoolExhausted):
            return True

    def after(self, seconds: float) -> None:
        self.clock.time += timedelta(seconds=seconds)


DEAD = AgentCrashed(returncode=7)


async def test_a_persona_that_fails_to_start_rests_ever_longer_and_owners_are_told_when_it_begins_and_ends() -> None:
    watched = Watched()
    assert [await watched.start(DEAD) for _ in range(3)] == [True, True, False]
    assert await watched.start(persona="lead"), "another one does not rest"
    watched.clock.set_back = timedelta(hours=1)  # a rest is as long as it is, whatever the clock on the wall says
    watched.after(61)
    assert await watched.start(DEAD), "tried once"
    watched.after(61)
    assert not await watched.start(), "twice as long"
    watched.after(60)
    assert await watched.start()
    assert await watched.start()
    assert ["failed to start 2 times" in watched.told[0], "starts again" in watched.told[1]] == [True, True]
    assert len(watched.told) == len(watched.ids) == 2


async def test_who_waits_for_a_place_is_no_failure_of_its_persona() -> None:
    watched = Watched()
    busy = PoolExhausted(size=1, waited_seconds=1)
    assert all([await watched.start(busy) for _ in range(5)])
    assert await watched.start()


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (LoginRefused(backend="claude", reason="expired"), "login"),
        (ModelFailed(status=402, fault=ModelFault.NO_CREDIT), "credit"),
    ],
)
async def test_owners_are_told_once_of_what_only_they_can_mend_and_once_when_it_is_over(
    error: LoginRefused | ModelFailed, words: str
) -> None:
    watched = Watched()
    watched.troubles.answered(backend="claude")
    watched.troubles.refused(ModelFailed(status=529, fault=ModelFault.OVERLOADED), backend="claude")
    assert watched.told == []
    for _ in range(3):
        watched.troubles.refused(error, backend="claude")
    watched.troubles.answered(backend="claude")
    watched.troubles.answered(backend="claude")
    assert [words in watched.told[0], "answers again" in watched.told[1], len(watched.told)] == [True, True, 2]


def test_another_backend_that_answers_ends_nothing_and_owners_read_whose_agents_cannot() -> None:
    watched = Watched()
    for _ in range(3):
        watched.troubles.refused(LoginRefused(backend="claude", reason="expired"), backend="claude")
        watched.troubles.answered(backend="codex")
    (line,) = watched.told
    assert "claude" in line
    watched.troubles.refused(ModelFailed(status=402, fault=ModelFault.NO_CREDIT), backend="codex")
    watched.troubles.answered(backend="claude")
    assert ["codex" in watched.told[1], "claude" in watched.told[2]] == [True, True]
