"""What whoever runs the service does with reports: list, look, accept, dismiss; also while the service runs."""

import json
import uuid
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import assert_never

from mama_bot.app.clock import SystemClock
from mama_bot.app.configuration import Configuration
from mama_bot.app.service import DATABASE_NAME
from mama_bot.app.whitelist import additions_of, write
from mama_bot.config import Settings
from mama_bot.enforcement.response_validator import ResponseValidator
from mama_bot.enforcement.review_gate import ReviewGate
from mama_bot.errors import StoreUnavailable
from mama_bot.model import (
    Allow,
    Amend,
    Block,
    Cleared,
    Decision,
    Draft,
    Outcome,
    Report,
    ReportState,
    SentBack,
    StageVerdict,
    Withheld,
)
from mama_bot.protocols import Stage
from mama_bot.store import Store, open_store, sqlite_url
from mama_bot.store.codec import REPORT
from mama_bot.store.reports import refuse_settled

LISTED = 500
QUOTED_CHARACTERS = 100


async def list_reports(configuration: Configuration, *, settled: bool, as_json: bool) -> Iterator[str]:
    """The reports, newest first, as lines: the open ones, with `settled` all that fit."""
    async with opened(configuration) as store:
        found = [] if store is None else await store.reports.reports(settled=settled, limit=LISTED)
    if as_json:
        return iter([json.dumps([_plain(report) for report in found], ensure_ascii=False, indent=2)])
    return _listing(found, settled=settled)


async def show_report(configuration: Configuration, number: int, *, as_json: bool) -> Iterator[str]:
    """One report with the judged text; raises ReportRefused."""
    async with existing(configuration) as store:
        report = await store.reports.report(number)
    if as_json:
        return iter([json.dumps(_plain(report), ensure_ascii=False, indent=2)])
    return _whole(report)


async def accept_report(
    configuration: Configuration, file: Path, number: int, *, phrases: Sequence[str] = (), stage: str = ""
) -> Sequence[str]:
    """Whitelist what an open report is about, settle it, and say what was done.

    Raises ReportRefused, or ConfigurationError when the file cannot be written: the report is open then.
    """
    async with existing(configuration) as store:
        report = await store.reports.report(number)
        refuse_settled(report)
        additions = additions_of(report, phrases=phrases, stage=stage)
        settings = write(file, additions, settings=configuration.settings, environment=configuration.environment)
        entries = [entry for addition in additions for entry in addition.entries]
        await store.reports.settle(number, ReportState.ACCEPTED, whitelisted=entries)
    lines = [f"Report {number} is accepted. In {file}:"]
    for addition in additions:
        known = getattr(configuration.settings.enforcement, addition.stage).whitelist
        for entry in addition.entries:
            already = " (was there already)" if entry in known else ""
            lines.append(f"  {'.'.join(addition.path)}: {entry}{already}")
    lines += [await _judged_again(report, addition.stage, settings) for addition in additions]
    return [*lines, "A service that runs takes this up when it is started again."]


async def dismiss_report(configuration: Configuration, number: int) -> Sequence[str]:
    """Settle an open report without any change, and say so; raises ReportRefused."""
    async with existing(configuration) as store:
        await store.reports.settle(number, ReportState.DISMISSED)
    return [f"Report {number} is dismissed; the configuration was not changed."]


@asynccontextmanager
async def opened(configuration: Configuration) -> AsyncIterator[Store | None]:
    """The store of a configuration, beside a service that may be using it; None when there is none yet."""
    settings = configuration.settings
    url = settings.store.url.get_secret_value() if settings.store.url else None
    if url is None:
        file = configuration.directory / DATABASE_NAME
        if not file.exists():
            yield None
            return
        url = sqlite_url(file)
    async with open_store(
        url,
        life=uuid.uuid4().hex,
        clock=SystemClock(),
        queue=settings.queue,
        violation_threshold=settings.enforcement.scope_guard.violation_threshold,
    ) as store:
        yield store


@asynccontextmanager
async def existing(configuration: Configuration) -> AsyncIterator[Store]:
    """The same; raises StoreUnavailable when there is none."""
    async with opened(configuration) as store:
        if store is None:
            file = configuration.directory / DATABASE_NAME
            raise StoreUnavailable(
                url=str(file),
                reason="it does not exist",
                remedy="Start the service once, or name its configuration with --config (--demo: that of the demo).",
            )
        yield store


async def _judged_again(report: Report, stage: str, settings: Settings) -> str:
    """Whether the reported text would pass a stage with the new settings."""
    enforcement = settings.enforcement
    stages: dict[str, Stage] = {
        "response_validator": ResponseValidator(settings=enforcement.response_validator),
        "review_gate": ReviewGate(settings=enforcement.review_gate),
    }
    draft = Draft(turn_id=report.turn.id, attempt=report.attempt, text=report.text)
    decision = await stages[stage].judge(draft, report.turn)
    if isinstance(decision, Allow):
        return f"The reported text passes {stage} now."
    return (
        f"The reported text still does not pass {stage}: {printable(_reason(decision))} "
        "Add to the whitelist by hand what else is to pass."
    )


def _plain(report: Report) -> object:
    return json.loads(REPORT.dump(report))


def _listing(reports: Sequence[Report], *, settled: bool) -> Iterator[str]:
    which = "report" if settled else "open report"
    if not reports:
        yield f"There are no {which}s."
        return
    yield f"{len(reports)} {which}{'s' if len(reports) > 1 else ''}, newest first:"
    for report in reports:
        yield ""
        yield from _head(report)
    if len(reports) == LISTED:
        yield ""
        yield f"Only the newest {LISTED} are listed."
    yield ""
    yield "mama-bot reports show N | accept N | dismiss N"


def _head(report: Report) -> Iterator[str]:
    became = outcome_words(report.outcome)
    at = report.reported_at.astimezone().strftime("%Y-%m-%d %H:%M")
    state = "" if report.state is ReportState.OPEN else f", {report.state.value}"
    yield f"#{report.number}  {at}{state}  {report.turn.persona}, attempt {report.attempt + 1}, {became}"
    for held in report.objections:
        yield f"    {_objection(held)}"
        for found in _quotes(held)[:3]:
            yield f"      found: {found}"
    note = f": {printable(_line(report.note))}" if report.note else ""
    yield f"    reported by {printable(report.reporter.name)}{note}"
    for entry in report.whitelisted:
        yield f"    whitelisted: {entry}"


def _whole(report: Report) -> Iterator[str]:
    yield from _head(report)
    yield f"    conversation {report.turn.key}, turn {report.turn.id}, for {report.turn.audience.value}"
    yield ""
    yield "The judged text:"
    yield ""
    yield printable(report.text)


def _objection(held: StageVerdict) -> str:
    decision = held.decision
    rule = "" if isinstance(decision, Allow) else f"/{decision.rule}"
    watched = " (only watched)" if held.observed else ""
    return f"{held.stage}{rule}{watched}: {printable(_line(_reason(decision)))}"


def _reason(decision: Decision) -> str:
    match decision:
        case Allow():
            return ""
        case Amend() | Block():
            return decision.reason
        case unexpected:
            assert_never(unexpected)


def _quotes(held: StageVerdict) -> list[str]:
    return [f'"{printable(_line(found.text)[:QUOTED_CHARACTERS])}"' for found in held.decision.findings]


def outcome_words(outcome: Outcome) -> str:
    """What became of an attempt, in words."""
    match outcome:
        case Cleared():
            return {"passed": "posted", "noted": "posted with a note"}.get(outcome.verdict, "posted, needs review")
        case SentBack():
            return "sent back"
        case Withheld():
            return "withheld"
        case unexpected:
            assert_never(unexpected)


def _line(text: str) -> str:
    return " ".join(text.split())


def printable(text: str) -> str:
    """The text without characters that would do something to a terminal."""
    return "".join(letter if letter.isprintable() or letter in "\n\t" else "\ufffd" for letter in text)
