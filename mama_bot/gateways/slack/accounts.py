"""Who we are on Slack: the app itself, and the apps of personas that have one of their own."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import aiohttp
import structlog
from slack_sdk.web.async_client import AsyncWebClient

from mama_bot.config import SlackSettings
from mama_bot.gateways.slack.calls import CALL_SECONDS, TROUBLE, reason_of, scopes_of, web_client
from mama_bot.gateways.slack.constants import CUSTOMIZE
from mama_bot.gateways.slack.wire import Written
from mama_bot.metrics import Metrics
from mama_bot.model import AgentPersona

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackAccount:
    """What Slack says about a token; `scopes` is empty where it does not say."""

    team: str
    user: str
    bot: str
    scopes: frozenset[str]


class SlackAccounts:
    """The clients of all our tokens, and whose posts are ours; known once `identify` has returned."""

    def __init__(self, *, settings: SlackSettings, personas: Sequence[AgentPersona], metrics: Metrics) -> None:
        assert settings.bot_token is not None
        self._settings = settings
        self._metrics = metrics
        self._main = settings.bot_token.get_secret_value()
        names = {persona.name for persona in personas}
        self._tokens = {
            name: token.get_secret_value() for name, token in settings.persona_tokens.items() if name in names
        }
        self._session: aiohttp.ClientSession | None = None
        self.own: SlackAccount | None = None
        self._personas: dict[str, SlackAccount] = {}
        self._apps: set[str] = set()

    def use(self, session: aiohttp.ClientSession | None) -> None:
        """Make all calls in one session from now on."""
        self._session = session

    @property
    def session(self) -> aiohttp.ClientSession | None:
        """The session of all calls while the gateway runs."""
        return self._session

    @property
    def token(self) -> str:
        """The app's bot token."""
        return self._main

    def client(self, *, posting: bool = False) -> AsyncWebClient:
        """Return a client with the app's bot token."""
        return self._client(self._main, posting=posting)

    def persona_client(self, persona: str) -> AsyncWebClient | None:
        """Return a client for posting as a persona that has an app of its own; None for the others."""
        token = self._tokens.get(persona) if persona in self._personas else None
        return None if token is None else self._client(token, posting=True)

    async def identify(self) -> SlackAccount:
        """Ask Slack who we are; raises what a call raises (TROUBLE)."""
        self.own = await self._account(self._main)
        for name, token in self._tokens.items():
            try:
                self._personas[name] = await self._account(token)
            except TROUBLE as error:
                # The persona posts by the app then, under its own name.
                self._metrics.count("slack_persona_tokens_refused", persona=name)
                log.warning("slack_persona_token_refused", persona=name, reason=reason_of(error))
        return self.own

    def is_app(self, app_id: str) -> None:
        """Note that an app is ours: its socket is, or Slack addressed an event to it."""
        if app_id:
            self._apps.add(app_id)

    def customizes(self) -> bool:
        """Return whether posts can bear a persona's name; taken for granted until Slack says otherwise."""
        return self.own is None or not self.own.scopes or CUSTOMIZE in self.own.scopes

    def lose_customizing(self) -> None:
        """Slack refused a persona's name."""
        if self.own is not None:
            scopes = (self.own.scopes or frozenset({"chat:write"})) - {CUSTOMIZE}
            self.own = SlackAccount(team=self.own.team, user=self.own.user, bot=self.own.bot, scopes=scopes)

    def needs_header(self, persona: str) -> bool:
        """Return whether a reply has to say in its text who wrote it."""
        return persona not in self._tokens and not self.customizes()

    def wrote(self, message: Written) -> bool:
        """Return whether a message is a post of ours."""
        users = {account.user for account in self._all()}
        bots = {account.bot for account in self._all() if account.bot}
        return message.user in users or message.bot in bots or message.app in self._apps

    def personas_by_user(self) -> Mapping[str, str]:
        """Return the personas that people can mention, by the ids of their apps' users."""
        return {account.user: name for name, account in self._personas.items()}

    def _all(self) -> Sequence[SlackAccount]:
        return (*([] if self.own is None else [self.own]), *self._personas.values())

    async def _account(self, token: str) -> SlackAccount:
        async with asyncio.timeout(CALL_SECONDS):
            answer = await self._client(token, posting=False).auth_test()
        return SlackAccount(
            team=str(answer.get("team_id") or ""),
            user=str(answer.get("user_id") or ""),
            bot=str(answer.get("bot_id") or ""),
            scopes=scopes_of(answer.headers),
        )

    def _client(self, token: str, *, posting: bool) -> AsyncWebClient:
        return web_client(token, self._settings.api_url, session=self._session, posting=posting)
