"""A receipt as a short text for a chat."""

from collections.abc import Iterator

from mama_bot.intake.sentences import Words
from mama_bot.model import CheckedClaim, ClaimReceipt, ClaimState, Counts, HostCheck, ReceiptRun

MAX_CHARACTERS = 1_500
MAX_LINE_CHARACTERS = 180
SHORT_HASH = 12
_MARKS = {ClaimState.CONFIRMED: "✅", ClaimState.UNSUPPORTED: "⚠️", ClaimState.CONTRADICTED: "❌"}


def receipt_text(receipt: ClaimReceipt, name: str, words: Words) -> str:
    """The claims with their state, the checks and the commands behind them, as Markdown of at most 1,500 characters.

    What finds no room is left out from the end, and the last line says so.
    """
    lines = [words.receipt_title.format(number=receipt.number, name=name, hash=receipt.text_sha256[:SHORT_HASH])]
    if not receipt.recorded:
        lines.append(words.unrecorded)
    elif not receipt.claims:
        lines.append(words.no_claims)
    more = words.more.format(number=receipt.number)
    room = MAX_CHARACTERS - len(more) - sum(len(line) + 1 for line in lines)
    for line in _lines(receipt, words):
        room -= len(line) + 1
        if room < 0:
            lines.append(more)
            break
        lines.append(line)
    return "\n".join(lines)


def _lines(receipt: ClaimReceipt, words: Words) -> Iterator[str]:
    # What stands against the reply comes first: it must not be what is left out.
    order = (ClaimState.CONTRADICTED, ClaimState.UNSUPPORTED, ClaimState.CONFIRMED)
    for claim in sorted(receipt.claims, key=lambda one: order.index(one.state)):
        yield _claim(claim, words)
    for check in receipt.checks:
        yield _check(check, words)
    deciding = {claim.run_id for claim in receipt.claims if claim.run_id}
    for run in sorted(receipt.runs, key=lambda one: one.run_id not in deciding):
        yield _run(run, words)


def _claim(checked: CheckedClaim, words: Words) -> str:
    states = {
        ClaimState.CONFIRMED: words.confirmed,
        ClaimState.UNSUPPORTED: words.unsupported,
        ClaimState.CONTRADICTED: words.contradicted,
    }
    says = f" — {_line(checked.says)}" if checked.says else ""
    return f"- {_MARKS[checked.state]} “{_line(checked.claim.text)}”: {states[checked.state]}{says}"


def _check(check: HostCheck, words: Words) -> str:
    state = words.passed if check.ok else f"{words.failed} ({_line(check.reason)})"
    return f"- {'✅' if check.ok else '❌'} {_line(check.name)} ({words.service_check}): {state}"


def _run(run: ReceiptRun, words: Words) -> str:
    facts = []
    if run.ended_at is None:
        facts.append(words.unfinished)
    elif run.exit_status is not None:
        facts.append(words.exit_status.format(n=run.exit_status))
    facts += [figures for counts in run.counts if (figures := _figures(counts, words))]
    if run.after is not None and run.after.commit:
        commit = words.commit.format(commit=run.after.commit[:SHORT_HASH])
        facts.append(f"{commit} {words.dirty}" if run.after.dirty else commit)
    return f"- {_code(run.command)}{': ' if facts else ''}{', '.join(facts)}"


def _figures(counts: Counts, words: Words) -> str:
    named = ((phrase, getattr(counts, figure)) for figure, phrase in words.figures.items())
    return ", ".join(phrase.format(n=number) for phrase, number in named if number is not None)


def _code(command: str) -> str:
    return f"`{_line(command).replace('`', 'ˋ')}`"


def _line(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= MAX_LINE_CHARACTERS else f"{words[: MAX_LINE_CHARACTERS - 1]}…"
