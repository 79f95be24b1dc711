"""What a turn, or all the work of a conversation, changed: as files with their lines, bounded and without secrets."""

from collections.abc import Callable, Sequence
from pathlib import Path

import structlog

from mama_bot.checkouts.checkouts import Checkouts, slug
from mama_bot.checkouts.left_behind import left_behind
from mama_bot.checkouts.tree_history import FileLines, TreeHistory
from mama_bot.deeds.turn_changes import TurnChanges
from mama_bot.errors import RepositoryUnavailable
from mama_bot.model import ChangeId, ConversationKey, DiffFile, TreeDiff, Unshown, WorkChange
from mama_bot.protocols import DeedRecords
from mama_bot.repositories.git import GitFailed

log = structlog.get_logger(__name__)

NAMED_FILES = 300
SHOWN_FILES = 60
FILE_CHARACTERS = 60_000
ALL_CHARACTERS = 300_000
MOST_CHANGES = 1_000
ALL = "all"
HUNK = "\n@@"


class Diffs:
    """Reads diffs; every method raises GitFailed, OSError, RepositoryUnavailable, StoreUnavailable."""

    def __init__(
        self,
        *,
        checkouts: Checkouts,
        records: DeedRecords,
        changes: TurnChanges,
        history: TreeHistory,
        redact: Callable[[str], str] = str,
    ) -> None:
        self._checkouts = checkouts
        self._records = records
        self._changes = changes
        self._history = history
        self._redact = redact

    async def of_name(self, key: ConversationKey, name: str) -> TreeDiff | None:
        """Return what the change of a name changed, or all of the work of a conversation (`ALL`)."""
        try:
            return await (self.of_all(key) if name == ALL else self.of_change(key, ChangeId(name)))
        except (GitFailed, OSError, RepositoryUnavailable) as error:
            log.warning("diff_not_made", conversation=str(key), reason=str(error))
            return None

    async def of_change(
        self, key: ConversationKey, change: ChangeId, *, most_characters: int = ALL_CHARACTERS
    ) -> TreeDiff | None:
        """Return what a change of a conversation changed; None where it is not known, or not kept any more."""
        known = await self._records.change(key, change)
        if known is None or known.after is None:
            return None
        lent = await self._lent(known)
        before, after = known.before.files, known.after.files
        if not await self._history.holds(known.repository, slug(key), before, after, lent=lent):
            return None
        return await self._diff(known.repository, before, after, lent, most_characters)

    async def of_all(self, key: ConversationKey, *, most_characters: int = ALL_CHARACTERS) -> TreeDiff | None:
        """Return what a conversation changed since its work began; None where it changed nothing."""
        changes = await self._records.changes(key, MOST_CHANGES)
        # Without a change of a turn there may be one by hand, which a merge takes too.
        name = changes[0].repository if changes else (await self._checkouts.view(key, "", looks=False)).name
        known, has_branches = await self._checkouts.known(key, name), self._checkouts.store(name) is not None
        if known is None and (has_branches or not changes):
            return None  # it was discarded or never made, and to look makes nothing anew
        workspace = await self._checkouts.prepare(key, name)
        look = await self._history.look(workspace)
        if look is None:
            return None
        lent = self._changes.lent(name, look)
        await self._history.keep(name, slug(key), look, look.mark.files, lent=lent)
        is_based = has_branches and known is not None and known.base != ""
        if is_based and known is not None:
            before = f"{known.base}^{{tree}}"
        elif changes:
            before = next(each for each in reversed(changes) if each.repository == name).before.files
        else:
            return None  # nobody noted how it stood
        return await self._diff(name, before, look.mark.files, lent, most_characters)

    async def differs(self, key: ConversationKey, name: str) -> bool:
        """Return whether a conversation has something that the branch where it began lacks, but what runs leave."""
        store, known = self._checkouts.store(name), await self._checkouts.known(key, name)
        if store is None or known is None:
            return False
        look = await self._history.look(await self._checkouts.prepare(key, name))
        if look is None:
            return True
        commit, base = look.mark.commit, await store.last_base()
        if not commit or not await store.is_in(commit, base):
            return True
        lent = self._changes.lent(name, look)
        await self._history.keep(name, slug(key), look, look.mark.files, lent=lent)
        lines = await self._history.lines(name, f"{commit}^{{tree}}", look.mark.files, lent)
        paths = [file.path for file in lines]
        left = left_behind(paths)
        is_left = tuple(f"{place}/" for place in left)
        work = any(path not in left and not path.startswith(is_left) for path in paths)
        return work or (bool(left) and await store.holds_any(commit, left))

    async def _lent(self, change: WorkChange) -> Sequence[Path]:
        settings = self._checkouts.settings(change.repository)
        in_place = settings is not None and settings.in_place
        look = await self._history.look(Path(settings.source)) if settings is not None and in_place else None
        return self._changes.lent(change.repository, look)

    async def _diff(self, name: str, before: str, after: str, lent: Sequence[Path], most: int) -> TreeDiff:
        lines = await self._history.lines(name, before, after, lent)
        left, files = most, []
        for number, file in enumerate(lines[:NAMED_FILES]):
            patch, unshown = "", _unshown(file, number, left)
            if unshown is None:
                patch = _hunks(await self._history.patch(name, before, after, file.path, lent))
                if len(patch) > min(FILE_CHARACTERS, left):
                    patch, unshown = "", Unshown.LONG
                left -= len(patch)
            files.append(
                DiffFile(
                    path=file.path, added=file.added, removed=file.removed, patch=self._redact(patch), unshown=unshown
                )
            )
        return TreeDiff(
            files=tuple(files),
            total=len(lines),
            added=sum(file.added or 0 for file in lines),
            removed=sum(file.removed or 0 for file in lines),
        )


def _unshown(file: FileLines, number: int, left: int) -> Unshown | None:
    if file.added is None:
        return Unshown.BINARY
    return Unshown.BEYOND if number >= SHOWN_FILES or left <= 0 else None


def _hunks(patch: str) -> str:
    """Return a patch from its first hunk on; "" for one that has none, such as that of a mode or an empty file."""
    begin = patch.find(HUNK)
    return patch[begin + 1 :] if begin >= 0 else ""
