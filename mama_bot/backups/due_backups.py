"""Backups by the service itself, now and then, and the oldest of them removed."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import structlog

from mama_bot.backups.archive import Backup
from mama_bot.errors import MamaBotError
from mama_bot.protocols import Clock

log = structlog.get_logger(__name__)

PREFIX, ENDING = "mama-bot-", ".tar.gz"
LOOK_SECONDS = 60.0
AGAIN_SECONDS = 900.0  # after one that failed


def backup_name(at: datetime) -> str:
    """Return the name of a backup; names sort like the moments."""
    return f"{PREFIX}{at:%Y%m%d-%H%M%S}{ENDING}"


def backups_in(directory: Path) -> list[Path]:
    """Return the backups in a directory, the oldest first."""
    return sorted(directory.glob(f"{PREFIX}*{ENDING}"))


class BackupSchedule:
    """Makes a backup whenever the newest in its directory is `every` old, and keeps the newest `keep`."""

    def __init__(
        self,
        *,
        directory: Path,
        every: timedelta,
        keep: int,
        write: Callable[[Path, datetime], Backup],
        clock: Clock,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._directory = directory
        self._every = every
        self._keep = keep
        self._write = write
        self._clock = clock
        self._sleep = sleep
        self.failure: MamaBotError | None = None
        """Why the last one could not be made; None once one was made."""

    async def run(self) -> None:
        """Make backups until cancelled; one that fails is tried again in a quarter of an hour."""
        if not self._every:
            await asyncio.Event().wait()
        while True:
            await self.look()
            await self._sleep(AGAIN_SECONDS if self.failure is not None else LOOK_SECONDS)

    async def look(self) -> None:
        """Make a backup where one is due."""
        now = self._clock.now()
        try:
            made = await asyncio.to_thread(self._made_if_due, now)
        except MamaBotError as error:
            log.exception("backup_failed")
            self.failure = error
            return
        if made is not None:
            self.failure = None
            log.info("backup_made", file=str(made.file), files=made.files, unread=len(made.unread))

    def _made_if_due(self, now: datetime) -> Backup | None:
        kept = self._kept()
        latest = kept[-1] if kept else None
        # One of the future was made before the clock was set back: it does not keep others from being made.
        if latest is not None and latest.name > backup_name(now - self._every) and latest.name <= backup_name(now):
            return None
        made = self._write(self._directory / backup_name(now), now)
        others = [path for path in self._kept() if path != made.file]
        for old in others[: max(0, len(others) + 1 - self._keep)]:
            old.unlink(missing_ok=True)
        return made

    def _kept(self) -> Sequence[Path]:
        return backups_in(self._directory)
