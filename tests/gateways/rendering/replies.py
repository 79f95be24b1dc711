"""Replies to render."""

from collections.abc import Callable
from dataclasses import dataclass

from mama_bot.gateways.chat.markdown.dialect import Dialect
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
    line_of: Callable[[str], tuple[str, str]]
    shows: Callable[[str], str]


DISCORD = Rendering("discord", discord.DiscordDialect(), discord.parts_of, discord.line_of, discord_shows)
SLACK = Rendering("slack", slack.SlackDialect(), slack.parts_of, slack.line_of, slack_shows)
TELEGRAM = Rendering("telegram", telegram.TelegramDialect(), telegram.parts_of, telegram.line_of, telegram_shows)
PLATFORMS = (DISCORD, SLACK, TELEGRAM)


def reply(text: str, *, banners: tuple[str, ...] = (), files: tuple[OutgoingFile, ...] = ()) -> Reply:
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
    )
