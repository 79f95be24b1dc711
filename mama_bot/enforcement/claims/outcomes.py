"""Checks with how they came out: "45 tests pass", "lint: clean", "301/301", "타입 검사도 이상 없습니다"."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from mama_bot.enforcement.claims.clauses import ClaimClause
from mama_bot.enforcement.claims.outcome_words import OutcomeWords
from mama_bot.enforcement.claims.sentence_tokens import MASKS, SIGNS, SentenceToken, in_lists
from mama_bot.enforcement.claims.vocabulary import Term, Vocabulary
from mama_bot.model import NO_COUNTS, Claim, ClaimKind, Counts

OUTCOME_TERMS = (Term.PASSES, Term.FAILS, Term.TROUBLE, Term.SKIPS, Term.NEGATORS, Term.NUMBERS)
RELEVANT = (
    *(Term.GENERIC, Term.PASSES, Term.FAILS, Term.TROUBLE, Term.SKIPS, Term.WHOLE, Term.PART, Term.NUMBERS),
    *(Term.BUILT, Term.KO_PASSES, Term.KO_FAILS, Term.KO_TROUBLE, Term.KO_SKIPS),
)
# Who says 통과 or "passed" of a figure, says it of tests.
OF_TESTS = frozenset(("passed", "passing", "통과"))


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
        self._reads = OutcomeWords(words, is_row=is_row)
        self._relevant = MASKS[RELEVANT]
        self._subject = Subject()
        self._waiting: tuple[int, bool] | None = None
        self._plain = True
        self._loosely: list[Claim] = []
        self._closed = False  # the clause before said something else of its subject: "`go vet` is silent and …"
        self._counted = False  # how many passed
        self.loose: list[Claim] = []  # success of what nobody knows: "applied cleanly"
        self._pair: tuple[int, int] | None = None  # 43/45, before it is said of what

    def read(self, clause: ClaimClause, *, plain: bool) -> list[Claim]:
        """Return what a clause asserts of checks; what it names stays for the next one."""
        self._plain = plain
        tokens = clause.tokens
        if clause.opening not in ("(", ":", "", "=", "|"):
            self._waiting = None
        asserted: list[Claim] = []
        self._loosely = []
        for place, token in enumerate(tokens):
            kind = token.kind
            if not (token.roles & self._relevant or kind or token.code or token.ratio or token.value is not None):
                continue
            if kind is not None and not self._reads.is_verb(tokens, place):
                number = self._reads.whole_number(tokens[place - 1]) if place else None
                asserted += self._name(token, kind, number=number)
                self._subject.part |= self._is_qualified(tokens, place)
                if in_lists(token, Term.TROUBLE):  # "타입 오류 없음"
                    asserted += self._outcome(tokens, place)
            elif token.is_command and not self._subject.kinds:
                asserted += self._name(token, ClaimKind.RAN)
            elif in_lists(token, Term.GENERIC) and not self._subject.kinds:
                asserted += self._name(token, ClaimKind.TESTS, generic=True)
            elif token.ratio is not None or self._reads.is_spelled_ratio(tokens, place):
                asserted += self._ratio(tokens, place)
            else:
                asserted += self._outcome(tokens, place)
            self._note(tokens, place)
        self._scope(tokens, asserted)
        self._closed = not self._subject.told and not self._lists(tokens)
        if clause.is_real:
            self.loose += self._loosely[:1]
        return asserted if clause.is_real else []

    # --- what it speaks of ------------------------------------------------------------------------------

    def _name(
        self, token: SentenceToken, kind: ClaimKind, *, generic: bool = False, number: int | None = None
    ) -> Iterator[Claim]:
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
            or in_lists(token, *terms)
            or token.kind is not None
            for token in tokens
        )

    def _is_qualified(self, tokens: Sequence[SentenceToken], place: int) -> bool:
        """Return whether a check is of something by name: "the docs-finder tests"."""
        before = tokens[place - 1] if place else None
        if before is None or before.word in SIGNS or before.word[0] >= "가" or before.value is not None:
            return False
        terms = (Term.NEUTRAL, Term.WHOLE, Term.GENERIC, Term.FOLLOWS, *OUTCOME_TERMS)
        known = in_lists(before, *terms) or before.kind is not None or before.code
        return not known and before.word.isalpha() and before.word not in self._words.deeds

    def _note(self, tokens: Sequence[SentenceToken], place: int) -> None:
        token = tokens[place]
        if in_lists(token, Term.WHOLE):
            self._subject.whole = True
            if self._subject.start is None:
                self._subject.start = token.start
        elif in_lists(token, Term.PART) or self._is_place(token):
            self._subject.part = True

    def _is_place(self, token: SentenceToken) -> bool:
        """Return whether a token names what an outcome is of, and not the command that brought it about."""
        return bool(token.code) and token.kind is None and not token.is_command

    def _scope(self, tokens: Sequence[SentenceToken], asserted: list[Claim]) -> None:
        """Widen what is asserted by what stands behind it: "clean across the package"."""
        if not asserted:
            return
        end = asserted[-1].end
        behind = [token for token in tokens if token.start >= end]
        if any(in_lists(token, Term.WHOLE) for token in behind):
            asserted[:] = [replace(assertion, whole=not assertion.part) for assertion in asserted]

    # --- how it came out --------------------------------------------------------------------------------

    def _outcome(self, tokens: Sequence[SentenceToken], place: int) -> Iterator[Claim]:
        token = tokens[place]
        self._reads.has_subject = bool(self._subject.kinds)
        if token.word in ("compiles", "builds") or in_lists(token, Term.BUILT):
            if token.word == "built" and not self._reads.is_done(tokens, place):
                return
            self._subject.kinds.setdefault(ClaimKind.BUILD, "")
            yield from self._told(token, _Figures(), fails=False)
            return
        if self._reads.is_skip(token):
            yield from self._skipped(tokens, place)
            return
        fails = self._reads.failure(tokens, place)
        if fails is None or not self._reads.may_follow(tokens, place):
            return
        figures = self._figures(tokens, place, fails=fails)
        if fails and figures.is_empty() and self._reads.was(tokens, place):
            return
        if figures.is_empty() and not self._subject.kinds:
            self._waiting = (token.start, fails)
            if not fails:
                self._loosely.append(Claim(kind=ClaimKind.RAN, start=token.start, end=token.end, plain=False))
        elif not (self._subject.told and figures.is_empty()):
            yield from self._told(token, figures, fails=fails)

    def _figures(self, tokens: Sequence[SentenceToken], place: int, *, fails: bool) -> _Figures:
        """Return the figures of an outcome."""
        number = self._reads.figure(tokens, place)
        if fails:
            failed, total = self._pair or (number, None)  # "7건 중 1건 실패"
            self._pair = None
            return _Figures(failed=failed, total=total)
        figures = _Figures()
        if self._reads.is_success(tokens[place]):
            figures = self._of_pair(tokens)
            if figures.is_empty():
                figures.passed = number
        if figures.is_empty() and ClaimKind.TESTS in self._subject.kinds and not self._subject.told:
            figures.total = self._subject.number
        return figures

    def _skipped(self, tokens: Sequence[SentenceToken], place: int) -> Iterator[Claim]:
        """Yield a figure of skipped tests beside a result: "1 skipped", "nothing skipped", "skipped=0"."""
        number = 0 if self._reads.is_denied(tokens, place) else self._reads.figure(tokens, place)
        if number is None or not (ClaimKind.TESTS in self._subject.kinds or self._counted):
            return
        yield from self._told(tokens[place], _Figures(skipped=number), fails=False, only=ClaimKind.TESTS)

    # --- ratios -----------------------------------------------------------------------------------------

    def _ratio(self, tokens: Sequence[SentenceToken], place: int) -> Iterator[Claim]:
        """Yield the result that a ratio is where its subject are tests: "vitest 7/7", "22 of 22"."""
        end, pair = tokens[place], tokens[place].ratio
        if pair is None:
            others = [other for other in tokens[place + 1 : place + 5] if self._reads.whole_number(other) is not None]
            first, second = self._reads.whole_number(end) or 0, self._reads.whole_number(others[0]) or 0
            korean = any(other.word.startswith("중") for other in tokens[place + 1 : place + 3])
            pair, end = ((second, first) if korean else (first, second)), others[0]
        passed, total = pair
        self._reads.used = end.end
        is_other = bool(self._subject.kinds) and ClaimKind.TESTS not in self._subject.kinds
        if total == 0 or passed > total or (is_other and place):  # "the build is 4/4"
            return
        self._pair = pair
        if self._subject.start is None:
            self._subject.start = tokens[place].start
        if passed == total and ClaimKind.TESTS in self._subject.kinds and not self._reads.tells(tokens[place + 1 :]):
            yield from self._told(end, self._of_pair(tokens), fails=False)

    def _of_pair(self, tokens: Sequence[SentenceToken]) -> _Figures:
        """Return the figures of the ratio that stood before; what did not pass failed, unless some were skipped."""
        pair, self._pair = self._pair, None
        if pair is None:
            return _Figures()
        passed, total = pair
        skips = any(self._reads.is_skip(token) for token in tokens)
        return _Figures(passed=passed, total=total, failed=total - passed if passed < total and not skips else None)

    # --- what is asserted -------------------------------------------------------------------------------

    def _told(
        self, token: SentenceToken, figures: _Figures, *, fails: bool, only: ClaimKind | None = None
    ) -> Iterator[Claim]:
        subject = self._subject
        unnamed = not subject.kinds
        if not figures.is_empty() and not (unnamed or ClaimKind.TESTS in subject.kinds):
            if figures.total is not None:
                subject.kinds[ClaimKind.TESTS] = ""  # "lint, types and 45/45 pass"
            elif figures.counts.skipped is None and token.stem in OF_TESTS:
                subject.kinds = {ClaimKind.TESTS: ""}  # "after formatting 35 passed"
        kinds = subject.kinds or {ClaimKind.TESTS: ""}
        # A figure whose subject is not named may be of anything; "45 passed" are tests.
        part = subject.part or (unnamed and token.word not in ("passed", "passing", "failed"))
        for kind, tool in kinds.items():
            if only is not None and kind is not only:
                continue
            of_tests = kind is ClaimKind.TESTS
            yield Claim(
                kind=kind,
                start=subject.start if subject.start is not None else token.start,
                end=token.end,
                counts=figures.counts if of_tests else NO_COUNTS,
                total=figures.total if of_tests else None,
                fails=fails or (of_tests and bool(figures.failed)),
                tool=tool,
                subjects=(tool,) if kind is ClaimKind.RAN else (),
                whole=subject.whole and not part,
                part=part,
                plain=self._plain and not subject.generic and not unnamed and kind is not ClaimKind.RAN,
            )
        subject.told = True
        self._counted = self._counted or figures.passed is not None


def in_one(listed: Sequence[Claim]) -> list[Claim]:
    """Return assertions, those of one check in one sentence joined: "45 passed, 2 failed", "tests pass: 45 passed"."""
    together: list[Claim] = []
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


def _is_same(claim: Claim, other: Claim) -> bool:
    if claim.kind is not other.kind:
        return False
    if None not in (claim.counts.passed, other.counts.passed) and claim.counts.passed != other.counts.passed:
        return False
    return not (claim.tool and other.tool and claim.tool != other.tool)
