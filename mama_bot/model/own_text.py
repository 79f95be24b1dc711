"""A text that nobody sent, given to be judged, and what comes of it."""

from dataclasses import dataclass

from mama_bot.model.facts import Facts
from mama_bot.model.judgements import Judgement


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnText:
    """What a person wants judged: a reply, and its tool calls as JSON ("": judged by its words alone).

    `reviews` says that it is a review of another's work, `to_agent` that an agent reads it.
    """

    text: str
    record: str = ""
    reviews: bool = False
    to_agent: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What every stage says of a text, and what its record shows."""

    judgement: Judgement
    facts: Facts
