"""Procrastinate's named queries, answered by our own tables, so that its stock worker runs the exchanges."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, TypeVar

import structlog
from procrastinate import sql
from procrastinate.connector import BaseAsyncConnector, BaseConnector, Notify

from mama_bot.errors import StoreUnavailable
from mama_bot.protocols import Clock
from mama_bot.store.bell import Bell
from mama_bot.store.connection import Connection
from mama_bot.store.database import Database
from mama_bot.store.jobs import Job, Workplace, end_job, put_back_job, take_job

T = TypeVar("T")

log = structlog.get_logger(__name__)

# Our jobs have no priorities, so this one says of a retry that it is not one of the job's bounded attempts.
UNCOUNTED = -1

_CHANNEL = "procrastinate_any_queue_v1"
_WAKE_UP = '{"type": "job_inserted", "job_id": 0}'
_NO_JOB = {"id": None}
# Who lives is no concern of procrastinate's, so the worker needs no row and no heartbeat.
_WORKER = {"worker_id": 1}
_QUEUE = "exchanges"


class JobsConnector(BaseAsyncConnector):
    """Procrastinate's way to the jobs of a `Database`, for the one worker of one process.

    A database that is unavailable for a while does not end the worker: it finds no job then, and what it could not
    note about a job that ended is noted before the next job is taken.
    """

    def __init__(self, *, database: Database, clock: Clock, bell: Bell, place: Workplace) -> None:
        self._place = place
        self._database = database
        self._clock = clock
        self._bell = bell
        self._unsettled: list[Callable[[Connection], None]] = []
        self._available = True
        self._one: dict[str, Callable[..., Any]] = {
            "fetch_job": self._fetch_job,
            "register_worker": self._register_worker,
        }
        self._nothing: dict[str, Callable[..., Any]] = {
            "finish_job": self._finish_job,
            "retry_job": self._retry_job,
            "unregister_worker": self._unregister_worker,
            "update_heartbeat": self._ignore,
        }
        self._names: dict[str, str] = {query: name for name, query in sql.queries.items()}

    def get_sync_connector(self) -> BaseConnector:
        """Return itself: procrastinate asks for it in synchronous code only, and there is none here."""
        return self

    async def open_async(self, pool: Any = None) -> None:
        """Do nothing: the database is open already."""

    async def close_async(self) -> None:
        """Do nothing: the opener of the database closes it."""

    async def execute_query_async(self, query: str, **arguments: Any) -> None:
        """Run a query of procrastinate that returns nothing."""
        await self._nothing[self._names[query]](**arguments)

    async def execute_query_one_async(self, query: str, **arguments: Any) -> dict[str, Any]:
        """Run a query of procrastinate that returns one row."""
        row: dict[str, Any] = await self._one[self._names[query]](**arguments)
        return row

    async def execute_query_all_async(self, query: str, **_arguments: Any) -> list[dict[str, Any]]:
        """Return no rows: procrastinate asks for other workers and foreign cancellations, and there are none."""
        if self._names[query] not in ("prune_stalled_workers", "list_jobs_to_abort"):
            raise NotImplementedError(f"Procrastinate asked {self._names[query]!r}, which this store does not answer.")
        return []

    async def listen_notify(self, on_notification: Notify, channels: Iterable[str]) -> None:  # noqa: ARG002 - its name is procrastinate's
        """Pass every ring of the bell on, until cancelled."""
        while True:
            await self._bell.heard()
            await on_notification(channel=_CHANNEL, payload=_WAKE_UP)

    # --- the queries ------------------------------------------------------------------------------

    async def _fetch_job(self, **_arguments: Any) -> dict[str, Any]:
        while True:
            rings = self._bell.rings
            job = await self._take()
            if job is not None:
                return _row(job)
            # The worker forgets a wake-up that comes while it fetches: so look again if there was one.
            if rings == self._bell.rings:
                return _NO_JOB

    async def _take(self) -> Job | None:
        unsettled, self._unsettled = self._unsettled, []
        now = self._clock.now().timestamp()

        def work(connection: Connection) -> Job | None:
            for settle in unsettled:
                settle(connection)
            return take_job(connection, now, self._place)

        try:
            job = await self._database.write(work)
        except StoreUnavailable as error:
            self._unsettled = unsettled + self._unsettled
            self._note(available=False, reason=str(error))
            return None
        self._note(available=True)
        return job

    def _note(self, *, available: bool, reason: str = "") -> None:
        """Log a query that changes something, but not the many that only look for work."""
        if available != self._available:
            log.warning("queue_available" if available else "queue_unavailable", reason=reason)
        self._available = available

    async def _finish_job(self, *, job_id: int, **_arguments: Any) -> None:
        # Noted with the look for the next job, which the bell calls for at once: one transaction less for each message.
        # A process that dies in between runs an exchange again in which nothing is left to do.
        self._unsettled.append(lambda connection: end_job(connection, job_id))
        self._bell.ring()

    async def _retry_job(
        self, *, job_id: int, retry_at: datetime, new_priority: int | None = None, **_arguments: Any
    ) -> None:
        due, counted = retry_at.timestamp(), new_priority != UNCOUNTED
        await self._settle(lambda connection: put_back_job(connection, job_id, due, counted=counted))

    async def _settle(self, work: Callable[[Connection], None]) -> None:
        try:
            await self._database.write(work)
        except StoreUnavailable as error:
            self._unsettled.append(work)
            log.warning("job_not_settled", reason=str(error))
        else:
            # The lock of the conversation is free: its next message may run.
            self._bell.ring()

    async def _register_worker(self) -> dict[str, Any]:
        return _WORKER

    async def _unregister_worker(self, **_arguments: Any) -> None:
        """Note what ended since the last look for a job: there is none any more."""
        unsettled, self._unsettled = self._unsettled, []

        def work(connection: Connection) -> None:
            for settle in unsettled:
                settle(connection)

        await self._settle(work)

    async def _ignore(self, **_arguments: Any) -> None:
        pass


def _row(job: Job) -> dict[str, Any]:
    return {
        "id": job.id,
        "status": "doing",
        "priority": 0,
        "lock": job.lock,
        "queueing_lock": None,
        "task_name": job.task,
        "args": dict(job.arguments),
        "scheduled_at": None,
        "queue_name": _QUEUE,
        "attempts": job.attempts,
    }
