"""What comes with messages and what goes out with replies: where it is kept, and for how long."""

import asyncio
import shutil
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import structlog

from mama_bot.app.configuration import Configuration
from mama_bot.errors import StoreUnavailable
from mama_bot.metrics import Metrics
from mama_bot.orchestrator.files.reply_files import OutgoingFiles
from mama_bot.protocols import Clock

log = structlog.get_logger(__name__)

KEEP_DAYS = 14
DAY_SECONDS = 24 * 3600.0
# Below the data directory, each match a directory or file of one message, post or agent's copy.
KEPT = ("uploads/*/*", "outgoing/*", "agents/*/attachments/*", "agents/*/shown/*")


def outgoing_files(configuration: Configuration, metrics: Metrics) -> OutgoingFiles:
    """Return what resolves the files that replies name."""
    return OutgoingFiles(
        directory=configuration.directory.absolute() / "outgoing",
        redact=configuration.redactor(),
        metrics=metrics,
    )


class OldFiles:
    """Removes kept files 14 days after they came, at the start and once a day; never one that `in_use` names."""

    def __init__(
        self,
        *,
        directory: Path,
        in_use: Callable[[], Awaitable[frozenset[Path]]],
        clock: Clock,
        metrics: Metrics,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._directory = directory
        self._in_use = in_use
        self._clock = clock
        self._metrics = metrics
        self._sleep = sleep

    async def run(self) -> None:
        """Sweep until cancelled; a sweep that fails is tried again the next day."""
        while True:
            try:
                await self.sweep()
            except (StoreUnavailable, OSError) as error:
                log.warning("old_files_stay", reason=str(error))
            await self._sleep(DAY_SECONDS)

    async def sweep(self) -> int:
        """Remove what is old; returns how many directories and files that were. Raises StoreUnavailable."""
        before = self._clock.now().timestamp() - KEEP_DAYS * DAY_SECONDS
        old = await asyncio.to_thread(lambda: list(self._old(before)))
        if not old:
            return 0
        needed = {path.absolute() for path in await self._in_use()}
        gone = [path for path in old if not any(file.is_relative_to(path) for file in needed)]
        removed = await asyncio.to_thread(lambda: sum(_removed(path) for path in gone))
        log.info("old_files_removed", count=removed, days=KEEP_DAYS)
        self._metrics.count("old_files_removed", removed)
        return removed

    def _old(self, before: float) -> Iterator[Path]:
        for pattern in KEPT:
            for path in self._directory.absolute().glob(pattern):
                if not path.is_symlink() and path.lstat().st_mtime < before:
                    yield path


def _removed(path: Path) -> bool:
    try:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    except OSError as error:
        log.warning("old_file_stays", file=path.name, reason=error.strerror or str(error))
        return False
    return True
