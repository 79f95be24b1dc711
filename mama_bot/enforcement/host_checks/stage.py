"""WorkspaceChecks: who says that work is done, or approves it, is checked by the service itself."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from mama_bot.config import WorkspaceCheck, WorkspaceCheckSettings
from mama_bot.enforcement.host_checks import CheckEnding, Result
from mama_bot.enforcement.host_checks.assertions import asserts_success
from mama_bot.enforcement.host_checks.sentences import banner, feedback, reason, why
from mama_bot.enforcement.lexicon import lexicon
from mama_bot.model import Allow, Block, Decision, Draft, Figure, HostCheck, Turn
from mama_bot.text.lexicon import Words
from mama_bot.wording import is_korean

UNBOUNDED = 1_000_000  # the chain's own bound holds
STORED_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedWorkspace:
    """Where a turn works, and the checks that are configured there."""

    path: Path
    checks: tuple[WorkspaceCheck, ...]


class Checks(Protocol):
    """Carries checks out."""

    async def run(self, workspace: Path, checks: Sequence[WorkspaceCheck], *, base: str) -> tuple[Result, ...]:
        """The results in the order of the checks; raises where one cannot be carried out."""
        ...


class WorkspaceChecks:
    """Blocks a draft that says its work is done, approves, or says that checks pass, while a check of ours fails.

    Only where checks are configured, and not for talk, questions, plans and reports of failure. `own_words` leaves out
    of a draft what it hands on to another. A check that cannot be carried out is a failure of this stage.
    """

    def __init__(
        self,
        *,
        settings: WorkspaceCheckSettings,
        workspace_of: Callable[[Turn], CheckedWorkspace | None],
        checks: Checks,
        own_words: Callable[[str], str] = str,
        words: Words = (),
    ) -> None:
        self._own_words = own_words
        self._settings = settings
        self._workspace_of = workspace_of
        self._checks = checks
        self._lexicon = lexicon(words)

    @property
    def name(self) -> str:
        """`workspace_checks`."""
        return "workspace_checks"

    async def judge(self, draft: Draft, turn: Turn) -> Decision:
        """Run the checks where the draft says what they could refute."""
        workspace = self._workspace_of(turn)
        if workspace is None or not workspace.checks:
            return Allow()
        if not asserts_success(self._own_words(draft.text), self._lexicon):
            return Allow()
        results = await self._checks.run(workspace.path, workspace.checks, base=turn.base or turn.baseline)
        korean = is_korean(draft.text[:2000])
        failed = [result for result in results if result.ended is not CheckEnding.PASSED]
        checks = tuple(host_check(result, korean=korean) for result in results)
        figures = (Figure(name="checks", value=len(results)), Figure(name="checks_failed", value=len(failed)))
        if not failed:
            return Allow(checks=checks, figures=figures)
        return Block(
            rule="workspace_check_failed",
            reason=reason(failed, korean=korean),
            feedback=feedback(failed, korean=korean),
            retries=UNBOUNDED,
            exhausted=self._settings.exhausted,
            banner=banner(failed, korean=korean),
            figures=figures,
            checks=checks,
        )


def host_check(result: Result, *, korean: bool) -> HostCheck:
    """A result as it is kept with the decision, its reason in the language of the draft."""
    return HostCheck(
        name=result.check.name,
        argv=result.check.argv,
        ok=result.ended is CheckEnding.PASSED,
        reason=why(result, korean=korean),
        exit_status=result.exit_status,
        seconds=result.seconds,
        output_tail=result.output[-STORED_CHARACTERS:],
        output_sha256=result.output_sha256,
        tree=result.tree,
        cached=result.cached,
    )
