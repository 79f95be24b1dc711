"""Run the exchange of every stored message: in order within a conversation, conversations in parallel."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TYPE_CHECKING, ClassVar

import structlog

from mama_bot.backoff import Backoff
from mama_bot.errors import ErrorDecision, MamaBotError, StoreUnavailable
from mama_bot.model import MessageId
from mama_bot.protocols import Clock
from mama_bot.store.bell import Bell
from mama_bot.store.database import Database
from mama_bot.store.jobs import ALONE, LONGEST_PAUSE_SECONDS, Workplace, restore_jobs

if TYPE_CHECKING:
    from mama_bot.store.worker import ExchangeWorker

log = structlog.get_logger(__name__)

RunExchange = Callable[[MessageId], Awaitable[None]]
Abandoned = Callable[[MessageId, Exception], Awaitable[None]]


class ExchangeFailed(MamaBotError):
    """Why an exchange is given up or run again, where the exchange itself raised nothing of use."""

    decision: ClassVar = ErrorDecision.AGAIN


class Engine:
    """The queue at work: each message's exchange runs until it returns, across crashes and restarts.

    An exchange that raises is run again up to `crash_retries` times, after `backoff_seconds`, twice that, four times
    that and so on; one in which the process died `deaths` times is not run again. Both end with `abandoned`.
    A run that was cut off by a shutdown, or that found the store unavailable, does not count.
    """

    def __init__(
        self,
        *,
        database: Database,
        clock: Clock,
        bell: Bell,
        crash_retries: int = 2,
        deaths: int = 100,
        backoff_seconds: float = 1.0,
        poll_seconds: float = 1.0,
        place: Workplace = ALONE,
    ) -> None:
        self._place = place
        self._database = database
        self._clock = clock
        self._bell = bell
        self._crash_retries = crash_retries
        self._deaths = deaths
        self._pauses = Backoff(first=backoff_seconds, longest=LONGEST_PAUSE_SECONDS)
        self._poll_seconds = poll_seconds
        self._worker: ExchangeWorker | None = None
        self._stopping = False

    async def run(self, exchange: RunExchange, *, abandoned: Abandoned, concurrency: int, drain_seconds: float) -> None:
        """Run exchanges until `stop` is called or this is cancelled.

        Then no exchange is started any more; those that run have `drain_seconds` to end, are cancelled after that, and
        run again when the engine does. There must be one engine for each place. Raises StoreUnavailable at start.
        """
        from mama_bot.store.worker import make_worker, quiet_procrastinate

        restored = await self._database.write(lambda connection: restore_jobs(connection, self._place))
        log.info("engine_started", concurrency=concurrency, restored=restored)
        bounded = BoundedExchange(
            exchange=exchange, abandoned=abandoned, crash_retries=self._crash_retries, deaths=self._deaths
        )
        with quiet_procrastinate():
            self._worker = make_worker(
                exchange=bounded,
                database=self._database,
                clock=self._clock,
                bell=self._bell,
                place=self._place,
                backoff=self._backoff,
                concurrency=concurrency,
                drain_seconds=drain_seconds,
                poll_seconds=self._poll_seconds,
            )
            try:
                if not self._stopping:
                    await self._worker.run()
            finally:
                self._worker = None
                log.info("engine_stopped")

    def stop(self) -> None:
        """Make `run` drain and return, for good."""
        self._stopping = True
        if self._worker is not None:
            self._worker.stop()

    def _backoff(self, attempts: int) -> timedelta:
        return timedelta(seconds=self._pauses.pause(attempts + 1))


class BoundedExchange:
    """One run of one exchange, with the decision whether there may be another."""

    def __init__(self, *, exchange: RunExchange, abandoned: Abandoned, crash_retries: int, deaths: int) -> None:
        self._exchange = exchange
        self._abandoned = abandoned
        self._crash_retries = crash_retries
        self._deaths = deaths

    async def __call__(
        self, message_id: MessageId, *, attempts: int, deaths: int, shutting_down: Callable[[], bool]
    ) -> None:
        """Run the exchange, or give it up; raises what the exchange raised when it may be run again."""
        if deaths > self._deaths:
            await self._give_up(message_id, ExchangeFailed(f"The service died {deaths} times in this exchange."))
            return
        try:
            await self._exchange(message_id)
        except asyncio.CancelledError:
            if shutting_down():
                raise
            await self._failed(message_id, ExchangeFailed("The exchange cancelled itself."), attempts)
        except StoreUnavailable as error:
            log.warning("exchange_postponed", message=message_id, reason=str(error))
            raise
        except Exception as error:  # noqa: BLE001 - the outermost edge of a turn: logged, retried, then given up aloud
            await self._failed(message_id, error, attempts)

    async def _failed(self, message_id: MessageId, error: Exception, attempts: int) -> None:
        log.error("exchange_failed", message=message_id, attempt=attempts, exc_info=error)
        if attempts < self._crash_retries:
            raise error
        await self._give_up(message_id, error)

    async def _give_up(self, message_id: MessageId, error: Exception) -> None:
        log.error("exchange_abandoned", message=message_id, reason=str(error))
        await self._abandoned(message_id, error)
