"""The one place that does what people ask of the work of a conversation: stored first, then done, then told."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, assert_never

import structlog

from mama_bot.checkouts.file_commits import LargeFilesInside, RepositoryInside
from mama_bot.checkouts.work_places import remove_files
from mama_bot.deeds.sentences import deed_told
from mama_bot.errors import ForgeError, MamaBotError, PushRefused, RepositoryUnavailable, StoreUnavailable
from mama_bot.metrics import Metrics
from mama_bot.model import (
    Conflicting,
    ConversationKey,
    DeedId,
    DeedOutcome,
    DeedPlan,
    DeedRequest,
    Discarded,
    DiscardWork,
    MergeBranch,
    Merged,
    NotDone,
    Notice,
    NoticeKind,
    Opened,
    OpenPullRequest,
    PostId,
    PushBranch,
    Pushed,
    Refusal,
    Restored,
    RestoreWork,
    StoredDeed,
    UndoChange,
    Undone,
    WorkChange,
)
from mama_bot.protocols import DeedRecords
from mama_bot.repositories.git import GitFailed

log = structlog.get_logger(__name__)

HELD_SECONDS = 1_800.0  # longer than any deed takes: git bounds its own calls
WAIT_SECONDS = 2.0  # so long whoever asked is kept waiting; Slack waits three
AT_ONCE = 8  # a source or a forge that does not answer holds up others late
MOST_DETAIL = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class DoneDeed:
    """What came of a deed, with the change of the work tree that it made, and what is `left` to be removed."""

    outcome: DeedOutcome
    change: WorkChange | None = None
    left: Path | None = None


# Does a deed, or goes on with one that a dead life had planned; raises GitFailed, OSError, MamaBotError.
Doer = Callable[[DeedRequest, DeedPlan | None], Awaitable[DoneDeed]]


async def _always(_request: DeedRequest) -> bool:
    """Return True: nobody else does deeds."""
    return True


class Holds(Protocol):
    """Knows in which conversations somebody works, and keeps others from beginning."""

    async def runs(self, key: ConversationKey) -> bool:
        """Return whether an exchange of a conversation runs."""
        ...

    def held(self, key: ConversationKey, *, seconds: float, anew: bool = False) -> AbstractAsyncContextManager[bool]:
        """Let no exchange begin during the block, as `Stops.held` does."""
        ...


class Deeds:
    """Does deeds: each is stored before it begins, done while nobody works there, and told in the thread with its end.

    A deed that was cut off is done again by the next life before anybody works: whoever does one has to bear that.
    """

    def __init__(
        self,
        *,
        records: DeedRecords,
        holds: Holds,
        undo: Doer,
        merge: Doer,
        discard: Doer,
        restore: Doer,
        push: Doer,
        open_request: Doer,
        metrics: Metrics,
        node: str = "",
    ) -> None:
        self._node = node
        self._records = records
        self._holds = holds
        self._undo = undo
        self._merge = merge
        self._discard = discard
        self._restore = restore
        self._push = push
        self._open_request = open_request
        self._metrics = metrics
        self._asked: asyncio.Queue[DeedRequest] = asyncio.Queue()
        self._waiting: dict[DeedId, asyncio.Future[DeedOutcome]] = {}

    async def ask(self, request: DeedRequest, *, seconds: float = WAIT_SECONDS) -> DeedOutcome | None:
        """Store a deed and return what came of it; None where that takes longer: the thread is told of it.

        Where somebody works in the conversation it is refused at once, and not stored. Raises StoreUnavailable.
        """
        request = replace(request, node=self._node)
        if await self._holds.runs(request.key) or not await self._records.ask(request):
            self._metrics.count("deeds", kind=request.deed.kind, outcome=Refusal.BUSY.value)
            return NotDone(why=Refusal.BUSY)
        log.info("deed_asked", deed=request.id, kind=request.deed.kind, by=request.by.id, conversation=str(request.key))
        outcome = self._waiting[request.id] = asyncio.get_running_loop().create_future()
        self._asked.put_nowait(request)
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.shield(outcome)
        except TimeoutError:
            # What is being settled is told here alone, and in a moment; of anything else the thread is told.
            return None if self._waiting.pop(request.id, None) is not None else await outcome

    async def resume(self, is_ours: Callable[[DeedRequest], Awaitable[bool]] = _always) -> None:
        """Do what an earlier life was asked for and did not end, before anybody works; of others what `is_ours`."""
        free = asyncio.Semaphore(AT_ONCE)

        async def bounded(stored: StoredDeed) -> None:
            async with free:
                log.info("deed_resumed", deed=stored.request.id, kind=stored.request.deed.kind)
                left = await self._do(stored, anew=True)
            await _removed(left)

        async with (
            asyncio.TaskGroup() as group
        ):  # a forge that does not answer keeps a start waiting once, not for each
            for stored in await self._records.unsettled():
                if await is_ours(stored.request):
                    group.create_task(bounded(stored))

    async def take_over(self, is_ours: Callable[[DeedRequest], Awaitable[bool]], *, every_seconds: float) -> None:
        """Do, until cancelled, what other nodes were asked for and can end no more: it keeps others from beginning."""

        async def is_left(request: DeedRequest) -> bool:
            return request.node != self._node and await is_ours(request)

        while True:
            await asyncio.sleep(every_seconds)
            try:
                await self.resume(is_left)
            except StoreUnavailable as error:
                log.warning("deeds_not_taken_over", reason=str(error))

    async def run(self) -> None:
        """Do what is asked until cancelled; one deed at a time in a conversation."""
        free = asyncio.Semaphore(AT_ONCE)

        async def bounded(request: DeedRequest) -> None:
            async with free:
                left = await self._do(StoredDeed(request=request))
            await _removed(left)

        async with asyncio.TaskGroup() as group:
            while True:
                group.create_task(bounded(await self._asked.get()))

    async def _do(self, stored: StoredDeed, *, anew: bool = False) -> Path | None:
        """Do a deed and tell what came of it; return what is left to be removed."""
        request, waiting = stored.request, None
        try:
            async with self._holds.held(request.key, seconds=HELD_SECONDS, anew=anew) as held:
                done = await self._done(stored) if held else DoneDeed(outcome=NotDone(why=Refusal.BUSY))
                waiting = self._waiting.pop(request.id, None)
                # Whoever waits for the answer is told what changed nothing, and nobody else.
                notice = _notice(request, done) if waiting is None or _is_news(done.outcome) else None
                await self._records.settle(request, done.outcome, notice, done.change)
        except MamaBotError as error:  # the store: the deed stays open, and the next life ends it
            log.warning("deed_not_settled", deed=request.id, reason=str(error))
            waiting = waiting or self._waiting.pop(request.id, None)
            if waiting is not None and not waiting.done():
                waiting.set_result(NotDone(why=Refusal.FAILED, detail=str(error)))
            return None  # what was moved away is swept by the next life
        outcome = done.outcome
        result = outcome.why.value if isinstance(outcome, NotDone) else outcome.kind
        self._metrics.count("deeds", kind=request.deed.kind, outcome=result)
        log.info("deed_done", deed=request.id, kind=request.deed.kind, outcome=result, by=request.by.id)
        if waiting is not None and not waiting.done():
            waiting.set_result(outcome)
        return done.left

    async def _done(self, stored: StoredDeed) -> DoneDeed:
        """Do a deed; whatever goes wrong becomes an outcome that says so."""
        request = stored.request
        try:
            return await self._doer(request)(request, stored.plan)
        except (PushRefused, ForgeError, RepositoryUnavailable) as error:
            log.info("deed_refused", deed=request.id, reason=str(error))
            return DoneDeed(outcome=NotDone(why=Refusal.REFUSED, detail=error.to(request.language)))
        except RepositoryInside as error:
            return DoneDeed(outcome=NotDone(why=Refusal.REPOSITORY_INSIDE, files=error.paths))
        except LargeFilesInside as error:
            return DoneDeed(outcome=NotDone(why=Refusal.LARGE_FILES_INSIDE, files=error.paths))
        except GitFailed as error:
            reason = error.reason
        except (MamaBotError, OSError) as error:
            reason = str(error)
        except Exception as error:  # the worker goes on, and whoever asked is told
            log.exception("deed_failed", deed=request.id, error=str(error))
            reason = type(error).__name__
        log.warning("deed_not_done", deed=request.id, reason=reason)
        return DoneDeed(outcome=NotDone(why=Refusal.FAILED, detail=reason[-MOST_DETAIL:]))

    def _doer(self, request: DeedRequest) -> Doer:
        """Return who does a deed: the one place that knows all of them."""
        match request.deed:
            case UndoChange():
                return self._undo
            case MergeBranch():
                return self._merge
            case DiscardWork():
                return self._discard
            case RestoreWork():
                return self._restore
            case PushBranch():
                return self._push
            case OpenPullRequest():
                return self._open_request
            case unexpected:
                assert_never(unexpected)


def _is_news(outcome: DeedOutcome) -> bool:
    """Return whether the thread is told of an outcome, though whoever asked is."""
    match outcome:
        case NotDone():
            return False
        case Pushed():
            return outcome.is_new
        case Opened():
            return not outcome.is_known
        case Undone() | Merged() | Discarded() | Restored() | Conflicting():
            return True
        case unexpected:
            assert_never(unexpected)


async def _removed(left: Path | None) -> None:
    """Remove what a deed left, of whatever size: whoever asked has been answered."""
    if left is None:
        return
    try:
        await remove_files(left)
    except OSError as error:  # no process could be started: the next life sweeps it
        log.warning("files_not_removed", path=str(left), reason=str(error))


def _notice(request: DeedRequest, done: DoneDeed) -> Notice:
    taken_back = isinstance(done.outcome, Undone) and not done.outcome.again
    return Notice(
        id=PostId(f"deed.{request.id}"),
        key=request.key,
        notice=NoticeKind.UNDONE if taken_back else NoticeKind.DEED,
        text=deed_told(done.outcome, request),
        change=done.change.id if done.change is not None else None,
        undoes=done.change.undoes if done.change is not None else None,
    )
