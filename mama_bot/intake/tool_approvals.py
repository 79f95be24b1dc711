"""The commands and buttons that answer what a rule asks before a call runs; for the people who may."""

from collections.abc import Callable

import structlog

from mama_bot.config import OWNERS
from mama_bot.consent.approval_desk import ApprovalDesk
from mama_bot.consent.question_text import outcome_text
from mama_bot.deeds.rights import is_among
from mama_bot.intake import sentences as says
from mama_bot.intake.answer_lines import person_of
from mama_bot.metrics import Metrics
from mama_bot.model import (
    Answer,
    Author,
    Command,
    CommandName,
    Platform,
    QuestionAnswer,
    QuestionState,
    StoredQuestion,
    read_question_reference,
)
from mama_bot.wording import Language

log = structlog.get_logger(__name__)

STATES = {
    CommandName.APPROVE: QuestionState.APPROVED,
    CommandName.ALWAYS: QuestionState.ALWAYS,
    CommandName.DENY: QuestionState.DENIED,
}


class ToolApprovals:
    """Answers /approve and /deny, and the buttons below a question; `is_owner` says who owns the bot on a platform."""

    def __init__(self, *, desk: ApprovalDesk, is_owner: Callable[[Platform, Author], bool], metrics: Metrics) -> None:
        self._desk = desk
        self._is_owner = is_owner
        self._metrics = metrics

    async def answer(self, command: Command, language: Language) -> Answer:
        """Settle a question that the command names, or say why not."""
        reference = read_question_reference(command.argument)
        if reference is None:
            waits = await self._desk.waits_in(command.key)
            return Answer(text=(says.WHICH_QUESTION if waits else says.NO_QUESTION_WAITS).to(language), done=False)
        number, words = reference
        stored = await self._desk.find(command.key, number)
        if stored is None:
            return Answer(text=says.NO_QUESTION.to(language, number=number), done=False)
        if not self._may(command, stored):
            self._metrics.count("approvals_refused", rule=stored.question.rules[0], platform=command.key.platform)
            log.warning("answer_refused", number=number, by=command.author.id, conversation=str(command.key))
            return Answer(text=says.MAY_NOT_ANSWER.to(language, number=number), done=False)
        if stored.question.words or command.name is CommandName.ANSWER:
            return await self._replied(command, stored, words, language)
        state = STATES[command.name]
        if state is QuestionState.APPROVED and (stored.question.checkpoint or words.casefold() in says.ALWAYS_WORDS):
            state, words = QuestionState.ALWAYS, ""
        answer = QuestionAnswer(state=state, by=person_of(command), why=words)
        after, counts = await self._desk.settle(stored, answer)
        told = outcome_text(after, language)
        return Answer(text=told if counts else says.SETTLED_BEFORE.to(language, told=told), done=counts)

    async def _replied(self, command: Command, stored: StoredQuestion, words: str, language: Language) -> Answer:
        """Settle what an agent asks in its own words, or say how to answer what a rule asks."""
        number = stored.number
        if not stored.question.words:
            return Answer(text=says.ASKS_FOR_APPROVAL.to(language, number=number), done=False)
        if command.name is CommandName.DENY:
            answer = QuestionAnswer(state=QuestionState.DENIED, by=person_of(command))
        elif not words:
            return Answer(text=says.ASKS_FOR_WORDS.to(language, number=number), done=False)
        else:
            told = stored.question.chosen(words)
            answer = QuestionAnswer(state=QuestionState.REPLIED, by=person_of(command), why=told)
        after, counts = await self._desk.settle(stored, answer)
        text = outcome_text(after, language)
        return Answer(text=text if counts else says.SETTLED_BEFORE.to(language, told=text), done=counts)

    def _may(self, command: Command, stored: StoredQuestion) -> bool:
        platform = command.key.platform
        return is_among(
            stored.question.approvers or (OWNERS,),
            platform,
            command.author,
            command.origin,
            is_owner=self._is_owner(platform, command.author),
            is_asker=command.author.id == stored.question.asker,
        )
