"""ReviewGate: an approval needs evidence."""

from collections.abc import Sequence
from dataclasses import replace

from mama_bot.config import EvidenceStrength, ReviewGateSettings
from mama_bot.enforcement.approval.approvals import Span
from mama_bot.enforcement.approval.approver_looks import has_seen, rests_on_own_run, unread_files
from mama_bot.enforcement.approval.evidence import ORDER, Grounds
from mama_bot.enforcement.approval.sentences import (
    AND_MORE,
    BANNER,
    CONTRADICTED,
    EXPLAIN,
    LOOK_YOURSELF,
    MISSING,
    READ_THEM,
    SHOW_EVIDENCE,
    UNREAD,
    UNSEEN,
)
from mama_bot.enforcement.approval.verdicts import AROUND
from mama_bot.enforcement.case import Case
from mama_bot.enforcement.whitelisted_phrases import wordings
from mama_bot.model import (
    Allow,
    Block,
    CheckedClaim,
    Claim,
    ClaimKind,
    ClaimState,
    Decision,
    Evidence,
    Figure,
    FigureName,
    Finding,
    Grade,
    TurnKind,
)
from mama_bot.text.lexicon import Words
from mama_bot.text.patterns import alternation
from mama_bot.text.sentences import Reading
from mama_bot.wording import Language, Said, quotable

QUOTE_CHARACTERS = 80
LONGEST_REQUEST = 20_000
MOST_NAMES = 10


class ReviewGate:
    """Blocks a draft that asserts approval without evidence of the least strength, or against its own evidence.

    CONFIRMED is what the record of the agent's own tool calls bears out; of a review also that it was shown every file
    that was changed. Of an agent that reports no calls a named check is asked for in its place. What the record does
    not show, or contradicts, is the matter of the stage that checks claims. A submitted approval is one without words.
    A sentence or line that an entry of the whitelist (an RE2 expression) matches as a whole is no approval.
    The text is never changed; with the retries spent, the settings say what becomes of the draft.
    """

    name = "review_gate"

    def __init__(self, *, settings: ReviewGateSettings, words: Words = ()) -> None:
        self._settings = settings
        self._words = words
        self._whitelist = alternation(settings.whitelist)

    async def judge(self, case: Case) -> Decision:
        """Find an approval, then what it leans on."""
        return await case.aside(lambda: self._decision(case))

    def _decision(self, case: Case) -> Decision:
        spans = [span for span in case.approvals if not self._is_listed(case.reading.plain.text, span)]
        if not case.submits_approval and (not spans or is_answer_asked_for(case)):
            return Allow(evidence=Evidence(figures=(Figure(name=FigureName.APPROVAL, value=False),)))
        grounds = with_record(case.grounds, case.own_claims, checked=bool(case.service_checks))
        least = self._settings.least_evidence
        recorded = least is EvidenceStrength.CONFIRMED and case.own_facts.recorded
        confirmed = recorded and is_confirmed(case, grounds)
        own_run = confirmed and not case.service_checks and rests_on_own_run(case.own_facts)
        approvals = dict.fromkeys(approval(case.reading, span) for span in spans)
        # What was declared is no span of the text.
        written = tuple(finding for finding in (*approvals, *grounds.findings) if finding.end)
        evidence = Evidence(findings=written, figures=approval_figures(grounds, confirmed, own_run=own_run))
        if grounds.contradictions:
            return contradicted(case, grounds, evidence)
        if not recorded:
            # Who reports no calls can confirm nothing; what it names is all there is.
            least = EvidenceStrength.NAMED_CHECK if least is EvidenceStrength.CONFIRMED else least
            return Allow(evidence=evidence) if grounds.at_least(least) else without_evidence(case, evidence)
        if not case.submits_approval and not grounds.pieces:
            return without_evidence(case, evidence)
        if unread := unread_files(case.turn.under_review, case.own_facts):
            return not_read(case, unread, evidence)
        if confirmed:
            return Allow(evidence=evidence)
        return without_evidence(case, evidence) if has_seen(case.own_facts) else not_seen(case, evidence)

    def _is_listed(self, text: str, span: Span) -> bool:
        return bool(self._settings.whitelist) and any(
            self._whitelist.fullmatch(wording) is not None for wording in wordings(text, span, self._words)
        )


def is_answer_asked_for(case: Case) -> bool:
    """Return whether a draft outside a review is one word that its author was asked for, such as `PASS` or `OK`."""
    answer = case.draft.text.strip(AROUND)
    if case.turn.kind is TurnKind.REVIEW or not answer.isalpha():
        return False
    return answer in {word.strip(AROUND) for word in case.turn.prompt[:LONGEST_REQUEST].replace("/", " ").split()}


def is_confirmed(case: Case, grounds: Grounds) -> bool:
    """Return whether the record bears an approval out: a claim of it, or what its author has seen and names.

    Who was shown every changed file need not name a check. Where the service ran checks of the work, they are what
    counts, and no run by an agent.
    """
    if grounds.at_least(EvidenceStrength.CONFIRMED):
        return True
    read_all = bool(case.turn.under_review) and not unread_files(case.turn.under_review, case.own_facts)
    named = grounds.at_least(EvidenceStrength.WORD if read_all else EvidenceStrength.NAMED_CHECK)
    if case.service_checks:
        return (case.submits_approval or named) and all(check.ok for check in case.service_checks)
    return (case.submits_approval or named) and (read_all or has_seen(case.own_facts))


def without_evidence(case: Case, evidence: Evidence) -> Block:
    """Return that nothing bears an approval out."""
    return _refused("approval_without_evidence", MISSING, SHOW_EVIDENCE, case.language, evidence)


def not_seen(case: Case, evidence: Evidence) -> Block:
    """Return that its author has looked at nothing."""
    return _refused("approval_unseen", UNSEEN, LOOK_YOURSELF, case.language, evidence)


def not_read(case: Case, unread: Sequence[str], evidence: Evidence) -> Block:
    """Return that its author was not shown some of the changed files."""
    language = case.language
    files = ", ".join(f"`{quotable(name, QUOTE_CHARACTERS)}`" for name in unread[:MOST_NAMES])
    if len(unread) > MOST_NAMES:
        files = AND_MORE.to(language, names=files, count=len(unread) - MOST_NAMES)
    return _refused("approval_unread", UNREAD.of(files=files), READ_THEM.of(files=files), language, evidence)


def _refused(rule: str, reason: Said, feedback: Said, language: Language, evidence: Evidence) -> Block:
    return Block(
        rule=rule,
        reason=reason.to(language),
        feedback=feedback.to(language),
        banner=BANNER.to(language),
        evidence=evidence,
    )


def contradicted(case: Case, grounds: Grounds, evidence: Evidence) -> Block:
    """Return that the draft itself speaks against its approval."""
    language, banner = case.language, BANNER.to(case.language)
    quote = " ".join(grounds.contradictions[0].text.split())[:QUOTE_CHARACTERS]
    return Block(
        rule="approval_contradicted",
        reason=CONTRADICTED.to(language, quote=quote),
        feedback=EXPLAIN.to(language, quote=quote),
        banner=banner,
        evidence=evidence,
    )


# What was run, and not only read.
RUN_KINDS = frozenset(
    (ClaimKind.TESTS, ClaimKind.BUILD, ClaimKind.TYPES, ClaimKind.LINT, ClaimKind.BENCHMARK, ClaimKind.REPRODUCED)
)


def bears(claim: Claim) -> bool:
    """Return whether a claim that holds bears an approval out: a check that ran, or files looked at by name."""
    if claim.kind in RUN_KINDS or claim.kind is ClaimKind.FORMAT:
        return True
    return claim.kind is ClaimKind.CHECKED and Case.names_files(claim)


def is_proof(checked_claim: CheckedClaim, *, checked: bool) -> bool:
    """Return whether what a claim rests on proves it: a run by the service where it has `checked` the work itself, and
    none by a runner that the same exchange wrote."""
    ran_by = checked_claim.grade
    if checked and ran_by is not None:
        return ran_by is Grade.SERVICE
    return ran_by is not Grade.OWN_RUNNER


def with_record(grounds: Grounds, checked_claims: Sequence[CheckedClaim], *, checked: bool = False) -> Grounds:
    """Return the grounds with what the record of the agent's own calls confirms, or the service where it `checked`.

    Where a check really ran and none is against the approval, an open word about what was not run takes nothing away.
    """
    strength = EvidenceStrength.CONFIRMED
    confirmed = [claim for claim in checked_claims if claim.state is ClaimState.CONFIRMED]
    proofs = [claim for claim in confirmed if is_proof(claim, checked=checked)]
    held = [claim.claim for claim in proofs if not claim.claim.fails]
    pieces = tuple(
        (strength, Finding(kind=strength.value, text=claim.text, start=claim.start, end=claim.end))
        for claim in held
        if bears(claim)
    )
    ran = any(claim.kind in RUN_KINDS for claim in held)
    contradicted = any(claim.state is ClaimState.CONTRADICTED for claim in checked_claims)
    clean = len(held) == len(proofs) and not contradicted
    contradictions = () if ran and clean else grounds.contradictions
    return replace(grounds, pieces=pieces + grounds.pieces, contradictions=contradictions)


def approval_figures(grounds: Grounds, confirmed: bool, *, own_run: bool = False) -> tuple[Figure, ...]:
    """Return that a draft approves, the strength of evidence that holds, and whether its own run is all of it.

    0 none, 1 word, 2 named check, 3 concrete, 4 confirmed.
    """
    pieces = [EvidenceStrength.CONFIRMED] if confirmed else [strength for strength, _ in grounds.pieces]
    strengths = [] if grounds.contradictions else [ORDER.index(strength) + 1 for strength in pieces]
    return (
        Figure(name=FigureName.APPROVAL, value=True),
        Figure(name=FigureName.EVIDENCE, value=max(strengths, default=0)),
        *((Figure(name=FigureName.OWN_RUN, value=True),) if own_run else ()),
    )


def approval(reading: Reading, span: Span) -> Finding:
    """Return an approval as a span of the original text."""
    start, end = reading.plain.original_span(*span)
    return Finding(kind="approval", text=reading.plain.original[start:end], start=start, end=end)
