"""Checks with how they came out: "45 tests pass", "lint: clean", "301/301", "타입 검사도 이상 없습니다"."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from mama_bot.enforcement.claims.assertions import Assertion
from mama_bot.enforcement.claims.clauses import Clause
from mama_bot.enforcement.claims.tokens import SIGNS, TICKS, SentenceToken, is_of
from mama_bot.enforcement.claims.vocabulary import Term, Vocabulary
from mama_bot.model import NO_COUNTS, ClaimKind, Counts, words

# A negation stands this far before what it denies, and "없음" behind it.
NEAR, NEAREST = 4, 2
FARTHEST_FIGURE = 6
# Endings of 통과 with which it describes: 통과한, 통과하는, 통과율.
DESCRIBING = ("한", "하는", "할", "율", "률", "여부", "적", "되는", "될", "된", "기 ", "하기", "시키")
THAT = ("것", "걸", "거", "뒤", "후", "상태")
COUNTERS = ("개", "건", "가지", "가", "이", "는", "은", "도", "의", "를", "을", "에", "다", "입니다", "항목")
BETWEEN = frozenset(words("of are is were was now still have has all the : = unit integration regression end-to-end"))
WAS = frozenset(words("was were been"))
ADJECTIVES = frozenset(words("green clean fine happy satisfied successful ok okay good red broken"))
EQUALS = frozenset((":", "=", "("))
OUTCOME_TERMS = (Term.PASSES, Term.FAILS, Term.TROUBLE, Term.SKIPS, Term.NEGATORS, Term.NUMBERS)


@dataclass(slots=True)
class _Figures:
    """The figures of a result, as they are read."""

    passed: int | None = None
    failed: int | None = None
    skipped: int | None = None
    total: int | None = None

    @property
    def counts(self) -> Counts:
        return Counts(passed=self.passed, failed=self.failed, skipped=self.skipped)

    def is_empty(self) -> bool:
        return self.counts == NO_COUNTS and self.total is None


@dataclass(slots=True)
class Subject:
    """What a sentence speaks of since its checks were last named, and what it told of them."""

    kinds: dict[ClaimKind, str] = field(default_factory=dict)
    start: int | None = None
    generic: bool = False
    whole: bool = False
    part: bool = False
    told: bool = False
    number: int | None = None  # of "10 tests, no failures"


class OutcomeReader:
    """Reads the outcomes of a sentence, clause by clause; the checks that one names are the subject of the next too."""

    def __init__(self, words: Vocabulary, *, is_row: bool) -> None:
        self._words = words
        self._is_row = is_row
        self._subject = Subject()
        self._waiting: tuple[int, bool] | None = None
        self._plain = True
        self._closed = False  # the clause before said something else of its subject: "`go vet` is silent and …"
        self._used = 0  # up to where figures are told
        self._pair: tuple[int, int] | None = None  # 43/45, before it is said of what

    def read(self, clause: Clause, *, plain: bool) -> list[Assertion]:
        """Return what a clause asserts of checks; what it names stays for the next one."""
        self._plain = plain
        tokens = clause.tokens
        if clause.opening not in ("(", ":", "", "=", "|"):
            self._waiting = None
        asserted: list[Assertion] = []
        for place, token in enumerate(tokens):
            kind = token.check(self._words)
            if kind is not None and not self._is_verb(tokens, place):
                number = self._whole_number(tokens[place - 1]) if place else None
                asserted += self._name(token, kind, number=number)
                self._subject.part |= self._is_qualified(tokens, place)
            elif is_of(token, self._words, Term.GENERIC) and not self._subject.kinds:
                asserted += self._name(token, ClaimKind.TESTS, generic=True)
            elif token.ratio is not None or self._is_spelled_ratio(tokens, place):
                asserted += self._ratio(tokens, place)
            else:
                asserted += self._outcome(tokens, place)
            self._note(tokens, place)
        self._scope(tokens, asserted)
        self._closed = not self._subject.told and not self._lists(tokens)
        return asserted if clause.is_real else []

    # --- what it speaks of ------------------------------------------------------------------------------

    def _name(
        self, token: SentenceToken, kind: ClaimKind, *, generic: bool = False, number: int | None = None
    ) -> Iterator[Assertion]:
        if self._subject.told or self._subject.generic or self._closed:
            self._subject = Subject()
        subject = self._subject
        subject.generic = generic
        subject.kinds.setdefault(kind, token.tool)
        subject.kinds[kind] = subject.kinds[kind] or token.tool
        if subject.start is None:
            subject.start = token.start
        if kind is ClaimKind.TESTS and number is not None:
            subject.number = number
        if self._waiting is not None:  # "passes lint", "OK (10 tests)"
            start, fails = self._waiting
            self._waiting = None
            if not fails:
                subject.start = min(start, token.start)
                total = number if kind is ClaimKind.TESTS else None
                yield from self._told(token, _Figures(total=total), fails=False)

    def _lists(self, tokens: Sequence[SentenceToken]) -> bool:
        """Return whether a clause only names: "lint, types and tests pass"."""
        terms = (Term.NEUTRAL, Term.WHOLE, Term.PART, Term.GENERIC)
        return all(
            token.word in SIGNS
            or token.word[0] >= "가"
            or token.code
            or token.value is not None
            or is_of(token, self._words, *terms)
            or token.check(self._words) is not None
            for token in tokens
        )

    def _is_qualified(self, tokens: Sequence[SentenceToken], place: int) -> bool:
        """Return whether a check is of something by name: "the docs-finder tests"."""
        before = tokens[place - 1] if place else None
        if before is None or before.word in SIGNS or before.word[0] >= "가" or before.value is not None:
            return False
        terms = (Term.NEUTRAL, Term.WHOLE, Term.GENERIC, Term.FOLLOWS, *OUTCOME_TERMS)
        known = is_of(before, self._words, *terms) or before.check(self._words) is not None or before.code
        return not known and before.word.isalpha() and before.word not in self._words.deeds

    def _note(self, tokens: Sequence[SentenceToken], place: int) -> None:
        token = tokens[place]
        if is_of(token, self._words, Term.WHOLE):
            self._subject.whole = True
            if self._subject.start is None:
                self._subject.start = token.start
        elif is_of(token, self._words, Term.PART) or (token.code and token.check(self._words) is None):
            self._subject.part = True

    def _scope(self, tokens: Sequence[SentenceToken], asserted: list[Assertion]) -> None:
        """Widen what is asserted by what stands behind it: "clean across the package"."""
        if not asserted:
            return
        end = asserted[-1].end
        behind = [token for token in tokens if token.start >= end]
        if any(is_of(token, self._words, Term.WHOLE) for token in behind):
            asserted[:] = [replace(assertion, whole=not assertion.part) for assertion in asserted]

    def _is_verb(self, tokens: Sequence[SentenceToken], place: int) -> bool:
        """Return whether the word of a check is the verb of an outcome: "it compiles"."""
        return tokens[place].word in ("compiles", "builds") and place > 0 and not tokens[place - 1].word[0].isdigit()

    # --- how it came out --------------------------------------------------------------------------------

    def _outcome(self, tokens: Sequence[SentenceToken], place: int) -> Iterator[Assertion]:
        token = tokens[place]
        if token.word in ("compiles", "builds"):
            self._subject.kinds.setdefault(ClaimKind.BUILD, "")
            yield from self._told(token, _Figures(), fails=False)
            return
        if self._is_skip(token):
            yield from self._skipped(tokens, place)
            return
        fails = self._fails(tokens, place)
        if fails is None:
            return
        if not self._may_follow(tokens, place):
            return
        figures = _Figures()
        number = self._figure(tokens, place)
        if fails:
            figures.failed = number
            if number is None and tokens[max(0, place - NEAREST) : place] and self._was(tokens, place):
                return
        elif self._is_success_word(token):
            figures = self._of_pair(tokens)
            if figures.is_empty():
                figures.passed = number
        if figures.is_empty() and ClaimKind.TESTS in self._subject.kinds and not self._subject.told:
            figures.total = self._subject.number
        if figures.is_empty() and not self._subject.kinds:
            self._waiting = (token.start, fails)
            return
        if self._subject.told and figures.is_empty():
            return
        yield from self._told(token, figures, fails=fails)

    def _fails(self, tokens: Sequence[SentenceToken], place: int) -> bool | None:
        """Return whether a token tells a failure, False for a success, None for neither."""
        token, listed = tokens[place], self._words
        if is_of(token, listed, Term.TROUBLE, Term.KO_TROUBLE):
            return self._trouble(tokens, place)
        if is_of(token, listed, Term.FAILS, Term.KO_FAILS):
            return not self._denied(tokens, place)
        if token.stem in listed[Term.KO_PASSES]:
            describes = token.ending.startswith(DESCRIBING)
            that = place + 1 < len(tokens) and tokens[place + 1].word.startswith(THAT)
            return None if describes and not that else False
        if token.stem not in listed[Term.PASSES]:
            return None
        if token.word in TICKS and not self._stands_alone(tokens, place):
            return None
        return False

    def _trouble(self, tokens: Sequence[SentenceToken], place: int) -> bool | None:
        """Return whether troubles are told (True), or that there are none (False)."""
        if self._denied(tokens, place):
            return False
        number = self._figure(tokens, place)
        if number is None:
            return True if tokens[place].stem in self._words[Term.KO_FAILS] and tokens[place].is_past else None
        return number > 0

    def _denied(self, tokens: Sequence[SentenceToken], place: int) -> bool:
        """Return whether it is denied: "no errors", "0 failed", "오류 없음", "경고 0건"."""
        before = tokens[max(0, place - NEAR) : place]
        if any(is_of(token, self._words, Term.NEGATORS) or token.word == "0" for token in before):
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

    def _is_success_word(self, token: SentenceToken) -> bool:
        return is_of(token, self._words, Term.PASSES, Term.KO_PASSES)

    def _is_skip(self, token: SentenceToken) -> bool:
        return is_of(token, self._words, Term.SKIPS, Term.KO_SKIPS)

    def _was(self, tokens: Sequence[SentenceToken], place: int) -> bool:
        return any(token.word in WAS for token in tokens[max(0, place - NEAREST) : place])

    def _skipped(self, tokens: Sequence[SentenceToken], place: int) -> Iterator[Assertion]:
        """Yield a figure of skipped tests beside a result: "1 skipped", "nothing skipped", "skipped=0"."""
        number = 0 if self._denied(tokens, place) else self._figure(tokens, place)
        if number is None or ClaimKind.TESTS not in self._subject.kinds:
            return
        yield from self._told(tokens[place], _Figures(skipped=number), fails=False, only=ClaimKind.TESTS)

    def _figure(self, tokens: Sequence[SentenceToken], place: int) -> int | None:
        """Return the figure of an outcome: "45 passed", "45 unit tests pass", "failures=3", "통과 45"."""
        for token in reversed(tokens[max(0, place - FARTHEST_FIGURE) : place]):
            if token.start < self._used:
                break
            number = self._whole_number(token)
            if number is not None:
                return number
            if not self._may_stand_between(token):
                break
        behind = tokens[place + 1 : place + 1 + NEAREST]
        if behind and (behind[0].word in EQUALS or tokens[place].word[0] >= "가"):
            number = next((n for token in behind if (n := self._whole_number(token)) is not None), None)
            last = tokens[place + 1 + NEAREST] if len(tokens) > place + 1 + NEAREST else None
            if last is None or not (self._is_success_word(last) or self._is_skip(last)):
                return number
        return None

    def _whole_number(self, token: SentenceToken) -> int | None:
        if token.word in self._words.numbers:
            return self._words.numbers[token.word]
        value = token.value
        return int(value) if value is not None and value.is_integer() and "." not in token.word else None

    def _may_stand_between(self, token: SentenceToken) -> bool:
        if token.check(self._words) is ClaimKind.TESTS and not token.code:
            return True
        terms = (Term.GENERIC, Term.WHOLE, Term.PART)
        return token.word in BETWEEN or is_of(token, self._words, *terms) or token.word in COUNTERS

    # --- ratios -----------------------------------------------------------------------------------------

    def _is_spelled_ratio(self, tokens: Sequence[SentenceToken], place: int) -> bool:
        """Return whether two figures are one: "12 of 12", "19개 중 18개"."""
        behind = [token for token in tokens[place + 1 : place + 5] if token.word not in ("개", "건", "의", "the")]
        if self._whole_number(tokens[place]) is None or len(behind) <= 1:
            return False
        return (behind[0].word in ("of", "중", "개중") or behind[0].word.startswith("중")) and self._whole_number(
            behind[1]
        ) is not None

    def _ratio(self, tokens: Sequence[SentenceToken], place: int) -> Iterator[Assertion]:
        """Yield the result that a ratio is where its subject are tests: "vitest 7/7", "22 of 22"."""
        end, pair = tokens[place], tokens[place].ratio
        if pair is None:
            others = [other for other in tokens[place + 1 : place + 5] if self._whole_number(other) is not None]
            first, second = self._whole_number(end) or 0, self._whole_number(others[0]) or 0
            korean = any(other.word.startswith("중") for other in tokens[place + 1 : place + 3])
            pair, end = ((second, first) if korean else (first, second)), others[0]
        passed, total = pair
        self._used = end.end
        others = bool(self._subject.kinds) and ClaimKind.TESTS not in self._subject.kinds
        if total == 0 or passed > total or (others and place):  # "the build is 4/4"
            return
        self._pair = pair
        if self._subject.start is None:
            self._subject.start = tokens[place].start
        if passed == total and ClaimKind.TESTS in self._subject.kinds and not self._tells(tokens[place + 1 :]):
            yield from self._told(end, self._of_pair(tokens), fails=False)

    def _tells(self, tokens: Sequence[SentenceToken]) -> bool:
        return any(self._is_success_word(token) or is_of(token, self._words, Term.FAILS) for token in tokens)

    def _of_pair(self, tokens: Sequence[SentenceToken]) -> _Figures:
        """Return the figures of the ratio that stood before; what did not pass failed, unless some were skipped."""
        pair, self._pair = self._pair, None
        if pair is None:
            return _Figures()
        passed, total = pair
        skips = any(self._is_skip(token) for token in tokens)
        return _Figures(passed=passed, total=total, failed=total - passed if passed < total and not skips else None)

    # --- what is asserted -------------------------------------------------------------------------------

    def _told(
        self, token: SentenceToken, figures: _Figures, *, fails: bool, only: ClaimKind | None = None
    ) -> Iterator[Assertion]:
        subject = self._subject
        unnamed = not subject.kinds
        if not figures.is_empty() and not (unnamed or ClaimKind.TESTS in subject.kinds):
            if figures.total is not None:
                subject.kinds[ClaimKind.TESTS] = ""  # "lint, types and 45/45 pass"
            elif figures.counts.skipped is None and token.stem in ("passed", "passing", "통과"):
                subject.kinds = {ClaimKind.TESTS: ""}  # "after formatting 35 passed"
        kinds = subject.kinds or {ClaimKind.TESTS: ""}
        # A figure whose subject is not named may be of anything; "45 passed" are tests.
        part = subject.part or (unnamed and token.word not in ("passed", "passing", "failed"))
        for kind, tool in kinds.items():
            if only is not None and kind is not only:
                continue
            of_tests = kind is ClaimKind.TESTS
            yield Assertion(
                kind=kind,
                start=subject.start if subject.start is not None else token.start,
                end=token.end,
                counts=figures.counts if of_tests else NO_COUNTS,
                total=figures.total if of_tests else None,
                fails=fails or (of_tests and bool(figures.failed)),
                tool=tool,
                whole=subject.whole and not part,
                part=part,
                plain=self._plain and not subject.generic and not unnamed,
            )
        subject.told = True

    def _stands_alone(self, tokens: Sequence[SentenceToken], place: int) -> bool:
        """Return whether a tick tells the outcome of the check right before it: "Tests ✅", "| lint | ✅ |"."""
        before = [token for token in tokens[:place] if token.word not in SIGNS]
        if not before:
            return self._is_row and bool(self._subject.kinds)
        last = before[-1]
        return last.check(self._words) is not None or last.ratio is not None or last.value is not None

    def _may_follow(self, tokens: Sequence[SentenceToken], place: int) -> bool:
        """Return whether what stands after an outcome leaves it one: no "pass rate", no "green field"."""
        token = tokens[place]
        if place + 1 >= len(tokens) or token.word[0] >= "가":
            return True
        behind = tokens[place + 1]
        if behind.word[0] >= "가" or behind.word in SIGNS or behind.value is not None or behind.ratio is not None:
            return True
        if behind.code or is_of(behind, self._words, Term.FOLLOWS, Term.PASSES, Term.TROUBLE):
            return True
        named = behind.check(self._words) is not None
        return named and (token.word not in ADJECTIVES or not self._subject.kinds)


def joined(listed: Sequence[Assertion]) -> list[Assertion]:
    """Return assertions, those of one check in one sentence joined: "45 passed, 2 failed", "tests pass: 45 passed"."""
    together: list[Assertion] = []
    for assertion in listed:
        place = next((n for n, other in enumerate(together) if _is_same(other, assertion)), None)
        if place is None:
            together.append(assertion)
            continue
        other = together[place]
        ours, theirs = other.counts, assertion.counts
        together[place] = replace(
            other,
            end=max(other.end, assertion.end),
            counts=Counts(
                passed=ours.passed if ours.passed is not None else theirs.passed,
                failed=ours.failed if ours.failed is not None else theirs.failed,
                skipped=ours.skipped if ours.skipped is not None else theirs.skipped,
            ),
            total=other.total if other.total is not None else assertion.total,
            fails=other.fails or assertion.fails,
            tool=other.tool or assertion.tool,
            whole=other.whole or assertion.whole,
            part=other.part or assertion.part,
            plain=other.plain or assertion.plain,
        )
    return together


def _is_same(one: Assertion, other: Assertion) -> bool:
    if one.kind is not other.kind:
        return False
    if None not in (one.counts.passed, other.counts.passed) and one.counts.passed != other.counts.passed:
        return False
    return not (one.tool and other.tool and one.tool != other.tool)
