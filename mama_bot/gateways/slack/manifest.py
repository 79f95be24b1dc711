"""The app manifest to paste at api.slack.com/apps ("From a manifest"); made of what the adapter uses."""

import json
from typing import Any

from mama_bot.gateways.slack.constants import BOT_EVENTS, COMMAND, OPTIONAL_SCOPES, REQUIRED_SCOPES, TAKEN_BY_SLACK
from mama_bot.model import ARGUMENTS, DESCRIPTIONS, CommandName
from mama_bot.wording import Language


def manifest(*, name: str = "mama-bot") -> str:
    """Return the manifest as JSON; `name` is shown in Slack, at most 35 characters."""
    return json.dumps(_manifest(name[:35]), indent=2, ensure_ascii=False)


def _manifest(name: str) -> dict[str, Any]:
    return {
        "display_information": {
            "name": name,
            "description": "A team of coding agents whose every reply is checked by code",
        },
        "features": {
            "app_home": {
                "home_tab_enabled": False,
                "messages_tab_enabled": True,
                "messages_tab_read_only_enabled": False,
            },
            "bot_user": {"display_name": name, "always_online": True},
            "slash_commands": _commands(),
        },
        "oauth_config": {"scopes": {"bot": sorted([*REQUIRED_SCOPES, *OPTIONAL_SCOPES])}},
        "settings": {
            "event_subscriptions": {"bot_events": list(BOT_EVENTS)},
            "interactivity": {"is_enabled": True},
            "org_deploy_enabled": False,
            "socket_mode_enabled": True,
            "token_rotation_enabled": False,
        },
    }


def _commands() -> list[dict[str, Any]]:
    names = "|".join(command.value for command in DESCRIPTIONS)
    whole = _command(COMMAND, "Ask the team's service: status, stop, receipt and more", f"[{names}]")
    single = [
        _command(f"/{command.value}", about.to(Language.ENGLISH), _hint(command))
        for command, about in DESCRIPTIONS.items()
        if _is_free(command)
    ]
    return [whole, *single]


def _hint(command: CommandName) -> str:
    return f"[{ARGUMENTS[command].to(Language.ENGLISH)}]" if command in ARGUMENTS else ""


def _is_free(command: CommandName) -> bool:
    return command not in TAKEN_BY_SLACK


def _command(name: str, description: str, hint: str) -> dict[str, Any]:
    about = {"command": name, "description": description, "should_escape": False}
    return about | ({"usage_hint": hint} if hint else {})
