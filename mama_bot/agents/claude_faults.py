"""Why the CLI has no answer: what is the matter with the model's service, told apart by what the CLI says of it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mama_bot.errors import AgentError, AgentInterrupted, LoginRefused, ModelFailed, SessionTooLarge
from mama_bot.model import ModelRetried
from mama_bot.model_faults import ModelFault, fault_of_status

if TYPE_CHECKING:
    from claude_agent_sdk import ResultMessage

# What the CLI calls an error, of a message that it wrote itself in place of the model's.
_BY_NAME = {
    "rate_limit": ModelFault.RATE_LIMITED,
    "overloaded": ModelFault.OVERLOADED,
    "billing_error": ModelFault.NO_CREDIT,
    "model_not_found": ModelFault.UNKNOWN_MODEL,
    "max_output_tokens": ModelFault.CUT_OFF,
}
_BY_SUBTYPE = {"error_max_turns": ModelFault.STEPS_SPENT, "error_max_budget_usd": ModelFault.BUDGET_SPENT}
_LOGIN = "authentication_failed"
# Of a context that is full while it writes the CLI tells by these words alone.
_CONTEXT_IS_FULL = "context window"


def failure(result: "ResultMessage", *, backend: str, error: str = "") -> AgentError | None:
    """Return why a result is no answer; None when its text may be judged.

    `error` is what the CLI called the last trouble of the model's service that it told of.
    """
    status, text = result.api_error_status, (result.result or "").strip()
    reason = text or "; ".join(result.errors or ()) or result.terminal_reason or result.subtype
    if (result.terminal_reason or "").startswith("aborted"):
        return AgentInterrupted()
    if result.subtype != "success":
        return ModelFailed(status=status, reason=reason, fault=_BY_SUBTYPE.get(result.subtype, ModelFault.OTHER))
    if not result.is_error and result.terminal_reason in {None, "completed"}:
        return None if text else ModelFailed(status=status, fault=ModelFault.EMPTY)
    if error == _LOGIN:
        return LoginRefused(backend=backend, reason=reason)
    fault = _fault(result, error)
    if fault is ModelFault.TOO_LARGE:
        return SessionTooLarge(status=status, reason=reason)
    return ModelFailed(status=status, reason=reason, fault=fault)


def retried(data: Mapping[str, Any], *, backend: str) -> ModelRetried:
    """Return what the CLI tells of a request that it makes again: "api_retry"."""
    told, attempt, delay = data.get("error_status"), data.get("attempt"), data.get("retry_delay_ms")
    status, error = told if isinstance(told, int) else None, str(data.get("error") or "")
    return ModelRetried(
        attempt=attempt if isinstance(attempt, int) else 0,
        status=status,
        trouble=_trouble(status, error, backend=backend),
        wait_seconds=delay / 1000 if isinstance(delay, int | float) else 0.0,
        error=error,
    )


def exhausted(last: ModelRetried, *, longest: float) -> AgentError:
    """Return why a service is not asked again, from what the CLI told of its last attempt.

    How long the service asks to wait is named where it is more than `longest` seconds.
    """
    trouble = last.trouble
    if not isinstance(trouble, ModelFailed) or last.wait_seconds <= longest:
        return trouble
    return ModelFailed(
        status=last.status, reason=last.error, fault=trouble.fault, retry_after_seconds=last.wait_seconds
    )


def _trouble(status: int | None, error: str, *, backend: str) -> AgentError:
    if error == _LOGIN:
        return LoginRefused(backend=backend, reason=f"status {status}")
    return ModelFailed(status=status, reason=error, fault=_BY_NAME.get(error) or fault_of_status(status))


def _fault(result: "ResultMessage", error: str) -> ModelFault:
    if result.stop_reason == "refusal":
        return ModelFault.REFUSED
    full = error == "max_output_tokens" and _CONTEXT_IS_FULL in (result.result or "")
    if full or result.terminal_reason == "prompt_too_long" or result.api_error_status == 413:
        return ModelFault.TOO_LARGE
    if error in _BY_NAME:
        return _BY_NAME[error]
    if result.terminal_reason not in {None, "api_error", "completed"}:
        return ModelFault.OTHER  # a limit or a hook of the CLI's own
    return fault_of_status(result.api_error_status)
