"""The figures of the metrics, added up by the database: however long the period, few rows come back."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from mama_bot.model import AgentMeasures, Goal, GoalMeasure, Measures, Objections, Percentiles, RetrySpending, Share
from mama_bot.store.codec import REPORT, instant
from mama_bot.store.connection import Connection, Row, Statement
from mama_bot.store.database import Database

_PERIOD = "at >= :since AND at < :until"
_POSTED = "outcome = 'cleared'"
_TO_AGENT = "audience = 'agent'"
# "verified" alone is no evidence (see the review gate): 2 is a named check.
_UNPROVEN = "approval = 1 AND evidence < 2"
_UNSUPPORTED = "completion_claimed = 1 AND completion_supported = 0"
_SENT_BACK = "outcome = 'sent_back'"
_TOLD = "(tokens > 0 OR cost_usd > 0)"

_DRAFTS = Statement(
    f"""
    SELECT persona,
           count(*) AS drafts,
           count(*) FILTER (WHERE {_POSTED} AND verdict = 'passed') AS passed,
           count(*) FILTER (WHERE {_POSTED} AND verdict = 'noted') AS noted,
           count(*) FILTER (WHERE {_POSTED} AND verdict = 'needs_review') AS needs_review,
           count(*) FILTER (WHERE {_SENT_BACK}) AS sent_back,
           count(*) FILTER (WHERE outcome = 'withheld') AS withheld,
           count(*) FILTER (WHERE attempt > 0) AS retries,
           COALESCE(sum(tokens), 0) AS tokens,
           COALESCE(sum(cost_usd), 0) AS cost_usd,
           COALESCE(sum(tokens) FILTER (WHERE {_SENT_BACK}), 0) AS retry_tokens,
           COALESCE(sum(cost_usd) FILTER (WHERE {_SENT_BACK}), 0) AS retry_cost,
           count(*) FILTER (WHERE {_SENT_BACK} AND {_TOLD}) AS retry_known,
           count(*) FILTER (WHERE {_SENT_BACK} AND NOT {_TOLD}) AS retry_unknown,
           COALESCE(sum(empty_characters) FILTER (WHERE {_TO_AGENT}), 0) AS empty,
           COALESCE(sum(prose_characters) FILTER (WHERE {_TO_AGENT}), 0) AS prose,
           COALESCE(sum(empty_characters) FILTER (WHERE {_TO_AGENT} AND {_POSTED}), 0) AS empty_posted,
           COALESCE(sum(prose_characters) FILTER (WHERE {_TO_AGENT} AND {_POSTED}), 0) AS prose_posted,
           count(*) FILTER (WHERE {_UNPROVEN}) AS unproven,
           count(*) FILTER (WHERE approval = 1) AS approvals,
           count(*) FILTER (WHERE {_UNPROVEN} AND {_POSTED}) AS unproven_posted,
           count(*) FILTER (WHERE approval = 1 AND {_POSTED}) AS approvals_posted,
           count(*) FILTER (WHERE {_UNSUPPORTED}) AS unsupported,
           count(*) FILTER (WHERE completion_claimed = 1) AS claims,
           count(*) FILTER (WHERE {_UNSUPPORTED} AND {_POSTED}) AS unsupported_posted,
           count(*) FILTER (WHERE completion_claimed = 1 AND {_POSTED}) AS claims_posted,
           COALESCE(sum(claims), 0) AS checked_claims,
           COALESCE(sum(claims_unsupported + claims_contradicted), 0) AS false_claims,
           COALESCE(sum(claims) FILTER (WHERE {_POSTED}), 0) AS checked_claims_posted,
           COALESCE(sum(claims_unsupported + claims_contradicted) FILTER (WHERE {_POSTED}), 0) AS false_claims_posted
    FROM measured_attempts WHERE {_PERIOD} GROUP BY persona
    """  # noqa: S608 - constants
)
_DELEGATIONS = Statement(
    f"""
    SELECT persona,
           count(*) AS delegations,
           sum(retries) AS retries,
           count(*) FILTER (WHERE drafted = 1) AS violated,
           count(drafted) AS scoped,
           count(*) FILTER (WHERE posted = 1) AS violated_posted,
           count(posted) AS scoped_posted
    FROM (SELECT persona, turn_id,
                 count(*) FILTER (WHERE attempt > 0) AS retries,
                 max(scope_violated) AS drafted,
                 max(scope_violated) FILTER (WHERE {_POSTED}) AS posted
          FROM measured_attempts WHERE kind = 'delegation' AND {_PERIOD} GROUP BY turn_id, persona) AS delegated
    GROUP BY persona
    """  # noqa: S608 - constants
)
_OBJECTIONS = Statement(
    f"""
    SELECT persona, stage, rule, effect, observed, count(*) AS number FROM objections WHERE {_PERIOD}
    GROUP BY persona, stage, rule, effect, observed ORDER BY count(*) DESC, stage, rule
    """  # noqa: S608 - constants
)
_REPORTED = Statement(
    """
    SELECT measured.persona AS persona, reports.body AS body FROM reports
    JOIN measured_attempts AS measured ON measured.turn_id = reports.turn_id AND measured.attempt = reports.attempt
    WHERE reports.state <> 'dismissed' AND measured.outcome = 'cleared'
      AND measured.at >= :since AND measured.at < :until
    """
)
_STATES = Statement(
    """
    SELECT persona, state, count(*) AS number FROM turns WHERE ended_at >= :since AND ended_at < :until
    GROUP BY persona, state ORDER BY state
    """
)


def _percentiles(durations: str, *, of: str) -> str:
    """Return the query for nearest-rank percentiles of durations, for each persona or, with `''`, for all together."""
    return f"""
        SELECT name AS persona, max(number) AS number,
               min(duration) FILTER (WHERE rank * 100 >= number * 50) AS p50,
               min(duration) FILTER (WHERE rank * 100 >= number * 95) AS p95
        FROM (SELECT {of} AS name, duration,
                     row_number() OVER (PARTITION BY {of} ORDER BY duration) AS rank,
                     count(*) OVER (PARTITION BY {of}) AS number
              FROM ({durations}) AS turns_of) AS ranked
        GROUP BY name
        """  # noqa: S608 - constants


_SECONDS = """
    SELECT persona, (julianday(ended_at) - julianday(started_at)) * 86400 AS duration FROM turns
    WHERE state IN ('answered', 'withheld') AND started_at IS NOT NULL AND ended_at >= :since AND ended_at < :until
    """
_CHAIN = f"SELECT persona, chain_milliseconds AS duration FROM measured_attempts WHERE {_PERIOD}"  # noqa: S608 - a constant
_SECONDS_PERCENTILES = tuple(Statement(_percentiles(_SECONDS, of=of)) for of in ("persona", "''"))
_CHAIN_PERCENTILES = tuple(Statement(_percentiles(_CHAIN, of=of)) for of in ("persona", "''"))

EVERYONE = ""


class StoredMeasures:
    """The `Measurements` of the database."""

    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def measure(self, *, since: datetime, until: datetime) -> Measures:
        """See `Measurements.measure`; attempts count by when they were judged, turns by when they ended."""
        period = {"since": instant(since), "until": instant(until)}
        drafts = {row.persona: row for row in await self._rows(_DRAFTS, period)}
        scopes = {row.persona: row for row in await self._rows(_DELEGATIONS, period)}
        objections = await self._rows(_OBJECTIONS, period)
        states = await self._rows(_STATES, period)
        missed = await self._database.read(lambda connection: _missed(connection, period))
        seconds = [row for query in _SECONDS_PERCENTILES for row in await self._rows(query, period)]
        chain = [row for query in _CHAIN_PERCENTILES for row in await self._rows(query, period)]
        return _measures(since, until, drafts, scopes, objections, states, missed, _by_name(seconds), _by_name(chain))

    async def _rows(self, query: Statement, facts: Mapping[str, Any]) -> Sequence[Row]:
        # Each query is a unit of its own: whoever else reads waits for one of them at most, not for all.
        return await self._database.read(lambda connection: connection.execute(query, facts).all())


def _missed(connection: Connection, period: Mapping[str, Any]) -> Mapping[str, int]:
    """Return how many drafts people reported as missed, by persona: with the database's work, for reports are long."""
    rows = connection.execute(_REPORTED, period).all()
    return Counter(row.persona for row in rows if REPORT.load(row.body).missed)


def _measures(
    since: datetime,
    until: datetime,
    drafts: Mapping[str, Row],
    scopes: Mapping[str, Row],
    objections: Sequence[Row],
    states: Sequence[Row],
    missed: Mapping[str, int],
    seconds: Mapping[str, Percentiles],
    chain: Mapping[str, Percentiles],
) -> Measures:
    names = sorted({*drafts, *(row.persona for row in states)} - {EVERYONE})

    def of(*personas: str, name: str) -> AgentMeasures:
        own = set(personas)
        return _agent(
            name,
            [row for persona, row in drafts.items() if persona in own],
            [row for persona, row in scopes.items() if persona in own],
            objections=_objections([row for row in objections if row.persona in own]),
            turns=_states([row for row in states if row.persona in own]),
            missed=sum(count for persona, count in missed.items() if persona in own),
            seconds=seconds.get(name, Percentiles()),
            chain_milliseconds=chain.get(name, Percentiles()),
        )

    return Measures(
        since=since, until=until, total=of(*names, name=EVERYONE), agents=tuple(of(name, name=name) for name in names)
    )


def _agent(
    name: str,
    drafts: Sequence[Row],
    delegations: Sequence[Row],
    *,
    objections: tuple[Objections, ...],
    turns: tuple[tuple[str, int], ...],
    missed: int,
    seconds: Percentiles,
    chain_milliseconds: Percentiles,
) -> AgentMeasures:
    def sum_of(column: str) -> int:
        return sum(int(getattr(row, column)) for row in drafts)

    return AgentMeasures(
        persona=name,
        turns=turns,
        drafts=sum_of("drafts"),
        passed=sum_of("passed"),
        noted=sum_of("noted"),
        needs_review=sum_of("needs_review"),
        sent_back=sum_of("sent_back"),
        withheld=sum_of("withheld"),
        missed=missed,
        retries=sum_of("retries"),
        tokens=sum_of("tokens"),
        cost_usd=sum(row.cost_usd for row in drafts),
        objections=objections,
        seconds=seconds,
        chain_milliseconds=chain_milliseconds,
        retry_spending=RetrySpending(
            tokens=sum_of("retry_tokens"),
            cost_usd=sum(row.retry_cost for row in drafts),
            known=sum_of("retry_known"),
            unknown=sum_of("retry_unknown"),
        ),
        goals=(
            _goal(Goal.FLATTERY, drafts, "empty", "prose"),
            _goal(Goal.EMPTY_APPROVALS, drafts, "unproven", "approvals"),
            _goal(Goal.SCOPE_VIOLATIONS, delegations, "violated", "scoped"),
            _goal(Goal.UNVERIFIED_COMPLETIONS, drafts, "unsupported", "claims"),
            _goal(Goal.FALSE_CLAIMS, drafts, "false_claims", "checked_claims"),
            GoalMeasure(goal=Goal.RETRIES, drafts=_share(delegations, "retries", "delegations")),
        ),
    )


def _goal(goal: Goal, rows: Sequence[Row], part: str, whole: str) -> GoalMeasure:
    """Return what the columns `part` and `whole` say of all drafts, `part_posted` and `whole_posted` of posted ones."""
    posted = _share(rows, f"{part}_posted", f"{whole}_posted")
    return GoalMeasure(goal=goal, drafts=_share(rows, part, whole), posted=posted)


def _share(rows: Sequence[Row], part: str, whole: str) -> Share:
    return sum((Share(part=getattr(row, part), whole=getattr(row, whole)) for row in rows), start=Share())


def _by_name(rows: Iterable[Row]) -> dict[str, Percentiles]:
    return {row.persona: Percentiles(count=row.number, p50=row.p50, p95=row.p95) for row in rows}


def _objections(rows: Iterable[Row]) -> tuple[Objections, ...]:
    counts: dict[tuple[str, str, str, bool], int] = {}
    for row in rows:
        what = (row.stage, row.rule, row.effect, bool(row.observed))
        counts[what] = counts.get(what, 0) + row.number
    ordered = sorted(counts.items(), key=lambda item: (item[0][3], -item[1], item[0]))
    return tuple(
        Objections(stage=stage, rule=rule, effect=effect, observed=observed, count=count)
        for (stage, rule, effect, observed), count in ordered
    )


def _states(rows: Iterable[Row]) -> tuple[tuple[str, int], ...]:
    counts: dict[str, int] = {}
    for row in rows:
        counts[row.state] = counts.get(row.state, 0) + row.number
    return tuple(sorted(counts.items()))
