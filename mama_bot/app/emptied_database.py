"""A database of zero bytes beside what conversations left: something emptied it, and nothing is begun anew unsaid."""

from pathlib import Path

from mama_bot.errors import StoreUnavailable

KEPT_BESIDE = ("agents", "uploads")  # made for conversations: never before the database was


def refuse_emptied(file: Path) -> None:
    """Raise StoreUnavailable where a SQLite file is empty although conversations have left files beside it.

    A file that is not there is made anew: who moved it away wanted that.
    """
    log = file.with_name(f"{file.name}-wal")
    if not file.exists() or file.stat().st_size or (log.exists() and log.stat().st_size):
        return
    left = [name for name in KEPT_BESIDE if (file.parent / name).is_dir() and any((file.parent / name).iterdir())]
    if left:
        raise StoreUnavailable(
            url=str(file),
            reason=f"the file is empty, although {file.parent / left[0]} holds what conversations left",
            remedy="Restore it from a backup (`mama-bot restore`), or move it away to start anew.",
        )
