"""What an agent hands on to another, judged as words between agents before they are in the other one's prompt."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from mama_bot.enforcement.case import Case
from mama_bot.enforcement.delegations.sentences import HANDED_ON, NO_OUTCOME
from mama_bot.model import Audience, Author, AuthorKind, Block, Decision, Delegation, Draft, Turn
from mama_bot.wording import Language


class StrictStage(Protocol):
    """A stage that judges words between agents."""

    async def judge(self, case: Case) -> Decision:
        """Decide about a draft."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Objected:
    """Why a delegation is not handed on as it is; the sentence is for its sender."""

    rule: str
    feedback: str


class HandedOn:
    """Judges delegations, whatever form they came in.

    `strict` judges the words (None: nobody does); where it `asks_for_outcome`, work has to say what is to come of it.
    """

    def __init__(
        self, *, strict: StrictStage | None, asks_for_outcome: bool, case_of: Callable[[Draft, Turn], Case] = Case
    ) -> None:
        self._strict = strict
        self._asks_for_outcome = asks_for_outcome
        self._case_of = case_of

    async def objection(self, delegation: Delegation, turn: Turn, language: Language) -> Objected | None:
        """Return why a delegation of a turn goes back to its sender; None: it is handed on."""
        sender = Author(id=delegation.sender, name=delegation.sender, kind=AuthorKind.AGENT)
        words = Draft(turn_id=turn.id, attempt=0, text=_words_of(delegation))
        case = self._case_of(words, replace(turn, audience=Audience.AGENT, asker=sender))
        if self._strict is not None:
            decision = await self._strict.judge(case)
            if isinstance(decision, Block):
                told = HANDED_ON.to(language, recipient=delegation.recipient, feedback=decision.feedback)
                return Objected(rule=decision.rule, feedback=told)
        if self._asks_for_outcome and await case.aside(lambda: case.lacks_outcome(delegation)):
            return Objected(rule="no_outcome", feedback=NO_OUTCOME.to(language, recipient=delegation.recipient))
        return None


def _words_of(delegation: Delegation) -> str:
    """The prose that the other agent would read."""
    parts = (
        delegation.task,
        delegation.expected_outcome,
        delegation.required_tools,
        delegation.must_do,
        delegation.must_not_do,
        delegation.context,
    )
    return "\n\n".join(part for part in parts if part)
