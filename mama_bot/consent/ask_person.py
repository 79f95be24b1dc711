"""The tool with which an agent asks the person whom it works for, and waits for the answer."""

import hashlib
import json
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Annotated, assert_never

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from mama_bot.config import ASKER, OWNERS
from mama_bot.consent.approval_desk import ApprovalDesk, post_of
from mama_bot.consent.question_text import MOST_CHOICE, asked_text, how_to_reply
from mama_bot.model import (
    Author,
    AuthorKind,
    Cleared,
    Notice,
    NoticeKind,
    QuestionState,
    SentBack,
    StoredQuestion,
    ToolQuestion,
    Turn,
    TurnKind,
    Withheld,
    question_reference,
)
from mama_bot.protocols import Clock, ToolQuestions
from mama_bot.team_tools import Caller, RegisteredTool, ToolRefused
from mama_bot.tool_names import ASK_PERSON
from mama_bot.wording import one_line

MOST_CHARACTERS = 2_000
MOST_CHOICES = 5
MOST_OPEN = 3
MOST_ABOUT = 100
TOLD = (
    "Ask the person whom you work for, and get their answer as the result; you wait for it. Only for what nobody but a "
    "person can decide, and what you cannot find out: ask one thing, offer `choices` where there are some. Where "
    "nobody answers in time you are told so, and go on with what you can."
)
NOT_IN_REVIEWS = "A reviewer asks nobody: look for yourself, and submit your verdict."
NO_PERSON = "No person is there: this was asked by {kind}. Decide by yourself, and say in your reply what you assumed."
TOO_MANY = "{open} questions of this conversation wait for an answer already. Ask when those are answered."
REPLIED = "{by} answered: {words}"
DECLINED = "{by} does not answer this. Decide by yourself, or leave it open, and say so in your reply."
NOBODY = (
    "Nobody answered within {minutes:g} min. Do not ask again: go on with what does not depend on it, and say in your "
    "reply what is open and what you assumed."
)
NOTHING_LEFT = "Nothing is left of the question or of a choice without what may not be shown. Nobody was asked."
ENDED = "The work ended before anybody answered."

Choice = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MOST_CHOICE)]


class AskPersonArguments(BaseModel):
    """What `ask_person` takes."""

    model_config = ConfigDict(extra="forbid")

    question: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=MOST_CHARACTERS),
        Field(description="what you have to know"),
    ]
    choices: Annotated[
        tuple[Choice, ...], Field(max_length=MOST_CHOICES, description="answers to choose from; they may say another")
    ] = ()


def ask_person_tool(
    *,
    desk: ApprovalDesk,
    questions: ToolQuestions,
    asker: Callable[[Turn], Awaitable[Author]],
    seconds: float,
    clock: Clock,
) -> RegisteredTool[AskPersonArguments]:
    """Return the tool: `asker` tells for whom a turn works, `seconds` are how long an answer is waited for."""

    async def ask(arguments: AskPersonArguments, caller: Caller) -> str:
        turn, person = caller.turn, await asker(caller.turn)
        if person.kind is not AuthorKind.PERSON:
            raise ToolRefused(NO_PERSON.format(kind=f"a {person.kind.value}, {person.name}"))
        words = caller.redacted(arguments.question).strip()
        choices = tuple(one_line(caller.redacted(choice), MOST_CHOICE) for choice in arguments.choices)
        if not words or not all(choices):
            raise ToolRefused(NOTHING_LEFT)
        await _judged("\n".join((words, *(f"- {choice}" for choice in choices))), caller)
        now = clock.now()
        question = ToolQuestion(
            key=turn.key,
            message_id=turn.message_id,
            rules=(ASK_PERSON,),
            persona=turn.persona,
            digest=_digest(turn, words, choices),
            asked_at=now,
            expires_at=now + timedelta(seconds=seconds),
            approvers=(ASKER, OWNERS),
            asker=person.id,
            about=one_line(words, MOST_ABOUT),
            words=words,
            choices=choices,
            language=turn.language,
        )
        others = [each for each in await questions.unanswered(turn.key) if each.question.digest != question.digest]
        if sum(bool(stored.question.words) for stored in others) >= MOST_OPEN:
            raise ToolRefused(TOO_MANY.format(open=MOST_OPEN))

        def notice(number: int) -> Notice:
            return Notice(
                id=post_of(number),
                key=turn.key,
                notice=NoticeKind.ASKED,
                text=asked_text(number, question, caller.persona.display_name),
                approval=question_reference(number),
                choices=choices,
                ending=how_to_reply(number, question, seconds=seconds),
                language=turn.language,
            )

        with caller.waits():
            settled = await desk.asked(question, notice)
        await caller.take_added()  # where they answered by a message, it is this
        return _told(settled, seconds)

    return RegisteredTool(
        name=ASK_PERSON,
        description=TOLD,
        arguments=AskPersonArguments,
        run=ask,
        refusal_in=_refusal,
    )


def _refusal(turn: Turn) -> str:
    return NOT_IN_REVIEWS if turn.kind is TurnKind.REVIEW else ""


def _digest(turn: Turn, words: str, choices: tuple[str, ...]) -> str:
    """Return what stands for a question of a turn: made anew after a crash it is the same."""
    whole = json.dumps([ASK_PERSON, turn.id, words, choices])
    return hashlib.sha256(whole.encode("utf-8", "replace")).hexdigest()


def _told(stored: StoredQuestion, seconds: float) -> str:
    match stored.state:
        case QuestionState.REPLIED:
            return REPLIED.format(by=stored.by or "A person", words=stored.why)
        case QuestionState.DENIED | QuestionState.WITHDRAWN:
            return DECLINED.format(by=stored.by or "The person")
        case QuestionState.STOPPED:
            return ENDED
        case QuestionState.OPEN | QuestionState.EXPIRED | QuestionState.APPROVED | QuestionState.ALWAYS:
            return NOBODY.format(minutes=round(seconds / 60, 1))
        case unexpected:
            assert_never(unexpected)


async def _judged(words: str, caller: Caller) -> None:
    """Raise ToolRefused where a question would go back to its author as part of a reply."""
    outcome = await caller.judged(words)
    match outcome:
        case Cleared():
            return
        case SentBack():
            raise ToolRefused(f"[SENT BACK by {outcome.stage}] {outcome.feedback}\n\nNobody was asked.")
        case Withheld():
            raise ToolRefused(f"{outcome.reason} Nobody was asked.")
        case unexpected:
            assert_never(unexpected)
