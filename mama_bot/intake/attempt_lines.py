"""What became of the attempts at a reply, and what they took: for whoever asks for its receipt."""

from collections.abc import Iterator
from typing import assert_never

from mama_bot.facts.stage_words import stage_words
from mama_bot.intake import sentences as says
from mama_bot.model import Attempt, Cleared, SentBack, StoredTurn, Usage, Withheld
from mama_bot.wording import Language, one_line

REASON_CHARACTERS = 160
MOST_ATTEMPTS = 6


def attempt_lines(stored: StoredTurn, language: Language) -> Iterator[str]:
    """Yield what a turn took, and each attempt with the checks that it passed or that sent it back."""
    attempts = stored.attempts
    if not attempts:
        return
    yield _taken(stored, language)
    for attempt in attempts[-MOST_ATTEMPTS:]:
        yield f"- {_attempt(attempt, language)}"


def _taken(stored: StoredTurn, language: Language) -> str:
    last = stored.attempts[-1]
    facts = [says.ATTEMPTS.to(language, n=len(stored.attempts))]
    if calls := len(last.draft.record.work) + last.draft.record.dropped:
        facts.append(says.CALLS.to(language, n=calls))
    if stored.ended_at is not None:
        seconds = (stored.ended_at - (stored.started_at or stored.created_at)).total_seconds()
        facts.append(says.elapsed(seconds).to(language))
    usage = sum((attempt.draft.usage for attempt in stored.attempts), Usage())
    if usage.cost_usd:
        facts.append(f"${usage.cost_usd:.2f}")
    return " · ".join(facts)


def _attempt(attempt: Attempt, language: Language) -> str:
    number, judgement = attempt.draft.attempt + 1, attempt.judgement
    match judgement.outcome:
        case SentBack(stage=rejecting, reason=reason) | Withheld(stage=rejecting, reason=reason):
            stage = stage_words(rejecting, language)
            why = one_line(reason, REASON_CHARACTERS)
            return says.WENT_BACK.to(language, n=number, stage=stage, reason=why)
        case Cleared():
            stages = ", ".join(stage_words(verdict.stage, language) for verdict in judgement.stages)
            return says.WAS_POSTED.to(language, n=number, stages=stages or "–")
        case unexpected:
            assert_never(unexpected)
