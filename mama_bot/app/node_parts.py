"""What this process serves of the service, and how it tells the other nodes of the rest."""

import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from mama_bot.app.configuration import Configuration
from mama_bot.app.roles import transcript_place
from mama_bot.app.service_parts import shown_by
from mama_bot.app.system_clock import SystemClock
from mama_bot.cluster import EventListener, RelayedCommands, ShownTurns, progress_event
from mama_bot.config import AccessSettings, ServiceRole, Steer
from mama_bot.delivery.departures import redacted
from mama_bot.gateways.web.gateway import WebGateway
from mama_bot.gateways.web.published_page import PublishedPage
from mama_bot.intake.kept_owner_lines import KeptOwnerLines
from mama_bot.intake.owner_lines import OwnerAlarms
from mama_bot.message_line import marked_by
from mama_bot.model import (
    Answer,
    Command,
    ConversationKey,
    DeedRequest,
    InboundMessage,
    MessageCame,
    MessageStanding,
    OwnersTold,
    PagePosted,
    Platform,
    Progress,
    QuestionSettled,
    SessionsForgotten,
    StandingMarked,
    Turn,
    TurnState,
)
from mama_bot.orchestrator import Orchestrator
from mama_bot.protocols import Clock, Gateway, NodeEvents, SessionTranscripts
from mama_bot.store import Store
from mama_bot.store.nodes import Nodes
from mama_bot.turns.schedule import OPEN
from mama_bot.wording import Language, Said

OWNER_LINES = Platform("owner_lines")  # beside the state of gateways
# What a node of a role has nothing to do with: it is told to all, and need not be read by all.
_SHOWN = frozenset(
    {"turn_started", "tool_seen", "check_told", "model_waited", "attempt_judged", "turn_finished", "standing_marked"}
)
_UNWANTED: Mapping[ServiceRole, frozenset[str]] = {
    ServiceRole.ALL: frozenset(),
    ServiceRole.GATEWAY: frozenset({"page_posted", "message_came"}),
    ServiceRole.WORKER: _SHOWN | {"page_posted", "owners_told"},
    ServiceRole.PAGE: frozenset({"message_came", "owners_told"}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """The platforms of this process: those that it shows on, and those of them that it posts on and hears.

    Alone it does all of that on `everywhere`. A gateway node comes to show and to post on a platform when it is the one
    that has its connection; a page node shows on its own page, whoever posts there.
    """

    everywhere: dict[Platform, Gateway] = field(default_factory=dict)
    posting: dict[Platform, Gateway] = field(default_factory=dict)
    showing: dict[Platform, Gateway] = field(default_factory=dict)

    def begin(self, chats: Mapping[Platform, Gateway], page: WebGateway | None) -> None:
        """Take the gateways up that there are from the start."""
        self.everywhere.update(chats)
        if page is not None:
            self.everywhere[page.platform] = self.showing[page.platform] = page


def served_by_role(role: ServiceRole) -> Served:
    """Return what a process of a role serves: nothing yet."""
    match role:
        case ServiceRole.ALL:
            everywhere: dict[Platform, Gateway] = {}
            return Served(everywhere=everywhere, posting=everywhere, showing=everywhere)
        case ServiceRole.PAGE:
            return Served()
        case ServiceRole.GATEWAY | ServiceRole.WORKER:
            common: dict[Platform, Gateway] = {}
            return Served(posting=common, showing=common)


def posted_here(
    people: Callable[[], Mapping[Platform, AccessSettings]], served: Served
) -> Mapping[Platform, AccessSettings]:
    """Return who is served on the platforms that this node posts on now."""
    return {name: settings for name, settings in people().items() if name in served.posting}


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """How what happens here is shown, and done where it has to be done: here, or on whatever node does that."""

    show: Callable[[Progress], Awaitable[None]]
    mark: Callable[[MessageStanding], Awaitable[None]]


def telling(served: Served, events: NodeEvents | None) -> Telling:
    """Return how a process tells of its work: on its own platforms, or to all nodes."""
    if events is None:
        return Telling(show=shown_by(served.showing), mark=marked_by(served.showing))

    async def show(progress: Progress) -> None:
        events.publish(progress_event(progress))

    async def mark(standing: MessageStanding) -> None:
        events.publish(StandingMarked(standing=standing))

    return Telling(show=show, mark=mark)


def files_here(nodes: Nodes) -> Callable[[ConversationKey], Awaitable[bool]]:
    """Return what says whether the files of a conversation are no other node's to look after."""

    async def is_here(key: ConversationKey) -> bool:
        return nodes.place.shared_files or await nodes.home(key) in (None, nodes.id)

    return is_here


def deeds_taken_over(nodes: Nodes) -> Callable[[DeedRequest], Awaitable[bool]]:
    """Return what says whether this process ends a deed that was cut off: its own, or one of a node that is dead."""

    async def is_ours(request: DeedRequest) -> bool:
        if request.node == nodes.id or not nodes.id:
            return True
        if await nodes.lives(request.node):
            return False
        home = None if nodes.place.shared_files else await nodes.home(request.key)
        return (home or await nodes.worker()) == nodes.id

    return is_ours


def settled_told(events: NodeEvents | None) -> Callable[[int], None] | None:
    """Return what tells other nodes that a question has its answer; None where there are none."""
    return None if events is None else lambda number: events.publish(QuestionSettled(number=number))


def alarms_told(alarms: OwnerAlarms, role: ServiceRole, store: Store, clock: Clock) -> None:
    """Let what owners are told here be told where their platforms are, too, now or soon."""
    events = store.events
    if events is None:
        return
    alarms.tells_owners = role is ServiceRole.GATEWAY

    def tell(occasion: str, sentence: Said) -> None:
        told = OwnersTold(occasion=occasion, english=sentence.to(Language.ENGLISH), korean=sentence.to(Language.KOREAN))
        events.publish(told)

    alarms.kept = KeptOwnerLines(state=store.gateway_state(OWNER_LINES), clock=clock, tell=tell)


def sessions_forgotten(
    forget: Callable[[ConversationKey], int], events: NodeEvents | None, node: str
) -> Callable[[ConversationKey], int]:
    """Return what lets the agents of a conversation begin anew, on whatever node they are."""
    if events is None:
        return forget

    def everywhere(key: ConversationKey) -> int:
        events.publish(SessionsForgotten(key=key, by=node))
        return forget(key)

    return everywhere


def steering(
    when: Steer, orchestrator: Orchestrator, events: NodeEvents | None
) -> Callable[[InboundMessage], Awaitable[bool]]:
    """Return what tells the agent at work of a message that has come, on whatever node it works."""
    at_once = when is Steer.AT_ONCE
    if events is None:
        return orchestrator.steer if at_once else orchestrator.takes_answer

    async def steer(message: InboundMessage) -> bool:
        if await orchestrator.takes_answer(message):
            return True
        if at_once:
            events.publish(MessageCame(key=message.key, message_id=message.id))
        return False

    return steer


def relayed_commands(
    answer: Callable[[Command], Awaitable[Answer]], store: Store, *, shared_files: bool
) -> RelayedCommands | None:
    """Return what has commands about files carried out by a worker; None where all files are here."""
    if store.events is None:
        return None

    async def home(key: ConversationKey) -> str | None:
        # Where no worker has the files, or all have, any of them knows better what to do than a node without git.
        known = None if shared_files else await store.nodes.home(key)
        return known or await store.nodes.worker()

    return RelayedCommands(
        answer=answer, home=home, own=store.nodes.id, events=store.events, new_id=lambda: uuid.uuid4().hex
    )


def event_listener(
    configuration: Configuration,
    *,
    store: Store,
    served: Served,
    orchestrator: Orchestrator,
    commands: RelayedCommands,
    settled: Callable[[int], None],
    forget: Callable[[ConversationKey], int],
    alarms: OwnerAlarms,
    page: WebGateway | None,
) -> EventListener:
    """Return what hears the other nodes."""
    assert store.events is not None
    store.events.unwanted = _UNWANTED[configuration.role]
    if page is not None:
        store.missed = page.tell_again
    redact = configuration.redactor()

    async def post(event: PagePosted) -> None:
        entry = None if page is None else await store.outbox.entry(event.post_id)
        if page is not None and entry is not None:
            page.tell(redacted(redact, entry.post))

    async def ended(turn: Turn) -> TurnState | None:
        try:
            exchange = await store.turns.load(turn.message_id)
        except LookupError:  # deleted with its conversation
            return TurnState.STOPPED
        states = (stored.state for stored in exchange.turns if stored.turn.id == turn.id)
        state = next(states, TurnState.STOPPED)
        return None if state in OPEN else state

    async def steer(event: MessageCame) -> None:
        if configuration.role is ServiceRole.WORKER:
            message = await store.inbox.waiting(event.key, event.message_id)
            if message is not None:
                await orchestrator.steer(message)

    return EventListener(
        events=store.events,
        own=store.nodes.id,
        shown=ShownTurns(show=shown_by(served.showing), ended=ended, clock=SystemClock()),
        mark=marked_by(served.showing),
        post=post,
        steer=steer,
        settled=settled,
        forget=forget,
        alarm=alarms.take,
        commands=commands,
    )


def transcripts_of(configuration: Configuration, store: Store) -> SessionTranscripts | None:
    """Return where what agents remember is kept for another machine; None where none takes over, or has the files."""
    place = transcript_place(configuration)
    return None if place is None else store.transcripts(place)


def page_for_posting(page: WebGateway, events: NodeEvents | None) -> Gateway:
    """Return the page as the delivery posts on it: on every node that serves it."""
    return page if events is None else PublishedPage(page, events)
