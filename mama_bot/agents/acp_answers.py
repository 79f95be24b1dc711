"""What an agent is asked over the Agent Client Protocol, and what its answer to a prompt means."""

from collections.abc import Mapping, Sequence
from typing import Any

from mama_bot.agents.attachment_desk import LaidOut, text_of
from mama_bot.errors import ModelFailed
from mama_bot.model import Prompt, Usage

FAILED_THREAD = "systemError"  # Codex tells by it that its model's service failed, and why as words of the agent
NAMES = (("inputTokens", "outputTokens"), ("input_tokens", "output_tokens"))


def prompt_blocks(prompt: Prompt, laid_out: LaidOut, *, before: Sequence[str]) -> list[dict[str, Any]]:
    """Return a prompt in the form of the protocol: the images, then the words."""
    text = "\n\n".join((*(words for words in before if words), text_of(prompt, laid_out)))
    sources = [image.block["source"] for image in laid_out.images]
    shown = [{"type": "image", "mimeType": source["media_type"], "data": source["data"]} for source in sources]
    return [*shown, {"type": "text", "text": text}]


def thread_status(update: Mapping[str, Any]) -> str:
    """Return what Codex tells of its thread; "" where an update tells nothing of one."""
    told: object = update.get("_meta")
    for name in ("codex", "threadStatus", "type"):
        told = told.get(name) if isinstance(told, Mapping) else None
    return told if isinstance(told, str) else ""


def is_cut_short(answer: Mapping[str, Any], text: str) -> bool:
    """Return whether the model ran into its limit of tokens; raises ModelFailed for no answer."""
    reason = str(answer.get("stopReason") or "")
    if reason == "max_turn_requests":
        raise ModelFailed(status=None, reason="the agent used up its steps without an answer")
    if not text.strip():
        refused = "the model refused to answer" if reason == "refusal" else "the model gave an empty reply"
        raise ModelFailed(status=None, reason=refused)
    return reason == "max_tokens"


def usage_of(answer: Mapping[str, Any], cost_usd: float) -> Usage:
    """Return what a prompt took, by its answer; zeros where the agent does not tell."""
    notes = answer.get("_meta")
    quota = notes.get("quota") if isinstance(notes, Mapping) else None
    counts = quota.get("token_count") if isinstance(quota, Mapping) else None
    for told in (answer.get("usage"), counts):
        if isinstance(told, Mapping):
            for read, written in NAMES:
                if read in told or written in told:
                    return Usage(
                        input_tokens=_count(told.get(read)), output_tokens=_count(told.get(written)), cost_usd=cost_usd
                    )
    return Usage(cost_usd=cost_usd)


def cost_of(update: Mapping[str, Any]) -> float | None:
    """Return what a session has cost so far, in US dollars; None where an update does not tell."""
    cost = update.get("cost")
    if not isinstance(cost, Mapping) or cost.get("currency") != "USD":
        return None
    amount = cost.get("amount")
    return float(amount) if isinstance(amount, int | float) else None


def _count(told: object) -> int:
    return told if isinstance(told, int) and told > 0 else 0
