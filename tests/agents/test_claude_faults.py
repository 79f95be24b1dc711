"""Why a result of the CLI is no answer: each fault of the model's service told apart."""

from typing import Any

import pytest
from claude_agent_sdk import ResultMessage

from mama_bot.agents.claude_faults import exhausted, failure, retried
from mama_bot.agents.model_patience import ModelPatience
from mama_bot.errors import AgentError, AgentInterrupted, LoginRefused, ModelFailed, SessionTooLarge
from mama_bot.model import ModelRetried
from mama_bot.model_faults import ModelFault
from mama_bot.wording import Language

API_ERROR = {"is_error": True, "terminal_reason": "api_error", "result": "API Error"}


def result(**fields: Any) -> ResultMessage:
    plain = {"subtype": "success", "is_error": False, "terminal_reason": "completed", "result": "text"}
    numbers = {"duration_ms": 1, "duration_api_ms": 1, "num_turns": 1, "session_id": "s"}
    return ResultMessage(**{**plain, **numbers, **fields})


@pytest.mark.parametrize(
    ("fields", "error", "fault"),
    [
        ({**API_ERROR, "api_error_status": 529}, "server_error", ModelFault.OVERLOADED),
        ({**API_ERROR, "api_error_status": 500}, "server_error", ModelFault.BROKEN),
        ({**API_ERROR, "api_error_status": 429}, "rate_limit", ModelFault.RATE_LIMITED),
        ({**API_ERROR}, "server_error", ModelFault.NO_ANSWER),
        ({**API_ERROR, "api_error_status": 400}, "billing_error", ModelFault.NO_CREDIT),
        ({**API_ERROR, "api_error_status": 402}, "unknown", ModelFault.NO_CREDIT),
        ({**API_ERROR, "api_error_status": 404}, "model_not_found", ModelFault.UNKNOWN_MODEL),
        ({**API_ERROR, "api_error_status": 400}, "invalid_request", ModelFault.OTHER),
        ({**API_ERROR, "stop_reason": "refusal"}, "invalid_request", ModelFault.REFUSED),
        ({**API_ERROR}, "max_output_tokens", ModelFault.CUT_OFF),
        ({"result": ""}, "", ModelFault.EMPTY),
        ({"result": " \n"}, "", ModelFault.EMPTY),
        ({"result": None}, "", ModelFault.EMPTY),
        ({"subtype": "error_max_turns", "is_error": True, "result": None}, "", ModelFault.STEPS_SPENT),
        ({"subtype": "error_max_budget_usd", "is_error": True, "result": None}, "", ModelFault.BUDGET_SPENT),
        ({"terminal_reason": "stop_hook_prevented"}, "", ModelFault.OTHER),
    ],
)
def test_each_fault_of_the_model_is_told_apart(fields: dict[str, Any], error: str, fault: ModelFault) -> None:
    failed = failure(result(**fields), backend="claude", error=error)
    assert isinstance(failed, ModelFailed)
    assert failed.fault is fault


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"terminal_reason": "prompt_too_long", "is_error": True, "api_error_status": 400}, "invalid_request"),
        ({"terminal_reason": "image_error", "is_error": True, "api_error_status": 413}, "invalid_request"),
        ({**API_ERROR, "result": "The model has reached its context window limit."}, "max_output_tokens"),
    ],
)
def test_a_session_that_grew_too_large_is_told_from_other_failures(fields: dict[str, Any], error: str) -> None:
    assert isinstance(failure(result(**fields), backend="claude", error=error), SessionTooLarge)


def test_a_login_that_is_missing_or_has_expired_is_not_the_models_failure() -> None:
    for status in (None, 401, 403):
        refused = result(**API_ERROR, api_error_status=status)
        assert isinstance(failure(refused, backend="claude", error="authentication_failed"), LoginRefused)


def test_an_answer_is_no_failure_also_without_a_terminal_reason() -> None:
    assert failure(result(), backend="claude") is None
    assert failure(result(terminal_reason=None), backend="claude") is None
    # A request that failed and was made again, before the answer.
    assert failure(result(), backend="claude", error="server_error") is None


def test_what_was_aborted_was_stopped() -> None:
    aborted = result(subtype="error_during_execution", terminal_reason="aborted_tools")
    assert isinstance(failure(aborted, backend="claude"), AgentInterrupted)


def test_patience_ends_by_the_count_of_retries_or_by_time_with_what_is_still_to_be_waited_for() -> None:
    def trouble(attempt: int, wait: float) -> ModelRetried:
        return ModelRetried(
            attempt=attempt, status=529, wait_seconds=wait, error="overloaded", trouble=AgentInterrupted()
        )

    patience = ModelPatience(retries=3, seconds=100.0)
    assert [patience.ends(trouble(attempt, 1.0), now=float(attempt)) for attempt in (1, 2, 3, 4)] == [False] * 3 + [
        True
    ]
    patience = ModelPatience(retries=10, seconds=100.0)
    assert not patience.ends(trouble(1, 90.0), now=0.0)
    assert patience.ends(trouble(2, 20.0), now=90.0)
    patience.answered()
    assert not patience.ends(trouble(1, 20.0), now=90.0)


def test_a_try_again_bears_what_its_trouble_is_for_whoever_waits() -> None:
    def trouble(status: int | None, error: str) -> AgentError:
        return retried({"attempt": 1, "error_status": status, "error": error}, backend="claude").trouble

    assert isinstance(trouble(401, "authentication_failed"), LoginRefused)
    credit = trouble(400, "billing_error")  # the name tells more than the status
    assert isinstance(credit, ModelFailed)
    assert credit.fault is ModelFault.NO_CREDIT


@pytest.mark.parametrize(("seconds", "english", "korean"), [(90, "90 seconds", "90초"), (7200, "2 hours", "2시간")])
def test_how_long_the_service_asks_to_wait_is_named_where_that_is_too_long(
    seconds: int, english: str, korean: str
) -> None:
    told = {"attempt": 1, "error_status": 429, "error": "rate_limit", "retry_delay_ms": seconds * 1000}
    error = exhausted(retried(told, backend="claude"), longest=60.0)
    assert isinstance(error, ModelFailed)
    assert error.fault is ModelFault.RATE_LIMITED
    assert english in error.advice.to(Language.ENGLISH)
    assert korean in error.advice.to(Language.KOREAN)
    short = exhausted(retried({**told, "retry_delay_ms": 4000}, backend="claude"), longest=60.0)
    assert "seconds" not in short.advice.to(Language.ENGLISH)
