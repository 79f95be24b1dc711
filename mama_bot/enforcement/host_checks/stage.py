"""WorkspaceChecks: who says that work is done, or approves it, is checked by the service itself."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Protocol

from mama_bot.config import WorkspaceCheck
from mama_bot.enforcement.case import Case
from mama_bot.enforcement.host_checks import CheckEnding, Result, Tell
from mama_bot.enforcement.host_checks.assertions import asserts_success
from mama_bot.enforcement.host_checks.sentences import banner, feedback_of_checks, reason, why
from mama_bot.model import NO_COUNTS, Allow, Block, CheckSeen, Decision, Evidence, Figure, FigureName, HostCheck, Turn
from mama_bot.runs.output import Output
from mama_bot.runs.programs import recognise
from mama_bot.runs.scripts import kind_of_name
from mama_bot.runs.told_runs import summaries_of
from mama_bot.wording import Language

STORED_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedWorkspace:
    """Where a turn works, and the checks that are configured there."""

    path: Path
    checks: tuple[WorkspaceCheck, ...]


class Checks(Protocol):
    """Carries checks out."""

    async def run(
        self, workspace: Path, checks: Sequence[WorkspaceCheck], *, base: str, tell: Tell
    ) -> tuple[Result, ...]:
        """Return the results in the order of the checks; raises where one cannot be carried out."""
        ...


class WorkspaceChecks:
    """Blocks a draft that says its work is done, approves, or says that checks pass, while a check of ours fails.

    Only where checks are configured, and not for talk, questions, plans and reports of failure, nor for what a draft
    hands on to another. A check that cannot be carried out is a failure of this stage. `tell` hears what runs.
    """

    name = "workspace_checks"

    def __init__(
        self,
        *,
        workspace_of: Callable[[Turn], CheckedWorkspace | None],
        checks: Checks,
        tell: Callable[[Case, CheckSeen], Awaitable[None]],
    ) -> None:
        self._workspace_of = workspace_of
        self._checks = checks
        self._tell = tell

    async def judge(self, case: Case) -> Decision:
        """Run the checks where the draft says what they could refute."""
        workspace, turn = self._workspace_of(case.turn), case.turn
        if workspace is None or not workspace.checks or not await case.aside(lambda: asserts_success(case.own_words)):
            return Allow()
        base, tell = turn.base or turn.baseline, partial(self._tell, case)
        results = await self._checks.run(workspace.path, workspace.checks, base=base, tell=tell)
        failed = [result for result in results if result.ended is not CheckEnding.PASSED]
        evidence = Evidence(
            checks=tuple(host_check(result, case.language) for result in results),
            figures=(
                Figure(name=FigureName.CHECKS, value=len(results)),
                Figure(name=FigureName.CHECKS_FAILED, value=len(failed)),
            ),
        )
        if not failed:
            return Allow(evidence=evidence)
        return Block(
            rule="workspace_check_failed",
            reason=reason(failed, case.language),
            feedback=feedback_of_checks(failed, case.language),
            banner=banner(failed, case.language),
            evidence=evidence,
        )


def host_check(result: Result, language: Language) -> HostCheck:
    """Return a result as it is kept with the decision, its reason in the language of the draft."""
    tool = recognise(result.check.argv)
    kind = kind_of_name(result.check.name) if tool is None else tool.kind
    summaries = () if tool is None else summaries_of(replace(tool, script=True), Output(result.output))
    return HostCheck(
        name=result.check.name,
        argv=result.check.argv,
        ok=result.ended is CheckEnding.PASSED,
        reason=why(result, language),
        exit_status=result.exit_status,
        seconds=result.seconds,
        output_tail=result.output[-STORED_CHARACTERS:],
        output_sha256=result.output_sha256,
        tree=result.tree,
        cached=result.cached,
        kind=kind,
        counts=summaries[-1].counts if summaries else NO_COUNTS,
    )
