"""The wiring of the service, from the ground up: each part is made here, in order, and ended in the opposite order."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mama_bot.app.backup_parts import old_conversations
from mama_bot.app.configuration import Configuration
from mama_bot.app.exchange_parts import ExchangeParts, exchange_parts
from mama_bot.app.foundation import Foundation, foundation_of
from mama_bot.app.intake_parts import IntakeParts, intake_parts
from mama_bot.app.kept_files import OldFiles
from mama_bot.app.node_parts import Served, deeds_taken_over, files_here, served_by_role
from mama_bot.app.old_conversations import OldConversations
from mama_bot.app.outlets import Outlets, outlets_of
from mama_bot.app.pull_request_parts import pull_request_watch
from mama_bot.app.reload import Reload
from mama_bot.app.reload_parts import living
from mama_bot.app.service_parts import upkeep_of
from mama_bot.app.session_hooks import hook_socket_of
from mama_bot.app.supervision_parts import Supervision, supervision_of
from mama_bot.app.trigger_parts import Triggers
from mama_bot.app.work_parts import WorkParts, work_parts
from mama_bot.backups.due_backups import BackupSchedule
from mama_bot.checkouts.upkeep import CheckoutUpkeep
from mama_bot.cluster import EventListener
from mama_bot.consent.approval_desk import ApprovalDesk
from mama_bot.deeds import Deeds
from mama_bot.deeds.prune import Prune
from mama_bot.delivery import Delivery
from mama_bot.gateways.web.gateway import WebGateway
from mama_bot.intake.intake import Intake
from mama_bot.intake.owner_lines import OwnerLines
from mama_bot.intake.pairing_requests import PairingRequests
from mama_bot.message_line import MessageStandings
from mama_bot.metrics import Metrics
from mama_bot.model import DeedRequest, Platform
from mama_bot.orchestrator import Current, Orchestrator, Team
from mama_bot.protocols import AgentBackend, Gateway
from mama_bot.pull_requests.watch import PullRequestWatch
from mama_bot.session_hooks.hook_socket import HookSocket
from mama_bot.store import Store
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
    async with foundation_of(configuration, stop=stop, script=script, backends=backends) as base:
        served = served_by_role(configuration.role)
        supervision = supervision_of(base, personas, served.showing)
        pull_requests = pull_request_watch(
            configuration, store=base.store, forge_of=base.forge_of, clock=base.clock, metrics=base.metrics
        )
        work = work_parts(base, watch=pull_requests.wake)
        outlets = outlets_of(base, supervision, work, served, gateways)
        exchanges = exchange_parts(base, supervision, work, outlets)
        entrance = intake_parts(base, supervision, work, outlets, exchanges)
        yield _parts(base, supervision, pull_requests, work, outlets, exchanges, entrance)


def _parts(
    base: Foundation,
    supervision: Supervision,
    pull_requests: PullRequestWatch,
    work: WorkParts,
    outlets: Outlets,
    exchanges: ExchangeParts,
    entrance: IntakeParts,
) -> Parts:
    """Return what `service_tasks` sets to work."""
    configuration, store, clock = base.configuration, base.store, base.clock
    return Parts(
        store=store,
        team=exchanges.team,
        orchestrator=exchanges.orchestrator,
        delivery=outlets.delivery,
        intake=entrance.intake,
        standings=exchanges.standings,
        requests=entrance.requests,
        served=outlets.served,
        listener=entrance.listener,
        takes_over=deeds_taken_over(store.nodes),
        owner_lines=entrance.owner_lines,
        approvals=base.answering.approvals,
        gateways=outlets.served.everywhere,
        page=outlets.page,
        metrics=base.metrics,
        old_files=OldFiles(
            directory=configuration.directory, in_use=store.files_in_use, clock=clock, metrics=base.metrics
        ),
        upkeep=upkeep_of(configuration, base.checkouts, store, clock, files_here(store.nodes)),
        deeds=work.deeds,
        pruning=work.pruning,
        triggers=outlets.triggers,
        pull_requests=pull_requests,
        watchdog=supervision.watchdog,
        backups=supervision.backups,
        old_conversations=old_conversations(configuration, store, clock),
        manager=supervision.manager,
        reload=supervision.reload,
        hooks=hook_socket_of(configuration, store.rule_states, base.metrics, base.breakers),
    )
