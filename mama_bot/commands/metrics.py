"""The metrics for a person at a terminal."""

import json
from collections.abc import Iterator
from datetime import timedelta

from mama_bot.app.configuration import Configuration
from mama_bot.app.system_clock import SystemClock
from mama_bot.commands.kept_store import existing
from mama_bot.gateways.web.metric_views import measures_view
from mama_bot.model import AgentMeasures, Goal, GoalMeasure, Measures, Percentiles, RetrySpending, Share

NO_DATA = "no data"
NAMES = {
    Goal.FLATTERY: "flattery between agents (characters)",
    Goal.EMPTY_APPROVALS: "approvals without evidence",
    Goal.SCOPE_VIOLATIONS: "scope violations per delegation",
    Goal.UNVERIFIED_COMPLETIONS: "completions without verification",
    Goal.FALSE_CLAIMS: "claims that the record does not show",
    Goal.RETRIES: "retries per delegation",
}
EFFECTS = {"sent_back": "sent back", "withheld": "withheld", "noted": "noted", "needs_review": "needs review"}


async def metrics_report(configuration: Configuration, *, days: int, as_json: bool) -> Iterator[str]:
    """Yield the figures of the last days, as lines; raises StoreUnavailable."""
    until = SystemClock().now()
    async with existing(configuration) as store:
        measures = await store.measures.measure(since=until - timedelta(days=days), until=until)
    if as_json:
        return iter([json.dumps(measures_view(measures), ensure_ascii=False, indent=2)])
    return metric_lines(measures, days)


def metric_lines(measures: Measures, days: int) -> Iterator[str]:
    """Yield the figures as lines: everyone, then each persona."""
    period = "day" if days == 1 else f"{days} days"
    yield f"The last {period}, until {measures.until.astimezone().strftime('%Y-%m-%d %H:%M')}."
    agents = measures.agents if len(measures.agents) > 1 else ()
    for agent in (measures.total, *agents):
        yield ""
        yield agent.persona or "Everyone"
        yield from _agent(agent)


def _agent(agent: AgentMeasures) -> Iterator[str]:
    turns = ", ".join(f"{count} {state}" for state, count in agent.turns)
    yield f"  turns         {turns or NO_DATA}"
    yield f"  drafts        {_drafts(agent)}"
    if agent.missed:
        yield f"  missed        {agent.missed} of those that passed, by people's reports"
    yield f"  retries       {_retries(agent.retry_spending, agent.retries) if agent.drafts else NO_DATA}"
    yield f"  turn time     {_times(agent.seconds, 's')}"
    yield f"  chain time    {_times(agent.chain_milliseconds, 'ms')}"
    for objections in agent.objections:
        watched = " (only watched)" if objections.observed else ""
        effect = EFFECTS.get(objections.effect, objections.effect)
        yield f"  {objections.count:>5} x       {objections.stage}/{objections.rule}: {effect}{watched}"
    yield f"  {'goal':<38} {'target':>8}  {'drafts':<26}posted"
    for goal in agent.goals:
        drafts, posted = _share(goal, goal.drafts), "" if goal.posted is None else _share(goal, goal.posted)
        target = f"< {_figure(goal, goal.target)}"
        yield f"  {NAMES[goal.goal]:<38} {target:>8}  {drafts:<26}{posted}".rstrip()


def _drafts(agent: AgentMeasures) -> str:
    if not agent.drafts:
        return NO_DATA
    parts = (
        (agent.passed, "passed"),
        (agent.noted, "noted"),
        (agent.needs_review, "posted as needs review"),
        (agent.sent_back, "sent back"),
        (agent.withheld, "withheld"),
    )
    return f"{agent.drafts}: " + ", ".join(f"{count} {name}" for count, name in parts if count)


def _retries(spent: RetrySpending, retries: int) -> str:
    parts = [str(retries)]
    if spent.known:
        cost = f" ({_dollars(spent.cost_usd)})" if spent.cost_usd else ""
        parts.append(f"{spent.tokens:,} tokens{cost} for drafts that were sent back")
    if spent.unknown:
        parts.append(f"usage unknown of {spent.unknown} sent back")
    return "; ".join(parts)


def _dollars(cost: float) -> str:
    return f"${cost:.2f}" if cost >= 0.01 else "< $0.01"


def _times(times: Percentiles, unit: str) -> str:
    if times.p50 is None or times.p95 is None:
        return NO_DATA
    return f"p50 {_number(times.p50)} {unit}, p95 {_number(times.p95)} {unit}"


def _number(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:,.0f}"


def _share(measure: GoalMeasure, share: Share) -> str:
    if share.value is None:
        return NO_DATA
    state = "" if share.value < measure.target else " above"
    return f"{_figure(measure, share.value)} ({share.part:,.0f}/{share.whole:,.0f}){state}"


def _figure(measure: GoalMeasure, value: float) -> str:
    return f"{value:.2f}" if measure.goal is Goal.RETRIES else f"{value * 100:.1f} %"
