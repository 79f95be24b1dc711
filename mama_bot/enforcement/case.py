"""One draft before the chain: what several stages read in it, each read once."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from mama_bot.config import EvidenceStrength
from mama_bot.enforcement.approval.approvals import Span, approvals
from mama_bot.enforcement.approval.evidence import Grounds, grounds_in
from mama_bot.enforcement.approval.learned import consents, hardly_consents, is_bare_approval
from mama_bot.enforcement.claims.admissions import Admissions
from mama_bot.enforcement.claims.comparison import Comparison, compared
from mama_bot.enforcement.claims.declared_claims import declared_claims, declared_failures
from mama_bot.enforcement.claims.exact_comparison import ExactComparison
from mama_bot.enforcement.claims.grades import graded
from mama_bot.enforcement.claims.prose_claims import admissions_in, claims_in
from mama_bot.enforcement.completion.completions import completion
from mama_bot.enforcement.completion.questions import goes_on_with_work, is_asking
from mama_bot.enforcement.completion.statements import says_all_is_done
from mama_bot.enforcement.delegations.requests import without_directives, writes_directive
from mama_bot.enforcement.delegations.team_rules import Delegations, delegations_in
from mama_bot.enforcement.stage_lexicon import lexicon
from mama_bot.facts import enquiry_of, facts_of_turn, is_looked_up, own_facts, with_standing
from mama_bot.model import (
    NOTHING_KNOWN,
    AgentPersona,
    CheckedClaim,
    Claim,
    ClaimKind,
    ClaimState,
    DeclaredVerdict,
    Delegation,
    DelegationForm,
    Draft,
    Enquiry,
    Facts,
    HostCheck,
    Standing,
    ToolRun,
    Turn,
    TurnKind,
)
from mama_bot.text.lexicon import Lexicon
from mama_bot.text.once import Once
from mama_bot.text.paths import file_names
from mama_bot.text.sentences import Reading, reading_of
from mama_bot.tool_policy.readers import only_looks
from mama_bot.wording import Language

SHORT_CHARACTERS = 400
# A dense draft of so many characters, or the facts of so many calls, take one or two milliseconds.
LONG_CHARACTERS, LONG_RECORD = 500, 200
T = TypeVar("T")
FATES = frozenset((ClaimKind.CREATED, ClaimKind.CHANGED, ClaimKind.DELETED))
READ = frozenset(("reading", "asserted", "recorded", "enquiry"))  # what does not depend on how the workspace stands


@dataclass(frozen=True, eq=False)
class Case:
    """A draft of a turn with what several stages ask about it; nothing is read before somebody asks, or twice.

    `team` are the personas by name; without it nobody knows to whom a draft may delegate. `service_checks` are those
    that the service itself ran for this draft.
    """

    draft: Draft
    turn: Turn
    lexicon: Lexicon = field(default_factory=lexicon)
    team: Mapping[str, AgentPersona] | None = None
    standing: Standing = NOTHING_KNOWN
    service_checks: tuple[HostCheck, ...] = ()

    async def aside(self, work: Callable[[], T]) -> T:
        """Return what some reading of the draft returns; where it may take long, it is done beside the event loop."""
        return await asyncio.to_thread(work) if self._is_long else work()

    @Once
    def _is_long(self) -> bool:
        return len(self.draft.text) > LONG_CHARACTERS or len(self.draft.record.runs) > LONG_RECORD

    @Once
    def reading(self) -> Reading:
        """Return the sentences of the draft."""
        return reading_of(self.draft.text)

    @Once
    def language(self) -> Language:
        """Return the language of the draft's prose: code and quotes do not count."""
        return self.reading.language

    @Once
    def approvals(self) -> tuple[Span, ...]:
        """Return where the draft approves, as spans of the plain text of its reading."""
        text, is_review = self.draft.text, self.turn.kind is TurnKind.REVIEW
        spans = approvals(self.reading, self.lexicon, reviewer=is_review)
        if spans:
            return () if hardly_consents(text) else tuple(spans)
        declaration = self.draft.declaration
        if not is_review or (declaration is not None and declaration.verdict):
            return ()
        # In words that no list has: only where nothing else is said, since who tells what was seen may not approve.
        return ((0, len(self.reading.plain.text)),) if consents(text) and is_bare_approval(text) else ()

    @property
    def approves(self) -> bool:
        """Return whether the draft approves, in its words or by what the agent submitted."""
        return self.submits_approval or bool(self.approvals)

    @property
    def submits_approval(self) -> bool:
        """Return whether the agent submitted an approval."""
        declaration = self.draft.declaration
        return declaration is not None and declaration.verdict is DeclaredVerdict.APPROVE

    @Once
    def grounds(self) -> Grounds:
        """Return what the draft itself offers as evidence, and what takes it away."""
        grounds = grounds_in(self.reading.plain, self.lexicon)
        if grounds.at_least(EvidenceStrength.NAMED_CHECK) or not self.approvals or is_bare_approval(self.draft.text):
            return grounds
        return grounds.with_whole(self.draft.text)

    @Once
    def recorded(self) -> Facts:
        """Return what the records show of the work, with the calls of others whose results the turn reports."""
        return facts_of_turn(self.draft.record, self.turn)

    @Once
    def facts(self) -> Facts:
        """Return the same with what the disk and git say of it, where they were asked."""
        return self.recorded if self.standing is NOTHING_KNOWN else with_standing(self.recorded, self.standing)

    @Once
    def enquiry(self) -> Enquiry:
        """Return what the disk and git can say of the draft's claims; nothing where nobody reports its calls."""
        claims = (*self.asserted, *self.declared)
        if not self.draft.record.complete or not any(is_looked_up(claim) for claim in claims):
            return Enquiry()
        return enquiry_of(claims, self.recorded, agent=self.turn.persona)

    def standing_so(self, standing: Standing) -> "Case":
        """Return the case with how the workspace stands; what was read is not read again."""
        case = replace(self, standing=standing)
        vars(case).update({name: value for name, value in vars(self).items() if name in READ})
        return case

    def checked_so(self, checks: tuple[HostCheck, ...]) -> "Case":
        """Return the case with what the service's own checks say; what was read is not read again."""
        if not checks:
            return self
        case = replace(self, service_checks=checks)
        vars(case).update({name: value for name, value in vars(self).items() if name in READ})
        return case

    @Once
    def own_facts(self) -> Facts:
        """Return what the persona's own calls show: only these bear an approval out."""
        turn = self.turn
        earlier = None if turn.earlier is None else own_facts(turn.earlier, turn.persona)
        if not turn.told and earlier == turn.earlier:
            return self.facts
        return with_standing(self._facts((), earlier), self.standing)

    def _facts(self, told: Sequence[ToolRun], earlier: Facts | None) -> Facts:
        return facts_of_turn(self.draft.record, replace(self.turn, told=tuple(told), earlier=earlier))

    @Once
    def asserted(self) -> tuple[Claim, ...]:
        """Return what the draft claims in its words."""
        return claims_in(self.reading)

    @Once
    def declared(self) -> tuple[Claim, ...]:
        """Return what the agent declared."""
        return declared_claims(self.draft.declaration)

    @Once
    def claims(self) -> tuple[CheckedClaim, ...]:
        """Return what the facts show of each claim; nothing for a record that is not complete."""
        return self._compared(self.facts)

    @Once
    def own_claims(self) -> tuple[CheckedClaim, ...]:
        """Return the same by the persona's own calls alone."""
        return self.claims if self.own_facts is self.facts else self._compared(self.own_facts)

    def _compared(self, facts: Facts) -> tuple[CheckedClaim, ...]:
        if not facts.recorded or not (self.asserted or self.declared):
            return ()
        admissions = admissions_in(self.reading)
        told = compared(self.asserted, Comparison(facts, admissions=admissions, language=self.language))
        # Where a kind was declared its words only betray: what they leave open is answered.
        covered = frozenset(map(_subject, self.declared))
        betraying = (
            checked
            for checked in told
            if checked.state is not ClaimState.UNSUPPORTED or _subject(checked.claim) not in covered
        )
        claims = (*self._declared(facts, admissions), *betraying)
        return tuple(graded(checked, facts, self.service_checks, self.language) for checked in claims)

    def _declared(self, facts: Facts, admissions: Admissions) -> Iterator[CheckedClaim]:
        for claim in self.declared:
            failures = declared_failures(self.draft.declaration, claim.kind)
            known = Admissions(plain=admissions.plain or failures.plain, figures=admissions.figures | failures.figures)
            yield ExactComparison(facts, admissions=known, language=self.language).of(claim)

    @Once
    def delegations(self) -> Delegations:
        """Return what the draft asks of others; nothing without a team, or from a persona that left it."""
        sender = None if self.team is None else self.team.get(self.turn.persona)
        if self.team is None or sender is None:
            return Delegations()
        delegations = delegations_in(
            self.draft.text,
            sender=sender,
            asker=self.turn.asker,
            team=self.team,
            language=self.language,
            asked_for=self.turn.asked_for,
        )
        requested = (replace(asked, goes_on=goes_on_with_work(asked)) for asked in delegations.requested)
        return replace(delegations, requested=tuple(requested))

    def lacks_outcome(self, delegation: Delegation) -> bool:
        """Return whether a delegation asks for work, and does not say what is to come of it.

        A mention is a sentence, a question is answered, a named file or limit says what is meant, and who only looks
        leaves nothing behind.
        """
        if delegation.expected_outcome.strip() or delegation.form is DelegationForm.MENTION:
            return False
        if delegation.must_not_do.strip() or file_names(delegation.task):
            return False
        recipient = (self.team or {}).get(delegation.recipient)
        if recipient is None or only_looks(recipient):
            return False
        return not goes_on_with_work(delegation) and not is_asking(delegation.task)

    @Once
    def hands_on(self) -> bool:
        """Return whether the draft hands work on; without a team, whether it holds the sign of a directive."""
        return writes_directive(self.draft.text) if self.team is None else bool(self.delegations.requested)

    @Once
    def is_asking(self) -> bool:
        """Return whether the draft asks somebody something before it goes on."""
        return is_asking(self.draft.text)

    @Once
    def says_done(self) -> bool:
        """Return whether the draft calls anything done."""
        return completion(self.draft.text).claimed

    @Once
    def says_all_done(self) -> bool:
        """Return whether the draft calls its whole task done."""
        return says_all_is_done(self.draft.text)

    @property
    def is_short(self) -> bool:
        """Return whether the draft says little more than how it stands, and explains nothing."""
        return self.reading.characters <= SHORT_CHARACTERS

    @Once
    def own_words(self) -> "Case":
        """Return the case without what the draft hands on by directives: that is for another to reach."""
        text = without_directives(self.draft.text)
        return self if text == self.draft.text else replace(self, draft=replace(self.draft, text=text))

    @staticmethod
    def names_files(claim: Claim) -> bool:
        """Return whether a claim names the files that it is about."""
        return bool(claim.files)


def _subject(claim: Claim) -> ClaimKind:
    """Return what a claim is about: what became of files is one subject."""
    return ClaimKind.CHANGED if claim.kind in FATES else claim.kind
