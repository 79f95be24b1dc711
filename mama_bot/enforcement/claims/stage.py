"""ClaimCheck: what a draft claims, against what the record of tools shows."""

from collections.abc import Sequence

from mama_bot.config import ClaimCheckSettings, ClaimPolicy
from mama_bot.enforcement.case import Case
from mama_bot.enforcement.claims.sentences import (
    BANNER_AGAINST,
    BANNER_OPEN,
    CONTRADICTED,
    DECLARE_AGAIN,
    MORE,
    NOT_READ,
    NOT_SHOWN,
    NOTHING_CHECKED,
    NOTHING_RUN,
    NOTHING_TO_DO,
    QUOTED,
    REJECTED_AGAINST,
    REJECTED_OPEN,
    REMEDIES,
    SHOW_CHECKS,
    SHOW_WORK,
    UNSUPPORTED,
    WRITE_AGAIN,
    YOU_DECLARED,
    YOU_WROTE,
)
from mama_bot.facts.places import is_code
from mama_bot.model import (
    Allow,
    Amend,
    Block,
    CheckedClaim,
    ClaimKind,
    ClaimReason,
    ClaimState,
    Decision,
    Evidence,
    Facts,
    Figure,
    FigureName,
    Finding,
    TurnKind,
    Verdict,
)
from mama_bot.wording import Language, Said, quotable

SHOWN = 5
QUOTE_CHARACTERS = 90
# Whoever answers a task or a person, or reports what others did, says that it is done; a review that does not approve
# only tells.
COMPLETES = frozenset((TurnKind.REQUEST, TurnKind.DELEGATION, TurnKind.REWORK, TurnKind.RESULTS))
FATES = frozenset((ClaimKind.CREATED, ClaimKind.CHANGED, ClaimKind.DELETED))
# What nobody may call verified, finished or published of which nothing at all was done.
VERIFIED = frozenset((ClaimKind.TESTS, ClaimKind.BUILD, ClaimKind.TYPES, ClaimKind.LINT))
DONE = frozenset((ClaimKind.COMMITTED, ClaimKind.PUSHED, ClaimKind.MERGED, ClaimKind.PUBLISHED, ClaimKind.DEPLOYED))
WORKED = frozenset((ClaimKind.RAN, ClaimKind.CHECKED, ClaimKind.REPRODUCED))


class ClaimCheck:
    """Blocks a draft with a claim that the facts contradict, and one that calls verified or done what was not even
    tried in the conversation; whatever else the facts do not show is marked on the receipt, and the reply is posted.

    A record that is not complete shows nothing and blocks nothing: the text alone was judged, by the other stages.
    """

    name = "claim_check"

    def __init__(self, *, settings: ClaimCheckSettings) -> None:
        self._settings = settings

    async def judge(self, case: Case) -> Decision:
        """Compare each claim with the facts."""
        return await case.aside(lambda: self._decision(case))

    def _decision(self, case: Case) -> Decision:
        facts, turn, language = case.facts, case.turn, case.language
        if case.draft.misdeclared:
            return not_readable(case.draft.misdeclared, language)
        if not facts.recorded:
            return Allow(evidence=Evidence(figures=(Figure(name=FigureName.RECORD, value=0),)))
        claims = self._claims(case)
        contradicted = [checked for checked in claims if checked.state is ClaimState.CONTRADICTED]
        unsupported = [checked for checked in claims if checked.state is ClaimState.UNSUPPORTED]
        asserting = case.approves or turn.kind in COMPLETES
        unfounded = [checked for checked in unsupported if is_unfounded(checked, facts)]
        # What is missing may be among the calls that were not kept, or of a turn that nobody knows.
        sure = asserting and facts.from_beginning and not facts.dropped
        refused = [checked for checked in unfounded if sure and self._policy(checked) is ClaimPolicy.BLOCK]
        refused += [
            checked for checked in undeclarable(unsupported, facts) if self._policy(checked) is ClaimPolicy.BLOCK
        ]
        if contradicted:
            return against(contradicted, refused, claims, language)
        if refused:
            return not_shown(refused, claims, language)
        if turn.kind in COMPLETES and case.says_all_done and not case.declared:
            if facts.is_empty and case.is_short:
                return nothing_run(claims, language, asks=case.draft.attempt == 0)
            # A person sees by the line of facts that nothing was run; who handed the work on asks for what shows it.
            handed_on = turn.kind is not TurnKind.REQUEST
            if case.draft.attempt == 0 and handed_on and shows_nothing(facts) and not case.is_asking:
                return nothing_checked(claims, language)
        unsure = asserting and facts.dropped
        return marked(unfounded, claims, language, Verdict.NEEDS_REVIEW if unsure else Verdict.NOTED)

    def _claims(self, case: Case) -> tuple[CheckedClaim, ...]:
        """Return the claims that count; what a reviewer says of the work's files is none of its own."""
        claims = case.own_claims if case.approves else case.claims
        counted = [checked for checked in claims if self._policy(checked) is not ClaimPolicy.IGNORE]
        if case.approves or case.turn.kind is TurnKind.REVIEW:
            return tuple(checked for checked in counted if not describes(checked, case.facts))
        return tuple(counted)

    def _policy(self, checked: CheckedClaim) -> ClaimPolicy:
        return self._settings.kinds.of(checked.claim.kind)


def is_unfounded(checked: CheckedClaim, facts: Facts) -> bool:
    """Return whether a claim is of something that was not even tried, or has not ended, as far as is known."""
    claim = checked.claim
    if claim.declared:
        return False
    unfinished = checked.reason is ClaimReason.BACKGROUND
    absent = checked.reason is ClaimReason.NO_SUCH_RUN and not checked.run_id
    if not (absent or unfinished) or claim.fails or claim.shown or not claim.plain:
        return False
    if facts.opaque:
        return False
    if claim.kind in VERIFIED:
        # A hook that passes, or `make ci`, need not say what it ran.
        return not (facts.gathers or any(check.hook for check in facts.checks))
    if claim.kind in DONE:
        return not claim.part
    if claim.kind in WORKED:
        return facts.is_empty
    return claim.kind in FATES and not facts.files and not facts.wrote


def undeclarable(unsupported: Sequence[CheckedClaim], facts: Facts) -> list[CheckedClaim]:
    """Return the declared claims that the facts do not show, as far as anybody can tell."""
    unknown = facts.dropped or not facts.from_beginning
    return [
        checked
        for checked in unsupported
        if checked.claim.declared
        and checked.reason is not ClaimReason.OTHER_FIGURES
        and not (unknown and checked.reason is ClaimReason.NO_SUCH_RUN)
    ]


def shows_nothing(facts: Facts) -> bool:
    """Return whether code was written in this turn, and nothing that was run or looked at shows what came of it."""
    wrote = any(file.witness.own and not file.witness.age and is_code(file.path) for file in facts.files)
    told = facts.checks or facts.looks or facts.deeds or facts.opaque or facts.unknown or facts.background
    return wrote and facts.from_beginning and not (told or facts.dropped)


def not_readable(problem: str, language: Language) -> Block:
    """Return what is said of a declaration that cannot be read."""
    return Block(
        rule="declaration_unreadable",
        reason=NOT_READ.to(language, problem=problem),
        feedback=WRITE_AGAIN.to(language, problem=problem),
        banner=NOT_READ.to(language, problem=problem),
    )


def against(
    contradicted: Sequence[CheckedClaim],
    unsupported: Sequence[CheckedClaim],
    claims: tuple[CheckedClaim, ...],
    language: Language,
) -> Block:
    """Return what is said of claims that the record contradicts, and of those beside them that it does not show."""
    wrong = (*contradicted, *unsupported)
    return Block(
        rule="claim_contradicted",
        reason=CONTRADICTED.to(language, count=len(contradicted), first=line_of(contradicted[0], QUOTED, language)),
        feedback="\n".join((REJECTED_AGAINST.to(language), *feedback(wrong, language))),
        banner="\n".join((BANNER_AGAINST.to(language), *lines(contradicted, QUOTED, language))),
        evidence=evidence(claims, wrong),
    )


def not_shown(unsupported: Sequence[CheckedClaim], claims: tuple[CheckedClaim, ...], language: Language) -> Block:
    """Return what is said of claims that the record has to show and does not."""
    return Block(
        rule="claim_unsupported",
        reason=UNSUPPORTED.to(language, count=len(unsupported), first=line_of(unsupported[0], QUOTED, language)),
        feedback="\n".join((REJECTED_OPEN.to(language), *feedback(unsupported, language))),
        banner="\n".join((BANNER_OPEN.to(language), *lines(unsupported, QUOTED, language))),
        evidence=evidence(claims, unsupported),
    )


def marked(
    unfounded: Sequence[CheckedClaim],
    claims: tuple[CheckedClaim, ...],
    language: Language,
    verdict: Verdict = Verdict.NOTED,
) -> Allow | Amend:
    """Return the reply as it is, with a note where it speaks of what was not even tried."""
    unsupported = [checked for checked in claims if checked.state is ClaimState.UNSUPPORTED]
    if not unfounded:
        return Allow(evidence=evidence(claims, unsupported))
    head = NOT_SHOWN if verdict is Verdict.NOTED else BANNER_OPEN
    return Amend(
        rule="claim_unsupported",
        reason=UNSUPPORTED.to(language, count=len(unfounded), first=line_of(unfounded[0], QUOTED, language)),
        banner="\n".join((head.to(language), *lines(unfounded, QUOTED, language))),
        verdict=verdict,
        evidence=evidence(claims, unsupported),
    )


def nothing_run(claims: tuple[CheckedClaim, ...], language: Language, *, asks: bool) -> Block | Amend:
    """Return what is said of work that is called done where not a single call was made; its author is asked once."""
    rule, words = "nothing_was_run", NOTHING_RUN.to(language)
    if not asks:
        return Amend(rule=rule, reason=words, banner=words, verdict=Verdict.NOTED, evidence=evidence(claims))
    return Block(rule=rule, reason=words, feedback=SHOW_WORK.to(language), banner=words, evidence=evidence(claims))


def nothing_checked(claims: tuple[CheckedClaim, ...], language: Language) -> Block:
    """Return what is said of files that were written and called done where nothing was looked at."""
    words = NOTHING_CHECKED.to(language)
    feedback = SHOW_CHECKS.to(language)
    return Block(rule="nothing_checked", reason=words, feedback=feedback, banner=words, evidence=evidence(claims))


def describes(checked: CheckedClaim, facts: Facts) -> bool:
    """Return whether a claim about files is of the work that is reviewed: who wrote none tells what others did."""
    return checked.claim.kind in FATES and not facts.files


def feedback(wrong: Sequence[CheckedClaim], language: Language) -> list[str]:
    """Return a line for each claim, then what to do about them, each remedy once."""
    remedies = dict.fromkeys(remedy(checked).to(language) for checked in wrong if checked.reason in REMEDIES)
    again = [DECLARE_AGAIN.to(language)] if any(checked.claim.declared for checked in wrong) else []
    return [*(f"- {line}" for line in lines(wrong, YOU_WROTE, language)), *list(remedies)[:SHOWN], *again]


def remedy(checked: CheckedClaim) -> Said:
    """Return what to do about a claim."""
    if checked.reason is ClaimReason.RAN_NOTHING and checked.claim.kind in (ClaimKind.COMMITTED, ClaimKind.PUSHED):
        return NOTHING_TO_DO
    return REMEDIES[checked.reason]


def lines(claims: Sequence[CheckedClaim], form: Said, language: Language) -> list[str]:
    """Return one bounded line for each of the first five claims, and how many more there are."""
    more = [MORE.to(language, count=len(claims) - SHOWN)] if len(claims) > SHOWN else []
    return [line_of(checked, form, language) for checked in claims[:SHOWN]] + more


def line_of(checked: CheckedClaim, form: Said, language: Language) -> str:
    """Return a claim with what the record says of it, on one line."""
    form = YOU_DECLARED if form is YOU_WROTE and checked.claim.declared else form
    return form.to(language, text=quotable(checked.claim.text, QUOTE_CHARACTERS), says=checked.says)


def evidence(claims: tuple[CheckedClaim, ...], wrong: Sequence[CheckedClaim] = ()) -> Evidence:
    """Return all claims, how many there are of each state, and the spans of those that are wrong."""
    return Evidence(
        claims=claims,
        figures=figures(claims),
        findings=tuple(finding(checked) for checked in wrong if not checked.claim.declared),
    )


def finding(checked: CheckedClaim) -> Finding:
    """Return the span of a claim."""
    claim = checked.claim
    return Finding(kind=f"claim_{checked.state.value}", text=claim.text, start=claim.start, end=claim.end)


COUNTED = {
    ClaimState.CONFIRMED: FigureName.CLAIMS_CONFIRMED,
    ClaimState.UNSUPPORTED: FigureName.CLAIMS_UNSUPPORTED,
    ClaimState.CONTRADICTED: FigureName.CLAIMS_CONTRADICTED,
}


def figures(claims: Sequence[CheckedClaim]) -> tuple[Figure, ...]:
    """Return how many claims there are, and what the record says of them; `record` says that there was one."""
    return (
        Figure(name=FigureName.RECORD, value=1),
        Figure(name=FigureName.CLAIMS, value=len(claims)),
        *(
            Figure(name=name, value=sum(checked.state is state for checked in claims))
            for state, name in COUNTED.items()
        ),
    )
