"""Claims about runs: tests, builds, checks, commits, pushes."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from mama_bot.enforcement.language.patterns import compiled
from mama_bot.enforcement.reconciliation.figures import fits, knows_figures, names_figures, sum_fits
from mama_bot.enforcement.reconciliation.places import is_below, joined, plain_name, same_file
from mama_bot.enforcement.reconciliation.saying import Speaker
from mama_bot.enforcement.reconciliation.timeline import RunAt, Timeline, output_of
from mama_bot.model import CheckedClaim, Claim, ClaimKind, ClaimReason, ClaimState, RunEnd, RunKind

# A state of the code, which an edit makes stale; and what was done once and stays done.
STATES = {
    ClaimKind.TESTS: (RunKind.TESTS,),
    ClaimKind.BUILD: (RunKind.BUILD,),
    ClaimKind.TYPES: (RunKind.TYPES,),
    ClaimKind.LINT: (RunKind.LINT,),
    ClaimKind.FORMAT: (RunKind.FORMAT,),
}
DEEDS = {
    ClaimKind.COMMITTED: (RunKind.COMMIT,),
    ClaimKind.PUSHED: (RunKind.PUSH,),
    ClaimKind.MERGED: (RunKind.MERGE,),
    ClaimKind.PUBLISHED: (RunKind.PUBLISH,),
    ClaimKind.DEPLOYED: (RunKind.DEPLOY,),
}
# Tools that only start others: their run may be one of any tool that a claim names.
STARTERS = frozenset(
    ("npm", "npx", "yarn", "pnpm", "bun", "make", "just", "task", "tox", "nox", "uv", "poetry", "hatch", "pdm", "rake")
)
STRONG_WHOLE = compiled(
    r"\b(?:full|entire|whole|complete|repo(?:sitory)?-?wide|project-?wide|across the (?:repo|project|codebase))\b"
    r"|전체|전\s?모듈|프로젝트 전반"
)
HEXADECIMAL = compiled(r"[0-9a-f]{7,40}")
WHOLE_SELECTIONS = frozenset(
    (".", "./", "./...", "...", "all", "--all", "--workspace", "tests", "test", "spec", "__tests__", "**")
)
CERTAIN = (RunEnd.PASSED, RunEnd.FAILED)


@dataclass(frozen=True, slots=True)
class RunsCheck:
    """Checks claims about runs against a record."""

    timeline: Timeline
    speaker: Speaker

    def state(self, claim: Claim, admitted: frozenset[str] = frozenset()) -> CheckedClaim:
        """Tests, build, types, lint, format; `admitted` are calls whose failure the same text reports."""
        kinds = STATES[claim.kind]
        found = [one for one in self.timeline.runs if one.run.kind in kinds]
        named = [one for one in found if _of_tool(one, claim.tool)] if claim.tool else found
        own = [one for one in named if one.own]
        if not own:
            return self._without_own(claim, named)
        if claim.fails:
            return self._failing(claim, own)
        near = [one for one in own if self.timeline.in_place(one)]
        if not near:
            return self._answer(claim, own[-1], ClaimReason.ELSEWHERE)
        near = list(_chosen_by(claim, near))
        latest = list(_latest(near))
        fresh = [one for one in latest if self.timeline.edit_after(one) is None]
        if names_figures(claim):
            return self._with_figures(claim, own, near, fresh, admitted)
        return self._without_figures(claim, near, latest, fresh, admitted)

    def _without_own(self, claim: Claim, others: Sequence[RunAt]) -> CheckedClaim:
        if others:
            return self._answer(claim, others[-1], ClaimReason.ANOTHER_AGENT)
        says = self.speaker.missing(claim.kind, claim.tool)
        return _unsupported(claim, ClaimReason.NO_SUCH_RUN, says)

    def _failing(self, claim: Claim, own: Sequence[RunAt]) -> CheckedClaim:
        """An honest report of a failure: any run of the turn that failed so."""
        failed = [one for one in own if one.run.end is RunEnd.FAILED or _wrong(one)]
        if not names_figures(claim):
            shown = failed or [one for one in own if one.run.end is not RunEnd.PASSED]
            if shown:
                return self._confirmed(claim, shown[-1])
            return self._answer(claim, own[-1], ClaimReason.NO_SUCH_RUN)
        for one in reversed(own):
            if fits(claim, one.run.counts, passed=one.run.end is RunEnd.PASSED):
                return self._confirmed(claim, one)
        if sum_fits(claim, [one.run.counts for one in _latest(own)], passed=False):
            return self._confirmed(claim, own[-1])
        known = [one for one in failed or own if knows_figures(one.run.counts)]
        if known:
            return self._answer(claim, known[-1], ClaimReason.OTHER_FIGURES)
        if failed:
            return self._confirmed(claim, failed[-1])
        return self._answer(claim, own[-1], ClaimReason.NO_SUCH_RUN)

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
            if one.run.end in (*CERTAIN, RunEnd.MASKED) and knows_figures(one.run.counts) and self._fits(claim, one):
                if one.run.end is RunEnd.FAILED and not _admits(claim, one, admitted):
                    return self._answer(claim, one, ClaimReason.FAILED)
                if _too_narrow(claim, one, self.timeline):
                    return _unsupported(
                        claim, ClaimReason.NO_SUCH_RUN, self.speaker.missing(claim.kind, partial=True), one
                    )
                return self._confirmed(claim, one)
        suites = [one for one in fresh if one.run.end in CERTAIN]
        passed = all(one.run.end is RunEnd.PASSED for one in suites)
        if sum_fits(claim, [one.run.counts for one in suites], passed=passed):
            return self._confirmed(claim, suites[-1])
        return self._other_figures(claim, own, near, fresh)

    def _other_figures(
        self, claim: Claim, own: Sequence[RunAt], near: Sequence[RunAt], fresh: Sequence[RunAt]
    ) -> CheckedClaim:
        """Why figures are not confirmed: the run that has them does not count, or no run has them."""
        for one in reversed(near):
            if one.run.end is RunEnd.PASSED and self._fits(claim, one) and self.timeline.edit_after(one) is not None:
                if any(later.run.end is RunEnd.PASSED and _covers(later, one) for later in fresh if later.at > one.at):
                    return self._confirmed(claim, one)  # what it was of has passed again since
                return self._answer(claim, one, ClaimReason.BEFORE_LAST_EDIT)
        for one in reversed(own):
            if one not in near and not self.timeline.in_place(one) and self._fits(claim, one):
                return self._answer(claim, one, ClaimReason.ELSEWHERE)
        return self._decided(claim, near, fresh, figures=True)

    def _without_figures(
        self,
        claim: Claim,
        near: Sequence[RunAt],
        latest: Sequence[RunAt],
        fresh: Sequence[RunAt],
        admitted: frozenset[str],
    ) -> CheckedClaim:
        failed = [one for one in fresh if one.run.end is RunEnd.FAILED and one.call.id not in admitted]
        passed = [one for one in fresh if one.run.end is RunEnd.PASSED]
        if failed and not (passed and _is_partial(failed[-1]) and _is_whole(passed[-1])):
            return self._answer(claim, failed[-1], ClaimReason.FAILED)
        wide = [one for one in passed if not _too_narrow(claim, one, self.timeline)]
        if wide:
            return self._confirmed(claim, wide[-1])
        if passed:
            says = self.speaker.missing(claim.kind, partial=True)
            return _unsupported(claim, ClaimReason.NO_SUCH_RUN, says, passed[-1])
        return self._decided(claim, near, fresh or latest, figures=False)

    def _decided(self, claim: Claim, near: Sequence[RunAt], fresh: Sequence[RunAt], *, figures: bool) -> CheckedClaim:
        """What the latest run says against a claim."""
        certain = [one for one in fresh if one.run.end in CERTAIN] or list(fresh) or list(near)
        one = certain[-1]
        edit = self.timeline.edit_after(one)
        if edit is not None and (one.run.end is RunEnd.PASSED or not figures):
            return self._answer(claim, one, ClaimReason.BEFORE_LAST_EDIT)
        match one.run.end:
            case RunEnd.FAILED:
                return self._answer(claim, one, ClaimReason.FAILED)
            case RunEnd.MASKED:
                known = figures and knows_figures(one.run.counts)
                return self._answer(claim, one, ClaimReason.OTHER_FIGURES if known else ClaimReason.MASKED)
            case RunEnd.NOTHING:
                return self._answer(claim, one, ClaimReason.RAN_NOTHING)
            case RunEnd.OPEN:
                return self._answer(claim, one, ClaimReason.BACKGROUND)
            case RunEnd.PASSED:
                return self._answer(claim, one, ClaimReason.OTHER_FIGURES)

    def _fits(self, claim: Claim, one: RunAt) -> bool:
        return fits(claim, one.run.counts, passed=one.run.end in (RunEnd.PASSED, RunEnd.MASKED))

    def deed(self, claim: Claim) -> CheckedClaim:
        """Committed, pushed, merged, published, deployed: done once, it stays done."""
        kinds = DEEDS[claim.kind]
        found = [one for one in self.timeline.runs if one.run.kind in kinds]
        own = [one for one in found if one.own]
        if not own:
            return self._without_own(claim, found)
        done = [one for one in own if one.run.end is RunEnd.PASSED and not one.run.dry]
        if done:
            named = [name for one in claim.subjects if (name := plain_name(one).lower())]
            right = [one for one in done if not named or self._is_about(one, named)]
            if right:
                return self._confirmed(claim, right[-1])
            return self._answer(claim, done[-1], ClaimReason.ELSEWHERE)
        one = own[-1]
        if one.run.dry:
            return self._answer(claim, one, ClaimReason.RAN_NOTHING)
        return self._decided(claim, own, [one], figures=False)

    def _is_about(self, one: RunAt, named: Sequence[str]) -> bool:
        """Whether what a claim names occurs in what was done; only commits and branches are told apart."""
        shown = f"{one.run.target}\n{one.run.command}\n{one.call.arguments}\n{output_of(one.call)}".lower()
        identifiers = [name for name in named if HEXADECIMAL.fullmatch(name) is not None]
        if identifiers:
            later = (output_of(call).lower() for call in self.timeline.own_calls)
            return any(name in shown for name in identifiers) or any(
                name in text for text in later for name in identifiers
            )
        places = [name for name in named if name in BRANCHES or "/" in name]
        return not places or any(name in shown for name in places) or not _tells_place(one, places)

    def _answer(self, claim: Claim, one: RunAt, reason: ClaimReason) -> CheckedClaim:
        edit = self.timeline.edit_after(one) if reason is ClaimReason.BEFORE_LAST_EDIT else None
        says = self.speaker.of_run(one, reason, edit)
        against = reason in AGAINST and not (
            reason is ClaimReason.OTHER_FIGURES and not knows_figures(one.run.counts) and one.run.end is RunEnd.PASSED
        )
        return CheckedClaim(
            claim=claim,
            state=ClaimState.CONTRADICTED if against else ClaimState.UNSUPPORTED,
            reason=reason,
            run_id=one.call.id,
            says=says,
        )

    def _confirmed(self, claim: Claim, one: RunAt) -> CheckedClaim:
        return CheckedClaim(claim=claim, state=ClaimState.CONFIRMED, run_id=one.call.id, says=self.speaker.result(one))


BRANCHES = frozenset(
    ("main", "master", "develop", "dev", "staging", "production", "prod", "release", "test", "testing", "qa", "canary")
)
AGAINST = frozenset((ClaimReason.FAILED, ClaimReason.OTHER_FIGURES, ClaimReason.RAN_NOTHING))


def _tells_place(one: RunAt, places: Sequence[str]) -> bool:
    """Whether a run says which branch or environment it was of."""
    shown = f"{one.run.target} {one.run.command}".lower()
    return bool(one.run.target) or any(name in shown for name in BRANCHES.difference(places))


def _unsupported(claim: Claim, reason: ClaimReason, says: str, one: RunAt | None = None) -> CheckedClaim:
    return CheckedClaim(
        claim=claim,
        state=ClaimState.UNSUPPORTED,
        reason=reason,
        run_id=one.call.id if one else "",
        says=says,
    )


def _wrong(one: RunAt) -> int:
    return (one.run.counts.failed or 0) + (one.run.counts.errors or 0)


def _of_tool(one: RunAt, tool: str) -> bool:
    """Whether a run is of the tool that a claim names, or may be: who starts others may start this one."""
    wanted, run = tool.lower(), one.run.tool.lower()
    if wanted in run or run in wanted or wanted.split()[0] in one.run.command.lower():
        return True
    first = run.split()[0] if run else ""
    return first in STARTERS or wanted.split()[0] in STARTERS


def _admits(claim: Claim, one: RunAt, admitted: frozenset[str]) -> bool:
    """Whether a claim with the right figures does not hide that the run failed."""
    if one.call.id in admitted or claim.counts.failed or claim.counts.errors:
        return True
    passed = claim.counts.passed
    return claim.total is not None and passed is not None and passed < claim.total and not claim.whole


def _is_partial(one: RunAt) -> bool:
    return not _is_whole(one)


def _is_whole(one: RunAt) -> bool:
    """Whether a run is of all there is."""
    return all(_is_whole_selection(name) for name in one.run.selected)


def _is_whole_selection(name: str) -> bool:
    plain = name.rstrip("/").removeprefix("./") or "."
    return plain in WHOLE_SELECTIONS or plain.endswith("/...")


def _too_narrow(claim: Claim, one: RunAt, timeline: Timeline) -> bool:
    """Whether a run is of less than what a claim clearly speaks of."""
    if _is_whole(one):
        return False
    if claim.kind is ClaimKind.TESTS:
        if not claim.whole:
            return False
        return not names_figures(claim) or STRONG_WHOLE.search(claim.text) is not None
    if not all("." in name.rpartition("/")[2] for name in one.run.selected):
        return False  # whole directories
    if claim.whole:
        return True
    chosen = [joined(one.place, name) for name in one.run.selected]
    edited = [path for path in timeline.worked_in if any(path.endswith(_ending(name)) for name in chosen)]
    return any(not any(is_below(path, name) for name in chosen) for path in edited)


def _ending(path: str) -> str:
    name = path.rpartition("/")[2]
    return f".{name.rpartition('.')[2]}" if "." in name else name


def _chosen_by(claim: Claim, near: Sequence[RunAt]) -> Sequence[RunAt]:
    """The runs that a claim names by their selection, where it does and there are any."""
    names = [plain_name(one) for one in claim.subjects if "." in one or "/" in one or "::" in one]
    if not names:
        return near
    chosen = [
        one
        for one in near
        if any(same_file(name, sel.partition("::")[0]) or name in sel for name in names for sel in one.run.selected)
        or any(name in one.place for name in names)
    ]
    return chosen or near


def _latest(runs: Iterable[RunAt]) -> Iterator[RunAt]:
    """The last run of each suite that tells something; one that a later run covers does not count."""
    last: dict[tuple[str, str, tuple[str, ...]], RunAt] = {}
    for one in runs:
        key = (one.run.tool, one.place, one.run.selected)
        before = last.get(key)
        if before is not None and one.run.end not in CERTAIN and before.run.end in CERTAIN:
            continue
        last.pop(key, None)
        last[key] = one
    kept = sorted(last.values(), key=lambda one: one.at)
    for number, one in enumerate(kept):
        if not any(_covers(later, one) for later in kept[number + 1 :]):
            yield one


def _covers(later: RunAt, one: RunAt) -> bool:
    """Whether a later run is of all that an earlier one was of."""
    if later.run.end not in CERTAIN:
        return False
    if not (is_below(one.place, later.place) or is_below(later.place, one.place)):
        return False
    starts = {later.run.tool.split(" ")[0], one.run.tool.split(" ")[0]} & STARTERS
    if later.run.tool != one.run.tool and not starts:
        return False
    return _is_whole(later) or (not _is_whole(one) and set(one.run.selected) <= set(later.run.selected))
