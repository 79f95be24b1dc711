"""What a service does all the time, and which of its nodes do it."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import partial

from mama_bot.app.assembly import Parts
from mama_bot.app.configuration import Configuration
from mama_bot.app.node_parts import page_for_posting
from mama_bot.app.platform_duty import hold_connection, post_on_page
from mama_bot.config import ServiceRole
from mama_bot.enforcement import read_word_lists

LEFT_DEEDS_SECONDS = 15.0
EVERY_ROLE = frozenset(ServiceRole)
_ALONE = frozenset({ServiceRole.ALL})
_WORKING = frozenset({ServiceRole.ALL, ServiceRole.WORKER})
_CONNECTED = frozenset({ServiceRole.ALL, ServiceRole.GATEWAY})
_POSTING = frozenset({ServiceRole.ALL, ServiceRole.GATEWAY, ServiceRole.PAGE})


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceTask:
    """Something that is done until the service ends, by the nodes of these roles; a `duty` by one of them at a time."""

    name: str
    run: Callable[[], Awaitable[None]]
    roles: frozenset[ServiceRole] = EVERY_ROLE
    duty: str = ""


def listening_tasks(parts: Parts, configuration: Configuration) -> Iterator[ServiceTask]:
    """Yield what hears people: a node that gets the connection of a platform has it to its end."""
    for platform, gateway in parts.gateways.items():
        run: Callable[[], Awaitable[None]]
        if configuration.role is ServiceRole.ALL or gateway is parts.page:
            run = partial(gateway.run, parts.intake)
        else:
            run = partial(hold_connection, parts, platform, gateway)
        yield ServiceTask(name=f"The gateway {platform}", run=run)
    if configuration.role is ServiceRole.PAGE and parts.page is not None:
        page = page_for_posting(parts.page, parts.store.events)
        yield ServiceTask(name="The posts of the page", run=partial(post_on_page, parts, page))


def working_tasks(parts: Parts, reload: asyncio.Event) -> Iterator[ServiceTask]:
    """Yield everything else but the engine."""
    # Where all workers reach the same files, one of them looks after these.
    files = "files" if parts.store.nodes.place.shared_files else ""
    yield ServiceTask(name="The delivery", run=parts.delivery.run, roles=_POSTING)
    yield ServiceTask(name="The stops", run=parts.orchestrator.watch_stops, roles=_WORKING)
    yield ServiceTask(name="The pairing", run=parts.requests.run, roles=_CONNECTED)
    yield ServiceTask(name="The lines for owners", run=parts.owner_lines.run, roles=_CONNECTED)
    if parts.owner_lines.kept is not None:
        yield ServiceTask(name="The keeping of lines for owners", run=parts.owner_lines.kept.run)
    yield ServiceTask(name="The watchdog", run=parts.watchdog.run)
    yield ServiceTask(name="The backups", run=parts.backups.run, roles=_ALONE)
    yield ServiceTask(name="The retention", run=parts.old_conversations.run, duty="retention")
    yield ServiceTask(name="The reload", run=partial(parts.reload.run, reload))
    yield ServiceTask(name="The questions of rules", run=parts.approvals.watch, roles=_WORKING, duty="questions")
    yield ServiceTask(name="The tidying", run=parts.old_files.run, duty=files)
    yield ServiceTask(name="The deeds", run=parts.deeds.run)
    yield ServiceTask(
        name="The deeds of dead nodes",
        run=partial(parts.deeds.take_over, parts.takes_over, every_seconds=LEFT_DEEDS_SECONDS),
        roles=frozenset({ServiceRole.WORKER}),
    )
    yield ServiceTask(name="The upkeep of work trees", run=parts.upkeep.run, roles=_WORKING, duty=files)
    yield ServiceTask(name="The pruning", run=parts.pruning.run, roles=_WORKING, duty=files)
    yield ServiceTask(name="The pull requests", run=parts.pull_requests.run, roles=_WORKING, duty="pull_requests")
    yield ServiceTask(name="The hooks of other sessions", run=parts.hooks.run, roles=_WORKING)
    yield ServiceTask(
        name="The schedules",
        run=partial(parts.triggers.schedules.run, parts.intake),
        roles=_POSTING,
        duty="schedules",
    )
    yield ServiceTask(name="The hold on the database", run=parts.store.watch_owner)
    yield ServiceTask(name="The watch over the nodes", run=parts.store.nodes.watch)
    if parts.listener is not None and parts.store.events is not None:
        yield ServiceTask(name="The events of the nodes", run=parts.listener.run)
        yield ServiceTask(name="The telling of the nodes", run=parts.store.events.run)


def engine_task(parts: Parts, configuration: Configuration) -> ServiceTask:
    """Return what runs exchanges; with it the word lists are read."""
    settings = configuration.settings

    async def run() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(asyncio.to_thread(read_word_lists, settings.enforcement), name="The word lists")
            await parts.store.engine.run(
                parts.orchestrator.run_exchange,
                abandoned=parts.orchestrator.give_up,
                # One exchange uses one process at a time: more would only wait out of sight for a lease.
                concurrency=min(settings.turns.concurrency, settings.pool.size),
                drain_seconds=settings.turns.drain_seconds,
            )

    return ServiceTask(name="The engine", run=run, roles=_WORKING)


def started(group: asyncio.TaskGroup, task: ServiceTask, parts: Parts) -> asyncio.Task[None]:
    """Begin a task; one with a duty once this node has that."""

    async def run() -> None:
        if task.duty:
            await parts.store.nodes.duty(task.duty)
        await task.run()

    return group.create_task(run(), name=task.name)
