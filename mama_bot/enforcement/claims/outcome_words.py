"""Words of outcomes as they stand in a sentence: success or failure, whether it is denied, and its figure."""

from collections.abc import Sequence

from mama_bot.enforcement.claims.sentence_tokens import SIGNS, TICKS, SentenceToken, in_lists
from mama_bot.enforcement.claims.vocabulary import Term, Vocabulary
from mama_bot.model import ClaimKind, words

# A negation stands this far before what it denies, and "없음" behind it.
NEAR, NEAREST = 4, 2
FARTHEST_FIGURE = 6
# Endings of 통과 with which it describes: 통과한, 통과하는, 통과율.
DESCRIBING = ("한", "하는", "할", "율", "률", "여부", "적", "되는", "될", "된", "기 ", "하기", "시키")
THAT = ("것", "걸", "거", "뒤", "후", "상태")
COUNTERS = ("개", "건", "가지", "가", "이", "는", "은", "도", "의", "를", "을", "에", "다", "입니다", "항목")
BETWEEN = frozenset(words("of are is were was now still have has all the : = unit integration regression end-to-end"))
SUITES = frozenset(words("suite suites files 스위트 파일"))  # how many files of tests is no figure of tests
WAS = frozenset(words("was were been"))
ADJECTIVES = frozenset(words("green clean fine happy satisfied successful ok okay good red broken"))
DOERS = frozenset(words("i we is are and also then have"))
EQUALS = frozenset((":", "=", "("))


class OutcomeWords:
    """Tells what the words of a sentence say of an outcome.

    `used` is up to where its figures are told already, `has_subject` whether it named what it speaks of.
    """

    def __init__(self, words: Vocabulary, *, is_row: bool) -> None:
        self._words = words
        self._is_row = is_row
        self.used = 0
        self.has_subject = False

    def is_verb(self, tokens: Sequence[SentenceToken], place: int) -> bool:
        """Return whether the word of a check is the verb of an outcome: "it compiles"."""
        return tokens[place].word in ("compiles", "builds") and place > 0 and not tokens[place - 1].word[0].isdigit()

    def is_done(self, tokens: Sequence[SentenceToken], place: int) -> bool:
        """Return whether a participle says what its speaker did, or how it is: "built it", "the bundle is built"."""
        return place == 0 or tokens[place - 1].word in DOERS

    def failure(self, tokens: Sequence[SentenceToken], place: int) -> bool | None:
        """Return whether a token tells a failure, False for a success, None for neither."""
        token, listed = tokens[place], self._words
        if in_lists(token, Term.TROUBLE, Term.KO_TROUBLE):
            return self._trouble(tokens, place)
        if in_lists(token, Term.FAILS, Term.KO_FAILS):
            return not self.is_denied(tokens, place)
        if token.stem in listed[Term.KO_PASSES]:
            describes = token.ending.startswith(DESCRIBING)
            that = place + 1 < len(tokens) and tokens[place + 1].word.startswith(THAT)
            return None if describes and not that else False
        if token.stem not in listed[Term.PASSES]:
            return None
        if token.word in TICKS and not self.stands_alone(tokens, place):
            return None
        return False

    def _trouble(self, tokens: Sequence[SentenceToken], place: int) -> bool | None:
        """Return whether troubles are told (True), or that there are none (False)."""
        if self.is_denied(tokens, place):
            return False
        number = self.figure(tokens, place)
        if number is None:
            told = tokens[place].is_past or self._follows_ratio(tokens, place)
            return True if tokens[place].stem in self._words[Term.KO_FAILS] and told else None
        return number > 0

    def _follows_ratio(self, tokens: Sequence[SentenceToken], place: int) -> bool:
        """Return whether a ratio was read right before: "테스트 8개 중 2개 실패"."""
        before = next((token for token in reversed(tokens[:place]) if token.word not in COUNTERS), None)
        return before is not None and before.end == self.used

    def is_denied(self, tokens: Sequence[SentenceToken], place: int) -> bool:
        """Return whether it is denied: "no errors", "0 failed", "오류 없음", "경고 0건"."""
        before = tokens[max(0, place - NEAR) : place]
        if any(in_lists(token, Term.NEGATORS) or token.word == "0" for token in before):
            return True
        token = tokens[place]
        if "없" in token.word:
            return True
        behind = tokens[place + 1 : place + 1 + NEAREST + 1]
        if token.word[0] >= "가":
            return any(other.word.startswith("없") for other in behind) or self._is_zero(behind)
        return bool(behind) and behind[0].word in EQUALS and self._is_zero(behind)

    def _is_zero(self, tokens: Sequence[SentenceToken]) -> bool:
        return next((token.value == 0 for token in tokens if token.value is not None), False)

    def is_success(self, token: SentenceToken) -> bool:
        """Return whether a token is a word of success."""
        return in_lists(token, Term.PASSES, Term.KO_PASSES)

    def is_skip(self, token: SentenceToken) -> bool:
        """Return whether a token is a word for tests that were left out."""
        return in_lists(token, Term.SKIPS, Term.KO_SKIPS)

    def was(self, tokens: Sequence[SentenceToken], place: int) -> bool:
        """Return whether an outcome is told of the past: "40 tests were red"."""
        return any(token.word in WAS for token in tokens[max(0, place - NEAREST) : place])

    def figure(self, tokens: Sequence[SentenceToken], place: int) -> int | None:
        """Return the figure of an outcome: "45 passed", "45 unit tests pass", "failures=3", "통과 45"."""
        for token in reversed(tokens[max(0, place - FARTHEST_FIGURE) : place]):
            if token.start < self.used:
                break
            number = self.whole_number(token)
            if number is not None:
                named = [other for other in tokens[:place] if other.start < token.start and other.word not in SIGNS]
                return None if named and named[-1].stem in SUITES else number
            if token.stem in SUITES or not self._may_stand_between(token):
                break
        behind = tokens[place + 1 : place + 1 + NEAREST]
        if behind and (behind[0].word in EQUALS or tokens[place].word[0] >= "가"):
            number = next((n for token in behind if (n := self.whole_number(token)) is not None), None)
            last = tokens[place + 1 + NEAREST] if len(tokens) > place + 1 + NEAREST else None
            if last is None or not (self.is_success(last) or self.is_skip(last)):
                return number
        return None

    def whole_number(self, token: SentenceToken) -> int | None:
        """Return the whole number that a token is, in digits or as a word."""
        if token.word in self._words.numbers:
            return self._words.numbers[token.word]
        value = token.value
        return int(value) if value is not None and value.is_integer() and "." not in token.word else None

    def _may_stand_between(self, token: SentenceToken) -> bool:
        if token.kind is ClaimKind.TESTS and not token.code:
            return True
        terms = (Term.GENERIC, Term.WHOLE, Term.PART)
        return token.word in BETWEEN or in_lists(token, *terms) or token.word in COUNTERS

    def is_spelled_ratio(self, tokens: Sequence[SentenceToken], place: int) -> bool:
        """Return whether two figures are one: "12 of 12", "19개 중 18개"."""
        if self.whole_number(tokens[place]) is None:
            return False
        behind = [token for token in tokens[place + 1 : place + 5] if token.word not in ("개", "건", "의", "the")]
        if len(behind) <= 1:
            return False
        return (behind[0].word in ("of", "/", "중", "개중") or behind[0].word.startswith("중")) and self.whole_number(
            behind[1]
        ) is not None

    def tells(self, tokens: Sequence[SentenceToken]) -> bool:
        """Return whether one of some tokens is a word of an outcome."""
        fails, korean = Term.FAILS, self._words[Term.KO_FAILS]
        return any(self.is_success(token) or in_lists(token, fails) or token.stem in korean for token in tokens)

    def may_follow(self, tokens: Sequence[SentenceToken], place: int) -> bool:
        """Return whether what stands after an outcome leaves it one: no "pass rate", no "green field"."""
        token = tokens[place]
        if place + 1 >= len(tokens) or token.word[0] >= "가":
            return True
        behind = tokens[place + 1]
        if behind.word[0] >= "가" or behind.word in SIGNS or behind.value is not None or behind.ratio is not None:
            return True
        if behind.code or in_lists(behind, Term.FOLLOWS, Term.PASSES, Term.TROUBLE):
            return True
        named = behind.kind is not None
        return named and (token.word not in ADJECTIVES or not self.has_subject)

    def stands_alone(self, tokens: Sequence[SentenceToken], place: int) -> bool:
        """Return whether a tick tells the outcome of the check right before it: "Tests ✅", "| lint | ✅ |"."""
        before = [token for token in tokens[:place] if token.word not in SIGNS]
        if not before:
            return self._is_row and self.has_subject
        last = before[-1]
        return last.kind is not None or last.ratio is not None or last.value is not None
