"""The pool of agent processes: who may use which one, when, and what becomes of it afterwards."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self, runtime_checkable

import structlog

from mama_bot.agents.slots import Owner, Purpose, Slot, Slots
from mama_bot.config import PoolSettings
from mama_bot.errors import AgentCrashed, AgentTimedOut, AgentUnavailable, PoolExhausted, SessionLost
from mama_bot.model import AgentPersona, ConversationKey, SessionId
from mama_bot.protocols import AgentBackend, AgentSession, Clock
from mama_bot.recent import Recent

log = structlog.get_logger(__name__)

REMEMBERED_SESSIONS = 10_000
LONGEST_NAP_SECONDS = 5.0


StoredSession = Callable[[], Awaitable[SessionId | None]]


async def _none_stored() -> SessionId | None:
    return None


@runtime_checkable
class Weighed(Protocol):
    """A session whose process can be weighed."""

    def memory_megabytes(self) -> float:
        """Return the resident memory of its process."""
        ...


@runtime_checkable
class Budgeted(Protocol):
    """A session whose process may spend only so much."""

    def nearly_spent(self) -> bool:
        """Return whether it should make room for a new one before its budget cuts a turn off."""
        ...


@cache  # to look a protocol's methods up takes as long as all else at the end of a lease
def _abilities(kind: type) -> frozenset[type]:
    """Return which of the optional protocols the sessions of a class have."""
    return frozenset(protocol for protocol in (Weighed, Budgeted) if issubclass(kind, protocol))


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The right to use a session for one turn.

    `fresh`: the agent knows nothing of the conversation, `lost` because its session is not there. `resumed`: a new
    process that took up its old session.
    Neither: the process that answered last time. While the place is `lent`, another process may run in it. To `forget`
    the session is to begin anew after this lease.
    """

    session: AgentSession
    fresh: bool
    resumed: bool
    lost: bool = False
    lent: Callable[[], AbstractContextManager[None]] = nullcontext
    forget: Callable[[], None] = lambda: None


@dataclass(frozen=True, slots=True, kw_only=True)
class LastSession:
    """A session that can be resumed by the backend that it belongs to."""

    session_id: SessionId
    backend: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolState:
    """How many processes there may be, how many work, wait warm, and how many turns wait for one."""

    size: int
    busy: int
    idle: int
    waiting: int


class AgentPool:
    """At most `settings.size` live sessions, one for each (conversation, persona), while its `async with` block runs.

    A session is used again only by the same conversation and persona, with the same backend. What its process reaches
    is decided when it starts: for a turn that may write more or less than the last one it is ended, and its session
    resumed. An idle one makes room for others, the one used longest ago first, and is ended after `idle_seconds`; its
    session id is remembered and resumed; one whose process twice does not start is begun anew. One that does not close
    within `close_seconds` keeps no place.
    """

    def __init__(
        self,
        *,
        backends: Mapping[str, AgentBackend],
        settings: PoolSettings,
        clock: Clock,
        new_session_id: Callable[[], SessionId],
        drain_seconds: float = 10.0,
        close_seconds: float = 40.0,
    ) -> None:
        self._backends = backends
        self._settings = settings
        self._clock = clock
        self._new_session_id = new_session_id
        self._drain_seconds = drain_seconds
        self._close_seconds = close_seconds
        self._unresumed: Recent[Owner, SessionId] = Recent(REMEMBERED_SESSIONS)
        self._slots = Slots(size=settings.size)
        self._known: Recent[Owner, LastSession] = Recent(REMEMBERED_SESSIONS)
        self._tasks = asyncio.TaskGroup()
        self._evictor: asyncio.Task[None] | None = None
        self._closing: set[asyncio.Task[None]] = set()
        self._open = False

    async def __aenter__(self) -> Self:
        await self._tasks.__aenter__()
        self._evictor = self._tasks.create_task(self._evict_idle())
        self._open = True
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open = False
        if self._evictor is not None:
            self._evictor.cancel()
        try:
            await self._drain()
        finally:
            for task in tuple(self._closing):
                task.cancel()
            await self._tasks.__aexit__(None, None, None)

    def state(self) -> PoolState:
        """Return how full it is, now."""
        return PoolState(
            size=self._settings.size,
            busy=self._slots.busy,
            idle=len(self._slots.idle()),
            waiting=self._slots.waiting,
        )

    def forget(self, key: ConversationKey, apart: str | None = None) -> int:
        """Begin anew in a conversation: end its idle processes, resume no session; return how many there were.

        With `apart` only those in the work tree of that delegation. A session that is in use is ended when it is given
        back.
        """
        for owner in [owner for owner in self._known if owner.key == key and apart in (None, owner.apart)]:
            del self._known[owner]
        forgotten = [slot for slot in self._slots.in_conversation(key) if apart in (None, slot.owner.apart)]
        for slot in forgotten:
            slot.forgotten = True
            if not slot.leased:
                self._retire(slot)
        log.info("sessions_forgotten", conversation=str(key), sessions=len(forgotten))
        return len(forgotten)

    async def end(self, key: ConversationKey, apart: str) -> None:
        """Forget the sessions in the work tree of a delegation; return once their processes are gone, or after
        `close_seconds`.
        """
        in_tree = [slot for slot in self._slots.all() if (slot.owner.key, slot.owner.apart) == (key, apart)]
        self.forget(key, apart)
        try:
            async with asyncio.timeout(self._close_seconds):
                for slot in in_tree:
                    await slot.gone.wait()
        except TimeoutError:
            log.warning("sessions_not_ended", conversation=str(key), apart=apart)

    @asynccontextmanager
    async def lease(
        self,
        *,
        persona: AgentPersona,
        key: ConversationKey,
        workspace: Path,
        stored: StoredSession = _none_stored,
        read_only: bool = False,
        later: bool = False,
        apart: str = "",
    ) -> AsyncIterator[Lease]:
        """Lease the session of this conversation and persona, `apart` in that of a delegation, while the block lasts.

        `stored` is asked for what the store remembers where this pool knows of none. One that is `read_only` changes
        nothing of the workspace; whoever can be served `later` waits behind all who cannot. Raises PoolExhausted after
        `wait_seconds`, or what the backend raises when it cannot open a session.
        """
        owner = Owner(key=key, persona=persona.name, apart=apart)
        slot = await self._acquire(owner, later=later)
        try:
            purpose = Purpose(persona=persona, workspace=workspace, read_only=read_only)
            lease = await self._prepare(slot, purpose, stored)
            log.debug("session_leased", persona=persona.name, fresh=lease.fresh, resumed=lease.resumed)
            yield replace(lease, lent=partial(self._lent, slot), forget=partial(self._forget, slot))
        finally:
            self._give_back(slot)

    def _forget(self, slot: Slot) -> None:
        slot.forgotten = True
        if slot.owner in self._known:
            del self._known[slot.owner]

    @contextmanager
    def _lent(self, slot: Slot) -> Iterator[None]:
        """Let another process run in a place during the block: its own one waits, so a pool of one goes on."""
        slot.lent += 1
        self._dispatch()
        try:
            yield
        finally:
            slot.lent -= 1
            self._dispatch()

    # --- getting one --------------------------------------------------------------------------------

    async def _acquire(self, owner: Owner, *, later: bool) -> Slot:
        if not self._open:
            raise RuntimeError("The pool is not running; use it as `async with AgentPool(...)`.")
        granted = self._slots.wait(owner, later=later)
        self._dispatch()
        if granted.done():
            return granted.result()
        try:
            async with asyncio.timeout(self._settings.wait_seconds):
                return await granted
        except TimeoutError:
            self._slots.withdraw(granted)
            self._dispatch()
            raise PoolExhausted(size=self._settings.size, waited_seconds=self._settings.wait_seconds) from None
        except asyncio.CancelledError:
            self._slots.withdraw(granted)
            self._dispatch()
            raise

    def _dispatch(self) -> None:
        """Give what is free to those who wait, in the order they came; make room for the rest."""
        for slot in self._slots.grant():
            self._retire(slot)

    async def _prepare(self, slot: Slot, purpose: Purpose, stored: StoredSession) -> Lease:
        if slot.session is not None:
            if slot.session.usable and slot.made_for == purpose:
                slot.turns += 1
                return Lease(session=slot.session, fresh=False, resumed=False)
            await self._close(slot.session)
            slot.session = None
        lease = await self._open_session(slot.owner, purpose, stored)
        slot.session = lease.session
        slot.made_for = purpose
        slot.turns = 1
        slot.opened_at = self._clock.monotonic()
        known = LastSession(session_id=lease.session.session_id, backend=purpose.persona.backend)
        self._known[slot.owner] = known
        return lease

    async def _open_session(self, owner: Owner, purpose: Purpose, stored: StoredSession) -> Lease:
        persona = purpose.persona
        backend = self._backends.get(persona.backend)
        if backend is None:
            raise AgentUnavailable(
                backend=persona.backend,
                reason=f"the persona {persona.name} asks for it, and there is no such backend",
                remedy=f"Set its backend to one of: {', '.join(sorted(self._backends))}.",
            )
        open_for = partial(
            backend.open,
            persona=persona,
            key=owner.key,
            workspace=purpose.workspace,
            read_only=purpose.read_only,
            apart=owner.apart,
        )
        lost, last = False, self._known.get(owner)
        if last is not None:
            known = last.session_id if last.backend == backend.name else None
        else:
            known = await stored()
        if known is not None:
            try:
                session = await open_for(session_id=known, resume=True)
                return Lease(session=session, fresh=False, resumed=True)
            except SessionLost as error:
                lost = error.kept
                log.warning("session_lost", persona=persona.name, session=known)
            except (AgentCrashed, AgentTimedOut):
                if self._unresumed.get(owner) != known:  # once may be chance
                    self._unresumed[owner] = known
                    raise
                log.warning("session_never_resumed", persona=persona.name, session=known)
        session = await open_for(session_id=self._new_session_id(), resume=False)
        return Lease(session=session, fresh=True, resumed=False, lost=lost)

    # --- giving it back -------------------------------------------------------------------------------

    def _give_back(self, slot: Slot) -> None:
        slot.last_used = self._clock.monotonic()
        if slot.session is None:
            self._slots.release(slot)
            self._slots.remove(slot)
            self._dispatch()
        elif not slot.session.usable:
            self._slots.abandon(slot)
            self._retire(slot)
        elif self._worn(slot) or not self._open:
            self._retire(slot)
        else:
            self._slots.release(slot)
            self._dispatch()

    def _worn(self, slot: Slot) -> bool:
        if slot.forgotten or slot.turns >= self._settings.max_turns_per_process:
            return True
        if self._clock.monotonic() - slot.opened_at > self._settings.max_age_seconds:
            return True
        session: Any = slot.session
        kind: Any = type(session)
        abilities = _abilities(kind)
        if Budgeted in abilities and session.nearly_spent():
            return True
        return Weighed in abilities and session.memory_megabytes() > self._settings.max_memory_megabytes

    def _retire(self, slot: Slot) -> None:
        """End a session in the background; its owner waits for that, and everybody when it was alive."""
        self._slots.close(slot)
        task = self._tasks.create_task(self._end(slot))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)
        self._dispatch()

    async def _end(self, slot: Slot) -> None:
        try:
            if slot.session is not None:
                await self._close(slot.session)
        finally:
            self._slots.remove(slot)
            if self._open:
                self._dispatch()

    async def _close(self, session: AgentSession) -> None:
        """End a session; one that does not end in time is left to whoever sweeps, and keeps no place."""
        try:
            async with asyncio.timeout(self._close_seconds):
                await session.aclose()
        except TimeoutError:
            log.warning("session_not_closed", session=session.session_id)

    async def _evict_idle(self) -> None:
        nap = min(LONGEST_NAP_SECONDS, self._settings.idle_seconds / 4)
        while True:
            await asyncio.sleep(nap)
            oldest = self._clock.monotonic() - self._settings.idle_seconds
            for slot in self._slots.idle():
                if slot.last_used <= oldest:
                    log.info("idle_session_ended", persona=slot.owner.persona)
                    self._retire(slot)

    async def _drain(self) -> None:
        for granted in self._slots.forget_waiters():
            granted.set_exception(
                AgentUnavailable(backend="any", reason="the service is stopping", remedy="Ask again when it is back.")
            )
        for slot in self._slots.all():
            if slot.session is not None and not slot.closing:
                self._retire(slot)
        if self._closing:
            await asyncio.wait(self._closing, timeout=self._drain_seconds)
