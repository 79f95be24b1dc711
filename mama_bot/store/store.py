"""The store as one object: everything durable of a process, over one database."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from mama_bot.config import QueueSettings
from mama_bot.errors import ConfigurationError, StoreInUse
from mama_bot.model import Platform
from mama_bot.protocols import Clock
from mama_bot.store.bell import Bell, PostBell, Ring
from mama_bot.store.codec import key_from
from mama_bot.store.context import StoredContext
from mama_bot.store.database import Database
from mama_bot.store.engine import Engine
from mama_bot.store.files_in_use import files_in_use
from mama_bot.store.gateway_state import StoredGatewayState
from mama_bot.store.history import StoredHistory
from mama_bot.store.inbox import StoredInbox
from mama_bot.store.kept_conversations import StoredConversations
from mama_bot.store.measures import StoredMeasures
from mama_bot.store.nodes import Alone, Node, Nodes
from mama_bot.store.outbox import StoredOutbox
from mama_bot.store.pairings import StoredPairings
from mama_bot.store.receipts import StoredReceipts
from mama_bot.store.reports import StoredReports
from mama_bot.store.retention import StoredRetention
from mama_bot.store.review_states import StoredReviews
from mama_bot.store.sqlite import open_sqlite
from mama_bot.store.stops import StoredStops
from mama_bot.store.stored_checkouts import StoredCheckouts
from mama_bot.store.stored_deeds import StoredDeeds
from mama_bot.store.stored_delegate_trees import StoredDelegateTrees
from mama_bot.store.stored_items import StoredItems
from mama_bot.store.stored_letters import StoredDeadLetters
from mama_bot.store.stored_pull_requests import StoredPullRequests
from mama_bot.store.stored_questions import StoredQuestions
from mama_bot.store.stored_rule_records import StoredRuleRecords
from mama_bot.store.stored_rule_states import StoredRuleStates
from mama_bot.store.stored_spendings import StoredSpendings
from mama_bot.store.stored_topics import StoredTopics
from mama_bot.store.stored_transcripts import StoredTranscripts
from mama_bot.store.stored_workflow_choices import StoredWorkflowChoices
from mama_bot.store.turns import StoredTurns

if TYPE_CHECKING:
    from mama_bot.store.postgresql_events import PostgresqlEvents

PROBES = Platform("probes")  # beside the state of gateways


async def _never() -> StoreInUse:
    """Wait for good: nobody takes a file over."""
    await asyncio.Event().wait()
    raise AssertionError


def _nothing() -> None:
    return None


class Store:
    """Everything that is durable, by protocol, and the engine."""

    def __init__(
        self,
        *,
        database: Database,
        clock: Clock,
        queue: QueueSettings,
        crash_retries: int = 2,
        backoff_seconds: float = 1.0,
        poll_seconds: float = 1.0,
        superseded: Callable[[], Awaitable[StoreInUse]] = _never,
        nodes: Nodes | None = None,
        events: "PostgresqlEvents | None" = None,
    ) -> None:
        self.events = events
        self.missed: Callable[[], None] = _nothing
        """Is called when rings are heard again: what other nodes told meanwhile was heard by nobody here."""

        self._superseded = superseded
        self.nodes = nodes or Alone()
        self._jobs = bell = Bell()
        self.post_bell = PostBell()
        self.inbox = StoredInbox(database=database, clock=clock, queue=queue, bell=bell)
        self.turns = StoredTurns(database=database, clock=clock, bell=self.post_bell, jobs=bell)
        self.stops = StoredStops(database=database, clock=clock, bell=bell, posts=self.post_bell)
        self.context = StoredContext(database=database)
        self.checkouts = StoredCheckouts(database=database)
        self.delegate_trees = StoredDelegateTrees(database=database)
        self.deeds = StoredDeeds(database=database, clock=clock, bell=self.post_bell)
        self.pull_requests = StoredPullRequests(database=database)
        self.outbox = StoredOutbox(database=database, clock=clock, bell=self.post_bell)
        self.pairings = StoredPairings(database=database, clock=clock)
        self.conversations = StoredConversations(database=database, clock=clock)
        self.history = StoredHistory(database=database, queue=queue)
        self.receipts = StoredReceipts(database=database)
        self.reports = StoredReports(database=database, clock=clock)
        self.reviews = StoredReviews(database=database, clock=clock)
        self.letters = StoredDeadLetters(database=database)
        self.retention = StoredRetention(database=database)
        self.rule_states = StoredRuleStates(database=database, clock=clock)
        self.rule_records = StoredRuleRecords(database=database, clock=clock)
        self.tool_questions = StoredQuestions(database=database, clock=clock, bell=self.post_bell)
        self.topics = StoredTopics(database=database, clock=clock)
        self.items = StoredItems(database=database, clock=clock)
        self.workflow_choices = StoredWorkflowChoices(database=database)
        self.spendings = StoredSpendings(database=database)
        self.measures = StoredMeasures(database=database)
        self._database = database
        self._clock = clock
        self._probes = self.gateway_state(PROBES)
        self.engine = Engine(
            database=database,
            clock=clock,
            bell=bell,
            crash_retries=crash_retries,
            backoff_seconds=backoff_seconds,
            poll_seconds=poll_seconds,
            place=self.nodes.place,
        )

    def ring(self, ring: Ring, words: str = "") -> None:
        """Wake whoever looks for what another process put here; `words` say in which conversation, or what it tells."""
        match ring:
            case Ring.JOBS:
                self._jobs.ring()
            case Ring.POSTS:
                self.post_bell.ring(key_from(words))
            case Ring.EVENTS:
                if self.events is not None:
                    self.events.hear(words)
            case Ring.ANY:
                self._jobs.ring()
                self.missed()

    async def watch_owner(self) -> None:
        """Run until another service has taken the database over; then raise StoreInUse."""
        raise await self._superseded()

    async def probe(self) -> None:
        """Return once something of no account is stored; raises StoreUnavailable."""
        await self._probes.put({"written_at": self._clock.now().isoformat()})

    async def files_in_use(self) -> frozenset[Path]:
        """Return the files of messages that are not finished and of posts that are not settled."""
        return await self._database.read(files_in_use)

    def transcripts(self, place: str) -> StoredTranscripts:
        """Return what agents remember, as the machine of this place has it or takes it up."""
        return StoredTranscripts(database=self._database, clock=self._clock, place=place)

    def gateway_state(self, platform: Platform) -> StoredGatewayState:
        """Return the state that a gateway keeps over restarts."""
        return StoredGatewayState(database=self._database, platform=platform)


@asynccontextmanager
async def open_store(
    url: str,
    *,
    clock: Clock,
    queue: QueueSettings,
    crash_retries: int = 2,
    migrates: bool = True,
    standby: asyncio.Event | None = None,
    node: Node | None = None,
) -> AsyncIterator[Store]:
    """Open the database at a URL (`sqlite:///path`, see `sqlite_url`; `postgresql://host/name`), close it at the end.

    Without `migrates` nothing is made or brought up to date. Another service that works on a PostgreSQL database is
    waited for until `standby` is set; then, or without it, StoreInUse is raised. As a `node` it shares a PostgreSQL
    database with others. Raises StoreUnavailable, or ConfigurationError for a URL that is not understood.
    """
    if _backend_of(url) == "postgresql":
        # Imported only where it is used: whoever has SQLite loads none of it.
        from mama_bot.store.postgresql import open_postgresql
        from mama_bot.store.postgresql_rings import rings_heard

        async with open_postgresql(url, migrates=migrates, standby=standby, node=node) as database:
            store = Store(
                database=database,
                clock=clock,
                queue=queue,
                crash_retries=crash_retries,
                superseded=database.superseded,
                nodes=database.nodes(node) if node else Alone(database.last_written),
                events=database.events,
            )
            async with rings_heard(url, store.ring) if migrates else nullcontext():
                yield store
    else:
        async with open_sqlite(_file_of(url), migrates=migrates) as file:
            yield Store(database=file, clock=clock, queue=queue, crash_retries=crash_retries)


def sqlite_url(path: Path) -> str:
    """Return the URL of a SQLite file."""
    return f"sqlite:///{path}"


def _backend_of(url: str) -> str:
    """Return `sqlite` or `postgresql`; raises ConfigurationError for any other database."""
    scheme, separator, _rest = url.partition("://")
    backend = {"postgres": "postgresql"}.get(scheme, scheme.partition("+")[0])
    if not separator or backend not in {"sqlite", "postgresql"}:
        raise ConfigurationError(
            problem="store.url names no database: write sqlite:///path/to/file.sqlite or postgresql://user@host/name"
        )
    return backend


def _file_of(url: str) -> Path:
    rest = url.partition("://")[2]
    path = rest.removeprefix("/").partition("?")[0] if rest.startswith("/") else ""
    if path in {"", ":memory:"}:
        raise ConfigurationError(problem="store.url names no file: write sqlite:///path/to/file.sqlite")
    return Path(path)
