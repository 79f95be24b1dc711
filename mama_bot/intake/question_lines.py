"""What rules asked people, for whoever asks how it stands: what waits for whom, and who answered what when."""

from collections.abc import Awaitable, Callable, Sequence

from mama_bot.config import ASKER, EVERYBODY, OWNERS
from mama_bot.consent.question_text import outcome_text
from mama_bot.intake import sentences as says
from mama_bot.model import ConversationKey, QuestionState, StoredQuestion, StoredTurn
from mama_bot.protocols import Clock
from mama_bot.wording import Language

WHOM = {OWNERS: says.THE_OWNERS, ASKER: says.THE_ASKER, EVERYBODY: says.ANYBODY}


class QuestionLines:
    """Says how questions stand: `waiting` returns those of a conversation, `asked` those of a turn."""

    def __init__(
        self,
        *,
        waiting: Callable[[ConversationKey], Awaitable[Sequence[StoredQuestion]]],
        asked: Callable[[StoredTurn], Awaitable[Sequence[StoredQuestion]]],
        clock: Clock,
    ) -> None:
        self._waiting = waiting
        self._asked = asked
        self._clock = clock

    async def waiting(self, key: ConversationKey, language: Language) -> Sequence[str]:
        """Return a line for each question that waits in a conversation."""
        return [self._waits(stored, language) for stored in await self._waiting(key)]

    async def answered(self, turn: StoredTurn, language: Language) -> Sequence[str]:
        """Return a line for each question that was settled in a turn."""
        asked = await self._asked(turn)
        return [_answer(stored, language) for stored in asked if stored.state is not QuestionState.OPEN]

    def _waits(self, stored: StoredQuestion, language: Language) -> str:
        question = stored.question
        seconds = (self._clock.now() - question.asked_at).total_seconds()
        names = question.approvers or (OWNERS,)
        whom = ", ".join(WHOM[name].to(language) if name in WHOM else f"`{name}`" for name in names)
        time = says.elapsed(seconds)
        line = says.WAITS_FOR_ANSWER.to(language, number=stored.number, whom=whom, time=time)
        return f"⏸ {line}{_about(stored)}"


def _answer(stored: StoredQuestion, language: Language) -> str:
    at = f" ({stored.settled_at:%H:%M} UTC)" if stored.settled_at is not None else ""
    return f"- {outcome_text(stored, language)}{at}{_about(stored)}"


def _about(stored: StoredQuestion) -> str:
    about = stored.question.about.replace("`", "ˋ")
    return f" · `{about}`" if about else ""
