"""What is kept of questions that rules ask people before a tool call runs."""

from collections.abc import Callable, Sequence
from typing import Protocol

from mama_bot.model import ConversationKey, Notice, QuestionAnswer, StoredQuestion, StoredTurn, ToolQuestion


class ToolQuestions(Protocol):
    """Questions and their answers, over restarts; each method is one transaction and raises StoreUnavailable."""

    async def always(self, key: ConversationKey, rules: Sequence[str]) -> bool:
        """Return whether a person allowed for good, in a conversation, what each of some rules asks."""
        ...

    async def passed(self, key: ConversationKey, checkpoint: str) -> bool:
        """Return whether a person let a checkpoint pass in a conversation since that began, or began anew."""
        ...

    async def ask(
        self, question: ToolQuestion, notice: Callable[[int], Notice], *, besides: frozenset[int] = frozenset()
    ) -> StoredQuestion:
        """Note a question and queue the post that asks it under its number.

        Where the same was asked in an earlier life, and its agent was not told the answer, that one is returned:
        none `besides` which other calls wait for now.
        """
        ...

    async def find(self, key: ConversationKey, number: int) -> StoredQuestion | None:
        """Return a question that was asked in the channel of a conversation; None where there is none."""
        ...

    async def settle(
        self, question: StoredQuestion, answer: QuestionAnswer, notice: Callable[[StoredQuestion], Notice]
    ) -> tuple[StoredQuestion, bool]:
        """Settle a question, once, and queue the post that tells it; return it, and whether this answer counts.

        A person's answer that comes too late lets it expire. A denial withdraws what was allowed for good.
        """
        ...

    async def tell(self, number: int) -> None:
        """Note that the agent was told the answer: it is used up."""
        ...

    async def abandoned(self) -> Sequence[StoredQuestion]:
        """Return open questions, of any conversation, whose time is up or whose work has ended."""
        ...

    async def of_turn(self, stored: StoredTurn) -> Sequence[StoredQuestion]:
        """Return what rules asked about calls of a turn's persona for the message of the turn, the oldest first."""
        ...

    async def unanswered(self, key: ConversationKey) -> Sequence[StoredQuestion]:
        """Return the questions of a conversation that wait for an answer, the oldest first."""
        ...
