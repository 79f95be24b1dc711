"""With which of its backends a persona works."""

from dataclasses import replace
from datetime import timedelta

import pytest

from mama_bot.config import PoolSettings
from mama_bot.errors import (
    AgentCrashed,
    AgentError,
    AgentInterrupted,
    AgentUnavailable,
    LoginRefused,
    ModelFailed,
    PersonaRests,
    PoolExhausted,
)
from mama_bot.metrics import Metrics
from mama_bot.model import AgentPersona
from mama_bot.model_faults import ModelFault
from mama_bot.turns.backend_choices import BackendChoices, is_out_of_order
from mama_bot.wording import Language
from tests.turns.test_agent_troubles import HandClock
from tests.turns.test_in_turn import TURN

PERSONA = AgentPersona(
    name="developer", display_name="D", prompt="x", fallbacks=("acp", "codex"), command="goose acp", model="opus"
)
EXPIRED = LoginRefused(backend="claude", reason="expired")


def choices(clock: HandClock) -> BackendChoices:
    return BackendChoices(settings=PoolSettings(start_rest_seconds=60), clock=clock, metrics=Metrics())


def after(clock: HandClock, seconds: float) -> None:
    clock.time += timedelta(seconds=seconds)


def test_the_first_one_is_tried_again_after_a_rest_that_grows_with_each_failure() -> None:
    clock = HandClock()
    known = choices(clock)
    assert known.passes_on(PERSONA, known.chosen(PERSONA), EXPIRED, worked=False)
    assert known.chosen(PERSONA).backend == "acp"
    after(clock, 61)
    first = known.chosen(PERSONA)
    assert first.backend == "claude"
    assert known.passes_on(PERSONA, first, EXPIRED, worked=False)
    after(clock, 61)
    assert known.chosen(PERSONA).backend == "acp", "twice as long"
    after(clock, 60)
    first = known.chosen(PERSONA)
    known.answered(PERSONA, first, TURN)
    assert known.passes_on(PERSONA, first, EXPIRED, worked=False)
    after(clock, 61)
    assert known.chosen(PERSONA).backend == "claude", "once it was well a rest is short again"


def test_a_turn_that_every_one_failed_goes_to_none_a_second_time() -> None:
    known = choices(HandClock())
    passed = []
    for backend in PERSONA.backends:
        working = known.chosen(PERSONA)
        assert working.backend == backend
        passed.append(known.passes_on(PERSONA, working, PersonaRests(failures=5, seconds=9), worked=False))
    assert passed == [True, True, False]


def test_a_service_that_asks_to_wait_is_left_alone_as_long() -> None:
    clock = HandClock()
    known = choices(clock)
    busy = ModelFailed(status=429, fault=ModelFault.RATE_LIMITED, retry_after_seconds=3600)
    assert known.passes_on(PERSONA, known.chosen(PERSONA), busy, worked=True)
    after(clock, 3599)
    assert known.chosen(PERSONA).backend == "acp"
    after(clock, 2)
    assert known.chosen(PERSONA).backend == "claude"


def test_model_and_command_go_with_the_backend_that_they_are_of_and_another_persona_chooses_for_itself() -> None:
    known = choices(HandClock())
    chosen = []
    for _ in range(3):
        chosen.append(known.chosen(PERSONA))
        known.passes_on(PERSONA, chosen[-1], PersonaRests(failures=5, seconds=9), worked=False)
    assert [(each.backend, each.model, each.command) for each in chosen] == [
        ("claude", "opus", ""),
        ("acp", None, "goose acp"),
        ("codex", None, ""),
    ]
    assert known.chosen(PERSONA).backend == "claude", "where none is well the first one is asked"
    assert known.chosen(replace(PERSONA, name="lead")).backend == "claude"


def test_a_conversation_is_told_once_of_each_change_in_its_language() -> None:
    known = choices(HandClock())
    first = known.chosen(PERSONA)
    assert known.begins(PERSONA, first, TURN) is None
    assert known.answered(PERSONA, first, TURN) is None
    known.passes_on(PERSONA, first, EXPIRED, worked=False)
    second = known.chosen(PERSONA)
    change = known.begins(PERSONA, second, TURN)
    assert change is not None
    assert "claude" in change.sentence.to(Language.ENGLISH)
    assert "만료" in change.sentence.to(Language.KOREAN)
    assert known.begins(PERSONA, second, TURN) is None
    assert known.answered(PERSONA, second, TURN) is None
    back = known.answered(PERSONA, first, TURN)
    assert back is not None
    assert known.answered(PERSONA, first, TURN) is None


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ModelFailed(status=529, fault=ModelFault.OVERLOADED), True),
        (ModelFailed(status=402, fault=ModelFault.NO_CREDIT), True),
        (ModelFailed(status=None, fault=ModelFault.REFUSED), False),
        (AgentUnavailable(backend="claude", reason="there is no claude", remedy="Install it."), True),
        (AgentUnavailable(backend="any", reason="the service is stopping", remedy="Ask again."), False),
        (AgentInterrupted(), False),
        (PoolExhausted(size=1, waited_seconds=1), False),
    ],
)
def test_what_another_one_could_do_better_is_told_from_what_it_could_not(error: AgentError, expected: bool) -> None:
    assert is_out_of_order(error, "claude", worked=False) is expected
    only = replace(PERSONA, fallbacks=())
    known = choices(HandClock())
    assert not known.passes_on(only, known.chosen(only), error, worked=False)


def test_an_agent_that_is_lost_at_work_is_no_reason_for_another_one() -> None:
    lost = AgentCrashed(returncode=9)
    assert is_out_of_order(lost, "claude", worked=False)
    assert not is_out_of_order(lost, "claude", worked=True)
