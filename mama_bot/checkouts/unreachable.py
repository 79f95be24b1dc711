"""Free the disk of what no reference of a store of the service leads to any more."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

# A file in a store: since when nothing leads to some of its objects. A crash between the two leaves it there.
PENDING = "pruned"
# What was written so recently may be about to be referred to: nobody takes longer over that.
FRESH_SECONDS = 7_200.0

# Runs git in the store with these arguments; raises GitFailed.
StoreGit = Callable[..., Awaitable[str]]


def note_pruned(store: Path) -> None:
    """Note that references of a store are about to go."""
    (store / PENDING).touch()


async def drop_unreachable(git: StoreGit, store: Path, *, fresh_seconds: float = FRESH_SECONDS) -> bool:
    """Remove the objects of a store that nothing leads to, but for the latest; return whether there was cause to.

    Safe beside whoever adds objects and then a reference to them. Raises GitFailed, OSError.
    """
    pending = store / PENDING
    noted = await asyncio.to_thread(_noted_at, pending)
    if noted is None:
        return False
    until = f"{int(fresh_seconds)}.seconds.ago" if fresh_seconds else "now"
    # Objects that are lent need no second copy, and a bitmap would ask for one.
    await git("repack", "-A", "-d", "-l", "-q", "--no-write-bitmap-index", f"--unpack-unreachable={until}")
    await git("prune", f"--expire={until}")
    if time.time() - noted > 2 * fresh_seconds and await asyncio.to_thread(_noted_at, pending) == noted:
        await asyncio.to_thread(pending.unlink, missing_ok=True)
    return True


def _noted_at(pending: Path) -> float | None:
    try:
        return pending.stat().st_mtime
    except FileNotFoundError:
        return None
