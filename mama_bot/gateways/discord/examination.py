"""Whether a bot on Discord has what it needs, and how to grant it."""

from collections.abc import Sequence
from urllib.parse import urlencode

from mama_bot.config.platform_settings import DiscordSettings
from mama_bot.gateways.discord.client import point_at
from mama_bot.gateways.discord.rest import DiscordRefused, Limited, Rest, Unreachable
from mama_bot.gateways.discord.wire import dicts, optional_id
from mama_bot.model import Examination

PORTAL = "discord.com/developers/applications"
AUTHORIZE = "https://discord.com/oauth2/authorize"
SCOPES = "bot applications.commands"
PERMISSIONS = {
    "Add Reactions": 1 << 6,
    "View Channels": 1 << 10,
    "Send Messages": 1 << 11,
    "Embed Links": 1 << 14,
    "Attach Files": 1 << 15,
    "Read Message History": 1 << 16,
    "Manage Webhooks": 1 << 29,
    "Create Public Threads": 1 << 35,
    "Send Messages in Threads": 1 << 38,
}
ADMINISTRATOR = 1 << 3
_CONTENT = (1 << 18) | (1 << 19)  # granted to a verified application, switched on in one that is not


def invite_url(application_id: str) -> str:
    """Return the address at which an owner of a Discord server lets the bot in, with what it needs."""
    asked = {"client_id": application_id, "scope": SCOPES, "permissions": str(sum(PERMISSIONS.values()))}
    return f"{AUTHORIZE}?{urlencode(asked)}"


async def examine_discord(settings: DiscordSettings) -> Sequence[Examination]:
    """Return what is there and what is missing, each with its remedy; never raises for what Discord says."""
    if settings.token is None:
        return [_wrong("token", "discord.token is not set", f"Make a bot at {PORTAL}, and set MAMA_DISCORD__TOKEN.")]
    point_at(settings)
    findings: list[Examination] = []
    rest = Rest(settings.token.get_secret_value())
    try:
        findings.append(await _token(rest))
        application, finding = await _application(rest)
        findings += [finding, *await _servers(rest, application)]
    except DiscordRefused as refused:
        remedy = f"Make a new token at {PORTAL}, page Bot, and set MAMA_DISCORD__TOKEN."
        findings.append(_wrong("token", f"Discord says: {refused}", remedy))
    except (Limited, Unreachable) as error:
        remedy = f"Check the network, and discord.api_url ({settings.api_url}); then try again."
        findings.append(_wrong("connection", str(error), remedy))
    finally:
        await rest.close()
    for persona, token in settings.persona_tokens.items():
        findings.append(await _persona(persona, token.get_secret_value()))
    return findings


async def _token(rest: Rest) -> Examination:
    raw = await rest.request("GET", "/users/@me")
    name = raw.get("username") if isinstance(raw, dict) else None
    return Examination(subject="token", ok=True, outcome=f"valid: the bot is {name} ({rest.user})")


async def _application(rest: Rest) -> tuple[str, Examination]:
    raw = await rest.request("GET", "/oauth2/applications/@me")
    application = optional_id(raw.get("id")) if isinstance(raw, dict) else ""
    flags = raw.get("flags") if isinstance(raw, dict) else 0
    if isinstance(flags, int) and flags & _CONTENT:
        return application, Examination(subject="Message Content intent", ok=True, outcome="switched on")
    remedy = (
        f'Switch on "Message Content Intent" at {PORTAL}/{application}/bot. Without it the team reads mentions and '
        "direct messages only, not what is said in its threads."
    )
    return application, _wrong("Message Content intent", "switched off", remedy)


async def _servers(rest: Rest, application: str) -> Sequence[Examination]:
    servers = list(dicts(await rest.request("GET", "/users/@me/guilds")))
    if not servers:
        remedy = f"Open {invite_url(application)} and choose a server."
        return [_wrong("servers", "the bot is in no server", remedy)]
    return [_server(raw.get("name"), raw.get("permissions"), application) for raw in servers]


def _server(name: object, permissions: object, application: str) -> Examination:
    granted = int(permissions) if isinstance(permissions, str) and permissions.isdecimal() else 0
    missing = [permission for permission, bit in PERMISSIONS.items() if not granted & (bit | ADMINISTRATOR)]
    subject = f"permissions in {name}"
    if not missing:
        return Examination(subject=subject, ok=True, outcome="all that is needed; a channel may still take some away")
    remedy = f"Grant them to the bot's role in the server's settings, or open {invite_url(application)} again."
    return _wrong(subject, f"missing: {', '.join(missing)}", remedy)


async def _persona(persona: str, token: str) -> Examination:
    subject = f"token of {persona}"
    rest = Rest(token)
    try:
        bot = await rest.whoami()
    except (DiscordRefused, Limited, Unreachable) as error:
        return _wrong(subject, str(error), f"Correct discord.persona_tokens.{persona}, or take it out.")
    finally:
        await rest.close()
    return Examination(subject=subject, ok=True, outcome=f"valid: bot {bot}")


def _wrong(subject: str, outcome: str, remedy: str) -> Examination:
    return Examination(subject=subject, ok=False, outcome=outcome, remedy=remedy)
