"""discord.py's connection to the gateway: it keeps the socket alive, and every event is ours to read."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import aiohttp
import discord
import structlog
import yarl
from discord.gateway import DiscordWebSocket, ReconnectWebSocket
from discord.http import Route

from mama_bot.config.platform_settings import DiscordSettings
from mama_bot.gateways.discord.rest import LIMIT_SECONDS, ServerFault, without_repeats
from mama_bot.gateways.discord.sentences import CONNECTION_ENDED
from mama_bot.model import words
from mama_bot.wording import Said

log = structlog.get_logger(__name__)

READ = words(
    "READY RESUMED GUILD_CREATE GUILD_ROLE_CREATE GUILD_ROLE_UPDATE CHANNEL_CREATE CHANNEL_UPDATE CHANNEL_DELETE "
    "THREAD_CREATE THREAD_UPDATE THREAD_DELETE MESSAGE_CREATE MESSAGE_UPDATE MESSAGE_DELETE MESSAGE_DELETE_BULK "
    "INTERACTION_CREATE"
)
STEADY_SECONDS = 30.0  # one short connection is followed by the next at once, several are not
_GOING_ON = 4000  # a close after which the session can be resumed


def point_at(settings: DiscordSettings) -> None:
    """Make discord.py talk to the servers that are configured; its own are constants of its modules."""
    Route.BASE = settings.api_url.rstrip("/")
    DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(settings.gateway_url)
    discord.Asset.BASE = settings.files_url.rstrip("/")
    # Nobody speaks here: no warning at every start that voice is not installed.
    discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False


def asks_for_gateway(settings: DiscordSettings) -> bool:
    """Return whether a server has to say where its gateway is: another than Discord, and none is configured."""
    ours = DiscordSettings()
    return settings.api_url.rstrip("/") != ours.api_url and settings.gateway_url == ours.gateway_url


@dataclass(frozen=True, slots=True, kw_only=True)
class Waits:
    """How long the connection waits for what, in seconds.

    `silence`: for any frame; `connect`: for a new session's first event; `resume`: for that of a resumed one; `quiet`:
    for an event, before the session has to prove itself by being resumed; `identify`: between two IDENTIFYs.
    """

    silence: float = 60.0
    connect: float = 30.0
    resume: float = 10.0
    quiet: float = 120.0
    identify: float = 5.0


class _Unproven(Exception):
    """Nothing but acknowledged heartbeats for so long: whether the session still tells anything, a resume shows."""


class GatewayClient(discord.Client):
    """One connection: `listen` keeps it, resumes it, and hands every event to `take`.

    None of discord.py's own models are made of events: one that it cannot read would end its client.
    """

    def __init__(
        self,
        *,
        take: Callable[[str, object], None],
        lost: Callable[[Said | str], None],
        message_content: bool,
        waits: Waits,
        backoff: Callable[[int], float],
        monotonic: Callable[[], float],
        asks_for_gateway: bool,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._asks_for_gateway = asks_for_gateway
        intents = discord.Intents.none()
        intents.guilds = intents.guild_messages = intents.dm_messages = True
        intents.message_content = message_content
        super().__init__(
            intents=intents,
            max_messages=None,
            heartbeat_timeout=waits.silence,
            http_trace=without_repeats(),
            max_ratelimit_timeout=LIMIT_SECONDS,
        )
        self._lost = lost
        self._waits = waits
        self._may_identify_at = monotonic()
        self._backoff = backoff
        self._monotonic = monotonic
        self._sleep = sleep
        self._heard = False
        self._heard_at = monotonic()
        self._proving = False
        self._connection.parsers.clear()
        self._connection.parsers.update({name: self._reader(name, take) for name in READ})

    def _reader(self, name: str, take: Callable[[str, object], None]) -> Callable[[Any], None]:
        def read(data: Any) -> None:
            self._heard, self._heard_at = True, self._monotonic()
            take(name, data)

        return read

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Wait until a further IDENTIFY may be sent: Discord allows one in five seconds, and a thousand a day."""
        await self._sleep(max(0.0, self._may_identify_at - self._monotonic()))
        self._may_identify_at = self._monotonic() + self._waits.identify

    async def _find_gateway(self) -> None:
        """Ask another server than Discord's own where its gateway is, unless that was configured.

        The token would else go to Discord itself.
        """
        if not self._asks_for_gateway:
            return
        told = await self.http.request(Route("GET", "/gateway/bot"))
        DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(told["url"])
        log.info("discord_gateway_found", url=told["url"])

    async def listen(self, token: str) -> None:
        """Hear events until cancelled; raises what no new attempt with the same client can mend."""
        await self.http.static_login(token)
        await self._find_gateway()
        initial, failures, moved = True, 0, False
        session: dict[str, Any] = {}
        while True:
            self._heard, reached, began, tried = False, True, self._monotonic(), session
            try:
                await self._begin(session, initial=initial, moved=moved)
                initial = moved = False
                await self._hear()
            except _Unproven:
                # Nothing is missed meanwhile: what is said before the resume is replayed after it.
                log.debug("discord_session_asked")
                session, self._proving = self._session(), True
                await self._leave()
                continue
            except ReconnectWebSocket as ended:
                self._lost(CONNECTION_ENDED)
                session = self._session() if ended.resume else {}
                if not ended.resume:  # wanted by Discord: some seconds between an invalid session and the next
                    self._may_identify_at = max(self._may_identify_at, self._monotonic() + self._waits.identify / 2)
            except (OSError, aiohttp.ClientError, TimeoutError, ServerFault) as error:
                self._lost(f"{type(error).__name__}: {error}")
                session = self._session() or session
                if not isinstance(error, TimeoutError):
                    # Not reached: READY's address for resuming may be wrong, or gone with its host.
                    session = {name: value for name, value in session.items() if name != "gateway"}
                    reached = False
                    moved = True
                await self._leave()
            self._proving = False
            steady = self._heard and self._monotonic() - began >= STEADY_SECONDS
            failures = 0 if steady else failures + 1
            if tried and reached and session and not self._heard:
                # Its server is gone, or knows no such session without saying so: a new one, and the gap is read.
                log.info("discord_session_given_up")
                session = {}
                self._forget_session()
            if failures > 1 or not self._heard:
                await self._sleep(self._backoff(failures))

    async def _begin(self, session: dict[str, Any], *, initial: bool, moved: bool) -> None:
        """Connect, and wait for the first event: acknowledged heartbeats do not show that what was sent arrived."""
        async with asyncio.timeout(self._waits.resume if session else self._waits.connect):
            if moved:  # it may be elsewhere by now
                await self._find_gateway()
            self.ws = await DiscordWebSocket.from_client(self, initial=initial, **session)
            while not self._heard:
                await self.ws.poll_event()
        self._proving = False

    async def _hear(self) -> None:
        """Take events until the connection ends; raises _Unproven after so long without one."""
        while True:
            await self.ws.poll_event()
            if self._monotonic() - self._heard_at > self._waits.quiet:
                raise _Unproven

    async def _leave(self) -> None:
        websocket: DiscordWebSocket | None = self.ws
        if websocket is not None and websocket.open:
            await websocket.close(code=_GOING_ON)

    def _forget_session(self) -> None:
        websocket: DiscordWebSocket | None = self.ws
        if websocket is not None:
            websocket.session_id = websocket.sequence = None

    def _session(self) -> dict[str, Any]:
        """Return what resumes the last session; nothing where there was none."""
        websocket: DiscordWebSocket | None = self.ws
        if websocket is None or websocket.session_id is None or websocket.sequence is None:
            return {}
        return {
            "gateway": websocket.gateway,
            "session": websocket.session_id,
            "sequence": websocket.sequence,
            "resume": True,
        }

    def alive(self) -> bool:
        """Return whether a heartbeat was acknowledged within the last two intervals, or the session proves itself."""
        if self._proving:
            return True
        websocket: DiscordWebSocket | None = self.ws
        beating = None if websocket is None else websocket._keep_alive
        if beating is None or beating.interval is None:
            return False
        return time.perf_counter() - beating._last_ack <= 2 * beating.interval
