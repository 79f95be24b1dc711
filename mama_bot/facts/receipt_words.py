"""What a receipt says of a claim, in the language of whoever reads it."""

from mama_bot.facts import sentences as says
from mama_bot.model import CheckedClaim, ClaimReceipt, Counts, Grade, ReceiptRun
from mama_bot.wording import Language, has_hangul, quotable

COMMAND_CHARACTERS = 60


def says_to(language: Language, checked: CheckedClaim, receipt: ClaimReceipt) -> str:
    """Return what the record says of a claim; "" where that was nothing.

    It was said in the language of the reply. To a reader of another one it is said anew, by its reason and its run.
    """
    if not checked.says or has_hangul(checked.says) == (language == Language.KOREAN):
        return checked.says
    if checked.grade is Grade.SERVICE:
        return ""
    run = next((run for run in receipt.runs if run.run_id == checked.run_id), None)
    figures = counts_in_words(run.counts[-1], language) if run is not None and run.counts else ""
    named = says.SOME_RUN.to(language) if run is None else _named(run, language)
    sentence = says.RUN_SAYS if figures and checked.reason in says.TOLD_BY_FIGURES else says.REASONS[checked.reason]
    return sentence.to(language, run=named, figures=figures)


def run_by(checked: CheckedClaim, language: Language) -> str:
    """Return who ran what a claim rests on; "" where nothing did."""
    return "" if checked.grade is None else says.GRADES[checked.grade].to(language)


def lone_word_of(checked: CheckedClaim, receipt: ClaimReceipt) -> str:
    """Return the command that a claim of one word ("Ran") is about; "" for any that says itself what it means."""
    if len(checked.claim.text.split()) > 1:
        return ""
    return next((run.command for run in receipt.runs if run.run_id == checked.run_id), "")


def _named(run: ReceiptRun, language: Language) -> str:
    at = (run.ended_at or run.started_at).astimezone()
    return says.RUN_AT.to(language, time=f"{at:%H:%M}", command=quotable(run.command, COMMAND_CHARACTERS))


def counts_in_words(counts: Counts, language: Language) -> str:
    """Return the figures of a run: "3 failed, 625 passed"; "" where its output has none."""
    numbers = ((sentence, getattr(counts, name), name) for name, sentence in says.COUNTS.items())
    return ", ".join(sentence.to(language, n=n) for sentence, n, name in numbers if n or (n == 0 and name == "passed"))
