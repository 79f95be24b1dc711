"""Whether a Slack app is set up as the gateway needs it, and what to do where it is not."""

import asyncio
from collections.abc import Sequence

from mama_bot.config import SlackSettings
from mama_bot.gateways.slack.calls import CALL_SECONDS, TROUBLE, code_of, reason_of, scopes_of, web_client
from mama_bot.gateways.slack.constants import OPTIONAL_SCOPES, REQUIRED_SCOPES
from mama_bot.model import Examination

_INSTALL = "and then install the app to the workspace again (Install App)"
_MAKE_APP = (
    "Make one under Basic Information, App-Level Tokens, with the scope connections:write, turn Socket Mode on, "
    "and set slack.app_token (it begins with xapp-)."
)
_COPY_BOT = "Copy the Bot User OAuth Token (it begins with xoxb-) from OAuth & Permissions into slack.bot_token."
_UNREACHABLE = "Check the network and slack.api_url, and try again."


async def examine_slack(settings: SlackSettings) -> Sequence[Examination]:
    """Ask Slack about every token of the settings; never raises for what Slack answers or does not answer."""
    personas = [await _persona(settings, persona) for persona in settings.persona_tokens]
    return [*await _bot(settings), await _app(settings), *personas]


async def _bot(settings: SlackSettings) -> Sequence[Examination]:
    subject = "slack.bot_token"
    if settings.bot_token is None:
        return [Examination(subject=subject, ok=False, outcome="It is not set.", remedy=_COPY_BOT)]
    client = web_client(settings.bot_token.get_secret_value(), settings.api_url, session=None, posting=True)
    try:
        async with asyncio.timeout(CALL_SECONDS):
            answer = await client.auth_test()
    except TROUBLE as error:
        return [_refused(subject, error, _COPY_BOT)]
    outcome = f"The bot is {answer.get('user')} in the workspace {answer.get('team')}."
    valid = Examination(subject=subject, ok=True, outcome=outcome)
    return [valid, *_scopes(scopes_of(answer.headers))]


def _scopes(scopes: frozenset[str]) -> Sequence[Examination]:
    if not scopes:
        return [Examination(subject="Slack scopes", ok=True, outcome="Slack does not say which scopes the bot has.")]
    missing = [
        _missing(scope, purpose, needed=True) for scope, purpose in REQUIRED_SCOPES.items() if scope not in scopes
    ]
    wished = [
        _missing(scope, purpose, needed=False) for scope, purpose in OPTIONAL_SCOPES.items() if scope not in scopes
    ]
    if missing or wished:
        return [*missing, *wished]
    return [Examination(subject="Slack scopes", ok=True, outcome="The bot has every scope that it uses.")]


def _missing(scope: str, purpose: str, *, needed: bool) -> Examination:
    return Examination(
        subject=f"Slack scope {scope}",
        ok=not needed,
        outcome=f"The bot does not have it: it is {'needed' if needed else 'useful'} to {purpose}.",
        remedy=f"Add {scope} under OAuth & Permissions, Bot Token Scopes, {_INSTALL}.",
    )


async def _app(settings: SlackSettings) -> Examination:
    subject = "slack.app_token"
    if settings.app_token is None:
        return Examination(subject=subject, ok=False, outcome="It is not set.", remedy=_MAKE_APP)
    token = settings.app_token.get_secret_value()
    client = web_client(token, settings.api_url, session=None, posting=True)
    try:
        async with asyncio.timeout(CALL_SECONDS):
            await client.apps_connections_open(app_token=token)
    except TROUBLE as error:
        return _refused(subject, error, _MAKE_APP)
    return Examination(subject=subject, ok=True, outcome="Slack opens connections for it.")


async def _persona(settings: SlackSettings, persona: str) -> Examination:
    subject = f"slack.persona_tokens.{persona}"
    token = settings.persona_tokens[persona].get_secret_value()
    client = web_client(token, settings.api_url, session=None, posting=True)
    try:
        async with asyncio.timeout(CALL_SECONDS):
            answer = await client.auth_test()
    except TROUBLE as error:
        return _refused(
            subject, error, "Copy the Bot User OAuth Token of the persona's own app, or take the entry out."
        )
    scopes = scopes_of(answer.headers)
    if scopes and "chat:write" not in scopes:
        return _missing("chat:write", f"let {persona} write", needed=True)
    return Examination(subject=subject, ok=True, outcome=f"The persona writes as {answer.get('user')}.")


def _refused(subject: str, error: BaseException, remedy: str) -> Examination:
    known = bool(code_of(error))
    outcome = f"Slack refuses it: {reason_of(error)}." if known else f"Slack cannot be reached: {reason_of(error)}."
    return Examination(subject=subject, ok=False, outcome=outcome, remedy=remedy if known else _UNREACHABLE)
