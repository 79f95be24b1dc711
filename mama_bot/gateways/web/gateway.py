"""The local web page as a chat platform: needs no account, keeps no state of its own, works offline."""

import asyncio
import socket
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import structlog
import uvicorn

from mama_bot.config import WebSettings
from mama_bot.errors import PortTaken
from mama_bot.gateways.web.access_panel import AccessPanel
from mama_bot.gateways.web.application import (
    PLATFORM,
    DiffOf,
    ReloadSettings,
    WebApplication,
    WorkPlace,
    no_diff,
    nowhere,
    unread,
)
from mama_bot.gateways.web.connections import SHUTDOWN_SECONDS, ConnectionBounds, bounded_config
from mama_bot.gateways.web.events import LivePages, LiveTurns
from mama_bot.gateways.web.health import STARTING_SECONDS, Health
from mama_bot.gateways.web.hook_endpoint import NoHooks
from mama_bot.gateways.web.json_views import Json, post_view
from mama_bot.gateways.web.progress_views import progress_view
from mama_bot.gateways.web.sessions import FAILURE_DELAY_SECONDS, Links, Sessions, checked_key, page_url, url_elsewhere
from mama_bot.gateways.web.uploads import WebFiles
from mama_bot.http_server import EmbeddedServer
from mama_bot.metrics import Metrics
from mama_bot.model import (
    AgentPersona,
    ConversationKey,
    Hearing,
    Lack,
    MessageStanding,
    Notice,
    Part,
    Platform,
    Post,
    Progress,
    Trouble,
)
from mama_bot.protocols import (
    Clock,
    ConversationHistory,
    HookDesk,
    Inlet,
    Measurements,
    Pairings,
    TextJudge,
    VerdictReports,
)
from mama_bot.wording import Said

log = structlog.get_logger(__name__)

BACKLOG = 128


class WebGateway:
    """A page on which a person chats with the team; what it shows of the past comes from the history.

    `uploads` is a directory of its own; `pairings` are shown where there are any to decide; `hearing` tells of all
    gateways of the service, `lacking` of what the machine lacks, `troubles` of what else is wrong.

    Raises ConfigurationError when there is no key, or one too short.
    """

    platform = PLATFORM

    def __init__(
        self,
        *,
        settings: WebSettings,
        personas: Sequence[AgentPersona],
        history: ConversationHistory,
        reports: VerdictReports,
        measurements: Measurements,
        judge: TextJudge,
        metrics: Metrics,
        clock: Clock,
        new_id: Callable[[], str],
        uploads: Path,
        pairings: Pairings | None = None,
        hearing: Callable[[], Mapping[Platform, Hearing]] | None = None,
        repository: WorkPlace = nowhere,
        diff_of: DiffOf = no_diff,
        hooks: HookDesk | None = None,
        reload: ReloadSettings = unread,
        banner: Said | None = None,
        demo_repository: bool = False,
        warning: Said | None = None,
        lacking: Callable[[], Sequence[Lack]] = lambda: (),
        troubles: Callable[[], Sequence[Trouble] | None] = lambda: (),
        starting_seconds: float = STARTING_SECONDS,
        failure_delay_seconds: float = FAILURE_DELAY_SECONDS,
        pages: LivePages | None = None,
        bounds: ConnectionBounds = ConnectionBounds(),  # noqa: B008 - a frozen value
    ) -> None:
        key = checked_key(settings.key.get_secret_value() if settings.key else "")
        self._links = Links(key=key, clock=clock, new_id=new_id)
        self._settings = settings
        self._pages = LivePages() if pages is None else pages
        self._live = LiveTurns()
        self._application = partial(
            WebApplication,
            settings=settings,
            personas=personas,
            history=history,
            reports=reports,
            measurements=measurements,
            judge=judge,
            metrics=metrics,
            clock=clock,
            new_id=new_id,
            banner=banner,
            demo_repository=demo_repository,
            warning=warning,
            repository=repository,
            diff_of=diff_of,
            pages=self._pages,
            live=self._live,
            sessions=Sessions(key=key, clock=clock, failure_delay_seconds=failure_delay_seconds),
            files=WebFiles(uploads=uploads, history=history, metrics=metrics),
            health=Health(
                hearing=hearing or (lambda: {PLATFORM: self.hearing()}),
                lacking=lacking,
                troubles=troubles,
                clock=clock,
                starting_seconds=starting_seconds,
            ),
            hooks=hooks or NoHooks(),
            reload=reload,
            access=AccessPanel(pairings, clock=clock),
        )
        self._bounds = bounds
        self._url = ""
        self.ready = asyncio.Event()

    @property
    def url(self) -> str:
        """Where the page is; empty until `ready` is set."""
        return self._url

    @property
    def elsewhere(self) -> str:
        """Where a browser of another machine finds the page, "" where none is meant to."""
        return url_elsewhere(self._settings.host, urlsplit(self._url).port or 0) if self._url else ""

    def new_link(self) -> str:
        """Return a link that opens the page once, without its key."""
        return self._links.link(self._url)

    async def run(self, inlet: Inlet) -> None:
        """Serve the page until cancelled; raises PortTaken at once when the address cannot be had."""
        listener = self._listen()
        self._url = page_url(self._settings.host, listener.getsockname()[1])
        server = EmbeddedServer(self._config(inlet), ready=self.ready, backlog=BACKLOG)
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(server.serve(sockets=[listener]))
                try:
                    await server.stopped.wait()
                finally:
                    await self._shut_down(server)
        finally:
            listener.close()
            self.ready.clear()
            log.info("page_closed", url=self._url)

    def hearing(self) -> Hearing:
        """Return whether it hears: it does while it listens."""
        return Hearing(ok=self.ready.is_set())

    def parts(self, post: Post) -> Sequence[Part]:
        """Return one: the page has room for all of it, and renders it itself."""
        return (Part(index=0, text=post.text, plain=post.text, last=True),)

    async def post(self, post: Post, part: Part, *, repeated: bool = False) -> str:
        """Tell the open pages; the history has the post already, so this cannot fail."""
        self.tell(post)
        return post.id

    def tell(self, post: Post) -> None:
        """Tell the open pages of this process of a post that the page has."""
        self._pages.publish("post", {"conversation": post.key.channel, "post": post_view(post)})

    def look_again(self) -> None:
        """Let the open pages of this process read again how the service stands."""
        self._pages.publish("state", {})

    def tell_again(self) -> None:
        """Let the open pages of this process look anew: what happened for a while was not heard here."""
        self._live.forget()
        self._pages.reload()

    async def find(self, post: Post, part: Part) -> str | None:
        """Always found: the page shows a post from the history, and once, however often it is told."""
        return post.id

    async def settle(self, question: Notice, answer: Notice, platform_id: str) -> bool:
        """Tell the open pages of the answer: they show it where the question stands."""
        self.tell(answer)
        return True

    async def offer(self, post: Post, ids: Mapping[int, str], *, undone: bool) -> None:
        """Do nothing: the page reads from what was posted what was undone."""

    async def show(self, progress: Progress) -> None:
        """Tell the open pages, and remember the steps of running turns for pages opened later."""
        step = progress_view(progress)
        self._live.add(progress.turn.id, step)
        self._pages.publish("progress", step)

    async def mark(self, standing: MessageStanding) -> None:
        """Tell the open pages how a message stands; those opened later see it in the history."""
        facts: Json = {"message": standing.message_id, "state": standing.state.value, "ahead": standing.ahead}
        self._pages.publish("standing", {"conversation": standing.key.channel, **facts})

    async def direct(self, person: str) -> ConversationKey | None:
        """None: nobody has an address on the page."""
        return None

    def _listen(self) -> socket.socket:
        host, port = self._settings.host, self._settings.port
        try:
            family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
            listener = socket.create_server((host, port), family=family, backlog=BACKLOG)
        except OSError as exc:
            raise PortTaken(host=host, port=port) from exc
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # inherited: small answers go out at once
        return listener

    def _config(self, inlet: Inlet) -> uvicorn.Config:
        # Asyncio accepts so many of a backlog at a time, and each that fails is tried again: one failure is one.
        return bounded_config(self._application(inlet=inlet).asgi(), self._bounds, backlog=1)

    async def _shut_down(self, server: EmbeddedServer) -> None:
        self._pages.close()
        server.stop()
        try:
            async with asyncio.timeout(2 * SHUTDOWN_SECONDS):
                await server.stopped.wait()
        except TimeoutError:
            log.warning("page_shutdown_late", seconds=2 * SHUTDOWN_SECONDS)
