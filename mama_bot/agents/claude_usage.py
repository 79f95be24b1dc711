"""What a running `ask` takes, as its model tells message by message."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mama_bot.agents.record import ToolRecorder
from mama_bot.model import Usage

if TYPE_CHECKING:
    from claude_agent_sdk import ResultMessage

COST_STATE = b'"type":"cost-state"'
# What a token costs, next to one that is read: the same for every model there is.
WRITTEN, INTO_CACHE, FROM_CACHE = 5.0, 1.25, 0.1
# US dollars for a token that is read, until a result of the model told what it really costs: the dear end, so that a
# cap is held rather too early.
FIRST_PRICE = 5e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTokens:
    """Tokens of one message of a model, or of many."""

    read: int = 0
    into_cache: int = 0
    from_cache: int = 0
    written: int = 0

    def __add__(self, other: "ModelTokens") -> "ModelTokens":
        return ModelTokens(
            read=self.read + other.read,
            into_cache=self.into_cache + other.into_cache,
            from_cache=self.from_cache + other.from_cache,
            written=self.written + other.written,
        )

    @property
    def weight(self) -> float:
        """How many tokens that are read would cost the same."""
        return self.read + INTO_CACHE * self.into_cache + FROM_CACHE * self.from_cache + WRITTEN * self.written

    def usage(self, cost_usd: float) -> Usage:
        """Return it as what was used, at a cost."""
        cached = self.into_cache + self.from_cache
        return Usage(
            input_tokens=self.read + cached, output_tokens=self.written, cost_usd=cost_usd, cached_tokens=cached
        )


def told_tokens(usage: Mapping[str, Any]) -> ModelTokens:
    """Return what the API's `usage` counts."""

    def number(name: str) -> int:
        return int(usage.get(name) or 0)

    return ModelTokens(
        read=number("input_tokens"),
        into_cache=number("cache_creation_input_tokens"),
        from_cache=number("cache_read_input_tokens"),
        written=number("output_tokens"),
    )


class ModelPrices:
    """What a read token of each model costs, learned from the CLI's totals; nobody pays where it is not `priced`."""

    def __init__(self, *, priced: bool = True) -> None:
        self.priced = priced
        self._prices: dict[str, float] = {}

    def learn(self, model: str, total: "SessionTotal") -> None:
        """Note what a session with a model cost."""
        if total.count.weight and total.cost_usd > 0:
            self._prices[model] = total.cost_usd / total.count.weight

    def estimate(self, model: str, count: ModelTokens) -> float:
        """Return what tokens of a model cost, as far as is known; never less for want of knowledge."""
        return self._prices.get(model, FIRST_PRICE) * count.weight if self.priced else 0.0


@dataclass(slots=True)
class UsageMeter:
    """Adds up what the messages of one `ask` took, those of subagents included.

    The CLI tells a message before the model has ended it, with the tokens that were read, and what was written behind
    it; of subagents it tells only the former.
    """

    _messages: dict[str, ModelTokens] = field(default_factory=dict)
    _current: dict[str, str] = field(default_factory=dict)

    @property
    def count(self) -> ModelTokens:
        """All of it so far."""
        return sum(self._messages.values(), ModelTokens())

    def read(self, message: object) -> bool:
        """Return whether a message of the CLI told something new."""
        from claude_agent_sdk import AssistantMessage, StreamEvent

        match message:
            case StreamEvent(event={"type": "message_start", "message": {"id": str(known), "usage": dict(usage)}}):
                self._current[message.parent_tool_use_id or ""] = known
                return self._note(known, told_tokens(usage))
            case StreamEvent(event={"type": "message_delta", "usage": dict(usage)}):
                known = self._current.get(message.parent_tool_use_id or "", "")
                return bool(known) and self._note(known, told_tokens(usage))
            case AssistantMessage(message_id=str(known), usage=dict(usage)):
                return self._note(known, told_tokens(usage))
            case _:
                return False

    def _note(self, known: str, count: ModelTokens) -> bool:
        """Take the larger of what was told of a message: each is told several times, more complete each time."""
        before = self._messages.get(known, ModelTokens())
        now = self._messages[known] = ModelTokens(
            read=max(before.read, count.read),
            into_cache=max(before.into_cache, count.into_cache),
            from_cache=max(before.from_cache, count.from_cache),
            written=max(before.written, count.written),
        )
        return now != before


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionTotal:
    """What a session took since it began, by the CLI's own account: over all models, with its subagents."""

    cost_usd: float = 0.0
    count: ModelTokens = ModelTokens()


def total_of(result: "ResultMessage") -> SessionTotal:
    """Return what a session took up to a result."""
    models = {name: dict(usage) for name, usage in (result.model_usage or {}).items()}
    return SessionTotal(cost_usd=result.total_cost_usd or 0.0, count=_over(models))


def total_so_far(config: Path, session_id: str) -> SessionTotal:
    """Return the total that the CLI will start from when it resumes a session.

    The CLI writes its total into the transcript when it ends by itself, and restores the newest one that it finds: what
    was spent between that and a `kill -9` is forgotten by it. Nothing without such a line.
    """
    newest = b""
    for transcript in config.glob(f"projects/*/{session_id}.jsonl"):
        with transcript.open("rb") as lines:
            for line in lines:
                if COST_STATE in line[:200]:
                    newest = line
    try:
        state = json.loads(newest)
        return SessionTotal(cost_usd=float(state["totalCostUSD"]), count=_over(state.get("modelUsage") or {}))
    except (ValueError, KeyError, TypeError, AttributeError):
        return SessionTotal()


def usage(result: "ResultMessage", *, before: SessionTotal, priced: bool = True) -> Usage:
    """Return what this turn alone took, with its subagents; input tokens count those from and for the cache.

    What the CLI calculates for a model that is not `priced` (a scripted one) nobody pays.
    """
    total, own = total_of(result), told_tokens(result.usage or {})
    # What the result tells of the agent itself is the least: the total may have been forgotten by a kill.
    count = ModelTokens(
        read=max(own.read, total.count.read - before.count.read),
        into_cache=max(own.into_cache, total.count.into_cache - before.count.into_cache),
        from_cache=max(own.from_cache, total.count.from_cache - before.count.from_cache),
        written=max(own.written, total.count.written - before.count.written),
    )
    return count.usage(max(0.0, total.cost_usd - before.cost_usd) if priced else 0.0)


class ProcessBill:
    """What one process of a session costs: by the session's total `before` it, the prices, and what it may spend."""

    def __init__(self, *, model: str, before: SessionTotal, prices: ModelPrices, budget_usd: float | None) -> None:
        self._model = model
        self._total = before
        self._cost_at_start = before.cost_usd
        self._prices = prices
        self._budget_usd = budget_usd

    @property
    def nearly_spent(self) -> bool:
        """Whether half of the budget is used."""
        return self._budget_usd is not None and self._total.cost_usd - self._cost_at_start > self._budget_usd / 2

    def so_far(self, count: ModelTokens) -> Usage:
        """Return what tokens of a running turn cost, as far as is known."""
        return count.usage(self._prices.estimate(self._model, count))

    def take(self, result: "ResultMessage") -> Usage:
        """Return what the turn of a result took, and count it in."""
        spent = usage(result, before=self._total, priced=self._prices.priced)
        total = total_of(result)
        self._prices.learn(self._model, total)
        self._total = total if total.cost_usd >= self._total.cost_usd else self._total
        return spent


def _over(models: Mapping[str, Mapping[str, Any]]) -> ModelTokens:
    names = {
        "input_tokens": "inputTokens",
        "cache_creation_input_tokens": "cacheCreationInputTokens",
        "cache_read_input_tokens": "cacheReadInputTokens",
        "output_tokens": "outputTokens",
    }
    counts = (told_tokens({name: model.get(told) for name, told in names.items()}) for model in models.values())
    return sum(counts, ModelTokens())


def note_fallback(message: object, recorder: ToolRecorder, *, model: str | None, fallback: str | None) -> None:
    """Record whether the agent's own message was written by the model that stands in for the one that is set.

    Both may be short names: `haiku` is `claude-haiku-4-5`.
    """
    from claude_agent_sdk import AssistantMessage

    if isinstance(message, AssistantMessage) and not (message.parent_tool_use_id or message.error):
        told = message.model or ""
        stands_in = bool(fallback) and str(fallback) in told and not (model and model in told)
        recorder.written_by_fallback(told if stands_in else "")
