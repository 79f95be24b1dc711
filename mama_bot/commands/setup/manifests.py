"""What a platform is told about the bot: Slack's manifest, Discord's invitation, the steps with BotFather."""

import base64
import binascii
import importlib
from types import ModuleType

from mama_bot.commands.setup.sentences import STEPS
from mama_bot.wording import Language

APPLICATION_ID = "APPLICATION_ID"
SLACK_PAGE = "https://api.slack.com/apps?new_app=1"


def discord_invitation(application: str) -> str:
    """Return the address that adds a bot to a server, with the permissions that the gateway uses and no more."""
    return str(_of("discord.examination").invite_url(application or APPLICATION_ID))


def discord_application(token: str) -> str:
    """Return the id of the application whose token this is, which its first part holds; "" where it does not."""
    first = token.partition(".")[0]
    try:
        number = base64.urlsafe_b64decode(first + "=" * (-len(first) % 4)).decode("ascii")
    except (binascii.Error, ValueError):
        return ""
    return number if number.isdigit() else ""


def slack_manifest() -> str:
    """Return the app manifest as JSON, to be pasted at SLACK_PAGE."""
    return str(_of("slack.manifest").manifest())


def manifest_of(platform: str, *, token: str = "", language: Language = Language.ENGLISH) -> str:
    """Return what `mama-bot manifest PLATFORM` prints."""
    match platform:
        case "slack":
            return slack_manifest()
        case "discord":
            return discord_invitation(discord_application(token))
        case _:
            return STEPS["telegram"].to(language)


def _of(name: str) -> ModuleType:
    """A module of a gateway, loaded when it is needed: its SDK takes a second."""
    return importlib.import_module(f"mama_bot.gateways.{name}")
