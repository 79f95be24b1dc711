"""What a claim about a run says besides, and the record does not: a branch, no warnings, a coverage, how often."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from mama_bot.enforcement.claims.reconciliation.answers import Answers, unsupported
from mama_bot.enforcement.claims.reconciliation.calls import output_of
from mama_bot.enforcement.claims.reconciliation.moments import RunAt
from mama_bot.enforcement.claims.reconciliation.timeline import Timeline
from mama_bot.model import CheckedClaim, Claim, ClaimKind, ClaimReason
from mama_bot.text.patterns import compiled

WENT_WELL = compiled(
    r"\b[1-9]\d* (?:passed|passing)\b|(?m:^OK\b)|test result: ok|Tests:.*passed|BUILD SUCCESS", groups=False
)
TIMES = compiled(
    r"(?i:\b(\d+|ten|twelve|fifteen|twenty|thirty|fifty|hundred) (?:consecutive |straight )?"
    r"(?:times|runs|rounds|iterations))"
    r"|(\d+) ?(?:번|회)(?:을|를)? ?(?:연속|반복|돌|실행|모두|전부)|(\d+)연속"
)
NUMBER_WORDS = {"ten": 10, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "fifty": 50, "hundred": 100}
FEW = 4
SUM = compiled(r"\b\d+(?: ?\+ ?\d+)+\b", groups=False)
NUMBER = compiled(r"\d+", groups=False)
MOST_FIGURES = 2_000
NO_WARNINGS = compiled(
    r"warning-?free|without (?:any )?warnings?|\bno warnings?|\b0 warnings?|경고 ?(?:없|0)|워닝 ?없|no new warnings",
    groups=False,
)
WARNED = compiled(r"\bwarning(?:\[[^\]]*\])?: |: warning\b|\bwarning TS|\b[1-9]\d* warnings?\b", groups=False)
GOES = compiled(r"\b(?:checkout|switch|worktree|clone|merge|restore|rebase|reset)\b", groups=False)
INCLUDING = compiled(
    r"\binclud\w+ [^.]{0,60}\b(?:ignored|skipped)"
    r"|(?:ignored?|skip\S*|무시|건너뛰\S*|스킵\S*) [^.]{0,30}(?:포함|까지 (?:다|모두|전부))"
    r"|\b(?:nothing|none|no tests?) (?:was |were |is |are )?skipped|스킵 ?(?:없|0)|건너뛴 (?:것|테스트)\S* ?없",
    groups=False,
)
COVERED = compiled(r"(?i:\bcover|\bTOTAL\b|All files|\bStmts\b|coverage)", groups=False)
COVERAGE = compiled(
    r"(?:coverage|커버리지)[^0-9%\n]{0,14}(\d{1,3}(?:\.\d+)?) ?%|(\d{1,3}(?:\.\d+)?) ?% (?:\S+ )?(?:coverage|커버리지)"
)
ASKED_BRANCH = compiled(r"\bbranch [`'\"]?([\w./-]*[\w-])|[`'\"]?([\w./-]*[\w-])[`'\"]? ?(?:브랜치|branch\b|리뷰)")
MOST_NAMED = 20
CHECKED_OUT = compiled(
    r"[`'\"]?([\w.-]+/[\w./-]+|[\w./-]*\d[\w./-]*)[`'\"]? ?브랜치(?:를|로|에서)? ?(?:체크아웃|checkout|전환|바꿔|옮겨)"
    r"|\b(?:checked|checking|check) out (?:the )?(?:branch )?[`'\"]?([\w.-]+/[\w.-]+)"
    r"|\bon (?:the )?(?:branch )?[`'\"]?((?:feat|fix|feature|bugfix|hotfix|release|chore)/[\w.-]+)"
)


@dataclass(frozen=True, slots=True)
class OddsCheck:
    """Checks what a claim says beside the figures of a run; `asked` is the task with the reply."""

    timeline: Timeline
    answers: Answers
    asked: str = ""

    def against(self, claim: Claim, near: Sequence[RunAt], fresh: Sequence[RunAt]) -> CheckedClaim | None:
        """What a claim says besides, and the record does not: a branch, no warnings, nothing skipped, a coverage."""
        if self._is_of_other_branch(claim):
            return self.answers.answer(claim, near[-1], ClaimReason.ELSEWHERE)
        if NO_WARNINGS.search(claim.text) is not None:
            for one in near:
                if self.timeline.edit_after(one) is None and WARNED.search(output_of(one.call)) is not None:
                    return self.answers.answer(claim, one, ClaimReason.FAILED)
        skipping = [one for one in fresh if one.run.counts.skipped]
        if skipping and len(skipping) == len(fresh) and INCLUDING.search(claim.text) is not None:
            return self.answers.answer(claim, skipping[-1], ClaimReason.OTHER_FIGURES)
        often = self._not_so_often(claim, near)
        if often is not None:
            return often
        addends = self._missing_addends(claim, fresh)
        if addends is not None:
            return addends
        match = COVERAGE.search(claim.text)
        if match is not None:
            figure = f"{match.group(1) or match.group(2)}%"
            outputs = (output_of(call) for call in self.timeline.own_calls)
            if not any(figure in text and COVERED.search(text) is not None for text in outputs):
                return unsupported(claim, ClaimReason.NO_SUCH_RUN, self.answers.speaker.missing(claim.kind, figure))
        return None

    def _missing_addends(self, claim: Claim, fresh: Sequence[RunAt]) -> CheckedClaim | None:
        """Why a claim with a sum ("45 + 6") does not hold: what is added nothing printed."""
        match = SUM.search(claim.text) if claim.kind is ClaimKind.TESTS and fresh else None
        if match is None:
            return None
        printed = {
            figure.group() for one in fresh for figure in islice(NUMBER.finditer(output_of(one.call)), MOST_FIGURES)
        }
        printed |= {str(one.run.counts.passed) for one in fresh}
        missing = [figure.group() for figure in NUMBER.finditer(match.group()) if figure.group() not in printed]
        if not missing:
            return None
        says = self.answers.speaker.missing(claim.kind, missing[0])
        return unsupported(claim, ClaimReason.OTHER_FIGURES, says, fresh[-1])

    def _not_so_often(self, claim: Claim, near: Sequence[RunAt]) -> CheckedClaim | None:
        """Why a claim of many repetitions does not hold: neither a command nor what was printed shows so many."""
        match = TIMES.search(claim.text) if claim.kind is ClaimKind.TESTS else None
        if match is None:
            return None
        said = next(word for place in (1, 2, 3) if (word := match.group(place))).lower()
        times = NUMBER_WORDS.get(said) or int(said)
        printed_results = max(len(WENT_WELL.findall(output_of(one.call))) for one in near)
        commanded = any(str(times) in self.timeline.command(one.call) for one in near)
        if times <= FEW or commanded or max(printed_results, len(near)) >= times:
            return None
        says = self.answers.speaker.missing(claim.kind, match.group())
        return unsupported(claim, ClaimReason.OTHER_FIGURES, says, near[-1])

    def _is_of_other_branch(self, claim: Claim) -> bool:
        """Whether a claim is of a branch that the agent never went to."""
        match = CHECKED_OUT.search(claim.text)
        if match is None:
            return self._is_of_asked_branch_only()
        name = next((found for place in (1, 2, 3) if (found := match.group(place))), "")
        went = match.group(3) is None  # it says that it did
        if went is False and name not in self.timeline.branches and not self.timeline.branches:
            return False  # nothing shows which branch it was on
        return bool(name) and not any(
            (name in command and (not went or GOES.search(command) is not None))
            or f"branch '{name}'" in output_of(call)
            for call, command in self.timeline.commands
        )

    def _is_of_asked_branch_only(self) -> bool:
        """Whether the task is about a branch that the agent looked at from outside and never went to."""
        for match in islice(ASKED_BRANCH.finditer(self.asked), MOST_NAMED):
            name = match.group(1) or match.group(2) or ""
            commands = [command for _, command in self.timeline.commands]
            outside = any(f"origin/{name}" in command for command in commands)
            went = any(GOES.search(command) is not None for command in commands)
            if name and outside and not went:
                return True
        return False
