"""ResponseValidator: a reply may praise, fill and confirm only so much."""

from dataclasses import replace

from mama_bot.config import ResponseValidatorSettings
from mama_bot.enforcement.lexicon import lexicon
from mama_bot.enforcement.praise.acts import Act
from mama_bot.enforcement.praise.shares import shares
from mama_bot.model import Allow, Block, Decision, Draft, Figure, Finding, Turn
from mama_bot.text.lexicon import Kind, Words
from mama_bot.text.sentences import Reading, Sentence, read

QUOTES = 3
QUOTE_CHARACTERS = 80


class ResponseValidator:
    """Blocks a draft whose share of praise, filler and empty confirmation is above the threshold of its audience.

    Raises ConfigurationError when a configured expression is no RE2.
    """

    def __init__(self, *, settings: ResponseValidatorSettings, words: Words = ()) -> None:
        self._settings = settings
        own = ((Kind.ADMIRATION.value, settings.praise), (Kind.TECHNICAL.value, settings.whitelist))
        self._lexicon = lexicon((*words, *own))

    @property
    def name(self) -> str:
        """`response_validator`."""
        return "response_validator"

    async def judge(self, draft: Draft, turn: Turn) -> Decision:
        """Measure the draft in sentences; exactly at the threshold passes."""
        reading = read(draft.text)
        measured = shares(reading, self._lexicon)
        share = measured.empty_share
        findings = tuple(finding(reading, sentence, act) for sentence, act in measured.empty_sentences)
        figures = (
            Figure(name="prose_characters", value=measured.prose),
            Figure(name="empty_characters", value=measured.empty),
        )
        threshold = self._settings.agent_threshold if turn.agent_to_agent else self._settings.person_threshold
        if share <= threshold:
            return Allow(findings=findings, figures=figures)
        return replace(self._block(reading, turn, share, threshold, findings), figures=figures)

    def _block(
        self, reading: Reading, turn: Turn, share: float, threshold: float, findings: tuple[Finding, ...]
    ) -> Block:
        to_agent = turn.agent_to_agent
        settings = self._settings
        speak = KOREAN if reading.korean else ENGLISH
        facts = {"share": f"{share:.0%}", "threshold": f"{threshold:.0%}", "quotes": quoted(findings)}
        return Block(
            rule="praise_share",
            reason=speak["reason"].format(**facts),
            feedback=speak["feedback"].format(**facts),
            retries=UNBOUNDED if to_agent else settings.person_retries,
            exhausted=settings.agent_exhausted if to_agent else settings.person_exhausted,
            banner=speak["banner"].format(**facts),
            findings=findings,
        )


UNBOUNDED = 1_000_000  # the chain's own bound holds
ENGLISH = {
    "reason": "{share} of the reply is praise, filler or empty confirmation (allowed: {threshold}).",
    "feedback": "Your reply was rejected: {share} of it is praise, filler or empty confirmation "
    "(at most {threshold} may be). Found: {quotes}. "
    "Restate with results only: what you changed, what you ran, what came out.",
    "banner": "⚠️ Note: {share} of this reply is praise or filler.",
}
KOREAN = {
    "reason": "답변의 {share}가 칭찬, 빈말 또는 빈 확인입니다(허용: {threshold}).",
    "feedback": "답변이 반려되었습니다. {share}가 칭찬, 빈말 또는 빈 확인입니다(최대 {threshold}). "
    "발견된 표현: {quotes}. "
    "결과만 다시 쓰세요: 무엇을 바꿨는지, 무엇을 실행했는지, 어떤 결과가 나왔는지.",
    "banner": "⚠️ 참고: 이 답변의 {share}는 칭찬이나 빈말입니다.",
}


def finding(reading: Reading, sentence: Sentence, act: Act) -> Finding:
    """A sentence as a span of the original text."""
    start, end = reading.plain.original_span(sentence.start, sentence.end)
    return Finding(kind=act.value, text=reading.plain.original[start:end], start=start, end=end)


def quoted(findings: tuple[Finding, ...]) -> str:
    """The first findings, each on one line and bounded."""
    flat = (" ".join(found.text.split()) for found in findings[:QUOTES])
    shown = [f'"{text[:QUOTE_CHARACTERS]}{"…" if len(text) > QUOTE_CHARACTERS else ""}"' for text in flat]
    more = f" (+{len(findings) - QUOTES})" if len(findings) > QUOTES else ""
    return ", ".join(shown) + more
