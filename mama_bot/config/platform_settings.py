"""The sections of the chat platforms: a platform is used when its token is set."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, ClassVar
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, model_validator

from mama_bot.config.section import Count, Seconds, Section

_PREFIXES = ("bot ", "bearer ")
_TELEGRAM = "https://api.telegram.org/bot"
_TELEGRAM_FILES = "https://api.telegram.org/file/bot"


def _id(value: object) -> object:
    """Ids of the platforms are often numbers, which YAML reads as such."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _plain(value: str) -> str:
    if not value.isprintable() or any(sign.isspace() or sign in "\"',[]" for sign in value):
        raise ValueError("expected an id of the platform, without spaces and quotes")
    return value


def _pasted(token: SecretStr) -> SecretStr:
    """A token as a platform shows it; what people paste along with it is named, the token is not."""
    text = token.get_secret_value()
    if text.lower().startswith(_PREFIXES):
        raise ValueError(f"expected the token alone, without {text.split()[0]!r} before it")
    if any(sign in "\"'`" for sign in text):
        raise ValueError("expected the token alone, without quotes around it")
    if not text.isascii() or not text.isprintable() or " " in text:
        raise ValueError("expected the token alone, without spaces or line breaks")
    return token


def _nothing(value: object) -> object:
    """`NAME=` in a file of variables says that there is none."""
    return None if value == "" else value


def _words_joined(value: object) -> object:
    """No variable's name can hold the hyphen of a persona's: MAMA_SLACK__PERSONA_TOKENS__QA_LEAD means qa-lead."""
    return {str(key).replace("_", "-"): token for key, token in value.items()} if isinstance(value, Mapping) else value


def _url(*schemes: str) -> AfterValidator:
    def check(value: str) -> str:
        try:
            parts = urlsplit(value)
            usable = parts.scheme in schemes and bool(parts.hostname) and parts.port != 0
        except ValueError:
            usable = False
        if not usable or any(sign.isspace() for sign in value):
            raise ValueError(
                f"expected an address that begins with {' or '.join(f'{scheme}://' for scheme in schemes)}"
            )
        return value

    return AfterValidator(check)


def _below(path: str, *, slash: bool = False) -> AfterValidator:
    """An address of a server alone gets the path that its interface has everywhere; a slash at the end is as needed."""

    def complete(value: str) -> str:
        bare = value.rstrip("/")
        whole = bare if urlsplit(bare).path else bare + path
        return f"{whole}/" if slash else whole

    return AfterValidator(complete)


Id = Annotated[str, BeforeValidator(_id), Field(min_length=1), AfterValidator(_plain)]
PersonaToken = Annotated[SecretStr, Field(min_length=1), AfterValidator(_pasted)]
Token = Annotated[Annotated[SecretStr, AfterValidator(_pasted)] | None, BeforeValidator(_nothing)]
HttpUrl = Annotated[str, _url("https", "http")]
WebSocketUrl = Annotated[str, _url("wss", "ws")]


class AccessSettings(Section):
    """`access`: who is served; with empty lists, nobody.

    An owner, a listed or paired person, and whoever has a listed role is served everywhere; in a listed channel (or
    chat) and on a listed server (of Discord, a team of Slack) everybody is. People of other companies (Slack Connect)
    are when their own team is listed. Bots are served when they are listed.
    """

    RENAMED: ClassVar[Mapping[str, str]] = {"workspaces": "servers"}

    owners: tuple[Id, ...] = ()
    people: tuple[Id, ...] = ()
    roles: tuple[Id, ...] = ()
    channels: tuple[Id, ...] = ()
    servers: tuple[Id, ...] = ()
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
    seen: bool = True
    progress: bool = True
    progress_seconds: Seconds = 2
    show_sent_back: bool = False
    max_attachment_megabytes: Count = 10
    max_attachments: Count = 10
    persona_tokens: Annotated[Mapping[str, PersonaToken], BeforeValidator(_words_joined)] = Field(default_factory=dict)


class DiscordSettings(PlatformSettings):
    """`discord`."""

    token: Token = None
    api_url: Annotated[HttpUrl, _below("/api/v10")] = "https://discord.com/api/v10"
    gateway_url: WebSocketUrl = "wss://gateway.discord.gg/"
    files_url: HttpUrl = "https://cdn.discordapp.com"
    persona_roles: Annotated[Mapping[str, Id], BeforeValidator(_words_joined)] = Field(default_factory=dict)
    backfill_hours: Count = 24


class SlackSettings(PlatformSettings):
    """`slack`: Socket Mode; the replies to a mention in a channel are in its thread."""

    threads: Threads = Threads.TASK
    bot_token: Token = None
    app_token: Token = None
    backfill_hours: Count = 24
    api_url: Annotated[HttpUrl, _below("/api", slash=True)] = "https://slack.com/api/"


class TelegramSettings(PlatformSettings):
    """`telegram`: long polling."""

    token: Token = None
    api_url: Annotated[HttpUrl, _below("/bot")] = _TELEGRAM
    files_url: Annotated[HttpUrl, _below("/file/bot")] = _TELEGRAM_FILES
    poll_seconds: Seconds = 30

    @model_validator(mode="before")
    @classmethod
    def _files_beside_the_rest(cls, given: object) -> object:
        """Another server than Telegram's own has the files too, unless it is said where they are."""
        if not isinstance(given, dict) or given.get("files_url", _TELEGRAM_FILES) != _TELEGRAM_FILES:
            return given
        address = given.get("api_url", _TELEGRAM)
        if not isinstance(address, str) or address == _TELEGRAM:
            return given
        return {**given, "files_url": address.rstrip("/").removesuffix("/bot") + "/file/bot"}
