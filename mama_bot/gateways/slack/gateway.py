"""The gateway to Slack: Socket Mode in, the Web API out."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import aiohttp
import structlog

from mama_bot.backoff import Backoff
from mama_bot.config import SlackSettings
from mama_bot.errors import StoreUnavailable
from mama_bot.gateways.chat.arrivals import Arrivals
from mama_bot.gateways.chat.attachments import Attachments
from mama_bot.gateways.chat.dependencies import ChatDependencies
from mama_bot.gateways.chat.gaps import Gaps
from mama_bot.gateways.chat.progress import FIRST_SECONDS, ProgressBoard
from mama_bot.gateways.chat.read_marks import Marks
from mama_bot.gateways.chat.seen import SeenBoard
from mama_bot.gateways.slack import sentences
from mama_bot.gateways.slack.accounts import SlackAccounts
from mama_bot.gateways.slack.answers import SlackAnswers
from mama_bot.gateways.slack.arrivals import SlackArrivals, SlackInbound
from mama_bot.gateways.slack.attachments import SlackFileServer, slack_limits
from mama_bot.gateways.slack.backfill import TIMINGS, BackfillTimings, SlackBackfill
from mama_bot.gateways.slack.calls import CALL_SECONDS, TOKEN_ERRORS, TROUBLE, code_of, reason_of, trouble_of
from mama_bot.gateways.slack.constants import PLATFORM
from mama_bot.gateways.slack.envelopes import Envelopes
from mama_bot.gateways.slack.missed_pages import MissedPages
from mama_bot.gateways.slack.pace import Pace
from mama_bot.gateways.slack.people import People
from mama_bot.gateways.slack.posts import SlackOutbound
from mama_bot.gateways.slack.sent_parts import History
from mama_bot.gateways.slack.socket import Ended, Socket
from mama_bot.gateways.slack.surface import SlackSurface
from mama_bot.gateways.slack.threads import SlackThreads
from mama_bot.gateways.slack.uploads import Uploads, share_name
from mama_bot.gateways.slack.workers import Workers
from mama_bot.model import ConversationKey, Hearing, MessageStanding, Notice, Part, Post, Progress
from mama_bot.protocols import Inlet
from mama_bot.wording import Language, Said

log = structlog.get_logger(__name__)

PING_SECONDS = 10.0
MARKS_SECONDS = 2.0
FIRST_RETRY_SECONDS = 1.0
RETRY_SECONDS = 60.0
# A connection that lasted so long was a good one; after several shorter ones in a row the next one waits for a while.
STEADY_SECONDS = 30.0
BETWEEN_SECONDS = 5.0
BETWEEN_REACTIONS_SECONDS = 1.2  # fifty in a minute, of each kind


class SlackGateway:
    """One Slack app in one workspace; it is heard as long as a websocket is open and answers."""

    platform = PLATFORM

    def __init__(
        self,
        settings: SlackSettings,
        dependencies: ChatDependencies,
        *,
        ping_seconds: float = PING_SECONDS,
        first_retry_seconds: float = FIRST_RETRY_SECONDS,
        retry_seconds: float = RETRY_SECONDS,
        first_progress_seconds: float = FIRST_SECONDS,
        between_reactions_seconds: float = BETWEEN_REACTIONS_SECONDS,
        backfill: BackfillTimings = TIMINGS,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        assert settings.app_token is not None
        self._app_token = settings.app_token.get_secret_value()
        self._ping_seconds = ping_seconds
        self._retries = Backoff(first=first_retry_seconds, longest=retry_seconds)
        self._sleep = sleep
        self._clock, self._metrics, self._state = dependencies.clock, dependencies.metrics, dependencies.state
        clock, metrics, state = self._clock, self._metrics, self._state
        self._accounts = SlackAccounts(settings=settings, personas=dependencies.personas, metrics=metrics)
        self._workers = Workers(metrics=metrics)
        self._threads = SlackThreads(state=state, clock=clock)
        pace = Pace(clock=clock, sleep=sleep)
        people = People(accounts=self._accounts, clock=clock)
        answers = SlackAnswers(
            settings=settings, accounts=self._accounts, people=people, threads=self._threads, metrics=metrics
        )
        port = SlackArrivals(
            settings=settings,
            accounts=self._accounts,
            people=people,
            threads=self._threads,
            attachments=Attachments(
                platform=PLATFORM,
                limits=slack_limits(settings),
                uploads=dependencies.uploads,
                metrics=metrics,
                trouble=TROUBLE,
            ),
            files=SlackFileServer(accounts=self._accounts, settings=settings),
            answers=answers,
            workers=self._workers,
            clock=clock,
        )
        gaps = Gaps(state=state, clock=clock)
        self._marks = Marks(state, seconds=MARKS_SECONDS, gaps=gaps, sleep=sleep)
        inbound = SlackInbound(
            settings=settings,
            port=port,
            arrivals=Arrivals(platform=PLATFORM, port=port, clock=clock, metrics=metrics),
            accounts=self._accounts,
            answers=answers,
            workers=self._workers,
            metrics=metrics,
            clock=clock,
            marks=self._marks,
            gaps=gaps,
            sleep=sleep,
        )
        self._backfill = SlackBackfill(
            accounts=self._accounts,
            pages=MissedPages(accounts=self._accounts, clock=clock, metrics=metrics, sleep=sleep),
            threads=self._threads,
            inbound=inbound,
            marks=self._marks,
            gaps=gaps,
            clock=clock,
            metrics=metrics,
            hours=float(settings.backfill_hours),
            timings=backfill,
        )
        self._envelopes = Envelopes(
            accounts=self._accounts, inbound=inbound, web=self._accounts.client(), metrics=metrics
        )
        self._outbound = SlackOutbound(accounts=self._accounts, threads=self._threads, pace=pace, metrics=metrics)
        self._history = History(accounts=self._accounts)
        self._uploads = Uploads(accounts=self._accounts, outbound=self._outbound, history=self._history, state=state)
        surface = SlackSurface(accounts=self._accounts, pace=pace, metrics=metrics)
        self._seen = SeenBoard(
            surface=surface,
            state=state,
            clock=clock,
            metrics=metrics,
            platform=PLATFORM,
            enabled=settings.seen,
            spacing_seconds=between_reactions_seconds,
            line_seconds=first_progress_seconds,
        )
        self._board = ProgressBoard(
            surface=surface,
            state=state,
            clock=clock,
            display_names={persona.name: persona.display_name for persona in dependencies.personas},
            enabled=settings.progress,
            seconds=settings.progress_seconds,
            show_sent_back=settings.show_sent_back,
            first_seconds=first_progress_seconds,
        )
        self._hearing = Hearing(ok=False, reasons=(sentences.NOT_YET,))
        self._failures = 0
        self._heard_once = False

    def hearing(self) -> Hearing:
        """Return whether a websocket is open and answers, and if not, what to do; and what was missed is not read."""
        return replace(self._hearing, behind=self._backfill.behind(), lost=self._backfill.lost())

    async def run(self, inlet: Inlet) -> None:
        """Receive until cancelled; outlives lost connections, outages and revoked tokens."""
        timeout = aiohttp.ClientTimeout(total=CALL_SECONDS)
        async with aiohttp.ClientSession(timeout=timeout, trust_env=True) as session:
            self._accounts.use(session)
            self._envelopes.use(inlet)
            try:
                async with asyncio.TaskGroup() as group:
                    self._workers.use(group)
                    await self._begin()
                    group.create_task(self._board.run())
                    group.create_task(self._seen.run())
                    group.create_task(self._marks.run())
                    group.create_task(self._backfill.run(inlet))
                    await self._listen(group)
            finally:
                self._envelopes.use(None)
                self._workers.use(None)
                self._accounts.use(None)
                self._hearing = Hearing(ok=False, reasons=(sentences.ENDED,))

    def parts(self, post: Post) -> Sequence[Part]:
        """Return a post in Slack's markup, in messages of a size that Slack takes whole."""
        return self._outbound.parts(post)

    async def post(self, post: Post, part: Part, *, repeated: bool = False) -> str:
        """Post a part; returns the message's time stamp. Raises DeliveryFailed or DeliveryUnknown."""
        if part.file is not None:
            return await self._uploads.share(post, part, part.file, repeated=repeated)
        return await self._outbound.send(post, part, repeated=repeated)

    async def find(self, post: Post, part: Part) -> str | None:
        """Look for a part by what its message says of itself, or by its file's id; raises DeliveryUnknown."""
        if part.file is None:
            return await self._history.find(post, part)
        file_id = await self._state.get(share_name(post, part))
        shared = None if file_id is None else await self._history.find_file(post, file_id)
        # Where Slack took no file there is a message in its place.
        return shared or await self._history.find(post, part)

    async def settle(self, question: Notice, answer: Notice, platform_id: str) -> bool:
        """Show what settled a question in the place of its buttons."""
        return await self._outbound.settle(question, answer, platform_id)

    async def offer(self, post: Post, ids: Mapping[int, str], *, undone: bool) -> None:
        """See Gateway.offer."""
        await self._outbound.offer(post, ids, undone=undone)

    async def show(self, progress: Progress) -> None:
        """Show that someone is at work."""
        self._board.show(progress)

    async def mark(self, standing: MessageStanding) -> None:
        """Show how a message stands."""
        self._seen.mark(standing)

    async def direct(self, person: str) -> ConversationKey | None:
        """Return the direct conversation with a person; None where Slack opens none."""
        try:
            async with asyncio.timeout(CALL_SECONDS):
                answer = await self._accounts.client().conversations_open(users=person)
        except TROUBLE as error:
            log.warning("slack_no_direct_conversation", person=person, reason=reason_of(error))
            return None
        channel = answer.get("channel")
        channel_id = channel.get("id") if isinstance(channel, dict) else None
        return ConversationKey(PLATFORM, channel_id) if isinstance(channel_id, str) and channel_id else None

    async def _begin(self) -> None:
        """Know who we are and where we take part before anything is heard; waits until Slack and the store tell."""
        while True:
            try:
                await self._threads.load()
                await self._marks.load()
                account = await self._accounts.identify()
            except StoreUnavailable as error:
                await self._deaf(sentences.OTHER_TROUBLE.of(error=str(error)), "store")
            except Exception as error:  # noqa: BLE001 - whatever Slack answers, it is asked again
                await self._deaf(sentences.UNKNOWN_BOT.of(reason=trouble_of(error)), code_of(error))
            else:
                self._failures = 0
                self._backfill.resume()
                log.info("slack_identified", team=account.team, user=account.user, scopes=sorted(account.scopes))
                return

    async def _listen(self, group: asyncio.TaskGroup) -> None:
        """Keep one websocket open; the old one lingers beside the new one until its envelopes are acknowledged."""
        short_lives, gap = 0, True
        while True:
            socket = self._socket()
            if gap:
                self._backfill.begin()
            try:
                await socket.open()
            except Exception as error:  # noqa: BLE001 - whatever Slack answers, it is asked again
                gap = True
                await socket.close()
                await self._deaf(sentences.NO_CONNECTION.of(reason=trouble_of(error)), code_of(error))
                continue
            except BaseException:
                await socket.close()
                raise
            self._backfill.connected()
            began = self._hear(socket)
            try:
                ended = await socket.ended()
            except BaseException:
                await socket.close()
                raise
            group.create_task(socket.linger())
            self._metrics.count("slack_connections_ended", reason=ended.name.lower())
            log.info("slack_connection_ended", reason=ended.value)
            gap = ended is not Ended.REPLACED
            if gap:
                again = sentences.CONNECTING_AGAIN.of(reason=sentences.ENDS[ended.name])
                self._hearing = Hearing(ok=False, since=self._clock.now(), reasons=(again,))
            steady = self._clock.monotonic() - began >= STEADY_SECONDS
            short_lives = 0 if steady else short_lives + 1
            if short_lives > 1:
                pauses = Backoff(first=self._retries.first, longest=BETWEEN_SECONDS)
                await self._sleep(pauses.pause(short_lives - 1))

    def _socket(self) -> Socket:
        def take(socket: Socket, frame: dict[str, Any]) -> None:
            self._workers.spawn("envelope", self._envelopes.take, socket, frame)

        return Socket(
            app_token=self._app_token,
            web=self._accounts.client(),
            ping_seconds=self._ping_seconds,
            clock=self._clock,
            take=take,
            unreadable=self._envelopes.unreadable,
        )

    def _hear(self, socket: Socket) -> float:
        self._accounts.is_app(socket.app_id)
        self._failures = 0
        if self._heard_once:
            # Scopes and tokens may have changed meanwhile: nobody has to restart us for that.
            self._workers.spawn("identify", self._identify_again)
        self._heard_once = True
        if not self._hearing.ok:
            self._hearing = Hearing(ok=True, since=self._clock.now())
        log.info("slack_connected", app=socket.app_id)
        return self._clock.monotonic()

    async def _identify_again(self) -> None:
        try:
            await self._accounts.identify()
        except TROUBLE as error:
            log.info("slack_not_identified_again", reason=reason_of(error))

    async def _deaf(self, reason: Said, code: str) -> None:
        """Say why nothing is heard, once for each reason, and wait before the next attempt."""
        self._metrics.count("slack_connection_failures", error=code or "network")
        if self._hearing.ok or self._hearing.reasons != (reason,):
            log.error("slack_deaf", reason=reason.to(Language.ENGLISH))
            self._hearing = Hearing(ok=False, since=self._clock.now(), reasons=(reason,))
        await self._pause(code)

    async def _pause(self, code: str) -> None:
        """Longer each time; a token that is refused is tried again at the slowest pace."""
        self._failures += 1
        refused = code in TOKEN_ERRORS
        await self._sleep(self._retries.longest if refused else self._retries.pause(self._failures))
