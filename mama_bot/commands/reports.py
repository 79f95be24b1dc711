"""What whoever runs the service does with reports: list, look, accept, dismiss; also while the service runs."""

import argparse
import json
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from mama_bot.app.configuration import Configuration
from mama_bot.app.system_clock import SystemClock
from mama_bot.commands import sentences as says
from mama_bot.commands.kept_store import existing, opened
from mama_bot.commands.terminal_text import terminal_text
from mama_bot.commands.whitelist import GATE, Addition, additions_of
from mama_bot.config import Settings, accepted_file, add_accepted, with_whitelisted
from mama_bot.enforcement import build_chain
from mama_bot.enforcement.whitelisted_phrases import is_nothing_but_approval
from mama_bot.errors import ConfigurationError, ReportRefused, ReportStaysOpen
from mama_bot.model import (
    Allow,
    Cleared,
    Decision,
    Draft,
    Outcome,
    Report,
    ReportState,
    SentBack,
    StageVerdict,
    ToolRecord,
    Withheld,
)
from mama_bot.store import Store
from mama_bot.store.codec import REPORT
from mama_bot.store.reports import refuse_settled
from mama_bot.trial.trial_chain import NoRepository
from mama_bot.wording import one_line

LISTED = 500
QUOTED_CHARACTERS = 100


def check_arguments(options: argparse.Namespace) -> None:
    """Raise ConfigurationError where the arguments belong to another action than the one that is asked for."""
    if (options.action == "list") == (options.number is not None):
        refusal = says.NEEDS_NUMBER if options.number is None else says.NO_NUMBER
        raise ConfigurationError(problem=refusal.of(action=options.action))
    if options.action != "accept" and (options.phrase or options.stage or options.dry_run):
        raise ConfigurationError(problem=says.OF_ACCEPT)


async def list_reports(configuration: Configuration, *, settled: bool, as_json: bool) -> Iterator[str]:
    """Yield the reports, newest first, as lines: the open ones, with `settled` all that fit."""
    async with opened(configuration) as store:
        reports = [] if store is None else await store.reports.reports(settled=settled, limit=LISTED)
    if as_json:
        return iter([json.dumps([_listed(report) for report in reports], ensure_ascii=False, indent=2)])
    return _listing(reports, settled=settled)


async def show_report(configuration: Configuration, number: int, *, as_json: bool) -> Iterator[str]:
    """Yield one report with the judged text; raises ReportRefused."""
    async with existing(configuration) as store:
        report = await store.reports.report(number)
    if as_json:
        return iter([json.dumps(_plain(report), ensure_ascii=False, indent=2)])
    return _whole(report)


async def accept_report(
    configuration: Configuration,
    number: int,
    *,
    phrases: Sequence[str] = (),
    stage: str = "",
    dry_run: bool = False,
) -> AsyncGenerator[str]:
    """Whitelist what an open report is about, settle it, and say what is done, line by line; `dry_run` does nothing.

    Raises ReportRefused, ReportStaysOpen when the text would still not pass, or ConfigurationError when the file cannot
    be written: the report is open then.
    """
    async with existing(configuration) as store:
        report = await store.reports.report(number)
        refuse_settled(report)
        if report.missed:
            for line in await _accept_miss(store, report, named=bool(phrases or stage), dry_run=dry_run):
                yield line
            return
        additions = additions_of(report, configuration.settings, phrases=phrases, stage=stage)
        results = await _results(report, additions, configuration.settings)
        for addition in additions:
            for line in _announced(addition, configuration.settings):
                yield line
        _refuse_useless(report, results, partly=bool(phrases))
        if not dry_run:
            add_accepted(configuration.settings, _entries(additions))
            entries = [entry for addition in additions for entry in addition.entries]
            await store.reports.settle(number, ReportState.ACCEPTED, whitelisted=entries)
    for result in results:
        yield _told(result, would="would pass" if dry_run else "passes")
    if dry_run:
        yield f"Nothing was written, and report {number} is open: this was a dry run."
    else:
        yield f"Report {number} is accepted; {accepted_file(configuration.settings)} holds the entries."
        yield "A service that runs takes them up when it is started again."


async def _accept_miss(store: Store, report: Report, *, named: bool, dry_run: bool) -> Sequence[str]:
    """Settle a report of a reply that should not have passed, which no whitelist can help; say what comes of that."""
    if named:
        raise ReportRefused(
            code="passed_already",
            sentence=f"Report {report.number} is of a reply that passed: there is nothing to whitelist. "
            f"Leave out --phrase and --stage.",
        )
    if not dry_run:
        await store.reports.settle(report.number, ReportState.ACCEPTED)
    done = "would be accepted; this was a dry run" if dry_run else "is accepted"
    return [
        f"Report {report.number} {done}: the reply passed, and should not have.",
        "It counts as missed in `mama-bot metrics`, and is kept with its record. No setting was changed.",
        f"The text and the record: mama-bot reports show {report.number} --json",
    ]


async def dismiss_report(configuration: Configuration, number: int) -> Sequence[str]:
    """Settle an open report without any change, and say so; raises ReportRefused."""
    async with existing(configuration) as store:
        await store.reports.settle(number, ReportState.DISMISSED)
    return [f"Report {number} is dismissed; the configuration was not changed."]


@dataclass(frozen=True, slots=True)
class _Result:
    """What a stage says of the reported text with the settings as they are, and with the additions."""

    stage: str
    before: Decision
    after: Decision

    @property
    def passes(self) -> bool:
        return isinstance(self.after, Allow)

    @property
    def helps(self) -> bool:
        """Whether less is objected to than before."""
        return self.passes or len(self.after.evidence.findings) < len(self.before.evidence.findings)


async def _results(report: Report, additions: Sequence[Addition], settings: Settings) -> list[_Result]:
    before = await _survey(report, settings)
    after = await _survey(report, with_whitelisted(settings, _entries(additions)))
    allowed = Allow()  # what a stage that is switched off says
    return [
        _Result(addition.stage, before.get(addition.stage, allowed), after.get(addition.stage, allowed))
        for addition in additions
    ]


def _entries(additions: Sequence[Addition]) -> Mapping[str, Sequence[str]]:
    return {addition.stage: addition.entries for addition in additions}


async def _survey(report: Report, settings: Settings) -> dict[str, Decision]:
    """What the chain of the service says of the reported text, stage by stage."""
    chain = build_chain(settings=settings.enforcement, changed_files=NoRepository(), clock=SystemClock())
    draft = Draft(turn_id=report.turn.id, attempt=report.attempt, text=report.text)
    judgement = await chain.survey(draft, report.turn)
    return {verdict.stage: verdict.decision for verdict in judgement.stages}


def _announced(addition: Addition, settings: Settings) -> Iterator[str]:
    """What is to pass and what is to be written, before anything is."""
    enforcement = settings.enforcement
    known = getattr(enforcement, addition.stage).whitelist
    yield f"To pass {addition.stage} from now on:"
    for phrase in addition.phrases:
        yield f'  "{terminal_text(one_line(phrase))}"'
        if addition.stage == GATE and is_nothing_but_approval(phrase, enforcement.words.by_kind):
            yield "    CAUTION: this lets every approval worded so pass, without any evidence."
    yield f"as {addition.key}:"
    for entry in addition.entries:
        yield f"  {terminal_text(entry)}{' (was there already)' if entry in known else ''}"


def _refuse_useless(report: Report, results: Sequence[_Result], *, partly: bool) -> None:
    if all(result.passes or (partly and result.helps) for result in results):
        return
    told = " ".join(_told(result, would="would pass") for result in results if not result.passes)
    raise ReportStaysOpen(
        f"Nothing was written, and report {report.number} stays open: {told} "
        f"Name what is to pass: mama-bot reports accept {report.number} --phrase 'TEXT'."
    )


def _told(result: _Result, *, would: str) -> str:
    if result.passes:
        return f"The reported text {would} {result.stage} now."
    return f"The reported text does not pass {result.stage} yet: {terminal_text(one_line(result.after.reason))}"


def _plain(report: Report) -> dict[str, object]:
    plain: dict[str, object] = json.loads(REPORT.dump(report))
    return plain


def _listed(report: Report) -> dict[str, object]:
    return {name: value for name, value in _plain(report).items() if name != "record"}


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
    if report.missed:
        yield "    missed: it passed, and should not have"
    for held in report.objections:
        yield f"    {_objection(held)}"
        for quote in _quotes(held)[:3]:
            yield f"      found: {quote}"
    note = f": {terminal_text(one_line(report.note))}" if report.note else ""
    yield f"    reported by {terminal_text(report.reporter.name)}{note}"
    for further in report.further_notes:
        yield f"    {terminal_text(further.author.name)} added: {terminal_text(one_line(further.text))}"
    for entry in report.whitelisted:
        yield f"    whitelisted: {entry}"


def _whole(report: Report) -> Iterator[str]:
    yield from _head(report)
    yield f"    conversation {report.turn.key}, turn {report.turn.id}, for {report.turn.audience.value}"
    yield ""
    yield "The judged text:"
    yield ""
    yield terminal_text(report.text)
    yield ""
    yield from _record(report.record)


def _record(record: ToolRecord) -> Iterator[str]:
    """What was done before the text was written; `--json` has all of it."""
    if not record.runs:
        yield "The record: no call of a tool." if record.complete else "The record: this agent tells of no calls."
        return
    yield f"The record ({len(record.runs)} calls; --json has their output):"
    yield ""
    for run in record.runs:
        status = "" if run.exit_status is None else f" -> exit {run.exit_status}"
        call = terminal_text(one_line(run.command or run.arguments)[:QUOTED_CHARACTERS])
        yield f"  {terminal_text(run.tool)} {call}{status or (' -> failed' if run.ok is False else '')}"


def _objection(held: StageVerdict) -> str:
    decision = held.decision
    rule = f"/{decision.rule}" if decision.rule else ""
    watched = " (only watched)" if held.observed else ""
    return f"{held.stage}{rule}{watched}: {terminal_text(one_line(decision.reason))}"


def _quotes(held: StageVerdict) -> list[str]:
    return [
        f'"{terminal_text(one_line(finding.text)[:QUOTED_CHARACTERS])}"' for finding in held.decision.evidence.findings
    ]


def outcome_words(outcome: Outcome) -> str:
    """Return what became of an attempt, in words."""
    match outcome:
        case Cleared():
            return {"passed": "posted", "noted": "posted with a note"}.get(outcome.verdict, "posted, needs review")
        case SentBack():
            return "sent back"
        case Withheld():
            return "withheld"
        case unexpected:
            assert_never(unexpected)
