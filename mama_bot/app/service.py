"""The service: its parts at work from the start to the end of the draining."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import structlog

from mama_bot.app.assembly import Parts, assembled
from mama_bot.app.configuration import DATABASE_NAME, Configuration
from mama_bot.app.emptied_database import refuse_emptied
from mama_bot.app.first_real_start import take_over_from_scripted
from mama_bot.app.instance import own_directory
from mama_bot.app.node_health import node_health
from mama_bot.app.page_key import keep_address, with_page_key
from mama_bot.app.private_files import keep_private
from mama_bot.app.readiness import tell_what_is_lacking
from mama_bot.app.service_tasks import engine_task, listening_tasks, started, working_tasks
from mama_bot.app.tool_boundary import keep_boundary
from mama_bot.config import ServiceRole, warnings_of
from mama_bot.delivery import Delivery
from mama_bot.errors import EndedByItself, StoreInUse
from mama_bot.metrics import Metrics
from mama_bot.model import Platform
from mama_bot.orchestrator import Current, Team
from mama_bot.protocols import AgentBackend, Gateway
from mama_bot.store import Store

if TYPE_CHECKING:  # who has an account needs no demo
    from mama_bot.demo.model_script import ModelScript

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A service that is ready: where its page is ("" without one), and its parts for whoever started it.

    `elsewhere` is where other machines find it ("": it is for this one alone). `link` opens the page once and is for
    the person who started the service; `page_key` is its key.

    Exchanges that begin once `team` has another value go by that one.
    """

    url: str
    elsewhere: str = ""
    link: str = field(repr=False)
    page_key: str = field(repr=False)
    gateways: Mapping[Platform, Gateway]
    metrics: Metrics
    store: Store
    team: Current[Team]


async def serve(
    configuration: Configuration,
    *,
    stop: asyncio.Event,
    hurry: asyncio.Event | None = None,
    reload: asyncio.Event | None = None,
    ready: Callable[[Running], None] = lambda _: None,
    script: "ModelScript | None" = None,
    backends: Mapping[str, AgentBackend] | None = None,
    gateways: Mapping[Platform, Gateway] | None = None,
) -> None:
    """Run the service until `stop` is set, then drain; `hurry` cuts the draining short.

    `reload` reads the settings again. `script` replaces the story of the scripted model, `backends` the agents, and
    `gateways` come besides the page: the path between them is the same. Raises AlreadyRunning, StoreUnavailable,
    PortTaken, ConfigurationError.
    """
    configuration = with_page_key(configuration)
    with own_directory(configuration.own_directory):
        keep_address(configuration.own_directory, "")
        await take_over_from_scripted(configuration, DATABASE_NAME)
        keep_boundary(configuration.directory)
        keep_private(configuration)
        tell_what_is_lacking(configuration)
        signals = _Signals(stop=stop, hurry=hurry or asyncio.Event(), reload=reload or asyncio.Event())
        try:
            refuse_emptied(configuration.directory / DATABASE_NAME)
            async with (
                node_health(configuration) as begun,
                assembled(configuration, stop=stop, script=script, backends=backends, gateways=gateways or {}) as parts,
            ):
                begun(parts)
                await _work(parts, configuration, signals, ready=ready)
        except StoreInUse:
            if not stop.is_set():  # who is told to stop while another service works has nothing to end
                raise
    log.info("service_stopped")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Signals:
    """What whoever started the service may ask of it while it runs."""

    stop: asyncio.Event
    hurry: asyncio.Event
    reload: asyncio.Event


async def _work(
    parts: Parts,
    configuration: Configuration,
    signals: _Signals,
    *,
    ready: Callable[[Running], None],
) -> None:
    """Gateways and engine, until told to stop: first nothing new comes in, then what runs ends, then the gateways."""
    settings = configuration.settings.turns
    async with asyncio.TaskGroup() as group:
        role = configuration.role
        listening = [started(group, task, parts) for task in listening_tasks(parts, configuration)]
        if parts.page is not None:
            await parts.page.ready.wait()
        if role is ServiceRole.ALL:
            await parts.standings.all_waiting()
        if role in (ServiceRole.ALL, ServiceRole.WORKER):
            await parts.deeds.resume(parts.takes_over)
        at_work = [started(group, task, parts) for task in working_tasks(parts, signals.reload) if role in task.roles]
        running = engine_task(parts, configuration)
        engine = started(group, running, parts) if role in running.roles else None
        page, key = parts.page, configuration.settings.web.key
        url, link = (page.url, page.new_link()) if page else ("", "")
        keep_address(configuration.own_directory, url)
        ready(
            Running(
                url=url,
                elsewhere=page.elsewhere if page else "",
                link=link,
                page_key=key.get_secret_value() if key else "",
                gateways=parts.gateways,
                metrics=parts.metrics,
                store=parts.store,
                team=parts.team,
            )
        )
        parts.manager.ready()
        for warning in warnings_of(configuration.settings):
            log.warning("settings_to_look_at", reason=warning)
        # After the link: the first address at a terminal is the one to open.
        log.info(
            "ready", role=role.value, page=url, scripted=configuration.scripted, personas=list(configuration.personas)
        )
        tasks = [*([engine] if engine is not None else []), *at_work, *listening]
        await _until(signals.stop, group, tasks)
        log.info("draining", seconds=settings.drain_seconds)
        # Gateways hear on until the end: what is stored now, the next life answers.
        parts.watchdog.drain()
        parts.manager.stopping()
        parts.store.engine.stop()
        hurried = group.create_task(signals.hurry.wait())
        drained = group.create_task(_drained(engine, parts.delivery, settings.drain_seconds))
        await asyncio.wait({drained, hurried}, return_when=asyncio.FIRST_COMPLETED)
        for task in (hurried, drained, *tasks):
            task.cancel()


async def _drained(engine: asyncio.Task[None] | None, delivery: Delivery, seconds: float) -> None:
    """Return when what runs has ended, and its posts are out or the time is over: the next life posts the rest."""
    running = set() if engine is None else {engine}
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            if running:
                await asyncio.wait(running)
            await delivery.settled()
    if running:
        await asyncio.wait(running)


async def _until(stop: asyncio.Event, group: asyncio.TaskGroup, parts: Sequence[asyncio.Task[None]]) -> None:
    """Wait for the stop; a part that ends before it would leave a service that looks alive and is deaf."""
    stopping = group.create_task(stop.wait())
    done, _ = await asyncio.wait({stopping, *parts}, return_when=asyncio.FIRST_COMPLETED)
    if stopping not in done:
        raise EndedByItself(part=next(task.get_name() for task in parts if task in done))
