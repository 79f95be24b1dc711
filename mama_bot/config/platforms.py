"""The sections of the chat platforms: a platform is used when its token is set."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated

from pydantic import BeforeValidator, Field, SecretStr

from mama_bot.config.section import Count, Seconds, Section


def _id(value: object) -> object:
    """Ids of the platforms are often numbers, which YAML reads as such."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


Id = Annotated[str, BeforeValidator(_id), Field(min_length=1)]


class AccessSettings(Section):
    """`access`: who is served; with empty lists, nobody.

    An owner, a listed or paired person, and whoever has a listed role is served everywhere; in a listed channel (or
    chat) and in a listed workspace (Discord server, Slack team) everybody is. Bots are served when they are listed.
    """

    owners: tuple[Id, ...] = ()
    people: tuple[Id, ...] = ()
    roles: tuple[Id, ...] = ()
    channels: tuple[Id, ...] = ()
    workspaces: tuple[Id, ...] = ()
    bots: tuple[Id, ...] = ()
    pairing: bool = True


class Threads(StrEnum):
    """Where the team answers: KEEP: where it was asked; TASK: in a thread that is opened for each task."""

    KEEP = "keep"
    TASK = "task"


class PlatformSettings(Section):
    """What every chat platform has."""

    access: AccessSettings = AccessSettings()
    threads: Threads = Threads.KEEP
    progress: bool = True
    progress_seconds: Seconds = 2
    show_sent_back: bool = False
    max_attachment_megabytes: Count = 10
    max_attachments: Count = 10
    persona_tokens: Mapping[str, SecretStr] = Field(default_factory=dict)


class DiscordSettings(PlatformSettings):
    """`discord`."""

    token: SecretStr | None = None
    api_url: str = "https://discord.com/api/v10"
    gateway_url: str = "wss://gateway.discord.gg/"
    files_url: str = "https://cdn.discordapp.com"
    persona_roles: Mapping[str, Id] = Field(default_factory=dict)
    backfill_hours: Count = 24


class SlackSettings(PlatformSettings):
    """`slack`: Socket Mode; the replies to a mention in a channel are in its thread."""

    threads: Threads = Threads.TASK
    bot_token: SecretStr | None = None
    app_token: SecretStr | None = None
    api_url: str = "https://slack.com/api/"


class TelegramSettings(PlatformSettings):
    """`telegram`: long polling."""

    token: SecretStr | None = None
    api_url: str = "https://api.telegram.org/bot"
    files_url: str = "https://api.telegram.org/file/bot"
    poll_seconds: Seconds = 30
