"""ClaimCheck: what a draft claims, against what the record of tools shows."""

from collections.abc import Sequence
from dataclasses import replace

from mama_bot.config import ClaimCheckSettings, ClaimPolicy
from mama_bot.enforcement.approval.approvals import approvals
from mama_bot.enforcement.claims.reconciliation import checked_claims, has_looked
from mama_bot.enforcement.claims.reconciliation.context import sentence_around
from mama_bot.enforcement.claims.reconciliation.explanations import one_line
from mama_bot.enforcement.lexicon import lexicon
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
    Figure,
    Finding,
    Turn,
    TurnKind,
    Verdict,
)
from mama_bot.text.lexicon import Words
from mama_bot.text.patterns import compiled
from mama_bot.text.sentences import Reading, read

UNBOUNDED = 1_000_000  # the chain's own bound holds
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
QUOTED = compiled(r"`[^`\n]*`", groups=False)
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
ENGLISH = {
    "quote": 'you wrote "{text}"; {says}',
    "plain": '"{text}": {says}',
    "more": "({count} more)",
    "contradicted": "The record contradicts {count} of the reply's claims: {first}",
    "unsupported": "The record does not show {count} of the reply's claims: {first}",
    "unseen": "An approval without a single look or run of the reviewer's own.",
    "against": "Your reply was rejected: the record of your tool calls says otherwise.",
    "open": "Your reply was rejected: the record of your tool calls does not show what you claim.",
    "look": "Your approval was rejected: the record shows no file that you read and no command that you ran. What the "
    "author ran does not count. Read the changes and run the checks yourself, then decide.",
    "banner_against": "⚠️ NEEDS_REVIEW: the record contradicts this reply.",
    "banner_open": "⚠️ NEEDS_REVIEW: the record does not show what this reply claims.",
    "mark": "ℹ️ not shown by the record:",
}
KOREAN = {
    "quote": '"{text}"라고 썼지만 {says}',
    "plain": '"{text}": {says}',
    "more": "(외 {count}건)",
    "contradicted": "답변의 주장 {count}건이 기록과 다릅니다: {first}",
    "unsupported": "답변의 주장 {count}건이 기록에 없습니다: {first}",
    "unseen": "검토자가 직접 읽거나 실행한 것이 없는 승인입니다.",
    "against": "답변이 반려되었습니다. 도구 호출 기록과 다릅니다.",
    "open": "답변이 반려되었습니다. 주장한 내용이 도구 호출 기록에 없습니다.",
    "look": "승인이 반려되었습니다. 직접 읽은 파일도, 직접 실행한 명령도 기록에 없습니다. 작성자가 실행한 것은 "
    "근거가 되지 않습니다. 변경 내용을 읽고 검사를 직접 실행한 뒤 판단하세요.",
    "banner_against": "⚠️ NEEDS_REVIEW: 이 답변은 기록과 다릅니다.",
    "banner_open": "⚠️ NEEDS_REVIEW: 이 답변의 주장이 기록에 없습니다.",
    "mark": "ℹ️ 기록에서 확인되지 않음:",
}
# What to do about it, in English and Korean; said once for each reason.
REMEDIES = {
    ClaimReason.NO_SUCH_RUN: (
        "Do it now and report what comes out, or say that it was not done.",
        "지금 실행하고 결과를 쓰거나, 하지 않았다고 쓰세요.",
    ),
    ClaimReason.BEFORE_LAST_EDIT: (
        "Run it again, now that the code has changed.",
        "코드가 바뀌었으니 다시 실행하세요.",
    ),
    ClaimReason.FAILED: (
        "Mend it and run it again, or report the failure.",
        "고친 뒤 다시 실행하거나, 실패했다고 쓰세요.",
    ),
    ClaimReason.OTHER_FIGURES: (
        "Report the figures as the record has them.",
        "기록에 있는 그대로 수치를 쓰세요.",
    ),
    ClaimReason.MASKED: (
        "Run it without `|| true` and without a pipe that hides its exit status.",
        "종료 코드를 가리는 `|| true`나 파이프 없이 실행하세요.",
    ),
    ClaimReason.BACKGROUND: (
        "Wait until it has finished, and read its result.",
        "끝날 때까지 기다린 뒤 결과를 확인하세요.",
    ),
    ClaimReason.RAN_NOTHING: (
        "Run it so that it really does something.",
        "실제로 동작하도록 실행하세요.",
    ),
    ClaimReason.ELSEWHERE: (
        "Run it where the change is.",
        "변경한 곳에서 실행하세요.",
    ),
    ClaimReason.ANOTHER_AGENT: (
        "Run it yourself.",
        "직접 실행하세요.",
    ),
}


NOTHING_TO_DO = (
    "Say that there was nothing to commit or push, or commit and push what is meant.",
    "커밋하거나 푸시할 것이 없었다고 쓰거나, 말한 변경을 실제로 커밋하고 푸시하세요.",
)


def remedy(one: CheckedClaim) -> tuple[str, str]:
    """What to do about a claim, in English and Korean."""
    if one.reason is ClaimReason.RAN_NOTHING and one.claim.kind in (ClaimKind.COMMITTED, ClaimKind.PUSHED):
        return NOTHING_TO_DO
    return REMEDIES[one.reason]


class ClaimCheck:
    """Blocks a draft with a claim that the record contradicts, or, in an approval or the answer to a task, does not
    show; elsewhere such a claim is marked.

    A record that is not complete shows nothing and blocks nothing: the text alone was judged, by the other stages.
    """

    def __init__(self, *, settings: ClaimCheckSettings, words: Words = ()) -> None:
        self._settings = settings
        self._lexicon = lexicon(words)

    @property
    def name(self) -> str:
        """`claim_check`."""
        return "claim_check"

    async def judge(self, draft: Draft, turn: Turn) -> Decision:
        """Compare each claim with the record."""
        if not draft.record.complete:
            return Allow(figures=(Figure(name="record", value=0),))
        reading = read(draft.text)
        approving = bool(approvals(reading, self._lexicon))
        answering = not approving and only_answers(draft, turn)
        claims = tuple(
            one if approving or turn.kind is TurnKind.REVIEW else as_told(one, turn, answering=answering)
            for one in checked_claims(draft, turn, approving=approving)
            if self._settings.kinds.of(one.claim.kind) is not ClaimPolicy.IGNORE
        )
        reviewing = approving or turn.kind is TurnKind.REVIEW
        # What a reviewer says of the work's files is no claim of its own: not judged, not counted, on no receipt.
        claims = tuple(one for one in claims if not (reviewing and describes(one, draft)))
        speak = KOREAN if reading.korean else ENGLISH
        contradicted = [one for one in claims if one.state is ClaimState.CONTRADICTED]
        unsupported = [one for one in claims if one.state is ClaimState.UNSUPPORTED]
        missing: list[CheckedClaim] = []
        if draft.record.dropped:  # what is missing may be among the calls that were not kept
            missing = [one for one in contradicted if not one.run_id] + unsupported
            contradicted, unsupported = [one for one in contradicted if one.run_id], []
        if contradicted:
            return self._block(reading, contradicted, unsupported, claims, against=True)
        refused = [
            one
            for one in unsupported
            if self._refuses(one, turn, approving=approving)
            and not (answering and _may_be_earlier(one))
            and not is_open(one, draft.text, reading)
        ]
        if refused:
            return self._block(reading, refused, (), claims, against=False)
        if approving and turn.kind is TurnKind.REVIEW and not has_looked(draft.record, turn.persona):
            return Block(
                rule="approval_unseen",
                reason=speak["unseen"],
                feedback=speak["look"],
                retries=UNBOUNDED,
                exhausted=self._settings.exhausted,
                banner=speak["banner_open"],
                figures=figures(claims),
                claims=claims,
            )
        if turn.kind is TurnKind.RESULTS and not turn.told:  # what others did is in their records, not in this one
            unsupported = [one for one in unsupported if one.reason not in ABSENT]
        if missing:
            asserting = approving or turn.kind in COMPLETES
            return self._mark(missing, claims, speak, Verdict.NEEDS_REVIEW if asserting else Verdict.NOTED)
        return self._mark(unsupported, claims, speak)

    def _refuses(self, one: CheckedClaim, turn: Turn, *, approving: bool) -> bool:
        """Whether a claim that nothing shows goes back: a failure that was only told does no harm."""
        asked = approving or turn.kind in COMPLETES
        return asked and not one.claim.fails and self._settings.kinds.of(one.claim.kind) is ClaimPolicy.BLOCK

    def _block(
        self,
        reading: Reading,
        wrong: Sequence[CheckedClaim],
        further: Sequence[CheckedClaim],
        claims: tuple[CheckedClaim, ...],
        *,
        against: bool,
    ) -> Block:
        speak = KOREAN if reading.korean else ENGLISH
        key = "contradicted" if against else "unsupported"
        listed = (*wrong, *further)
        said = [f"- {line}" for line in lines(listed, speak, "quote")]
        remedies = dict.fromkeys(remedy(one)[reading.korean] for one in listed if one.reason in REMEDIES)
        return Block(
            rule=f"claim_{key}",
            reason=speak[key].format(count=len(wrong), first=line_of(wrong[0], speak, "plain")),
            feedback="\n".join((speak["against" if against else "open"], *said, *list(remedies)[:SHOWN])),
            retries=UNBOUNDED,
            exhausted=self._settings.exhausted,
            banner="\n".join((speak["banner_against" if against else "banner_open"], *lines(wrong, speak, "plain"))),
            findings=tuple(finding(one) for one in listed),
            figures=figures(claims),
            claims=claims,
        )

    def _mark(
        self,
        unsupported: Sequence[CheckedClaim],
        claims: tuple[CheckedClaim, ...],
        speak: dict[str, str],
        verdict: Verdict = Verdict.NOTED,
    ) -> Allow | Amend:
        if not unsupported:
            return Allow(figures=figures(claims), claims=claims)
        return Amend(
            rule="claim_unsupported",
            reason=speak["unsupported"].format(count=len(unsupported), first=line_of(unsupported[0], speak, "plain")),
            banner="\n".join(
                (
                    speak["mark" if verdict is Verdict.NOTED else "banner_open"],
                    *lines(unsupported, speak, "plain"),
                )
            ),
            verdict=verdict,
            findings=tuple(finding(one) for one in unsupported),
            figures=figures(claims),
            claims=claims,
        )


def describes(one: CheckedClaim, draft: Draft) -> bool:
    """Whether a claim about files is of the work that is reviewed: who wrote none tells what others did."""
    return one.claim.kind in FATES and one.reason in ABSENT and not any(run.touched for run in draft.record.runs)


def only_answers(draft: Draft, turn: Turn) -> bool:
    """Whether a reply to a person only tells of earlier work: this turn of the agent has written nothing."""
    if turn.kind is not TurnKind.REQUEST or turn.audience is not Audience.PERSON:
        return False
    runs = draft.record.runs
    return not any(run.touched or run.kind in FILE_WRITERS for run in runs)


def _may_be_earlier(one: CheckedClaim) -> bool:
    """Whether a claim that nothing shows may be of what an earlier turn did: a state of the code is never so."""
    return one.reason is ClaimReason.NO_SUCH_RUN and one.claim.kind in LASTING


def as_told(one: CheckedClaim, turn: Turn, *, answering: bool = False) -> CheckedClaim:
    """A claim as it stands where the results of others, or of earlier turns, are told: what this record lacks, theirs
    may hold.
    """
    earlier = turn.kind is TurnKind.RESULTS or (answering and _may_be_earlier(one))
    if not earlier or one.state is not ClaimState.CONTRADICTED or one.reason not in ABSENT:
        return one
    return replace(one, state=ClaimState.UNSUPPORTED)


def is_open(one: CheckedClaim, text: str, reading: Reading) -> bool:
    """Whether a reply says itself what the record shows: a run goes on, an edit came after, a check failed."""
    if one.reason is ClaimReason.FAILED:
        return True  # the reply reports the failure beside it
    beside = OPENLY_BESIDE.get(one.reason)
    around = sentence_around(one.claim, text)
    if one.reason is ClaimReason.BACKGROUND:  # an option named so admits nothing
        around = QUOTED.sub("", around)
    if beside is not None and beside.search(around) is not None:
        return True
    openly = OPENLY.get(one.reason)
    return openly is not None and openly.search(reading.plain.text) is not None


def lines(claims: Sequence[CheckedClaim], speak: dict[str, str], form: str) -> list[str]:
    """One bounded line for each of the first five claims, and how many more there are."""
    said = [line_of(one, speak, form) for one in claims[:SHOWN]]
    if len(claims) > SHOWN:
        said.append(speak["more"].format(count=len(claims) - SHOWN))
    return said


def line_of(one: CheckedClaim, speak: dict[str, str], form: str) -> str:
    """A claim with what the record says of it, on one line."""
    return speak[form].format(text=one_line(one.claim.text, QUOTE_CHARACTERS), says=one.says)


def finding(one: CheckedClaim) -> Finding:
    """The span of a claim."""
    return Finding(kind=f"claim_{one.state.value}", text=one.claim.text, start=one.claim.start, end=one.claim.end)


def figures(claims: Sequence[CheckedClaim]) -> tuple[Figure, ...]:
    """How many claims there are, and what the record says of them; `record` says that there was one."""
    counted = {state: sum(one.state is state for one in claims) for state in ClaimState}
    return (
        Figure(name="record", value=1),
        Figure(name="claims", value=len(claims)),
        *(Figure(name=f"claims_{state.value}", value=count) for state, count in counted.items()),
    )
