"""A receipt as a short text for a chat."""

from collections.abc import Iterator, Sequence

from mama_bot.facts.badge_words import SIGNS, badge_in_words
from mama_bot.facts.receipt_words import lone_word_of, run_by, says_to
from mama_bot.intake import sentences as says
from mama_bot.intake.answer_lines import workflow_stood
from mama_bot.model import WORST_FIRST, CheckedClaim, ClaimReceipt, ClaimState, Counts, HostCheck, ReceiptRun, badge_of
from mama_bot.wording import Language, has_hangul, one_line

MAX_CHARACTERS = 2_800  # what every platform shows of an answer
MAX_LINE_CHARACTERS = 180
SHORT_HASH = 12
_MARKS = {ClaimState.CONFIRMED: "✅", ClaimState.UNSUPPORTED: "⚠️", ClaimState.CONTRADICTED: "❌"}


def receipt_text(receipt: ClaimReceipt, name: str, language: Language, *, further: Sequence[str] = ()) -> str:
    """Return the claims with their state, the checks and the commands behind them, as Markdown of bounded length.

    What finds no room is left out from the end, and the last line says so; `further` lines come last.
    """
    lines = [says.RECEIPT_TITLE.to(language, number=receipt.number, name=name, hash=receipt.text_sha256[:SHORT_HASH])]
    if (badge := badge_of(receipt)) is not None:
        lines.append(f"{SIGNS[badge.kind]} {badge_in_words(badge, language)}")
    # The line was said in the language of the message; a reader of another one has the claims and the calls.
    if receipt.record_line and has_hangul(receipt.record_line) == (language == Language.KOREAN):
        lines.append(_line(receipt.record_line))
    if receipt.workflow is not None:
        lines.append(workflow_stood(receipt.workflow, language))
    if not receipt.recorded:
        lines.append(says.UNRECORDED.to(language))
    elif not receipt.claims:
        lines.append(says.NO_CLAIMS.to(language))
    more = says.MORE.to(language, number=receipt.number)
    room = MAX_CHARACTERS - len(more) - sum(len(line) + 1 for line in lines)
    for line in (*_lines(receipt, language), *further):
        room -= len(line) + 1
        if room < 0:
            lines.append(more)
            break
        lines.append(line)
    return "\n".join(lines)


def _lines(receipt: ClaimReceipt, language: Language) -> Iterator[str]:
    for claim in sorted(receipt.claims, key=lambda checked: WORST_FIRST.index(checked.state)):
        yield _claim(claim, receipt, language)
    for check in receipt.checks:
        yield _check(check, language)
    deciding = {claim.run_id for claim in receipt.claims if claim.run_id}
    for run in sorted(receipt.runs, key=lambda shown_run: shown_run.run_id not in deciding):
        yield _run(run, language)


def _claim(checked: CheckedClaim, receipt: ClaimReceipt, language: Language) -> str:
    states = {
        ClaimState.CONFIRMED: says.CONFIRMED.to(language),
        ClaimState.UNSUPPORTED: says.UNSUPPORTED.to(language),
        ClaimState.CONTRADICTED: says.CONTRADICTED.to(language),
    }
    told = says_to(language, checked, receipt)
    reason = f" — {_line(told)}" if told else ""
    words = f"“{_line(checked.claim.text)}”"
    if command := lone_word_of(checked, receipt):
        words = f"{words} ({_code(command)})"
    if checked.claim.declared:
        words = says.DECLARED.to(language, words=words)
    grade = f" ({ran_by})" if (ran_by := run_by(checked, language)) else ""
    return f"- {_MARKS[checked.state]} {words}: {states[checked.state]}{grade}{reason}"


def _check(check: HostCheck, language: Language) -> str:
    state = says.PASSED.to(language) if check.ok else f"{says.FAILED.to(language)} ({_line(check.reason)})"
    return f"- {'✅' if check.ok else '❌'} {_line(check.name)} ({says.SERVICE_CHECK.to(language)}): {state}"


def _run(run: ReceiptRun, language: Language) -> str:
    facts = []
    if run.ended_at is None:
        facts.append(says.UNFINISHED.to(language))
    elif run.exit_status is not None:
        facts.append(says.EXIT_STATUS.to(language, n=run.exit_status))
    facts += [figures for counts in run.counts if (figures := _figures(counts, language))]
    if run.after is not None and run.after.commit:
        commit = says.COMMIT.to(language, commit=run.after.commit[:SHORT_HASH])
        facts.append(f"{commit} {says.DIRTY.to(language)}" if run.after.dirty else commit)
        if run.after.dirty and run.after.tree:
            facts.append(says.TREE.to(language, tree=run.after.tree[:SHORT_HASH]))
    return f"- {_code(run.command)}{': ' if facts else ''}{', '.join(facts)}"


def _figures(counts: Counts, language: Language) -> str:
    named = ((phrase, getattr(counts, figure)) for figure, phrase in says.FIGURES.items())
    return ", ".join(phrase.to(language, n=number) for phrase, number in named if number is not None)


def _code(command: str) -> str:
    return f"`{_line(command).replace('`', 'ˋ')}`"


def _line(text: str) -> str:
    return one_line(text, MAX_LINE_CHARACTERS)
