"""The service: everything is made here, in order, and ended in the opposite order."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import structlog

from mama_bot.agents.pool import AgentPool
from mama_bot.app.agent_backends import rule_breakers_of
from mama_bot.app.agent_parts import active_workflows, agents_and_approvals, critical_actions
from mama_bot.app.backup_parts import backup_schedule, backup_sign, old_conversations
from mama_bot.app.configuration import DATABASE_NAME, Configuration
from mama_bot.app.current_team import served_by, team_of
from mama_bot.app.first_real_start import take_over_from_scripted
from mama_bot.app.host_checks import checks_swept, host_checks
from mama_bot.app.instance import own_directory
from mama_bot.app.kept_files import OldFiles, outgoing_files
from mama_bot.app.menu_parts import persona_menus
from mama_bot.app.old_conversations import OldConversations
from mama_bot.app.page import web_page
from mama_bot.app.page_key import keep_address, with_page_key
from mama_bot.app.platforms import chat_gateways, hearing_of
from mama_bot.app.private_files import keep_private
from mama_bot.app.pull_request_parts import open_forges, pull_request_watch
from mama_bot.app.readiness import tell_what_is_lacking
from mama_bot.app.reload import Reload
from mama_bot.app.reload_parts import TeamAtWork, living, reload_of
from mama_bot.app.service_commands import chat_commands
from mama_bot.app.service_parts import (
    budgets_of,
    checkouts_of,
    demo_repository,
    drift_of,
    pairing_requests,
    shown_by,
    tell_missing_contents,
    upkeep_of,
    written_boards,
)
from mama_bot.app.session_hooks import hook_socket_of
from mama_bot.app.system_clock import SystemClock
from mama_bot.app.tool_boundary import keep_boundary
from mama_bot.app.trigger_parts import Triggers, triggers_of
from mama_bot.app.vitality_parts import watchdog_of
from mama_bot.app.work_parts import snapshots_of, work_parts
from mama_bot.backups.due_backups import BackupSchedule
from mama_bot.boards.repository_files import DIRECTORY as BOARD_FILES
from mama_bot.checkouts.upkeep import CheckoutUpkeep
from mama_bot.config import Steer
from mama_bot.consent.approval_desk import ApprovalDesk
from mama_bot.deeds import Deeds
from mama_bot.deeds.prune import Prune
from mama_bot.delivery import Delivery
from mama_bot.enforcement import read_word_lists
from mama_bot.errors import EndedByItself, StoreInUse
from mama_bot.gateways.web.gateway import WebGateway
from mama_bot.intake.access import Access
from mama_bot.intake.intake import Intake
from mama_bot.intake.owner_lines import OwnerAlarms, OwnerLines
from mama_bot.intake.pairing_requests import PairingRequests
from mama_bot.message_line import MessageStandings
from mama_bot.metrics import Metrics
from mama_bot.model import Hearing, Platform, SessionId
from mama_bot.orchestrator import Current, Orchestrator, Team
from mama_bot.orchestrator.beginnings import TurnBeginnings
from mama_bot.orchestrator.delegation_outcomes import DelegationOutcomes
from mama_bot.orchestrator.delegations import DelegationsInTurns
from mama_bot.orchestrator.endings import TurnEndings
from mama_bot.orchestrator.foreign_chains import ForeignChains
from mama_bot.orchestrator.record_lines import RecordLines
from mama_bot.protocols import AgentBackend, Gateway
from mama_bot.pull_requests.watch import PullRequestWatch
from mama_bot.repositories.changes import GitChanges
from mama_bot.repositories.line_counts import GitLineCounts
from mama_bot.session_hooks.hook_socket import HookSocket
from mama_bot.store import Store, open_store, sqlite_url
from mama_bot.turns.agent_troubles import AgentTroubles
from mama_bot.turns.turn_runner import TurnRunner
from mama_bot.turns.workspaces import Workspaces
from mama_bot.vitality import Watchdog
from mama_bot.vitality.service_manager import ServiceManager

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
            async with _parts(
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    store: Store
    team: Current[Team]
    orchestrator: Orchestrator
    delivery: Delivery
    intake: Intake
    standings: MessageStandings
    requests: PairingRequests
    owner_lines: OwnerLines
    approvals: ApprovalDesk
    gateways: Mapping[Platform, Gateway]
    page: WebGateway | None
    metrics: Metrics
    old_files: OldFiles
    upkeep: CheckoutUpkeep
    deeds: Deeds
    pruning: Prune
    triggers: Triggers
    pull_requests: PullRequestWatch
    hooks: HookSocket
    watchdog: Watchdog
    backups: BackupSchedule
    old_conversations: OldConversations
    manager: ServiceManager
    reload: Reload


@asynccontextmanager
async def _parts(
    configuration: Configuration,
    *,
    stop: asyncio.Event,
    script: "ModelScript | None",
    backends: Mapping[str, AgentBackend] | None,
    gateways: Mapping[Platform, Gateway],
) -> AsyncIterator[_Parts]:
    configuration, personas = living(configuration)
    settings, directory = configuration.settings, configuration.directory
    clock, metrics = SystemClock(), Metrics()
    alarms = OwnerAlarms(metrics=metrics)
    snapshots = snapshots_of(configuration)
    url = settings.store.url.get_secret_value() if settings.store.url else sqlite_url(directory / DATABASE_NAME)
    async with (
        open_store(
            url,
            clock=clock,
            queue=settings.queue,
            crash_retries=settings.turns.crash_retries,
            standby=stop,
        ) as store,
        checks_swept(configuration),
        agents_and_approvals(
            configuration,
            script,
            backends,
            store,
            snapshots,
            clock,
            metrics,
            breakers := rule_breakers_of(configuration, store.rule_records, metrics, alarms.put),
        ) as answering,
        AgentPool(
            backends=answering.agents,
            settings=settings.pool,
            clock=clock,
            new_session_id=lambda: SessionId(str(uuid.uuid4())),
        ) as pool,
        open_forges(configuration, clock) as forge_of,
    ):
        seed = demo_repository if configuration.scripted else None
        checkouts = checkouts_of(configuration, store.checkouts, clock, seed, partial(tell_missing_contents, store))
        everywhere: dict[Platform, Gateway] = {}

        def hearing() -> Mapping[Platform, Hearing]:
            return hearing_of(everywhere)

        manager = ServiceManager(configuration.environment)
        backups = backup_schedule(configuration, clock)
        at_work = TeamAtWork(configuration, personas)
        reload = reload_of(configuration, at_work, alarms, clock, metrics)
        further = [backup_sign(backups), reload.sign]
        watchdog = watchdog_of(configuration, store, hearing, alarms, manager, clock, further)
        chats = chat_gateways(configuration, state=store.gateway_state, clock=clock, metrics=metrics)
        pull_requests = pull_request_watch(configuration, store=store, forge_of=forge_of, clock=clock, metrics=metrics)
        work = work_parts(
            configuration, store, pool, checkouts, snapshots, forge_of, pull_requests.wake, clock, metrics
        )
        triggers = triggers_of(configuration, store, clock, metrics)
        pairings = store.pairings if chats else None
        page = web_page(
            configuration,
            store,
            clock,
            metrics,
            hearing,
            pairings,
            checkouts,
            work.diffs,
            triggers,
            watchdog.troubles,
            reload.now,
        )
        everywhere |= {**chats, **gateways, **({page.platform: page} if page else {})}
        delivery = Delivery(
            gateways=everywhere,
            outbox=store.outbox,
            bell=store.post_bell,
            metrics=metrics,
            clock=clock,
            redact=configuration.redactor(),
        )
        workspaces = Workspaces(root=directory / "workspaces", checkouts=checkouts, delegate_trees=work.delegate_trees)
        show = shown_by(everywhere)
        # What agents say of their work on a board is none of what a reviewer goes by.
        changes = GitChanges(
            workspace_of=workspaces.of(configuration.personas), snapshots=snapshots, unshown=(f"{BOARD_FILES}/",)
        )
        team = at_work.begin(
            partial(
                team_of,
                changes=changes,
                checks=host_checks(configuration, changes, clock),
                workspaces=workspaces,
                reviews=store.reviews,
                filed=answering.filed,
                clock=clock,
                metrics=metrics,
            )
        )
        budgets = budgets_of(store, team, clock, metrics)
        runner = TurnRunner(
            pool=pool,
            turns=store.turns,
            context=store.context,
            workspaces=workspaces,
            show=show,
            turn_settings=settings.turns,
            context_settings=settings.context,
            changes=work.changes,
            clock=clock,
            metrics=metrics,
            tools=answering.tools,
            troubles=AgentTroubles(settings=settings.pool, clock=clock, metrics=metrics, alarm=alarms.put),
            tell=store.outbox.add,
            in_turn_retries=settings.claude.in_turn_retries,
            redact=configuration.redactor(),
            workflows=active_workflows(configuration, store),
            actions=critical_actions(configuration),
        )
        standings = MessageStandings(inbox=store.inbox, gateways=everywhere)
        beginnings = TurnBeginnings(
            turns=store.turns, workspaces=workspaces, trees=changes, pull_requests=store.pull_requests
        )
        outcomes = DelegationOutcomes(trees=work.delegate_trees)
        orchestrator = Orchestrator(
            team=team,
            runner=runner,
            budgets=budgets,
            chains=ForeignChains(history=store.history, outbox=store.outbox, clock=clock, metrics=metrics),
            drift_of=drift_of(team, configuration, metrics),
            beginnings=beginnings,
            outcomes=outcomes,
            approvals=answering.approvals,
            endings=TurnEndings(
                turns=store.turns,
                outgoing=outgoing_files(configuration, metrics),
                record_lines=RecordLines(counts=GitLineCounts(snapshots=snapshots)),
                workspaces=workspaces,
                changes=work.changes,
                metrics=metrics,
            ),
            delegations=DelegationsInTurns(
                running=answering.running,
                workspaces=workspaces,
                beginnings=beginnings,
                outcomes=outcomes,
                outbox=store.outbox,
                wait_seconds=settings.turns.delegation_seconds,
            ),
            boards=written_boards(configuration, store, checkouts),
            turns=store.turns,
            stops=store.stops,
            running=answering.running,
            inbox=store.inbox,
            outbox=store.outbox,
            show=show,
            standings=standings,
            clock=clock,
            metrics=metrics,
        )
        served = served_by(team)
        requests = pairing_requests(served, store.pairings, everywhere, store.outbox, clock, metrics)
        access = Access(
            settings=served,
            decided=everywhere.keys() - served().keys(),
            pairings=store.pairings,
            requests=requests,
            clock=clock,
            metrics=metrics,
        )
        intake = Intake(
            inbox=store.inbox,
            standings=standings,
            steer=orchestrator.steer if settings.turns.steer is Steer.AT_ONCE else orchestrator.takes_answer,
            stop=orchestrator.stop,
            commands=chat_commands(
                configuration,
                store=store,
                pool=pool,
                orchestrator=orchestrator,
                checkouts=checkouts,
                access=access,
                standings=standings,
                triggers=triggers,
                work=work,
                budgets=budgets,
                approvals=answering.approvals,
                rule_reports=breakers,
                hearing=hearing,
                clock=clock,
                metrics=metrics,
            ).answer,
            access=access,
            max_characters=settings.web.max_message_characters,
            metrics=metrics,
            menus=persona_menus(configuration, store, checkouts, workspaces, work.diffs, clock),
        )
        yield _Parts(
            store=store,
            team=team,
            orchestrator=orchestrator,
            delivery=delivery,
            intake=intake,
            standings=standings,
            requests=requests,
            owner_lines=OwnerLines(
                alarms=alarms,
                settings=served,
                gateways=everywhere,
                outbox=store.outbox,
                post_unstored=delivery.post_unstored,
                metrics=metrics,
            ),
            approvals=answering.approvals,
            gateways=everywhere,
            page=page,
            metrics=metrics,
            upkeep=upkeep_of(configuration, checkouts, store, clock),
            deeds=work.deeds,
            pruning=work.pruning,
            triggers=triggers,
            pull_requests=pull_requests,
            watchdog=watchdog,
            backups=backups,
            old_conversations=old_conversations(configuration, store, clock),
            manager=manager,
            reload=reload,
            hooks=hook_socket_of(configuration, store.rule_states, metrics, breakers),
            old_files=OldFiles(directory=directory, in_use=store.files_in_use, clock=clock, metrics=metrics),
        )


async def _work(
    parts: _Parts,
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
