"""Questions that a rule asks a person before a tool call runs, and their answers."""

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from mama_bot.model.conversations import ConversationKey
from mama_bot.model.ids import MessageId
from mama_bot.wording import Language

QUESTION_PREFIX = "tool-"
_REFERENCE = re.compile(rf"(?:{QUESTION_PREFIX}|#)?(?P<number>[0-9]{{1,7}})(?:\s+(?P<words>.+))?", re.DOTALL)


class QuestionState(StrEnum):
    """Where a question stands.

    ALWAYS approves the call and all that the same rule asks in the conversation, until that is WITHDRAWN. STOPPED: the
    work that waited ended first. REPLIED: what an agent asked was answered in words.
    """

    OPEN = "open"
    APPROVED = "approved"
    ALWAYS = "always"
    DENIED = "denied"
    EXPIRED = "expired"
    STOPPED = "stopped"
    WITHDRAWN = "withdrawn"
    REPLIED = "replied"


GRANTED = frozenset({QuestionState.APPROVED, QuestionState.ALWAYS})


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolQuestion:
    """A tool call that waits for a person.

    `rules` are all that ask about it, `approvers` whom they name (nobody: owners), `asker` the id of whoever the agent
    works for, `checkpoint` what an approval lets pass in this conversation, `about` how the call begins,
    as it was shown. `digest` stands for the call with its
    arguments: the same call of the same request is the same question. What an agent itself asks of a person is no call:
    `words` are its question, `choices` the answers that it offers.
    """

    key: ConversationKey
    message_id: MessageId
    rules: tuple[str, ...]
    persona: str
    digest: str
    asked_at: datetime
    expires_at: datetime
    approvers: tuple[str, ...] = ()
    asker: str = ""
    checkpoint: str = ""
    about: str = ""
    words: str = ""
    choices: tuple[str, ...] = ()
    language: Language = Language.ENGLISH

    def chosen(self, answer: str) -> str:
        """Return an answer as it is told to the agent: the choice where it is the number of one."""
        number = int(answer) if answer.isascii() and answer.isdecimal() and len(answer) < 3 else 0
        return self.choices[number - 1] if 0 < number <= len(self.choices) else answer


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredQuestion:
    """A question under its number, and what a person said: who (`by`), why and when."""

    number: int
    question: ToolQuestion
    state: QuestionState = QuestionState.OPEN
    by: str = ""
    why: str = ""
    settled_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionAnswer:
    """What settles a question: a person's word, the end of its time, or a stop of the turn that waits."""

    state: QuestionState
    by: str = ""
    why: str = ""


def question_reference(number: int) -> str:
    """Return the argument that a button for a question carries."""
    return f"{QUESTION_PREFIX}{number}"


def read_question_reference(argument: str) -> tuple[int, str] | None:
    """Return the number of a question, and the words behind it: `3 not now` is (3, "not now"); None for other words."""
    match = _REFERENCE.fullmatch(argument.strip())
    return None if match is None else (int(match["number"]), (match["words"] or "").strip())
