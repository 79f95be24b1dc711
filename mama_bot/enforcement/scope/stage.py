"""ScopeGuard: what a delegation changed against what it was asked to change."""

from collections.abc import Sequence

from mama_bot.config import ScopeGuardSettings
from mama_bot.enforcement.case import Case
from mama_bot.enforcement.scope.delegated_scope import Scope, scope
from mama_bot.enforcement.scope.sentences import UNEXPECTED
from mama_bot.model import Allow, Amend, Decision, Delegation, Evidence, Figure, FigureName, Turn, Verdict
from mama_bot.protocols import ChangedFiles
from mama_bot.runs.written import files_written
from mama_bot.text.paths import file_set
from mama_bot.wording import printable

SHOWN = 5
NAME_CHARACTERS = 80
ATTRIBUTES = ".gitattributes"


class ScopeGuard:
    """Warns when a delegation changed files that it did not name; at the threshold the reply needs review.

    It never blocks, and a delegation that names no file is not judged. Without a repository, the files of the
    record of tools count.
    """

    name = "scope_guard"

    def __init__(self, *, settings: ScopeGuardSettings, changed_files: ChangedFiles) -> None:
        self._settings = settings
        self._changed_files = changed_files
        self._always = file_set((*settings.always_expected, *settings.generated))

    async def judge(self, case: Case) -> Decision:
        """Compare what was changed with what was named."""
        turn = case.turn
        if turn.delegation is None:
            return Allow()
        asked = scope_of(turn.delegation)
        if not asked.says_anything:
            return Allow()
        if asked.has_absolute_names:
            asked = scope_of(turn.delegation, roots=await self._changed_files.places(turn))
        changed = await self._changed_files.since(turn)
        if changed is None:
            unexpected = self._unexpected(files_written(case.draft.record), asked)
        else:
            unexpected = await self._not_generated(self._unexpected(changed, asked), changed, asked, turn)
        violated = len(unexpected) >= self._settings.violation_threshold
        evidence = Evidence(
            figures=(
                Figure(name=FigureName.UNEXPECTED_FILES, value=len(unexpected)),
                Figure(name=FigureName.SCOPE_VIOLATED, value=violated),
            )
        )
        if not unexpected:
            return Allow(evidence=evidence)
        reason = UNEXPECTED.to(case.language, count=len(unexpected), names=shown_names(unexpected))
        return Amend(
            rule="unexpected_files",
            reason=reason,
            banner=reason,
            verdict=Verdict.NEEDS_REVIEW if violated else Verdict.NOTED,
            evidence=evidence,
        )

    def _unexpected(self, changed: frozenset[str], asked: Scope) -> list[str]:
        beyond = (path for path in changed if not asked.has(path))
        return sorted(path for path in beyond if asked.forbids(path) or path not in self._always)

    async def _not_generated(
        self, unexpected: list[str], changed: frozenset[str], asked: Scope, turn: Turn
    ) -> list[str]:
        # Whoever changes the declaration in the same turn cannot be excused by it.
        if not unexpected or any(path.rsplit("/", 1)[-1] == ATTRIBUTES for path in changed):
            return unexpected
        generated = await self._changed_files.generated(turn, unexpected)
        return [path for path in unexpected if path not in generated or asked.forbids(path)]


def scope_of(delegation: Delegation, *, roots: tuple[str, ...] = ()) -> Scope:
    """Return what the parts of a delegation say about files, which they may name from one of the `roots`."""
    return scope(
        expected_outcome=delegation.expected_outcome,
        task=delegation.task,
        must_do=delegation.must_do,
        must_not_do=delegation.must_not_do,
        roots=roots,
    )


def shown_names(paths: Sequence[str]) -> str:
    """Return the first paths and how many more there are: `src/a.py`, `src/b.py` (+2)."""
    more = f" (+{len(paths) - SHOWN})" if len(paths) > SHOWN else ""
    return ", ".join(quoted_path(path) for path in paths[:SHOWN]) + more


def quoted_path(path: str) -> str:
    """Return a path on one line, bounded, without characters that a chat would read as more than a name."""
    clean = printable(path, drop="`@")
    return f"`{clean[-NAME_CHARACTERS:]}`"
