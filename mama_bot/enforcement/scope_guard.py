"""ScopeGuard: what a delegation changed against what it was asked to change."""

from typing import Protocol

from mama_bot.config import ScopeGuardSettings
from mama_bot.enforcement.language.files import FileNames, file_names, file_set
from mama_bot.enforcement.language.sentences import is_korean
from mama_bot.enforcement.written import files_written
from mama_bot.model import Allow, Amend, Decision, Delegation, Draft, Turn, Verdict

SHOWN = 5
NAME_CHARACTERS = 80


class ChangedFiles(Protocol):
    """Knows what a turn changed in its workspace."""

    async def since(self, turn: Turn) -> frozenset[str] | None:
        """The paths changed since the turn's baseline, relative to the repository; None without a repository."""
        ...


class ScopeGuard:
    """Warns when a delegation changed files that it did not name; at the threshold the reply needs review.

    It never blocks, and a delegation that names no file is not judged. Without a repository, the files of the
    record of tools count.
    """

    def __init__(self, *, settings: ScopeGuardSettings, changed_files: ChangedFiles) -> None:
        self._settings = settings
        self._changed_files = changed_files
        self._always = file_set(settings.always_expected)

    @property
    def name(self) -> str:
        """`scope_guard`."""
        return "scope_guard"

    async def judge(self, draft: Draft, turn: Turn) -> Decision:
        """Compare what was changed with what was named."""
        if turn.delegation is None:
            return Allow()
        expected, forbidden = named_files(turn.delegation)
        if not expected.names and not forbidden.names:
            return Allow()
        changed = await self._changed_files.since(turn)
        if changed is None:
            changed = files_written(draft.record)
        unexpected = sorted(path for path in changed if self._is_unexpected(path, expected, forbidden))
        return self._amend(unexpected, korean=is_korean(draft.text[:2000])) if unexpected else Allow()

    def _is_unexpected(self, path: str, expected: FileNames, forbidden: FileNames) -> bool:
        if path in forbidden:
            return True
        return bool(expected.names) and path not in expected and path not in self._always

    def _amend(self, unexpected: list[str], *, korean: bool) -> Amend:
        names = ", ".join(shown(path) for path in unexpected[:SHOWN])
        more = f" (+{len(unexpected) - SHOWN})" if len(unexpected) > SHOWN else ""
        serious = len(unexpected) >= self._settings.violation_threshold
        said = (
            f"위임이 지정하지 않은 파일 {len(unexpected)}개를 변경했습니다: {names}{more}"
            if korean
            else f"Changed {count(len(unexpected))} that the delegation did not name: {names}{more}"
        )
        return Amend(
            rule="unexpected_files",
            reason=said,
            banner=f"⚠️ {'NEEDS_REVIEW: ' if serious else ''}{said}",
            verdict=Verdict.NEEDS_REVIEW if serious else Verdict.NOTED,
        )


def named_files(delegation: Delegation) -> tuple[FileNames, FileNames]:
    """What a delegation expects to be changed (its outcome, else its task), and what must not be."""
    expected = file_names(delegation.expected_outcome) or file_names(delegation.task)
    return file_set(expected), file_set(file_names(delegation.must_not_do))


def shown(path: str) -> str:
    """A path on one line, bounded, without characters that a chat would read as more than a name."""
    clean = "".join(character if character.isprintable() and character not in "`@" else "?" for character in path)
    return f"`{clean[-NAME_CHARACTERS:]}`"


def count(files: int) -> str:
    """A number of files, in words."""
    return "1 file" if files == 1 else f"{files} files"
