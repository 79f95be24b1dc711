"""What a platform is told about the bot: Slack's manifest, Discord's invitation, the steps with BotFather."""

import base64
import binascii
import importlib
import json
from enum import IntFlag
from urllib.parse import urlencode

from mama_bot.app.init_words import STEPS

APPLICATION_ID = "APPLICATION_ID"
SLACK_PAGE = "https://api.slack.com/apps?new_app=1"


class DiscordPermission(IntFlag):
    """What the bot may do in a server, as Discord numbers it."""

    ADD_REACTIONS = 1 << 6
    VIEW_CHANNEL = 1 << 10
    SEND_MESSAGES = 1 << 11
    EMBED_LINKS = 1 << 14
    ATTACH_FILES = 1 << 15
    READ_MESSAGE_HISTORY = 1 << 16
    MANAGE_WEBHOOKS = 1 << 29
    CREATE_PUBLIC_THREADS = 1 << 35
    SEND_MESSAGES_IN_THREADS = 1 << 38


DISCORD_PERMISSIONS = sum(DiscordPermission)


def discord_invitation(application: str = APPLICATION_ID) -> str:
    """The address that adds the bot to a server, with the permissions that the service uses and no more."""
    query = {
        "client_id": application,
        "scope": "bot applications.commands",
        "permissions": str(DISCORD_PERMISSIONS),
    }
    return f"https://discord.com/oauth2/authorize?{urlencode(query)}"


def discord_application(token: str) -> str:
    """The id of the application whose token this is, which its first part holds; "" where it does not."""
    first = token.partition(".")[0]
    try:
        number = base64.urlsafe_b64decode(first + "=" * (-len(first) % 4)).decode("ascii")
    except (binascii.Error, ValueError):
        return ""
    return number if number.isdigit() else ""


def slack_manifest() -> str:
    """The app manifest as JSON, to be pasted at SLACK_PAGE."""
    module = importlib.import_module("mama_bot.gateways.slack.manifest")
    made = module.manifest()
    return made if isinstance(made, str) else json.dumps(made, ensure_ascii=False, indent=2)


def manifest_of(platform: str, *, token: str = "", language: str = "en") -> str:
    """What `mama-bot manifest PLATFORM` prints."""
    match platform:
        case "slack":
            return slack_manifest()
        case "discord":
            return discord_invitation(discord_application(token) or APPLICATION_ID)
        case _:
            return STEPS["telegram"].to(language)
