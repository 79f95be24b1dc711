"""ClaimCheck: what a draft claims, against what the record of tools shows."""

from collections.abc import Sequence
from dataclasses import replace

from mama_bot.config import ClaimCheckSettings, ClaimPolicy
from mama_bot.enforcement.case import Case
from mama_bot.enforcement.claims.reconciliation import has_looked
from mama_bot.enforcement.claims.reconciliation.context import sentence_around
from mama_bot.enforcement.claims.sentences import (
    BANNER_AGAINST,
    BANNER_OPEN,
    CONTRADICTED,
    LOOK_YOURSELF,
    MORE,
    NOT_SHOWN,
    NOTHING_TO_DO,
    QUOTED,
    REJECTED_AGAINST,
    REJECTED_OPEN,
    REMEDIES,
    UNSEEN,
    UNSUPPORTED,
    YOU_WROTE,
)
from mama_bot.model import (
    FILE_WRITERS,
    Allow,
    Amend,
    Audience,
    Block,
    CheckedClaim,
    ClaimKind,
    ClaimReason,
    ClaimState,
    Decision,
    Draft,
    Evidence,
    Figure,
    FigureName,
    Finding,
    Turn,
    TurnKind,
    Verdict,
)
from mama_bot.text.patterns import compiled
from mama_bot.text.sentences import Reading
from mama_bot.wording import Language, Said, quotable

SHOWN = 5
QUOTE_CHARACTERS = 90
# What a reply says openly takes the edge off a claim that the record does not show yet.
OPENLY = {
    ClaimReason.BACKGROUND: compiled(
        r"\bstill (?:running|going|in progress)|\bnot (?:yet )?(?:finished|done|complete)"
        r"|\bin progress|\bhasn'?t finished"
        r"|\bwaiting for|아직|돌아가는 중|진행 ?중|도는 중|실행 중|끝나면|끝나는 대로|미완료",
        groups=False,
    ),
    ClaimReason.BEFORE_LAST_EDIT: compiled(
        r"\b(?:not|n't|never|without) (?:re-?run|run(?:ning)? (?:\S+ ){0,3}(?:again|since|after)|re-?test|re-?check)\w*"
        r"|\bbefore (?:that|this|the) (?:last |final )?(?:edit|change|tweak|commit|fix|rename|format)"
        r"|\b(?:that|this|the|these|those|my) (?:\w+ )?(?:runs?|results?|figures|numbers) "
        r"(?:was|were|is|are|dates?|comes?|came)"
        r" (?:from |all |still |taken |made )?(?:before|from before|prior to)\b"
        r"|(?:그|이|위|해당) ?(?:테스트 ?)?(?:실행|결과|수치)(?:은|는|도)? "
        r"[^.\n]{1,40}(?:이전|전)(?:의|에|에서|입|이|임|것|,)"
        r"|다시 (?:돌리|실행하|확인하|테스트하)\S*(?:지 (?:않|못)| 전)"
        r"|재실행(?:은|을|하지)? ?(?:안|못|않|하지)|재실행 전|다시 안 돌",
        groups=False,
    ),
}
CODE = compiled(r"`[^`\n]*`", groups=False)
# What a sentence says so of its own claim only.
OPENLY_BESIDE = {
    ClaimReason.BEFORE_LAST_EDIT: compiled(
        r"\bbefore (?:the )?(?:test file|new test)"
        r"|\bbefore I (?:add|chang|edit|touch|wrote|renam|format|mov|fix)"
        r"|\bunchanged since|\bnot (?:been )?changed since"
        r"|\b(?:nothing|none|no (?:code|files?|lines?)) (?:\S+ )?(?:but|except|other than|besides|apart from|beyond) "
        r"[^.\n]{2,80}\bsince\b|\bonly [^.\n]{2,80}\b(?:changed|edited|touched) (?:since|after)\b"
        r"|\b(?:pre-?dates?|predating|prior to) (?:that|this|the|my)"
        r"|그 ?(?:후|뒤|이후)(?:로|에|에는)? [^.\n]{0,30}안 (?:바뀌|변경|건드)|이후 (?:변경|수정)(?:은|이)? ?없"
        r"|(?:포맷|추가|수정|변경|편집|[가-힣]기) ?(?:직전|전)(?:에|까지|에만|의|이|입|인|임|,|\)| 실행)",
        groups=False,
    ),
    ClaimReason.BACKGROUND: compiled(
        r"\b(?:interrupted|timed out|time-?out|killed|cut (?:off|short)|did ?n[o']t finish)\b"
        r"|\b(?:never finished|aborted|hung)\b|\bno (?:final )?result"
        r"|중단|타임아웃|시간 ?초과|끝나지 않|끝까지 못|멈춰|멈췄",
        groups=False,
    ),
}
# Whoever answers a task or a person says that it is done; a review that does not approve, and a report, only tell.
COMPLETES = frozenset((TurnKind.REQUEST, TurnKind.DELEGATION, TurnKind.REWORK))
FATES = frozenset((ClaimKind.CREATED, ClaimKind.CHANGED, ClaimKind.DELETED))
# What was done once and stays done, whenever it was.
LASTING = FATES | {
    *(ClaimKind.COMMITTED, ClaimKind.PUSHED, ClaimKind.MERGED, ClaimKind.PUBLISHED, ClaimKind.DEPLOYED),
}
ABSENT = frozenset((ClaimReason.NO_SUCH_RUN, ClaimReason.ANOTHER_AGENT))


class ClaimCheck:
    """Blocks a draft with a claim that the record contradicts, or, in an approval or the answer to a task, does not
    show; elsewhere such a claim is marked.

    A record that is not complete shows nothing and blocks nothing: the text alone was judged, by the other stages.
    """

    name = "claim_check"

    def __init__(self, *, settings: ClaimCheckSettings) -> None:
        self._settings = settings

    async def judge(self, case: Case) -> Decision:
        """Compare each claim with the record."""
        draft, turn = case.draft, case.turn
        if not draft.record.complete:
            return Allow(evidence=Evidence(figures=(Figure(name=FigureName.RECORD, value=0),)))
        approving = bool(case.approvals)
        answering = not approving and only_answers(draft, turn)
        claims = self._claims(case, answering=answering)
        contradicted = [checked for checked in claims if checked.state is ClaimState.CONTRADICTED]
        unsupported = [checked for checked in claims if checked.state is ClaimState.UNSUPPORTED]
        missing: list[CheckedClaim] = []
        if draft.record.dropped:  # what is missing may be among the calls that were not kept
            missing = [checked for checked in contradicted if not checked.run_id] + unsupported
            contradicted, unsupported = [checked for checked in contradicted if checked.run_id], []
        if contradicted:
            return against(contradicted, unsupported, claims, case.language)
        asserting = approving or turn.kind in COMPLETES
        refused = [
            checked
            for checked in unsupported
            if asserting
            and self._refuses(checked)
            and not (answering and _may_be_earlier(checked))
            and not is_open(checked, draft.text, case.reading)
        ]
        if refused:
            return not_shown(refused, claims, case.language)
        if approving and turn.kind is TurnKind.REVIEW and not has_looked(draft.record, turn.persona):
            return unseen(claims, case.language)
        if turn.kind is TurnKind.RESULTS and not turn.told:  # what others did is in their records, not in this one
            unsupported = [checked for checked in unsupported if checked.reason not in ABSENT]
        if missing:
            return marked(missing, claims, case.language, Verdict.NEEDS_REVIEW if asserting else Verdict.NOTED)
        return marked(unsupported, claims, case.language)

    def _claims(self, case: Case, *, answering: bool) -> tuple[CheckedClaim, ...]:
        """Return the claims that count, as they stand in this turn.

        What a reviewer says of the work's files is no claim of its own: not judged, not counted, on no receipt.
        """
        counted = (
            checked
            for checked in (case.own_claims if case.approvals else case.claims)
            if self._settings.kinds.of(checked.claim.kind) is not ClaimPolicy.IGNORE
        )
        if case.approvals or case.turn.kind is TurnKind.REVIEW:
            return tuple(checked for checked in counted if not describes(checked, case.draft))
        return tuple(as_told(checked, case.turn, answering=answering) for checked in counted)

    def _refuses(self, checked: CheckedClaim) -> bool:
        """Return whether a claim that nothing shows goes back: a failure that was only told does no harm."""
        return not checked.claim.fails and self._settings.kinds.of(checked.claim.kind) is ClaimPolicy.BLOCK


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


def unseen(claims: tuple[CheckedClaim, ...], language: Language) -> Block:
    """Return what is said of an approval by somebody who looked at nothing."""
    return Block(
        rule="approval_unseen",
        reason=UNSEEN.to(language),
        feedback=LOOK_YOURSELF.to(language),
        banner=BANNER_OPEN.to(language),
        evidence=evidence(claims),
    )


def marked(
    unsupported: Sequence[CheckedClaim],
    claims: tuple[CheckedClaim, ...],
    language: Language,
    verdict: Verdict = Verdict.NOTED,
) -> Allow | Amend:
    """Return the reply with a mark where the record does not show all of it."""
    if not unsupported:
        return Allow(evidence=evidence(claims))
    head = NOT_SHOWN if verdict is Verdict.NOTED else BANNER_OPEN
    return Amend(
        rule="claim_unsupported",
        reason=UNSUPPORTED.to(language, count=len(unsupported), first=line_of(unsupported[0], QUOTED, language)),
        banner="\n".join((head.to(language), *lines(unsupported, QUOTED, language))),
        verdict=verdict,
        evidence=evidence(claims, unsupported),
    )


def describes(checked: CheckedClaim, draft: Draft) -> bool:
    """Return whether a claim about files is of the work that is reviewed: who wrote none tells what others did."""
    of_files = checked.claim.kind in FATES and checked.reason in ABSENT
    return of_files and not any(run.touched for run in draft.record.runs)


def only_answers(draft: Draft, turn: Turn) -> bool:
    """Return whether a reply to a person only tells of earlier work: this turn of the agent has written nothing."""
    if turn.kind is not TurnKind.REQUEST or turn.audience is not Audience.PERSON:
        return False
    runs = draft.record.runs
    return not any(run.touched or run.kind in FILE_WRITERS for run in runs)


def _may_be_earlier(checked: CheckedClaim) -> bool:
    """Return whether a claim that nothing shows may be of what an earlier turn did: a state of the code is never so."""
    return checked.reason is ClaimReason.NO_SUCH_RUN and checked.claim.kind in LASTING


def as_told(checked: CheckedClaim, turn: Turn, *, answering: bool = False) -> CheckedClaim:
    """Return a claim as it stands where the results of others, or of earlier turns, are told.

    What this record lacks, theirs may hold.
    """
    earlier = turn.kind is TurnKind.RESULTS or (answering and _may_be_earlier(checked))
    if not earlier or checked.state is not ClaimState.CONTRADICTED or checked.reason not in ABSENT:
        return checked
    return replace(checked, state=ClaimState.UNSUPPORTED)


def is_open(checked: CheckedClaim, text: str, reading: Reading) -> bool:
    """Return whether a reply says itself what the record shows: a run goes on, an edit came after, a check failed."""
    if checked.reason is ClaimReason.FAILED:
        return True  # the reply reports the failure beside it
    beside = OPENLY_BESIDE.get(checked.reason)
    around = sentence_around(checked.claim, text)
    if checked.reason is ClaimReason.BACKGROUND:  # an option named so admits nothing
        around = CODE.sub("", around)
    if beside is not None and beside.search(around) is not None:
        return True
    openly = OPENLY.get(checked.reason)
    return openly is not None and openly.search(reading.plain.text) is not None


def feedback(wrong: Sequence[CheckedClaim], language: Language) -> list[str]:
    """Return a line for each claim, then what to do about them, each remedy once."""
    remedies = dict.fromkeys(remedy(checked).to(language) for checked in wrong if checked.reason in REMEDIES)
    return [*(f"- {line}" for line in lines(wrong, YOU_WROTE, language)), *list(remedies)[:SHOWN]]


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
    return form.to(language, text=quotable(checked.claim.text, QUOTE_CHARACTERS), says=checked.says)


def evidence(claims: tuple[CheckedClaim, ...], wrong: Sequence[CheckedClaim] = ()) -> Evidence:
    """Return all claims, how many there are of each state, and the spans of those that are wrong."""
    return Evidence(claims=claims, figures=figures(claims), findings=tuple(finding(checked) for checked in wrong))


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
