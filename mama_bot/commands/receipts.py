"""`mama-bot receipt`: what stands behind a reply, for a person at a terminal; also while the service runs."""

import json
import shlex
from collections.abc import Iterator

from mama_bot.app.configuration import Configuration
from mama_bot.commands import sentences as says
from mama_bot.commands.kept_store import existing
from mama_bot.commands.terminal_text import terminal_text
from mama_bot.facts.badge_words import badge_in_words
from mama_bot.facts.receipt_words import lone_word_of, run_by, says_to
from mama_bot.facts.sentences import COUNTS
from mama_bot.model import CheckedClaim, ClaimReceipt, ClaimState, Counts, HostCheck, ReceiptRun, badge_of
from mama_bot.store.codec import RECEIPT
from mama_bot.wording import Language, one_line

MARKS = {
    ClaimState.CONFIRMED: says.CLAIM_CONFIRMED,
    ClaimState.UNSUPPORTED: says.CLAIM_NOT_SHOWN,
    ClaimState.CONTRADICTED: says.CLAIM_CONTRADICTED,
}
FIGURES = {**COUNTS, "collected": says.COLLECTED}
SHORT_HASH = 12
TAIL_LINES = 12


async def shown_receipt(
    configuration: Configuration, reference: str, *, as_json: bool, language: Language = Language.ENGLISH
) -> list[str]:
    """Return a receipt, by its number or the id of its turn, as lines; raises NoSuchReceipt."""
    async with existing(configuration) as store:
        receipt = await store.receipts.receipt(reference)
    if as_json:
        return [json.dumps(json.loads(RECEIPT.dump(receipt)), ensure_ascii=False, indent=2)]
    return list(receipt_lines(receipt, language))


def receipt_lines(receipt: ClaimReceipt, language: Language) -> Iterator[str]:
    """Yield a receipt for a person: claims, the service's own checks, their calls with the end of their output."""
    at = receipt.at.astimezone().strftime("%Y-%m-%d %H:%M:%S")
    yield says.RECEIPT_HEAD.to(language, number=receipt.number, persona=receipt.persona, at=at, turn=receipt.turn_id)
    yield f"  {says.RECEIPT_HASH.to(language, hash=receipt.text_sha256[:SHORT_HASH])}"
    if (badge := badge_of(receipt)) is not None:
        yield f"  {badge_in_words(badge, language)}"
    if receipt.record_line:
        yield f"  {_line(receipt.record_line)}"
    if not receipt.recorded:
        yield f"  {says.RECEIPT_UNRECORDED.to(language)}"
    for claim in receipt.claims:
        yield from _claim(claim, receipt, language)
    for check in receipt.checks:
        yield from _check(check, language)
    for run in receipt.runs:
        yield from _run(run, language)


def _claim(checked: CheckedClaim, receipt: ClaimReceipt, language: Language) -> Iterator[str]:
    words = repr(_line(checked.claim.text))
    if command := lone_word_of(checked, receipt):
        words = f"{words} ({terminal_text(_line(command))})"
    if checked.claim.declared:
        words = says.CLAIM_DECLARED.to(language, words=words)
    reason = ""
    if checked.reason and language is Language.ENGLISH:
        reason = f" ({checked.reason.value.replace('_', ' ')})"
    yield f"  {MARKS[checked.state].to(language)}{reason}: {words}"
    if told := says_to(language, checked, receipt):
        yield f"    {_line(told)}"
    if ran_by := run_by(checked, language):
        yield f"    {ran_by}"
    if checked.run_id:
        yield f"    {says.BY_CALL.to(language, call=terminal_text(checked.run_id))}"


def _check(check: HostCheck, language: Language) -> Iterator[str]:
    yield ""
    verdict, command = "PASS" if check.ok else "FAIL", _line(shlex.join(check.argv))
    yield f"  {says.SERVICE_CHECK.to(language, verdict=verdict, name=check.name, command=command)}"
    ended = says.CHECK_ENDED.to(
        language,
        reason=check.reason,
        status=_status(check.exit_status, language),
        seconds=check.seconds,
        tree=check.tree[:SHORT_HASH],
    )
    yield f"    {_line(', '.join([ended] + [says.CHECKED_BEFORE.to(language)] * check.cached))}"
    yield from _tail(check.output_tail)


def _run(run: ReceiptRun, language: Language) -> Iterator[str]:
    yield ""
    call, agent = terminal_text(run.run_id), terminal_text(run.agent)
    yield f"  {says.CALL_BY.to(language, call=call, agent=agent, command=_line(run.command))}"
    yield f"    {', '.join(_facts(run, language))}"
    yield from _tail(run.output_tail)


def _facts(run: ReceiptRun, language: Language) -> Iterator[str]:
    yield says.EXIT.to(language, status=_status(run.exit_status, language))
    yield says.BEGAN.to(language, time=f"{run.started_at.astimezone():%H:%M:%S}")
    if run.ended_at is None:
        yield says.NOT_ENDED.to(language)
    else:
        yield says.TOOK.to(language, seconds=(run.ended_at - run.started_at).total_seconds())
    yield from (figures for counts in run.counts if (figures := _figures(counts, language)))
    if run.after is not None and run.after.commit:
        commit = says.AT_COMMIT_DIRTY if run.after.dirty else says.AT_COMMIT
        yield commit.to(language, commit=run.after.commit[:SHORT_HASH])
    if run.after is not None and run.after.tree:
        yield says.AT_TREE.to(language, tree=run.after.tree[:SHORT_HASH])
    if run.output_sha256:
        yield says.OUTPUT.to(language, size=run.output_size, hash=run.output_sha256[:SHORT_HASH])


def _figures(counts: Counts, language: Language) -> str:
    named = ((sentence, getattr(counts, name)) for name, sentence in FIGURES.items())
    return ", ".join(sentence.to(language, n=number) for sentence, number in named if number is not None)


def _tail(output: str) -> Iterator[str]:
    for line in output.splitlines()[-TAIL_LINES:]:
        yield f"    | {terminal_text(line)}"


def _status(status: int | None, language: Language) -> str:
    return says.EXIT_UNKNOWN.to(language) if status is None else str(status)


def _line(text: str) -> str:
    return terminal_text(one_line(text))
