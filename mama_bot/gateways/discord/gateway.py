"""One account on Discord, behind the port of gateways."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import aiohttp
import discord
import structlog

from mama_bot.backoff import Backoff
from mama_bot.config.platform_settings import DiscordSettings
from mama_bot.errors import StoreUnavailable
from mama_bot.gateways.chat.arrivals import Arrivals
from mama_bot.gateways.chat.attachments import Attachments
from mama_bot.gateways.chat.dependencies import ChatDependencies
from mama_bot.gateways.chat.gaps import Gaps, behind
from mama_bot.gateways.chat.markdown.posts import parts_of
from mama_bot.gateways.chat.progress import ProgressBoard
from mama_bot.gateways.chat.read_marks import Marks
from mama_bot.gateways.chat.seen import SeenBoard
from mama_bot.gateways.discord import sentences
from mama_bot.gateways.discord.addressing import Identity
from mama_bot.gateways.discord.arrivals import DiscordArrivals, DiscordInbound
from mama_bot.gateways.discord.attachments import TROUBLE, DiscordFileServer, discord_limits
from mama_bot.gateways.discord.backfill import Backfill
from mama_bot.gateways.discord.channel_queues import ChannelQueues
from mama_bot.gateways.discord.client import GatewayClient, asks_for_gateway, point_at
from mama_bot.gateways.discord.dialect import DIALECT
from mama_bot.gateways.discord.events import Events
from mama_bot.gateways.discord.interactions import Interactions
from mama_bot.gateways.discord.places import PLATFORM, DiscordPlaces
from mama_bot.gateways.discord.posts import DiscordOutbound
from mama_bot.gateways.discord.rest import Closed, DiscordRefused, Limited, Rest, ServerFault, Unreachable
from mama_bot.gateways.discord.surface import DiscordSurface
from mama_bot.gateways.discord.threads import DiscordThreads
from mama_bot.gateways.discord.timings import Timings
from mama_bot.gateways.discord.webhooks import Webhooks
from mama_bot.gateways.discord.wire import optional_id
from mama_bot.model import ConversationKey, Hearing, MessageStanding, Notice, Part, Post, Progress
from mama_bot.protocols import Inlet
from mama_bot.wording import Language, Said

log = structlog.get_logger(__name__)

STEADY_SECONDS = 600.0
BAD_TOKEN, NOT_ALLOWED_INTENTS = 4004, 4014
PORTAL = "the Discord Developer Portal (discord.com/developers/applications), page Bot"
NO_TOKEN = sentences.NO_TOKEN.of(portal=PORTAL)
NO_CONTENT = sentences.NO_CONTENT.of(portal=PORTAL)


class DiscordGateway:
    """The `Gateway` of Discord: hears by a websocket, posts by REST; `run` outlives whatever happens to either."""

    platform = PLATFORM

    def __init__(
        self,
        settings: DiscordSettings,
        dependencies: ChatDependencies,
        *,
        timings: Timings | None = None,
        jitter: Callable[[], float] = random.random,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        if settings.token is None:
            raise ValueError("DiscordGateway needs discord.token.")
        point_at(settings)
        self._asks_for_gateway = asks_for_gateway(settings)
        self._token = settings.token.get_secret_value()
        self._dependencies = dependencies
        self._timings = timings or Timings()
        self._jitter = jitter
        self._sleep = sleep
        self._identity = Identity(
            bot="", persona_roles={role: persona for persona, role in settings.persona_roles.items()}
        )
        self._client: GatewayClient | None = None
        self._session: aiohttp.ClientSession | None = None
        self._hearing = Hearing(ok=False, reasons=(sentences.NOT_YET,))
        self._message_content = True
        self._registering = asyncio.Event()
        self._backfill: Backfill | None = None
        self._gaps = Gaps(state=dependencies.state, clock=dependencies.clock)
        self._assemble(settings)

    def _assemble(self, settings: DiscordSettings) -> None:
        given, timings = self._dependencies, self._timings
        state, clock, metrics = given.state, given.clock, given.metrics
        self._rest = rest = Rest(self._token)
        self._personas = {name: Rest(token.get_secret_value()) for name, token in settings.persona_tokens.items()}
        self._places = places = DiscordPlaces(rest)
        self._marks = Marks(state, seconds=timings.marks, gaps=self._gaps, sleep=self._sleep)
        self._threads = DiscordThreads(rest=rest, state=state, places=places, metrics=metrics)
        self._webhooks = Webhooks(
            rest=rest, state=state, clock=clock, metrics=metrics, application=lambda: self._identity.application
        )
        self._outbound = DiscordOutbound(
            rest=rest,
            personas=self._personas,
            places=places,
            threads=self._threads,
            webhooks=self._webhooks,
            metrics=metrics,
        )
        port = DiscordArrivals(
            settings=settings,
            dependencies=given,
            identity=self._who,
            rest=rest,
            places=places,
            threads=self._threads,
            webhooks=self._webhooks,
            outbound=self._outbound,
            attachments=Attachments(
                platform=PLATFORM,
                limits=discord_limits(settings),
                uploads=given.uploads,
                metrics=metrics,
                trouble=TROUBLE,
            ),
            files=DiscordFileServer(settings=settings, session=self._files_session),
        )
        self._inbound = DiscordInbound(
            port=port,
            arrivals=Arrivals(platform=PLATFORM, port=port, clock=clock, metrics=metrics),
            places=places,
            outbound=self._outbound,
            marks=self._marks,
            dependencies=given,
            patience=timings.patience,
            sleep=self._sleep,
        )
        self._interactions = Interactions(
            rest=rest, places=places, state=state, metrics=metrics, defer_seconds=timings.defer
        )
        surface = DiscordSurface(rest=rest, threads=self._threads, places=places)
        self._seen = SeenBoard(
            surface=surface,
            state=state,
            clock=clock,
            metrics=metrics,
            platform=PLATFORM,
            enabled=settings.seen,
            spacing_seconds=timings.between_reactions,
            line_seconds=timings.progress_first,
        )
        self._board = ProgressBoard(
            surface=surface,
            state=state,
            clock=clock,
            display_names={persona.name: persona.display_name for persona in given.personas},
            enabled=settings.progress,
            seconds=settings.progress_seconds,
            show_sent_back=settings.show_sent_back,
            first_seconds=timings.progress_first,
        )
        self._hours = float(settings.backfill_hours)

    def _who(self) -> Identity:
        return replace(self._identity, bot_roles=self._places.roles_of_bot(self._identity.bot))

    def _files_session(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar())
        return self._session

    async def run(self, inlet: Inlet) -> None:
        metrics = self._dependencies.metrics
        backfill = Backfill(
            rest=self._rest,
            marks=self._marks,
            gaps=self._gaps,
            clock=self._dependencies.clock,
            metrics=metrics,
            hours=self._hours,
            take=partial(self._inbound.take_missed, inlet),
            give_up=self._inbound.give_up,
            retry_seconds=self._timings.history,
            sleep=self._sleep,
        )
        self._backfill = backfill
        queues = ChannelQueues(fill=backfill.fill, metrics=metrics)
        presses = ChannelQueues(fill=backfill.fill, metrics=metrics)
        events = Events(
            inlet=inlet,
            inbound=self._inbound,
            interactions=self._interactions,
            places=self._places,
            threads=self._threads,
            marks=self._marks,
            queues=queues,
            presses=presses,
            metrics=metrics,
            ready=self._ready,
            resumed=self._hears,
        )
        rests = (self._rest, *self._personas.values())
        for rest in rests:  # a node may have the connection again that it gave up
            rest.open()
        try:
            await self._load()
            backfill.resume()
            async with asyncio.TaskGroup() as group:
                queues.open(group)
                presses.open(group)
                group.create_task(self._marks.run())
                group.create_task(backfill.again(queues.gap, hears=lambda: self.hearing().ok))
                group.create_task(self._board.run())
                group.create_task(self._seen.run())
                group.create_task(self._register())
                group.create_task(self._meet_personas())
                await self._keep_listening(events)
        finally:
            queues.close()
            presses.close()
            self._hearing = Hearing(ok=False, reasons=(sentences.ENDED,))
            for rest in rests:
                await rest.close()
            session, self._session = self._session, None
            if session is not None:
                await session.close()

    async def _load(self) -> None:
        while True:
            try:
                await self._marks.load()
                await self._threads.load()
                await self._webhooks.load()
            except StoreUnavailable as error:
                log.warning("discord_state_not_read", reason=str(error))
                await self._sleep(self._timings.first_backoff)
            else:
                return

    async def _keep_listening(self, events: Events) -> None:
        failures = 0
        monotonic = self._dependencies.clock.monotonic
        while True:
            self._client = client = GatewayClient(
                take=events.take,
                lost=self._lost,
                message_content=self._message_content,
                waits=self._timings.waits,
                backoff=self._backoff,
                monotonic=monotonic,
                asks_for_gateway=self._asks_for_gateway,
                sleep=self._sleep,
            )
            began = monotonic()
            try:
                async with client:
                    await client.listen(self._token)
            except discord.LoginFailure:
                self._deaf(NO_TOKEN)
                pause = self._timings.revoked
            except discord.ConnectionClosed as closed:
                pause = self._after_close(closed.code)
            except Exception as error:  # noqa: BLE001 - the gateway outlives its client, whatever ends it
                self._deaf(sentences.FAILED.of(error=f"{type(error).__name__}: {error}"))
                failures = 1 if monotonic() - began > STEADY_SECONDS else failures + 1
                # Each new client costs one of a thousand IDENTIFYs a day, unless Discord was not reached at all.
                outage = isinstance(error, (ServerFault, OSError, aiohttp.ClientError, TimeoutError))
                pause = self._backoff(failures, outage=outage)
            self._dependencies.metrics.count("discord_clients_ended")
            await self._sleep(pause)

    def _after_close(self, code: int) -> float:
        """For how long to wait after Discord closed the connection for good."""
        if code == BAD_TOKEN:
            self._deaf(NO_TOKEN)
            return self._timings.revoked
        if code == NOT_ALLOWED_INTENTS and self._message_content:
            self._message_content = False
            self._dependencies.metrics.count("discord_message_content_missing")
            log.error("message_content_missing", reason=NO_CONTENT.to(Language.ENGLISH))
            return 0.0
        self._deaf(sentences.CLOSED.of(code=code))
        return self._timings.longest_backoff

    def _backoff(self, failures: int, *, outage: bool = True) -> float:
        most = self._timings.longest_backoff if outage else self._timings.longest_after_failure
        pause = Backoff(first=self._timings.first_backoff, longest=most).pause(failures)
        return pause * (0.5 + self._jitter() / 2)

    def _deaf(self, reason: Said) -> None:
        if (reason,) != self._hearing.reasons:
            log.error("discord_not_heard", reason=reason.to(Language.ENGLISH))
        self._dependencies.metrics.count("discord_not_heard")
        self._hearing = Hearing(ok=False, since=self._hearing.since, reasons=(reason,))

    def _lost(self, reason: Said | str) -> None:
        words = sentences.CONNECTING_AGAIN.of(reason=reason)
        if self._hearing.ok or (words,) != self._hearing.reasons:
            log.info("discord_connection_lost", reason=words.to(Language.ENGLISH))
        self._dependencies.metrics.count("discord_connections_lost")
        self._hearing = Hearing(ok=False, since=self._hearing.since, reasons=(words,))

    def _ready(self, bot: str, application: str) -> None:
        """A new session: whatever came before it may have been missed."""
        self._identity = replace(self._identity, bot=bot, application=application)
        self._registering.set()
        self._hears()

    def _hears(self) -> None:
        reasons = () if self._message_content else (NO_CONTENT,)
        if not self._hearing.ok:  # a quiet session is resumed again and again
            log.info("discord_heard", bot=self._identity.bot)
        self._hearing = Hearing(ok=True, since=self._dependencies.clock.now(), reasons=reasons)

    async def _register(self) -> None:
        failures, told = 0, ""
        while True:
            await self._registering.wait()
            self._registering.clear()
            try:
                application = self._identity.application or await self._application()
                self._identity = replace(self._identity, application=application)
                await self._interactions.register(application)
                failures = 0
            except (DiscordRefused, Limited, Unreachable, StoreUnavailable) as error:
                failures += 1
                if str(error) != told:
                    log.warning("commands_not_registered", reason=str(error))
                told = str(error)
                self._dependencies.metrics.count("discord_commands_not_registered")
                await self._sleep(self._backoff(failures))
                self._registering.set()

    async def _application(self) -> str:
        """The application's id; where it is not told, the bot's, which is the same for all but the oldest bots."""
        try:
            raw = await self._rest.request("GET", "/oauth2/applications/@me")
        except DiscordRefused:
            return self._identity.bot
        return (optional_id(raw.get("id")) if isinstance(raw, dict) else "") or self._identity.bot

    async def _meet_personas(self) -> None:
        """Learn which bots the personas are: their posts are ours, mentions of them are for the team."""
        unknown = dict(self._personas)
        while unknown:
            for name, rest in list(unknown.items()):
                try:
                    bot = await rest.whoami()
                except (DiscordRefused, Limited, Unreachable) as error:
                    log.warning("persona_bot_unknown", persona=name, reason=str(error))
                else:
                    self._identity = replace(self._identity, persona_bots={**self._identity.persona_bots, bot: name})
                    del unknown[name]
            if unknown:
                await self._sleep(self._timings.revoked)

    def hearing(self) -> Hearing:
        if self._hearing.ok and (self._client is None or not self._client.alive()):
            return Hearing(ok=False, since=self._hearing.since, reasons=(sentences.NO_HEARTBEAT,))
        refused = () if self._backfill is None else self._backfill.refused()
        return replace(self._hearing, behind=behind(self._gaps, "Discord"), lost=refused)

    def parts(self, post: Post) -> Sequence[Part]:
        return parts_of(post, DIALECT)

    async def post(self, post: Post, part: Part, *, repeated: bool = False) -> str:
        return await self._outbound.send(post, part, repeated=repeated)

    async def find(self, post: Post, part: Part) -> str | None:
        return await self._outbound.find(post, part)

    async def settle(self, question: Notice, answer: Notice, platform_id: str) -> bool:
        return await self._outbound.settle(question, answer, platform_id)

    async def offer(self, post: Post, ids: Mapping[int, str], *, undone: bool) -> None:
        await self._outbound.offer(post, ids, undone=undone)

    async def show(self, progress: Progress) -> None:
        self._board.show(progress)

    async def mark(self, standing: MessageStanding) -> None:
        self._seen.mark(standing)

    async def direct(self, person: str) -> ConversationKey | None:
        try:
            raw = await self._rest.request("POST", "/users/@me/channels", body={"recipient_id": person})
        except (DiscordRefused, Limited, Unreachable, Closed) as error:
            log.warning("no_direct_channel", person=person, reason=str(error))
            return None
        channel = optional_id(raw.get("id")) if isinstance(raw, dict) else ""
        return ConversationKey(PLATFORM, channel) if channel else None
