"""Who may come in and what may be asked of the service itself, and what owners are told, put together."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial

from mama_bot.app.current_team import served_by
from mama_bot.app.exchange_parts import ExchangeParts
from mama_bot.app.foundation import Foundation
from mama_bot.app.menu_parts import persona_menus
from mama_bot.app.node_parts import event_listener, posted_here, relayed_commands, steering
from mama_bot.app.outlets import Outlets
from mama_bot.app.service_commands import chat_commands
from mama_bot.app.service_parts import pairing_requests
from mama_bot.app.supervision_parts import Supervision
from mama_bot.app.work_parts import WorkParts
from mama_bot.cluster import EventListener, RelayedCommands
from mama_bot.config import AccessSettings
from mama_bot.intake.access import Access
from mama_bot.intake.intake import Intake
from mama_bot.intake.owner_lines import OwnerLines
from mama_bot.intake.pairing_requests import PairingRequests
from mama_bot.model import PAGE, Answer, Command, Platform


@dataclass(frozen=True, slots=True, kw_only=True)
class IntakeParts:
    """The port of all gateways, those who ask to be served, lines for owners, and what hears other nodes, if any."""

    intake: Intake
    requests: PairingRequests
    owner_lines: OwnerLines
    listener: EventListener | None


def intake_parts(
    base: Foundation, supervision: Supervision, work: WorkParts, outlets: Outlets, exchanges: ExchangeParts
) -> IntakeParts:
    """Return what takes messages and commands in."""
    store, people = base.store, served_by(exchanges.team)
    requests = pairing_requests(
        people, store.pairings, outlets.served.everywhere, store.outbox, base.clock, base.metrics
    )
    access = Access(
        settings=people,
        # A worker answers for pages of other nodes: whoever opened one has its key.
        decided=(outlets.served.everywhere.keys() | {PAGE}) - people().keys(),
        pairings=store.pairings,
        requests=requests,
        clock=base.clock,
        metrics=base.metrics,
    )
    commands = chat_commands(base, supervision, work, outlets, exchanges, access).answer
    relayed = relayed_commands(commands, store, shared_files=store.nodes.place.shared_files)
    return IntakeParts(
        intake=_intake(base, work, exchanges, access, commands if relayed is None else relayed.answer),
        requests=requests,
        owner_lines=_owner_lines(base, outlets, people),
        listener=None if relayed is None else _listener(base, outlets, exchanges, relayed),
    )


def _intake(
    base: Foundation,
    work: WorkParts,
    exchanges: ExchangeParts,
    access: Access,
    commands: Callable[[Command], Awaitable[Answer]],
) -> Intake:
    """Return the port through which every gateway brings what people write."""
    configuration, store, orchestrator = base.configuration, base.store, exchanges.orchestrator
    return Intake(
        inbox=store.inbox,
        standings=exchanges.standings,
        steer=steering(base.steer, orchestrator, store.events),
        stop=orchestrator.stop,
        commands=commands,
        access=access,
        max_characters=configuration.settings.web.max_message_characters,
        metrics=base.metrics,
        menus=persona_menus(configuration, store, base.checkouts, exchanges.workspaces, work.diffs, base.clock),
    )


def _owner_lines(
    base: Foundation, outlets: Outlets, people: Callable[[], Mapping[Platform, AccessSettings]]
) -> OwnerLines:
    """Return what tells owners of troubles, each on a platform that this node posts on."""
    alone = base.store.events is None
    return OwnerLines(
        alarms=base.alarms,
        settings=people if alone else partial(posted_here, people, outlets.served),
        gateways=outlets.served.posting,
        queue=base.store.outbox.add_while,
        post_unstored=outlets.delivery.post_unstored,
        metrics=base.metrics,
    )


def _listener(base: Foundation, outlets: Outlets, exchanges: ExchangeParts, commands: RelayedCommands) -> EventListener:
    """Return what does here what other nodes tell."""
    return event_listener(
        base.configuration,
        store=base.store,
        served=outlets.served,
        orchestrator=exchanges.orchestrator,
        commands=commands,
        settled=base.answering.approvals.wake,
        forget=base.pool.forget,
        alarms=base.alarms,
        page=outlets.page,
    )
