"""The settings of what ends when it gets nowhere."""

from typing import Annotated

from pydantic import Field

from mama_bot.config.section import Count, Number, Seconds, Section, Share, Whole


class LoopSettings(Section):
    """`loops`: how long those who are no people keep each other busy; a person's message begins every count anew.

    `chain_limit` messages of bots and hooks in a row are answered in `chain_seconds`, `cooldown_seconds` lie between
    two answers of an agent to a bot in a channel, and `idle_rounds` of a pair may bring nothing new (0: any number).
    """

    chain_limit: Count = 10
    chain_seconds: Seconds = 3_600
    cooldown_seconds: Annotated[Number, Field(ge=0, le=60)] = 5
    idle_rounds: Annotated[Whole, Field(ge=0, le=20)] = 2


class DriftSettings(Section):
    """`drift`: when an agent is told that it is stuck: after so many outputs that are nearly the same, or so many that
    brought nothing new.

    `likeness` says how alike two are that are nearly the same; `embeddings` names what tells it ("": the characters).
    """

    enabled: bool = True
    outputs: Annotated[Whole, Field(ge=2, le=20)] = 3
    likeness: Share = 0.8
    embeddings: str = ""
