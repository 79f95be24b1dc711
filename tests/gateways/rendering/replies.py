"""Replies to render."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from mama_bot.gateways.chat.markdown.dialect import Dialect
from mama_bot.gateways.chat.markdown.posts import parts_of, short_message
from mama_bot.gateways.discord import dialect as discord
from mama_bot.gateways.slack import dialect as slack
from mama_bot.gateways.telegram import dialect as telegram
from mama_bot.model import (
    Cleared,
    ConversationKey,
    Judgement,
    OutgoingFile,
    Part,
    Platform,
    PostId,
    Reply,
    TurnId,
    text_hash,
)
from tests.gateways.rendering.readers import discord_shows, slack_shows, telegram_shows


@dataclass(frozen=True)
class Rendering:
    """A platform's dialect, and how the platform reads it."""

    name: str
    dialect: Dialect
    parts_of: Callable[..., tuple[Part, ...]]
    short_message: Callable[[str], tuple[str, str]]
    shows: Callable[[str], str]


def rendering(name: str, dialect: Dialect, shows: Callable[[str], str]) -> Rendering:
    return Rendering(name, dialect, partial(parts_of, dialect=dialect), partial(short_message, dialect=dialect), shows)


DISCORD = rendering("discord", discord.DIALECT, discord_shows)
SLACK = rendering("slack", slack.DIALECT, slack_shows)
TELEGRAM = rendering("telegram", telegram.DIALECT, telegram_shows)
PLATFORMS = (DISCORD, SLACK, TELEGRAM)


def reply(
    text: str, *, banners: tuple[str, ...] = (), files: tuple[OutgoingFile, ...] = (), record_line: str = ""
) -> Reply:
    judgement = Judgement(turn_id=TurnId("t1"), attempt=0, text_sha256=text_hash(text), outcome=Cleared())
    return Reply(
        id=PostId("p1"),
        turn_id=TurnId("t1"),
        key=ConversationKey(Platform("test"), "c"),
        persona="developer",
        display_name="Developer",
        text=text,
        judgement=judgement,
        banners=banners,
        files=files,
        record_line=record_line,
    )
