"""ReviewGate: an approval needs evidence."""

from collections.abc import Sequence
from dataclasses import replace

from mama_bot.config import EvidenceStrength, ReviewGateSettings
from mama_bot.enforcement.approval.approvals import Span, approvals
from mama_bot.enforcement.approval.evidence import ORDER, Evidence, evidence_in
from mama_bot.enforcement.claims.reconciliation import checked_claims
from mama_bot.enforcement.claims.reconciliation.of_files import files_of
from mama_bot.enforcement.lexicon import lexicon
from mama_bot.enforcement.whitelist import wordings
from mama_bot.model import (
    Allow,
    Block,
    CheckedClaim,
    Claim,
    ClaimKind,
    ClaimState,
    Decision,
    Draft,
    Figure,
    Finding,
    Turn,
)
from mama_bot.text.lexicon import Words
from mama_bot.text.patterns import alternation
from mama_bot.text.sentences import Reading, read

UNBOUNDED = 1_000_000  # the chain's own bound holds
QUOTE_CHARACTERS = 80
ENGLISH = {
    "missing": "The reply approves without evidence.",
    "ask": "Your approval was rejected: it names no evidence. What did you verify? Run the checks, then say which "
    'command you ran and what came out, for example "pytest: 45 passed in 3.2s".',
    "against": 'The reply approves although it says "{quote}".',
    "explain": 'Your approval was rejected: the same reply says "{quote}". What did you verify? '
    "Run the checks again and report the figures, or do not approve.",
    "banner": "⚠️ NEEDS_REVIEW: this approval has no evidence that holds.",
}
KOREAN = {
    "missing": "근거 없이 승인한 답변입니다.",
    "ask": "승인이 반려되었습니다. 근거가 없습니다. 무엇을 검증했습니까? 검사를 실행하고 어떤 명령을 실행했고 "
    '어떤 결과가 나왔는지 쓰세요. 예: "pytest: 45 passed in 3.2s".',
    "against": '"{quote}"라고 하면서 승인한 답변입니다.',
    "explain": '승인이 반려되었습니다. 같은 답변에 "{quote}"라고 되어 있습니다. 무엇을 검증했습니까? '
    "검사를 다시 실행해 수치를 보고하거나 승인하지 마세요.",
    "banner": "⚠️ NEEDS_REVIEW: 이 승인에는 유효한 근거가 없습니다.",
}


class ReviewGate:
    """Blocks a draft that asserts approval without evidence of the least strength, or against its own evidence.

    A claim that the record of the agent's own tool calls confirms is the strongest evidence; what the record does not
    show, or contradicts, is the matter of the stage that checks claims.
    A sentence or line that an entry of the whitelist (an RE2 expression) matches as a whole is no approval.
    The text is never changed; with the retries spent, the settings say what becomes of the draft.
    """

    def __init__(self, *, settings: ReviewGateSettings, words: Words = ()) -> None:
        self._settings = settings
        self._lexicon = lexicon(words)
        self._words = words
        self._whitelist = alternation(settings.whitelist)

    @property
    def name(self) -> str:
        """`review_gate`."""
        return "review_gate"

    async def judge(self, draft: Draft, turn: Turn) -> Decision:
        """Find an approval, then what it leans on."""
        reading = read(draft.text)
        approved = [
            span
            for span in approvals(reading, self._lexicon)
            if not (self._settings.whitelist and self._is_listed(reading.plain.text, span))
        ]
        if not approved:
            return Allow(figures=figures(approved=False))
        evidence = evidence_in(reading.plain, self._lexicon)
        evidence = with_record(evidence, checked_claims(draft, turn, approving=True))
        findings = (*dict.fromkeys(approval(reading, span) for span in approved), *evidence.findings)
        measured = figures(approved=True, evidence=evidence)
        if not evidence.contradictions and evidence.at_least(self._settings.least_evidence):
            return Allow(findings=findings, figures=measured)
        return self._block(reading, evidence, findings, measured)

    def _is_listed(self, text: str, span: Span) -> bool:
        return any(self._whitelist.fullmatch(said) is not None for said in wordings(text, span, self._words))

    def _block(
        self, reading: Reading, evidence: Evidence, findings: tuple[Finding, ...], measured: tuple[Figure, ...]
    ) -> Block:
        speak = KOREAN if reading.korean else ENGLISH
        against = evidence.contradictions
        quote = " ".join(against[0].text.split())[:QUOTE_CHARACTERS] if against else ""
        return Block(
            rule="approval_contradicted" if against else "approval_without_evidence",
            reason=(speak["against"] if against else speak["missing"]).format(quote=quote),
            feedback=(speak["explain"] if against else speak["ask"]).format(quote=quote),
            retries=UNBOUNDED,
            exhausted=self._settings.exhausted,
            banner=speak["banner"],
            findings=findings,
            figures=measured,
        )


# What was run, and not only read.
RUN_KINDS = frozenset(
    (ClaimKind.TESTS, ClaimKind.BUILD, ClaimKind.TYPES, ClaimKind.LINT, ClaimKind.BENCHMARK, ClaimKind.REPRODUCED)
)


def bears(claim: Claim) -> bool:
    """Whether a claim that holds bears an approval out: a check that ran, or files that were looked at by name."""
    if claim.kind in RUN_KINDS or claim.kind is ClaimKind.FORMAT:
        return True
    return claim.kind is ClaimKind.CHECKED and bool(files_of(claim))


def with_record(evidence: Evidence, claims: Sequence[CheckedClaim]) -> Evidence:
    """The evidence with what the record of the agent's own calls confirms.

    Where a check really ran and none is against the approval, an open word about what was not run takes nothing away.
    """
    strength = EvidenceStrength.CONFIRMED
    confirmed = [one for one in claims if one.state is ClaimState.CONFIRMED]
    held = [one.claim for one in confirmed if not one.claim.fails]
    pieces = tuple(
        (strength, Finding(kind=strength.value, text=one.text, start=one.start, end=one.end))
        for one in held
        if bears(one)
    )
    ran = any(one.kind in RUN_KINDS for one in held)
    clean = len(held) == len(confirmed) and all(one.state is not ClaimState.CONTRADICTED for one in claims)
    contradictions = () if ran and clean else evidence.contradictions
    return replace(evidence, pieces=pieces + evidence.pieces, contradictions=contradictions)


def figures(*, approved: bool, evidence: Evidence | None = None) -> tuple[Figure, ...]:
    """Whether a draft approves, and the strength of evidence that holds: 0 none, 1 word, 2 named check, 3 concrete,
    4 confirmed."""
    if evidence is None:
        return (Figure(name="approval", value=approved),)
    strengths = () if evidence.contradictions else (ORDER.index(strength) + 1 for strength, _ in evidence.pieces)
    return (Figure(name="approval", value=approved), Figure(name="evidence", value=max(strengths, default=0)))


def approval(reading: Reading, span: Span) -> Finding:
    """An approval as a span of the original text."""
    start, end = reading.plain.original_span(*span)
    return Finding(kind="approval", text=reading.plain.original[start:end], start=start, end=end)
