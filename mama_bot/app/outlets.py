"""Where people see the service: the chats, the page, how work is shown there, and the one way out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from mama_bot.app.foundation import Foundation
from mama_bot.app.node_parts import Served, Telling, telling
from mama_bot.app.page import web_page
from mama_bot.app.platforms import chat_gateways
from mama_bot.app.supervision_parts import Supervision
from mama_bot.app.trigger_parts import Triggers, triggers_of
from mama_bot.app.work_parts import WorkParts
from mama_bot.config import ServiceRole
from mama_bot.delivery import Delivery
from mama_bot.gateways.web.gateway import WebGateway
from mama_bot.model import Platform, Trouble, TroubleKind
from mama_bot.protocols import Gateway


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlets:
    """The gateways of this process, and how what happens is told and posted on them."""

    served: Served
    page: WebGateway | None
    triggers: Triggers
    told: Telling
    delivery: Delivery


def outlets_of(
    base: Foundation,
    supervision: Supervision,
    work: WorkParts,
    served: Served,
    further: Mapping[Platform, Gateway],
) -> Outlets:
    """Return where a process shows and posts; `further` are gateways that it was given besides its own."""
    store, chats = base.store, _chats_of(base)
    triggers = triggers_of(base.configuration, store, base.clock, base.metrics)
    page = web_page(
        base.configuration,
        store,
        base.clock,
        base.metrics,
        supervision.hearing,
        store.pairings if chats else None,
        base.checkouts,
        work.diffs,
        triggers,
        partial(_troubles, supervision),
        supervision.reload.now,
    )
    served.begin({**chats, **further}, page)
    return Outlets(
        served=served,
        page=page,
        triggers=triggers,
        told=telling(served, store.events),
        delivery=Delivery(
            gateways=served.posting,
            alone=store.events is None,
            may_post=store.nodes.may_post,
            outbox=store.outbox,
            bell=store.post_bell,
            metrics=base.metrics,
            clock=base.clock,
            redact=base.configuration.redactor(),
        ),
    )


def _chats_of(base: Foundation) -> Mapping[Platform, Gateway]:
    """Return the gateways to chat platforms; only nodes that connect to platforms have any."""
    if base.configuration.role not in (ServiceRole.ALL, ServiceRole.GATEWAY):
        return {}
    return chat_gateways(base.configuration, state=base.store.gateway_state, clock=base.clock, metrics=base.metrics)


def _troubles(supervision: Supervision) -> Sequence[Trouble] | None:
    """Return what is wrong as of the last look, and of the settings as of now."""
    troubles = supervision.watchdog.troubles()
    if troubles is None:
        return None
    return [*(each for each in troubles if each.kind is not TroubleKind.SETTINGS), *supervision.reload.troubles()]
