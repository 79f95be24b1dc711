"""`mama-bot receipt`: what stands behind a reply, for a person at a terminal; also while the service runs."""

import json
import shlex
from collections.abc import Iterator

from mama_bot.app.configuration import Configuration
from mama_bot.commands.reports import existing, terminal_text
from mama_bot.facts.badge_words import badge_in_words
from mama_bot.facts.receipt_words import run_by
from mama_bot.model import CheckedClaim, ClaimReceipt, ClaimState, Counts, HostCheck, ReceiptRun, badge_of
from mama_bot.store.codec import RECEIPT
from mama_bot.wording import Language, one_line

MARKS = {
    ClaimState.CONFIRMED: "confirmed",
    ClaimState.UNSUPPORTED: "not shown",
    ClaimState.CONTRADICTED: "CONTRADICTED",
}
FIGURES = ("passed", "failed", "errors", "skipped", "deselected", "collected")
SHORT_HASH = 12
TAIL_LINES = 12


async def shown_receipt(configuration: Configuration, reference: str, *, as_json: bool) -> list[str]:
    """Return a receipt, by its number or the id of its turn, as lines; raises NoSuchReceipt."""
    async with existing(configuration) as store:
        receipt = await store.receipts.receipt(reference)
    if as_json:
        return [json.dumps(json.loads(RECEIPT.dump(receipt)), ensure_ascii=False, indent=2)]
    return list(receipt_lines(receipt))


def receipt_lines(receipt: ClaimReceipt) -> Iterator[str]:
    """Yield a receipt for a person: claims, the service's own checks, their calls with the end of their output."""
    at = receipt.at.astimezone().strftime("%Y-%m-%d %H:%M:%S")
    yield f"Receipt {receipt.number}: {receipt.persona}, {at}, turn {receipt.turn_id}"
    yield f"  reply sha256 {receipt.text_sha256[:SHORT_HASH]}"
    if (badge := badge_of(receipt)) is not None:
        yield f"  {badge_in_words(badge, Language.ENGLISH)}"
    if receipt.record_line:
        yield f"  {_line(receipt.record_line)}"
    if not receipt.recorded:
        yield "  This agent does not report its tool calls: its claims were judged by their words alone."
    for claim in receipt.claims:
        yield from _claim(claim)
    for check in receipt.checks:
        yield from _check(check)
    for run in receipt.runs:
        yield from _run(run)


def _claim(checked: CheckedClaim) -> Iterator[str]:
    reason = f" ({checked.reason.value.replace('_', ' ')})" if checked.reason else ""
    declared = "declared " if checked.claim.declared else ""
    yield f"  {MARKS[checked.state]}{reason}: {declared}{_line(checked.claim.text)!r}"
    if checked.says:
        yield f"    {_line(checked.says)}"
    if ran_by := run_by(checked, Language.ENGLISH):
        yield f"    {ran_by}"
    if checked.run_id:
        yield f"    by call {terminal_text(checked.run_id)}"


def _check(check: HostCheck) -> Iterator[str]:
    again = ", this tree was checked before" if check.cached else ""
    yield ""
    yield f"  {'PASS' if check.ok else 'FAIL'} {check.name}, run by the service: {_line(shlex.join(check.argv))}"
    ended = f"exit {_or_none(check.exit_status)}, {check.seconds:.1f} s, tree {check.tree[:SHORT_HASH]}{again}"
    yield f"    {_line(check.reason)}; {ended}"
    yield from _tail(check.output_tail)


def _run(run: ReceiptRun) -> Iterator[str]:
    yield ""
    yield f"  call {terminal_text(run.run_id)} by {terminal_text(run.agent)}: {_line(run.command)}"
    facts = [f"exit {_or_none(run.exit_status)}", f"began {run.started_at.astimezone():%H:%M:%S}"]
    if run.ended_at is None:
        facts.append("not ended")
    else:
        facts.append(f"took {(run.ended_at - run.started_at).total_seconds():.1f} s")
    facts += [figures for counts in run.counts if (figures := _figures(counts))]
    if run.after is not None and run.after.commit:
        facts.append(f"commit {run.after.commit[:SHORT_HASH]}{' with changes' if run.after.dirty else ''}")
    if run.after is not None and run.after.tree:
        facts.append(f"tree {run.after.tree[:SHORT_HASH]}")
    if run.output_sha256:
        facts.append(f"output {run.output_size:,} characters, sha256 {run.output_sha256[:SHORT_HASH]}")
    yield f"    {', '.join(facts)}"
    yield from _tail(run.output_tail)


def _figures(counts: Counts) -> str:
    named = ((name, getattr(counts, name)) for name in FIGURES)
    return ", ".join(f"{number} {name}" for name, number in named if number is not None)


def _tail(output: str) -> Iterator[str]:
    for line in output.splitlines()[-TAIL_LINES:]:
        yield f"    | {terminal_text(line)}"


def _or_none(status: int | None) -> str:
    return "unknown" if status is None else str(status)


def _line(text: str) -> str:
    return terminal_text(one_line(text))
