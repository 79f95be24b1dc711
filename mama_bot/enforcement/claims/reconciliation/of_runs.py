"""Claims about the state of the code: tests, build, types, lint, format."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mama_bot.enforcement.claims.reconciliation.answers import Answers, unsupported
from mama_bot.enforcement.claims.reconciliation.at_odds import OddsCheck
from mama_bot.enforcement.claims.reconciliation.by_name import has_lines, passed_by_name
from mama_bot.enforcement.claims.reconciliation.calls import output_of
from mama_bot.enforcement.claims.reconciliation.context import (
    owns_up,
    owns_up_now,
    sentence_around,
    speaks_of_earlier,
    tells_failures,
)
from mama_bot.enforcement.claims.reconciliation.figures import (
    figures_in,
    fits,
    knows_figures,
    names_figures,
    of_report,
    printed,
    sum_fits,
    wanted_of,
)
from mama_bot.enforcement.claims.reconciliation.moments import RunAt
from mama_bot.enforcement.claims.reconciliation.run_words import (
    COMPILERS,
    COMPLAINTS,
    NUMBER,
    OPTION,
    admits,
    builds_and_tests,
    is_of_suites,
    is_printed,
    options_of,
    wrong,
)
from mama_bot.enforcement.claims.reconciliation.shown_runs import shown_runs
from mama_bot.enforcement.claims.reconciliation.suites import (
    CERTAIN,
    chosen_by,
    covers,
    failed_in,
    is_partial,
    is_whole,
    latest,
    names_place,
    names_selection,
    of_tool,
    selected_by,
    too_narrow,
)
from mama_bot.enforcement.claims.reconciliation.timeline import Timeline
from mama_bot.model import CheckedClaim, Claim, ClaimKind, ClaimReason, ClaimState, RunEnd, RunKind
from mama_bot.text.patterns import compiled

# A state of the code, which an edit makes stale; and what was done once and stays done.
STATES = {
    ClaimKind.TESTS: (RunKind.TESTS,),
    ClaimKind.BUILD: (RunKind.BUILD,),
    ClaimKind.TYPES: (RunKind.TYPES,),
    ClaimKind.LINT: (RunKind.LINT,),
    ClaimKind.FORMAT: (RunKind.FORMAT,),
}
WENT_WELL = compiled(
    r"\b[1-9]\d* (?:passed|passing)\b|(?m:^OK\b)|test result: ok|Tests:.*passed|BUILD SUCCESS", groups=False
)
WENT_WRONG = compiled(
    r"\b[1-9]\d* (?:failed|failing|errors?)\b|(?m:^FAILED\b)|\bFAIL\b|test result: FAILED|BUILD FAIL", groups=False
)
WHOLE_SUITE = compiled(
    r"(?i:\b(?:full|entire|whole|complete) (?:test |pytest |jest |vitest |mocha )?"
    r"(?:suite|run|crate|workspace|project))"
    r"|(?:스위트|테스트) ?전체|전체 ?(?:\S+ )?(?:스위트|테스트|suite|test)"
)
MOST_SILENT = 8
MOST_SHOWN = 40
SHORTEST_LINE = 12
ONLY = compiled(r"(?i:\b(?:only|just|solely|so far)\b)|만 |만을|만으로|까지만", groups=False)
TO_RUN = compiled(
    r"(?i:\b(?:not|n't|never) (?:yet )?(?:been )?(?:run|ran|executed|tested|done)\b[^.\n]{0,40}|\bnot (?:yet )?run\b"
    r"|\bstill (?:to|have to|need to|must) (?:be )?run|\bonce the (?:full|whole))"
    r"|아직 (?:안|못) ?(?:돌|실행)|(?:돌리|실행하)지 (?:않|못)|안 돌"
    r"|미실행|전체(?:는|를)? [^.\n]{0,12}(?:돌리고|돌린 뒤|예정)",
    groups=False,
)
CHANGED_SINCE = compiled(
    r"되돌|원복|복구|롤백|\brevert|\broll(?:ed)? ?back|\bundid|\bundo|\bbacked (?:it |that )?out|git checkout",
    groups=False,
)


@dataclass(frozen=True, slots=True)
class RunsCheck:
    """Checks claims about runs against a record."""

    timeline: Timeline
    answers: Answers
    asked: str = ""
    reply: str = ""

    def state(self, claim: Claim, admitted: frozenset[str] = frozenset()) -> CheckedClaim:
        """Tests, build, types, lint, format; `admitted` are calls whose failure the same text reports."""
        found = self._state(claim, admitted)
        if found.reason is ClaimReason.OTHER_FIGURES and claim.tool:  # the tool may be that of the next figures
            of_any = self._state(replace(claim, tool=""), admitted)
            return of_any if of_any.state is ClaimState.CONFIRMED else found
        return found

    def _state(self, claim: Claim, admitted: frozenset[str]) -> CheckedClaim:
        found = self._runs_for(claim)
        named = [one for one in found if of_tool(one, claim.tool)] if claim.tool else found
        own = [one for one in named if one.own] or shown_runs(self.timeline, claim.kind, claim.tool)
        if not own:
            return self.answers.without_own(claim, named)
        if claim.fails or claim.counts.failed or claim.counts.errors:
            return self._failing(claim, own)
        near = [one for one in own if self.timeline.in_place(one) or names_place(claim, one)]
        near = near or self._beside(own, found)
        if not near:
            return self.answers.answer(claim, own[-1], ClaimReason.ELSEWHERE)
        named_runs = selected_by(claim, near)
        if named_runs:
            found_in = self._of_named(claim, named_runs)
            if found_in is not None:
                return found_in
        near = list(chosen_by(claim, near))
        last = self.timeline.last_of(near, latest)
        fresh = [one for one in last if self.timeline.edit_after(one) is None]
        against = OddsCheck(self.timeline, self.answers, self.asked).against(claim, near, fresh) or self._of_option(
            claim, near, admitted
        )
        if against is not None:
            return against
        if names_figures(claim):
            return self._with_figures(claim, own, near, fresh, admitted)
        return self._without_figures(claim, near, last, fresh, admitted)

    def _runs_for(self, claim: Claim) -> list[RunAt]:
        """The runs of the kind that a claim is of, or of one that does its work as well."""
        found = list(self.timeline.runs_of(STATES[claim.kind]))
        if not found and claim.kind is ClaimKind.TYPES:  # compilers check types as they build
            found = [one for one in self.timeline.runs_of((RunKind.BUILD,)) if one.run.tool in COMPILERS]
        if claim.kind is ClaimKind.BUILD and claim.tool and not any(of_tool(one, claim.tool) for one in found):
            # A claim may call a build what checks types by a compiler, where it names its command: `cargo check`.
            checks = [one for one in self.timeline.runs_of((RunKind.TYPES,)) if one.run.tool in COMPILERS]
            found = [one for one in checks if f"{one.run.command} ".startswith(f"{claim.tool} ")] or found
        if not found and claim.kind is ClaimKind.TESTS:
            found = [one for one in self.timeline.runs_of((RunKind.BUILD,)) if builds_and_tests(one)]
        if not found and claim.kind is ClaimKind.BUILD:  # `zig build test`
            found = [one for one in self.timeline.runs_of((RunKind.TESTS,)) if " build " in one.run.command]
        return found

    def _of_named(self, claim: Claim, runs: Sequence[RunAt]) -> CheckedClaim | None:
        """What the runs show whose own selection a claim names: other runs have no say in it."""
        fresh = [one for one in runs if self.timeline.edit_after(one) is None]
        for one in reversed(fresh):
            good = one.run.end is RunEnd.PASSED
            if good and (not names_figures(claim) or fits(claim, one.run.counts, passed=True)):
                return self.answers.confirmed(claim, one)
        if runs and all(one.run.end is RunEnd.NOTHING for one in runs):
            return self.answers.answer(claim, runs[-1], ClaimReason.RAN_NOTHING)
        return None

    def _of_option(self, claim: Claim, near: Sequence[RunAt], admitted: frozenset[str]) -> CheckedClaim | None:
        """Why a claim does not hold that names an option: the last run that was given it failed as the code stands."""
        options = {match.group().lower() for match in OPTION.finditer(claim.text)}
        given = [one for one in near if options and options <= options_of(one.run.command)]
        if not given or given[-1].run.end is not RunEnd.FAILED or given[-1].call.id in admitted:
            return None
        stands = self.timeline.edit_after(given[-1]) is None and not owns_up(sentence_around(claim, self.reply))
        return self.answers.answer(claim, given[-1], ClaimReason.FAILED) if stands else None

    def _beside(self, own: Sequence[RunAt], found: Sequence[RunAt]) -> list[RunAt]:
        """Runs elsewhere in the workspace, by one who ran the same kind where the work is as well."""
        if not any(one.own and self.timeline.in_place(one) for one in found):
            return []
        return [one for one in own if not one.place.startswith(("/", ".."))]

    def _failing(self, claim: Claim, own: Sequence[RunAt]) -> CheckedClaim:
        """An honest report of a failure: any run of the turn that failed so."""
        failed = [one for one in own if one.run.end is RunEnd.FAILED or wrong(one)]
        if not names_figures(claim):
            shown = failed or [one for one in own if one.run.end is not RunEnd.PASSED]
            if shown:
                return self.answers.confirmed(claim, shown[-1])
            return self.answers.answer(claim, own[-1], ClaimReason.NO_SUCH_RUN)
        both = claim.counts.failed is not None and claim.counts.passed is not None
        plain = replace(claim, total=None) if both else claim  # the total may be of something else beside them
        for one in reversed(own):
            if fits(plain, one.run.counts, passed=one.run.end is RunEnd.PASSED):
                return self.answers.confirmed(claim, one)
        of_suites = [one for one in failed if is_of_suites(claim, one)]
        if of_suites:
            return self.answers.confirmed(claim, of_suites[-1])
        if sum_fits(claim, [one.run.counts for one in latest(own)], passed=False):
            return self.answers.confirmed(claim, own[-1])
        silent = [one for one in own if not knows_figures(one.run.counts)]
        if any(printed(claim, text) for one in silent[:1] for text in self.timeline.logs_of(one)):
            return self.answers.confirmed(claim, silent[0])
        known = [one for one in failed or own if knows_figures(one.run.counts)]
        if known:
            return self.answers.answer(claim, known[-1], ClaimReason.OTHER_FIGURES)
        if failed:
            return self.answers.confirmed(claim, failed[-1])
        return self.answers.answer(claim, own[-1], ClaimReason.NO_SUCH_RUN)

    def _with_figures(
        self,
        claim: Claim,
        own: Sequence[RunAt],
        near: Sequence[RunAt],
        fresh: Sequence[RunAt],
        admitted: frozenset[str],
    ) -> CheckedClaim:
        current = [one for one in near if self.timeline.edit_after(one) is None]
        for one in reversed(current):
            known = knows_figures(one.run.counts) or one.run.end is RunEnd.PASSED
            if one.run.end in (*CERTAIN, RunEnd.MASKED) and known and self._fits(claim, one):
                if one.run.end is RunEnd.FAILED and not self._owned(claim, one, admitted):
                    return self.answers.answer(claim, one, ClaimReason.FAILED)
                undone = [later for later in fresh if self._takes_back(claim, later, one, admitted)]
                if undone and one.run.end is not RunEnd.FAILED:
                    return self.answers.answer(claim, undone[-1], ClaimReason.FAILED)
                if self._is_narrow(claim, one):
                    return self.answers.partial(claim, one)
                return self.answers.confirmed(claim, one)
        suites = [one for one in fresh if one.run.end in CERTAIN]
        passed = all(one.run.end is RunEnd.PASSED for one in suites)
        if sum_fits(claim, [one.run.counts for one in suites], passed=passed):
            return self.answers.confirmed(claim, suites[-1])
        seen = self._read_later(claim, current) or self._quoted(claim, current) or self._earlier(claim, own)
        if seen is not None:
            return self.answers.confirmed(claim, seen)
        return self._other_figures(claim, own, near, fresh)

    def _owned(self, claim: Claim, one: RunAt, admitted: frozenset[str]) -> bool:
        """Whether a claim with the figures of a failed run, or what stands around it, does not hide the failure."""
        if admits(claim, one, admitted):
            return True
        return owns_up(sentence_around(claim, self.reply)) or tells_failures(self.reply, one.run.counts)

    def _takes_back(self, claim: Claim, later: RunAt, one: RunAt, admitted: frozenset[str]) -> bool:
        """Whether a run failed that the claim is of as well, and nothing in the reply says so."""
        if later.run.end is not RunEnd.FAILED or later is one or later.call.id in admitted:
            return False
        if tells_failures(self.reply, later.run.counts):
            return False
        if later.at > one.at and covers(later, one):
            return not names_selection(claim, one) or failed_in(later, one)
        return not covers(one, later) and names_selection(claim, later)

    def _quoted(self, claim: Claim, current: Sequence[RunAt]) -> RunAt | None:
        """A run whose output has the very line that a reply shows, or all of them in their order."""
        lines = [line.strip(" `|>*-\t") for line in claim.text.splitlines()[:MOST_SHOWN]]
        if not lines or any(len(line) < SHORTEST_LINE or NUMBER.search(line) is None for line in lines):
            return None
        for one in reversed(current):
            shown = has_lines(output_of(one.call), lines) and has_lines(self.timeline.said_by_run(one), lines)
            if shown and (one.run.end is not RunEnd.FAILED or owns_up(self.reply)):
                return one
        return None

    def _earlier(self, claim: Claim, own: Sequence[RunAt]) -> RunAt | None:
        """A run with the figures of a claim that speaks of an earlier state."""
        if claim.whole or not speaks_of_earlier(claim, self.reply):
            return None
        earlier = own[:-1]  # what ran last is what there is
        with_figures = (one for one in earlier if fits(claim, one.run.counts, passed=one.run.end is RunEnd.PASSED))
        return next(with_figures, None)

    def _read_later(self, claim: Claim, current: Sequence[RunAt]) -> RunAt | None:
        """A run whose result went to a file that the agent looked into."""
        silent = [one for one in current if one.run.end is not RunEnd.FAILED and not knows_figures(one.run.counts)]
        if not silent:
            return None
        for one in reversed(silent[-MOST_SILENT:]):
            if any(
                printed(claim, of_report(text)) for text in (self.timeline.own_text(one), *self.timeline.logs_of(one))
            ):
                return one
        return None

    def _ended_later(self, claim: Claim, fresh: Sequence[RunAt]) -> CheckedClaim | None:
        """How a run ended whose result only a later look into its file or its background shows."""
        for one in reversed([one for one in fresh if one.run.end in (RunEnd.OPEN, RunEnd.MASKED)]):
            if claim.kind is not ClaimKind.TESTS:
                logs = list(self.timeline.logs_of(one))
                if logs:
                    clean = not any(COMPLAINTS.search(text) for text in logs)
                    return (
                        self.answers.confirmed(claim, one)
                        if clean
                        else self.answers.answer(claim, one, ClaimReason.FAILED)
                    )
                continue
            for text in reversed(self.timeline.logs_of(one)):
                if WENT_WRONG.search(text) is not None:
                    return self.answers.answer(claim, one, ClaimReason.FAILED)
                if WENT_WELL.search(text) is not None:
                    return self.answers.confirmed(claim, one)
        return None

    def _other_figures(
        self, claim: Claim, own: Sequence[RunAt], near: Sequence[RunAt], fresh: Sequence[RunAt]
    ) -> CheckedClaim:
        """Why figures are not confirmed: the run that has them does not count, or no run has them."""
        for one in reversed(near):
            if one.run.end is RunEnd.PASSED and self._fits(claim, one) and self.timeline.edit_after(one) is not None:
                passed = [later for later in fresh if later.run.end is RunEnd.PASSED and later.at > one.at]
                again = is_partial(one) and any(covers(later, one) for later in passed)
                again = again or self._openly_part(claim, one)
                if again or CHANGED_SINCE.search(claim.text) is not None:
                    return self.answers.confirmed(claim, one)  # what it was of has passed again since
                return self.answers.answer(claim, one, ClaimReason.BEFORE_LAST_EDIT)
        counted = set(map(id, near))
        for one in reversed(own):
            if id(one) not in counted and not self.timeline.in_place(one) and self._fits(claim, one):
                return self.answers.answer(claim, one, ClaimReason.ELSEWHERE)
        return self._decided(claim, near, fresh, figures=True)

    def _openly_part(self, claim: Claim, one: RunAt) -> bool:
        """Whether a claim is of a part that it names as such, and the reply says that the rest is still to be run."""
        if claim.whole or is_whole(one) or not names_selection(claim, one):
            return False
        return ONLY.search(claim.text) is not None and TO_RUN.search(self.reply) is not None

    def _without_figures(
        self,
        claim: Claim,
        near: Sequence[RunAt],
        last: Sequence[RunAt],
        fresh: Sequence[RunAt],
        admitted: frozenset[str],
    ) -> CheckedClaim:
        failed = [one for one in fresh if one.run.end is RunEnd.FAILED and one.call.id not in admitted]
        passed = [one for one in fresh if one.run.end is RunEnd.PASSED]
        red = [one for one in fresh if one.run.end is RunEnd.FAILED]
        told = len(red) == 1 and tells_failures(self.reply, red[0].run.counts)
        if told and passed_by_name(claim, red[0], self.timeline):
            return self.answers.confirmed(claim, red[0])
        if failed and not (passed and is_partial(failed[-1]) and is_whole(passed[-1])):
            return self._failed(claim, failed[-1])
        wide = [one for one in passed if not self._is_narrow(claim, one)]
        if wide:
            return self.answers.confirmed(claim, wide[-1])
        if passed:
            return self.answers.partial(claim, passed[-1])
        later = self._ended_later(claim, fresh)
        return later or self._decided(claim, near, fresh or last, figures=False)

    def _is_narrow(self, claim: Claim, one: RunAt) -> bool:
        """Whether a run is of less than what a claim, or the sentence that it ends, speaks of."""
        if too_narrow(claim, one, self.timeline):
            return True
        if claim.kind is not ClaimKind.TESTS or is_whole(one) or names_figures(claim):
            return False
        led = sentence_around(claim, self.reply).partition(claim.text)[0]
        return WHOLE_SUITE.search(led) is not None and not names_selection(claim, one)

    def _failed(self, claim: Claim, one: RunAt) -> CheckedClaim:
        """A failed run against a claim; where the text reports that very failure, it only does not show the claim."""
        after = sentence_around(claim, self.reply).partition(claim.text)[2]
        if not claim.whole and (tells_failures(self.reply, one.run.counts) or owns_up_now(after)):
            says = self.answers.speaker.result(one)
            return unsupported(claim, ClaimReason.FAILED, says, one)
        return self.answers.answer(claim, one, ClaimReason.FAILED)

    def _decided(self, claim: Claim, near: Sequence[RunAt], fresh: Sequence[RunAt], *, figures: bool) -> CheckedClaim:
        """What the latest run says against a claim."""
        certain = [one for one in fresh if one.run.end in CERTAIN] or list(fresh) or list(near)
        one = certain[-1]
        edit = self.timeline.edit_after(one)
        if edit is not None and (one.run.end is RunEnd.PASSED or not figures):
            return self.answers.answer(claim, one, ClaimReason.BEFORE_LAST_EDIT)
        told = edit is None and not claim.whole and tells_failures(self.reply, one.run.counts)
        if figures and told and one.run.end is RunEnd.FAILED:  # other figures beside the right ones are told of others
            return unsupported(claim, ClaimReason.FAILED, self.answers.speaker.result(one), one)
        return self.answers.ended(claim, one, figures=figures)

    def _fits(self, claim: Claim, one: RunAt) -> bool:
        """Whether a run has the figures of a claim, all together or in one of its results."""
        passed = claim.counts.passed
        if claim.total is not None and passed is not None and passed > claim.total:
            claim = replace(claim, total=None)  # the total is of another run: "64 tests, and now 65 passed"
        if fits(claim, one.run.counts, passed=one.run.end in (RunEnd.PASSED, RunEnd.MASKED)):
            return True
        if one.run.end is RunEnd.PASSED and not knows_figures(one.run.counts) and is_printed(claim, one.call):
            return wanted_of(claim) <= figures_in(self.timeline.own_text(one))
        if one.run.end is not RunEnd.PASSED or claim.whole or not printed(claim, output_of(one.call)):
            return False
        return printed(claim, self.timeline.said_by_run(one))
