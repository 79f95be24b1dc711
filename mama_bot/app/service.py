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
from mama_bot.app.page_key import keep_address, with_page_key
from mama_bot.app.private_files import keep_private
from mama_bot.app.readiness import tell_what_is_lacking
from mama_bot.app.tool_boundary import keep_boundary
from mama_bot.delivery import Delivery
from mama_bot.enforcement import read_word_lists
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

    `link` opens the page once and is for the person who started the service; `page_key` is its key.

    Exchanges that begin once `team` has another value go by that one.
    """

    url: str
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
    with own_directory(configuration.directory):
        keep_address(configuration.directory, "")
        await take_over_from_scripted(configuration, DATABASE_NAME)
        keep_boundary(configuration.directory)
        keep_private(configuration)
        tell_what_is_lacking(configuration)
        signals = _Signals(stop=stop, hurry=hurry or asyncio.Event(), reload=reload or asyncio.Event())
        try:
            refuse_emptied(configuration.directory / DATABASE_NAME)
            async with assembled(
                configuration, stop=stop, script=script, backends=backends, gateways=gateways or {}
            ) as parts:
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
        listening = [
            group.create_task(gateway.run(parts.intake), name=f"The gateway {platform}")
            for platform, gateway in parts.gateways.items()
        ]
        if parts.page is not None:
            await parts.page.ready.wait()
        await parts.standings.all_waiting()
        await parts.deeds.resume()
        posting = [
            group.create_task(parts.delivery.run(), name="The delivery"),
            group.create_task(parts.orchestrator.watch_stops(), name="The stops"),
            group.create_task(parts.requests.run(), name="The pairing"),
            group.create_task(parts.owner_lines.run(), name="The lines for owners"),
            group.create_task(parts.watchdog.run(), name="The watchdog"),
            group.create_task(parts.backups.run(), name="The backups"),
            group.create_task(parts.old_conversations.run(), name="The retention"),
            group.create_task(parts.reload.run(signals.reload), name="The reload"),
            group.create_task(parts.approvals.watch(), name="The questions of rules"),
            group.create_task(parts.old_files.run(), name="The tidying"),
            group.create_task(parts.deeds.run(), name="The deeds"),
            group.create_task(parts.upkeep.run(), name="The upkeep of work trees"),
            group.create_task(parts.pruning.run(), name="The pruning"),
            group.create_task(parts.pull_requests.run(), name="The pull requests"),
            group.create_task(parts.hooks.run(), name="The hooks of other sessions"),
            group.create_task(parts.triggers.schedules.run(parts.intake), name="The schedules"),
            group.create_task(parts.store.watch_owner(), name="The hold on the database"),
        ]
        engine = group.create_task(
            parts.store.engine.run(
                parts.orchestrator.run_exchange,
                abandoned=parts.orchestrator.give_up,
                # One exchange uses one process at a time: more would only wait out of sight for a lease.
                concurrency=min(settings.concurrency, configuration.settings.pool.size),
                drain_seconds=settings.drain_seconds,
            ),
            name="The engine",
        )
        group.create_task(asyncio.to_thread(read_word_lists, configuration.settings.enforcement), name="The word lists")
        page, key = parts.page, configuration.settings.web.key
        url, link = (page.url, page.new_link()) if page else ("", "")
        keep_address(configuration.directory, url)
        ready(
            Running(
                url=url,
                link=link,
                page_key=key.get_secret_value() if key else "",
                gateways=parts.gateways,
                metrics=parts.metrics,
                store=parts.store,
                team=parts.team,
            )
        )
        parts.manager.ready()
        # After the link: the first address at a terminal is the one to open.
        log.info("ready", page=url, scripted=configuration.scripted, personas=list(configuration.personas))
        await _until(signals.stop, group, [engine, *posting, *listening])
        log.info("draining", seconds=settings.drain_seconds)
        # Gateways hear on until the end: what is stored now, the next life answers.
        parts.watchdog.drain()
        parts.manager.stopping()
        parts.store.engine.stop()
        hurried = group.create_task(signals.hurry.wait())
        drained = group.create_task(_drained(engine, parts.delivery, settings.drain_seconds))
        await asyncio.wait({drained, hurried}, return_when=asyncio.FIRST_COMPLETED)
        for task in (hurried, drained, engine, *posting, *listening):
            task.cancel()


async def _drained(engine: asyncio.Task[None], delivery: Delivery, seconds: float) -> None:
    """Return when what runs has ended, and its posts are out or the time is over: the next life posts the rest."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await asyncio.wait({engine})
            await delivery.settled()
    await asyncio.wait({engine})


async def _until(stop: asyncio.Event, group: asyncio.TaskGroup, parts: Sequence[asyncio.Task[None]]) -> None:
    """Wait for the stop; a part that ends before it would leave a service that looks alive and is deaf."""
    stopping = group.create_task(stop.wait())
    done, _ = await asyncio.wait({stopping, *parts}, return_when=asyncio.FIRST_COMPLETED)
    if stopping not in done:
        raise EndedByItself(part=next(task.get_name() for task in parts if task in done))
