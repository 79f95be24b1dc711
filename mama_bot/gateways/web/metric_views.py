"""The metrics as JSON, for the page and for programs."""

from dataclasses import asdict

from mama_bot.metrics import Metrics
from mama_bot.model import AgentMeasures, GoalMeasure, Measures, Share

Json = dict[str, object]


def measures_view(measures: Measures) -> Json:
    """Return the figures of a period; what there is no data for is null."""
    return {
        "since": measures.since.isoformat(),
        "until": measures.until.isoformat(),
        "total": agent_view(measures.total),
        "agents": [agent_view(agent) for agent in measures.agents],
    }


def counters_view(metrics: Metrics) -> list[Json]:
    """Return what was counted since the service was started, by name and labels."""
    counted = sorted(metrics.snapshot().items())
    return [{"name": name, "labels": dict(labels), "count": count} for (name, labels), count in counted]


def agent_view(agent: AgentMeasures) -> Json:
    """Return the figures of one persona, or of everyone."""
    spent = agent.retry_spending
    return {
        "persona": agent.persona,
        "turns": dict(agent.turns),
        "drafts": agent.drafts,
        "passed": agent.passed,
        "noted": agent.noted,
        "needs_review": agent.needs_review,
        "sent_back": agent.sent_back,
        "withheld": agent.withheld,
        "missed": agent.missed,
        "retries": agent.retries,
        "tokens": agent.tokens,
        "cost_usd": agent.cost_usd,
        "objections": [asdict(objections) for objections in agent.objections],
        "seconds": asdict(agent.seconds),
        "chain_milliseconds": asdict(agent.chain_milliseconds),
        "retry_spending": {
            "tokens": spent.tokens if spent.known else None,
            "cost_usd": spent.cost_usd if spent.known else None,
            "attempts": spent.known,
            "attempts_without_usage": spent.unknown,
        },
        "goals": [_goal(goal) for goal in agent.goals],
    }


def _goal(measure: GoalMeasure) -> Json:
    return {
        "goal": measure.goal.value,
        "target": measure.target,
        "drafts": _share(measure.drafts),
        "posted": None if measure.posted is None else _share(measure.posted),
    }


def _share(share: Share) -> Json:
    return {"value": share.value, "part": share.part, "whole": share.whole}
