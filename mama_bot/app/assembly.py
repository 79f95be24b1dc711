"""The parts of the service: each is made here, in order, and ended in the opposite order."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from mama_bot.agents.pool import AgentPool
from mama_bot.app.agent_backends import rule_breakers_of
from mama_bot.app.agent_parts import active_workflows, agents_and_approvals, critical_actions
from mama_bot.app.backup_parts import backup_schedule, backup_sign, old_conversations
from mama_bot.app.configuration import DATABASE_NAME, Configuration
from mama_bot.app.current_team import served_by, team_of
from mama_bot.app.host_checks import checks_swept, host_checks
from mama_bot.app.kept_files import OldFiles, outgoing_files
from mama_bot.app.menu_parts import persona_menus
from mama_bot.app.node_parts import (
    Served,
    alarms_told,
    deeds_taken_over,
    event_listener,
    files_here,
    posted_here,
    relayed_commands,
    served_platforms,
    sessions_forgotten,
    steering,
    telling,
)
from mama_bot.app.old_conversations import OldConversations
from mama_bot.app.page import web_page
from mama_bot.app.platforms import chat_gateways, hearing_of
from mama_bot.app.pull_request_parts import open_forges, pull_request_watch
from mama_bot.app.reload import Reload
from mama_bot.app.reload_parts import TeamAtWork, living, reload_of
from mama_bot.app.roles import node_of
from mama_bot.app.service_commands import chat_commands
from mama_bot.app.service_parts import (
    budgets_of,
    checkouts_of,
    demo_repository,
    drift_of,
    pairing_requests,
    tell_missing_contents,
    tell_wait_for_tree,
    upkeep_of,
    written_boards,
)
from mama_bot.app.session_hooks import hook_socket_of
from mama_bot.app.system_clock import SystemClock
from mama_bot.app.trigger_parts import Triggers, triggers_of
from mama_bot.app.vitality_parts import budget_sign, watchdog_of
from mama_bot.app.work_parts import snapshots_of, work_parts
from mama_bot.backups.due_backups import BackupSchedule
from mama_bot.boards.repository_files import DIRECTORY as BOARD_FILES
from mama_bot.checkouts.upkeep import CheckoutUpkeep
from mama_bot.cluster import EventListener
from mama_bot.config import ServiceRole
from mama_bot.consent.approval_desk import ApprovalDesk
from mama_bot.deeds import Deeds
from mama_bot.deeds.prune import Prune
from mama_bot.delivery import Delivery
from mama_bot.gateways.web.gateway import WebGateway
from mama_bot.intake.access import Access
from mama_bot.intake.intake import Intake
from mama_bot.intake.owner_lines import OwnerAlarms, OwnerLines
from mama_bot.intake.pairing_requests import PairingRequests
from mama_bot.message_line import MessageStandings
from mama_bot.metrics import Metrics
from mama_bot.model import PAGE, DeedRequest, Hearing, Platform, SessionId
from mama_bot.orchestrator import Current, Orchestrator, Team
from mama_bot.orchestrator.beginnings import TurnBeginnings
from mama_bot.orchestrator.delegation_outcomes import DelegationOutcomes
from mama_bot.orchestrator.delegations import DelegationsInTurns
from mama_bot.orchestrator.endings import TurnEndings
from mama_bot.orchestrator.first_turns import FirstTurns
from mama_bot.orchestrator.foreign_chains import ForeignChains
from mama_bot.orchestrator.record_lines import RecordLines
from mama_bot.protocols import AgentBackend, Gateway
from mama_bot.pull_requests.watch import PullRequestWatch
from mama_bot.repositories.changes import GitChanges
from mama_bot.repositories.line_counts import GitLineCounts
from mama_bot.session_hooks.hook_socket import HookSocket
from mama_bot.store import Store, open_store, sqlite_url
from mama_bot.turns.agent_troubles import AgentTroubles
from mama_bot.turns.backend_choices import BackendChoices
from mama_bot.turns.turn_runner import TurnRunner
from mama_bot.turns.workspaces import Workspaces
from mama_bot.vitality import Watchdog
from mama_bot.vitality.service_manager import ServiceManager

if TYPE_CHECKING:  # who has an account needs no demo
    from mama_bot.demo.model_script import ModelScript


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """A service that is put together and does nothing yet."""

    store: Store
    team: Current[Team]
    orchestrator: Orchestrator
    delivery: Delivery
    intake: Intake
    standings: MessageStandings
    requests: PairingRequests
    served: Served
    listener: EventListener | None
    takes_over: Callable[[DeedRequest], Awaitable[bool]]
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
async def assembled(
    configuration: Configuration,
    *,
    stop: asyncio.Event,
    script: "ModelScript | None",
    backends: Mapping[str, AgentBackend] | None,
    gateways: Mapping[Platform, Gateway],
) -> AsyncIterator[Parts]:
    """Make every part while the block runs, and end them in the opposite order; see `serve` for what replaces what."""
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
            node=node_of(configuration),
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
        checkouts = checkouts_of(
            configuration,
            store.checkouts,
            clock,
            seed,
            partial(tell_missing_contents, store),
            partial(tell_wait_for_tree, store, lambda: uuid.uuid4().hex[:12]),
        )
        events = store.events
        alarms_told(alarms, configuration.role, events)
        heard_here: dict[Platform, Gateway] = {}

        def hearing() -> Mapping[Platform, Hearing]:
            return hearing_of(heard_here)

        manager = ServiceManager(configuration.environment)
        backups = backup_schedule(configuration, clock)
        at_work = TeamAtWork(configuration, personas)
        reload = reload_of(configuration, at_work, alarms, clock, metrics)
        budgets = budgets_of(store, at_work.budgets, clock, metrics)
        further = [backup_sign(backups), reload.sign, budget_sign(budgets)]
        watchdog = watchdog_of(configuration, store, hearing, alarms, manager, clock, further)
        chats = (
            chat_gateways(configuration, state=store.gateway_state, clock=clock, metrics=metrics)
            if configuration.role in (ServiceRole.ALL, ServiceRole.GATEWAY)
            else {}
        )
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
        served = served_platforms(configuration.role, chats, page, gateways)
        everywhere, heard_here = served.everywhere, served.showing
        told = telling(served, events)
        delivery = Delivery(
            gateways=served.posting,
            alone=events is None,
            may_post=store.nodes.may_post,
            outbox=store.outbox,
            bell=store.post_bell,
            metrics=metrics,
            clock=clock,
            redact=configuration.redactor(),
        )
        workspaces = Workspaces(root=directory / "workspaces", checkouts=checkouts, delegate_trees=work.delegate_trees)
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
        runner = TurnRunner(
            pool=pool,
            turns=store.turns,
            context=store.context,
            workspaces=workspaces,
            show=told.show,
            turn_settings=settings.turns,
            context_settings=settings.context,
            changes=work.changes,
            clock=clock,
            metrics=metrics,
            tools=answering.tools,
            troubles=AgentTroubles(settings=settings.pool, clock=clock, metrics=metrics, alarm=alarms.put),
            choices=BackendChoices(settings=settings.pool, clock=clock, metrics=metrics),
            tell=store.outbox.add,
            in_turn_retries=settings.claude.in_turn_retries,
            redact=configuration.redactor(),
            workflows=active_workflows(configuration, store),
            actions=critical_actions(configuration),
        )
        standings = MessageStandings(inbox=store.inbox, mark=told.mark)
        beginnings = TurnBeginnings(
            turns=store.turns, workspaces=workspaces, trees=changes, pull_requests=store.pull_requests
        )
        outcomes = DelegationOutcomes(trees=work.delegate_trees, outbox=store.outbox)
        endings = TurnEndings(
            turns=store.turns,
            outgoing=outgoing_files(configuration, metrics),
            record_lines=RecordLines(counts=GitLineCounts(snapshots=snapshots)),
            workspaces=workspaces,
            changes=work.changes,
            metrics=metrics,
        )
        orchestrator = Orchestrator(
            team=team,
            runner=runner,
            budgets=budgets,
            first_turns=FirstTurns(
                turns=store.turns,
                outbox=store.outbox,
                chains=ForeignChains(history=store.history, outbox=store.outbox, clock=clock, metrics=metrics),
                endings=endings,
            ),
            drift_of=drift_of(team, configuration, metrics),
            beginnings=beginnings,
            outcomes=outcomes,
            approvals=answering.approvals,
            endings=endings,
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
            show=told.show,
            standings=standings,
            clock=clock,
            metrics=metrics,
        )
        people = served_by(team)
        requests = pairing_requests(people, store.pairings, everywhere, store.outbox, clock, metrics)
        access = Access(
            settings=people,
            # A worker answers for pages of other nodes: whoever opened one has its key.
            decided=(everywhere.keys() | {PAGE}) - people().keys(),
            pairings=store.pairings,
            requests=requests,
            clock=clock,
            metrics=metrics,
        )
        forget = sessions_forgotten(pool.forget, events)
        commands = chat_commands(
            configuration,
            store=store,
            forget_sessions=forget,
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
        ).answer
        relayed = relayed_commands(commands, store, shared_files=store.nodes.place.shared_files)
        intake = Intake(
            inbox=store.inbox,
            standings=standings,
            steer=steering(configuration, orchestrator, events),
            stop=orchestrator.stop,
            commands=commands if relayed is None else relayed.answer,
            access=access,
            max_characters=settings.web.max_message_characters,
            metrics=metrics,
            menus=persona_menus(configuration, store, checkouts, workspaces, work.diffs, clock),
        )
        yield Parts(
            store=store,
            team=team,
            orchestrator=orchestrator,
            delivery=delivery,
            intake=intake,
            standings=standings,
            requests=requests,
            served=served,
            listener=None
            if relayed is None
            else event_listener(
                configuration,
                store=store,
                served=served,
                orchestrator=orchestrator,
                commands=relayed,
                settled=answering.approvals.wake,
                forget=pool.forget,
                alarms=alarms,
                page=page,
            ),
            owner_lines=OwnerLines(
                alarms=alarms,
                settings=people if events is None else partial(posted_here, people, served),
                gateways=served.posting,
                queue=store.outbox.add_while,
                post_unstored=delivery.post_unstored,
                metrics=metrics,
            ),
            approvals=answering.approvals,
            gateways=everywhere,
            page=page,
            metrics=metrics,
            takes_over=deeds_taken_over(store.nodes),
            upkeep=upkeep_of(configuration, checkouts, store, clock, files_here(store.nodes)),
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
