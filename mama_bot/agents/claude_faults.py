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


def retried(data: Mapping[str, Any]) -> ModelRetried:
    """Return what the CLI tells of a request that it makes again: "api_retry"."""
    status, attempt, delay = data.get("error_status"), data.get("attempt"), data.get("retry_delay_ms")
    return ModelRetried(
        attempt=attempt if isinstance(attempt, int) else 0,
        status=status if isinstance(status, int) else None,
        wait_seconds=delay / 1000 if isinstance(delay, int | float) else 0.0,
        error=str(data.get("error") or ""),
    )


def exhausted(last: ModelRetried, *, backend: str, longest: float) -> AgentError:
    """Return why a service is not asked again, from what the CLI told of its last attempt.

    How long the service asks to wait is named where it is more than `longest` seconds.
    """
    if last.error == _LOGIN:
        return LoginRefused(backend=backend, reason=f"status {last.status}")
    fault = _BY_NAME.get(last.error) or fault_of_status(last.status)
    wait = last.wait_seconds if last.wait_seconds > longest else None
    return ModelFailed(status=last.status, reason=last.error, fault=fault, retry_after_seconds=wait)


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
