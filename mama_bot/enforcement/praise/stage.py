"""ResponseValidator: a reply may praise, fill and confirm only so much."""

from collections.abc import Sequence
from dataclasses import replace

from mama_bot.config import ResponseValidatorSettings
from mama_bot.enforcement.case import Case
from mama_bot.enforcement.praise.acts import EMPTY, Act, act_of, has_overlap, is_only_content
from mama_bot.enforcement.praise.for_agents import words_for_agents
from mama_bot.enforcement.praise.learned import praises_throughout
from mama_bot.enforcement.praise.sentences import (
    BANNER,
    FEEDBACK,
    REASON,
    THROUGHOUT,
    THROUGHOUT_BANNER,
    THROUGHOUT_FEEDBACK,
)
from mama_bot.enforcement.praise.shares import Shares, shares
from mama_bot.enforcement.stage_lexicon import lexicon
from mama_bot.model import Allow, Block, Decision, Evidence, Figure, FigureName, Finding
from mama_bot.text.lexicon import Kind, Lexicon, Words
from mama_bot.text.patterns import compiled_at_once
from mama_bot.text.sentences import Reading, Sentence
from mama_bot.wording import one_line

QUOTES = 3
QUOTE_CHARACTERS = 80


class ResponseValidator:
    """Blocks a draft whose share of praise, filler and empty confirmation is above the threshold of its audience.

    Raises ConfigurationError when a configured expression is no RE2.
    """

    name = "response_validator"

    def __init__(self, *, settings: ResponseValidatorSettings, words: Words = ()) -> None:
        self._settings = settings
        own = ((Kind.ADMIRATION.value, settings.praise), (Kind.TECHNICAL.value, settings.whitelist))
        self._lexicon = lexicon((*words, *own))
        self._allowed = [compiled_at_once(entry, groups=False) for entry in settings.whitelist]

    async def judge(self, case: Case) -> Decision:
        """Measure the draft in sentences; exactly at the threshold passes."""
        return await case.aside(lambda: self._decision(case))

    def _decision(self, case: Case) -> Decision:
        measured = self._measured(case)
        evidence = Evidence(
            findings=_findings(case, measured),
            figures=(
                Figure(name=FigureName.PROSE_CHARACTERS, value=measured.prose),
                Figure(name=FigureName.EMPTY_CHARACTERS, value=measured.empty),
            ),
            for_agents=self._for_agents(case, measured),
        )
        to_agent = case.turn.agent_to_agent
        threshold = self._settings.agent_threshold if to_agent else self._settings.person_threshold
        if measured.empty_share <= threshold:
            return self._by_its_words(case, measured) or Allow(evidence=evidence)
        share, allowed = f"{measured.empty_share:.0%}", f"{threshold:.0%}"
        return Block(
            rule="praise_share",
            reason=REASON.to(case.language, share=share, threshold=allowed),
            feedback=FEEDBACK.to(case.language, share=share, threshold=allowed, quotes=quoted(evidence.findings)),
            banner=BANNER.to(case.language, share=share),
            evidence=evidence,
        )

    def _by_its_words(self, case: Case, measured: Shares) -> Block | None:
        """Block what was learned to be praise, but neither beside work nor what the review gate judges.

        To a person a share of it is allowed: there only where the lists see none. Where a phrase is allowed by name,
        the lists alone speak.
        """
        has_done = bool(case.draft.record.runs or case.approvals)
        if not self._settings.learned or has_done or (measured.empty and not case.turn.agent_to_agent):
            return None
        if any(entry.search(case.reading.plain.text) is not None for entry in self._allowed):
            return None
        if not praises_throughout(case.own_words.draft.text):
            return None
        return Block(
            rule="praise_throughout",
            reason=THROUGHOUT.to(case.language),
            feedback=THROUGHOUT_FEEDBACK.to(case.language),
            banner=THROUGHOUT_BANNER.to(case.language),
        )

    def _measured(self, case: Case) -> Shares:
        measured = shares(case.reading, self._lexicon)
        if measured.empty_sentences and case.approvals:
            measured = without_approvals(measured, case, self._lexicon)
        return measured

    def _for_agents(self, case: Case, measured: Shares) -> str | None:
        """Return what other agents read of a draft; None for all of it: it would pass between agents too."""
        if measured.empty_share <= self._settings.agent_threshold:
            return None

        def again(text: str) -> Sequence[Finding]:
            rest = replace(case, draft=replace(case.draft, text=text))
            left = self._measured(rest)
            return () if left.empty_share <= self._settings.agent_threshold else self._left_out_first(rest, left)

        return words_for_agents(case.draft.text, self._left_out_first(case, measured), again)

    def _left_out_first(self, case: Case, measured: Shares) -> Sequence[Finding]:
        """Return the sentences that say nothing wherever they stand; where there are none, those that do so here.

        "Do not touch main" among praise counts as filler, and is the one thing that has to be handed on.
        """
        anywhere = [(sentence, act) for sentence, act in measured.empty_sentences if self._is_empty(sentence)]
        return _findings(case, replace(measured, empty_sentences=tuple(anywhere)) if anywhere else measured)

    def _is_empty(self, sentence: Sentence) -> bool:
        return act_of(sentence.text, self._lexicon) in EMPTY


def _findings(case: Case, measured: Shares) -> tuple[Finding, ...]:
    return tuple(empty_finding(case.reading, sentence, act) for sentence, act in measured.empty_sentences)


def without_approvals(measured: Shares, case: Case, lexicon: Lexicon) -> Shares:
    """Return the shares of a draft that approves, without its approvals and mere content: the review gate has them."""
    kept = tuple(
        (sentence, act)
        for sentence, act in measured.empty_sentences
        if not is_only_content(
            sentence.text, lexicon, approves=has_overlap((sentence.start, sentence.end), case.approvals)
        )
    )
    if kept == measured.empty_sentences:
        return measured
    left_out = sum([sentence.characters for sentence, _ in measured.empty_sentences])
    left_out -= sum([sentence.characters for sentence, _ in kept])
    return replace(measured, empty=max(0, measured.empty - left_out), empty_sentences=kept)


def empty_finding(reading: Reading, sentence: Sentence, act: Act) -> Finding:
    """Return a sentence as a span of the original text."""
    start, end = reading.plain.original_span(sentence.start, sentence.end)
    return Finding(kind=act.value, text=reading.plain.original[start:end], start=start, end=end)


def quoted(findings: tuple[Finding, ...]) -> str:
    """Return the first findings, each on one line and bounded: `"Great!", "Well done!" (+2)`."""
    flat = (one_line(finding.text) for finding in findings[:QUOTES])
    shown = [f'"{text[:QUOTE_CHARACTERS]}{"…" if len(text) > QUOTE_CHARACTERS else ""}"' for text in flat]
    more = f" (+{len(findings) - QUOTES})" if len(findings) > QUOTES else ""
    return ", ".join(shown) + more
