"""Procrastinate's worker, set up for exchanges; imported late, because loading procrastinate takes long."""

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Protocol

import structlog
from procrastinate import App, BaseRetryStrategy, JobContext, RetryDecision
from procrastinate.job_context import AbortReason
from procrastinate.jobs import Job
from procrastinate.worker import Worker

from mama_bot.errors import StoreUnavailable
from mama_bot.model import MessageId
from mama_bot.protocols import Clock
from mama_bot.store.bell import Bell
from mama_bot.store.connector import UNCOUNTED, JobsConnector
from mama_bot.store.database import Database
from mama_bot.store.jobs import TASK, Workplace

log = structlog.get_logger(__name__)

_NEVER = 1e9
_GIVEN_UP_AFTER = 20


class ExchangeRun(Protocol):
    """The function that a job calls."""

    async def __call__(
        self, message_id: MessageId, *, attempts: int, deaths: int, shutting_down: Callable[[], bool]
    ) -> None:
        """Run the exchange of a message; an exception means: run it again later."""
        ...


class BackOff(BaseRetryStrategy):
    """Decides when a run that raised comes again: at once after a shutdown, else later and later."""

    def __init__(self, *, clock: Clock, backoff: Callable[[int], timedelta]) -> None:
        self._clock = clock
        self._backoff = backoff

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        """Answer procrastinate after a run that raised."""
        if isinstance(exception, asyncio.CancelledError):
            return RetryDecision(retry_at=self._clock.now(), priority=UNCOUNTED)
        if isinstance(exception, StoreUnavailable):
            return RetryDecision(retry_at=self._clock.now() + self._backoff(0), priority=UNCOUNTED)
        if job.attempts >= _GIVEN_UP_AFTER:
            log.error("exchange_lost", message=job.task_kwargs.get("message_id"), exc_info=exception)
            return None
        return RetryDecision(retry_at=self._clock.now() + self._backoff(job.attempts))


class ExchangeWorker(Worker):
    """Procrastinate's worker with types, and without what it would compose for log lines that nobody writes."""

    def _log_extra(self, *_facts: object, **_more: object) -> dict[str, Any]:
        return {}

    def stop(self) -> None:
        """Take no further job, and drain."""
        super().stop()  # type: ignore[no-untyped-call]

    async def run(self) -> None:
        """Run jobs until stopped or cancelled."""
        await super().run()  # type: ignore[no-untyped-call]


def make_worker(
    *,
    exchange: ExchangeRun,
    database: Database,
    clock: Clock,
    bell: Bell,
    place: Workplace,
    backoff: Callable[[int], timedelta],
    concurrency: int,
    drain_seconds: float,
    poll_seconds: float,
) -> ExchangeWorker:
    """Return a worker whose only task is the exchange."""
    app = App(connector=JobsConnector(database=database, clock=clock, bell=bell, place=place))

    @app.task(name=TASK, pass_context=True, retry=BackOff(clock=clock, backoff=backoff))
    async def run(context: JobContext, message_id: str, deaths: int = 0) -> None:
        def shutting_down() -> bool:
            return context.abort_reason() is AbortReason.SHUTDOWN

        attempts = context.job.attempts
        await exchange(MessageId(message_id), attempts=attempts, deaths=deaths, shutting_down=shutting_down)

    return ExchangeWorker(
        app,
        concurrency=concurrency,
        fetch_job_polling_interval=poll_seconds,
        abort_job_polling_interval=_NEVER,
        update_heartbeat_interval=_NEVER,
        shutdown_graceful_timeout=drain_seconds,
        delete_jobs="always",
        install_signal_handlers=False,
    )


class _ToStructlog(logging.Handler):
    """Passes a library's log lines on as debug events."""

    def emit(self, record: logging.LogRecord) -> None:
        log.debug("procrastinate", message=record.getMessage(), level=record.levelname)


@contextmanager
def quiet_procrastinate() -> Iterator[None]:
    """Turn procrastinate's warnings into debug events and drop the rest; the loggers are restored at the end."""
    logger = logging.getLogger("procrastinate")
    level, propagate, handler = logger.level, logger.propagate, _ToStructlog()
    logger.setLevel(logging.WARNING)
    logger.propagate = False
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagate
        logger.setLevel(level)
