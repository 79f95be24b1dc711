"""Claims in English sentences: a clause that begins with the deed, or a check with its outcome, and nothing between.

The reader is precise, not thorough: a clause may hold only words that change nothing before what it asserts, and any
word of a condition, a negation or somebody else makes the whole sentence no claim. What it misses,
the line of facts says.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from mama_bot.enforcement.claims.assertions import Assertion
from mama_bot.enforcement.claims.vocabulary import CHECKS, Term, Vocabulary, vocabulary
from mama_bot.model import NO_COUNTS, ClaimKind, Counts, words
from mama_bot.text.normalise import MASK
from mama_bot.text.paths import file_names, has_ending

BOUNDARIES = frozenset(",;:—–-(|&") | {"and", "but", "then", "so"}
SPEAKERS = frozenset(("i", "we", "i've", "we've", "i have", "we have"))
STATES = frozenset(("is", "are", "been", "it's"))
OTHERS = frozenset(("it", "they", "everything"))
LISTING = frozenset((*",&|-(:", "and"))
ENDS = frozenset(",;—–.!)|(:→&")
LABEL = frozenset(":=|-—–→")
TICKS = frozenset("✅✓✔☑🟢")
SIGNS = frozenset(",;—–-(|&.!):=*_~\"'…•`+#>[]") | TICKS | frozenset("❌✗✘🔴🎉🚀")
FATES = frozenset((ClaimKind.CREATED, ClaimKind.CHANGED, ClaimKind.DELETED))
LOOKED = frozenset((ClaimKind.CHECKED, ClaimKind.RAN))
OBJECT_WORDS = 4
MOST_SUBJECTS = 20
NO_OBJECT = frozenset(
    words("to in into for from with that so by on at of via using about where which as if when and , ; : .")
)
SHORTEST_HASH, LONGEST_HASH = 7, 40


@dataclass(frozen=True, slots=True)
class SentenceToken:
    """A word, figure, sign or piece of code of a sentence; `word` is in lower case, `code` its text in backticks."""

    word: str
    start: int
    end: int
    code: str = ""

    @property
    def number(self) -> int | None:
        """The figure that it is; None for anything else."""
        digits = self.word.replace(",", "")
        return int(digits) if digits.isdecimal() and len(digits) <= 7 else None

    @property
    def ratio(self) -> tuple[int, int] | None:
        """The two figures of `45/45`."""
        first, slash, second = self.word.replace(",", "").replace(" ", "").partition("/")
        return (int(first), int(second)) if slash and first.isdecimal() and second.isdecimal() else None


@dataclass(slots=True)
class _Clause:
    """What was read since the last boundary, while nothing stood there that takes the assertion away."""

    is_open: bool = True
    kinds: dict[ClaimKind, str] = field(default_factory=dict)
    start: int | None = None
    number: int | None = None
    total: int | None = None
    whole: bool = False
    part: bool = False
    has_check: bool = False
    speaks: bool = False  # the author is its subject
    first: bool = False  # it begins the sentence
    state: bool = False  # it tells how something is, and not who did it
    other: bool = False  # its subject is something else


def english_assertions(masked: str, raw: str, *, is_row: bool = False) -> Iterator[Assertion]:
    """Yield what a sentence asserts; `masked` has its code masked, `raw` is the same sentence as it was written."""
    words = vocabulary()
    tokens = [*_tokens(masked, raw, words)]
    if any(token.word in words[Term.CONDITION] for token in tokens) or masked.rstrip().endswith("?"):
        return
    reader = _Reader(words, tokens, is_row=is_row)
    yield from reader.read()


def _tokens(masked: str, raw: str, words: Vocabulary) -> Iterator[SentenceToken]:
    for match in words.tokens.finditer(masked):
        start, end = match.start(), match.end()
        text = match.group()
        code = raw[start:end].strip("`") if text[0] == MASK else ""
        yield SentenceToken(" ".join(text.lower().split()), start, end, code)


class _Reader:
    """Goes over the tokens of a sentence once."""

    def __init__(self, words: Vocabulary, tokens: Sequence[SentenceToken], *, is_row: bool) -> None:
        self._words = words
        self._tokens = tokens
        self._is_row = is_row
        self._clause = _Clause(first=True)
        self._has_done = False
        self._has_result = False

    def read(self) -> Iterator[Assertion]:
        """Yield the assertions in order."""
        listed: list[Assertion] = []
        for place, token in enumerate(self._tokens):
            listed += self._take(place, token)
        yield from _joined(listed)

    def _take(self, place: int, token: SentenceToken) -> Iterator[Assertion]:
        words, clause, word = self._words, self._clause, token.word
        kind = self._check_of(token)
        if kind is not None and not self._is_outcome(place, token):
            self._begin(token)
            clause.kinds[kind] = self._tool(token)
            clause.has_check = True
        elif word in words[Term.PASSES] or word in words[Term.FAILS]:
            yield from self._outcome(place, token)
        elif word in words.deeds and clause.is_open and not self._is_row:
            yield from self._deed(place, token, words.deeds[word])
        elif token.ratio is not None:
            yield from self._ratio(place, token, token.ratio)
        elif token.number is not None:
            self._begin(token)
            clause.number = token.number
        elif word in BOUNDARIES:
            self._bound(word)
        elif token.code:
            clause.is_open = clause.is_open and clause.has_check
            clause.part = True
        elif not self._is_neutral(word):
            clause.is_open = False
        self._note(word)

    def _note(self, word: str) -> None:
        """Note what a word says of its clause beside what it asserts."""
        words, clause = self._words, self._clause
        if word in SPEAKERS:  # "the tests pass and I pushed": what follows is of its own
            clause.speaks, clause.has_check = True, False
        clause.state |= word in STATES
        clause.other |= word in OTHERS
        clause.whole |= word in words[Term.WHOLE]
        clause.part |= word in words[Term.PART]

    def _ratio(self, place: int, token: SentenceToken, ratio: tuple[int, int]) -> Iterator[Assertion]:
        self._begin(token)
        self._clause.number, self._clause.total = ratio
        if self._is_ratio_of_tests(place):
            yield from self._outcome(place, token)

    def _begin(self, token: SentenceToken) -> None:
        if self._clause.start is None:
            self._clause.start = token.start

    def _bound(self, word: str) -> None:
        """Begin a clause; a check that is listed before it ("lint, types and tests pass") stays."""
        before = self._clause
        listed = word in LISTING and before.is_open
        self._clause = _Clause(
            kinds=dict(before.kinds) if listed else {},
            start=before.start if listed else None,
            whole=before.whole and listed,
            part=before.part and listed,
            has_check=before.has_check and listed,
            number=before.number if listed and word in ("(", "|") else None,
        )

    def _check_of(self, token: SentenceToken) -> ClaimKind | None:
        if not token.code:
            return self._words.checks.get(token.word)
        parts = token.code.lower().split()
        for length in (3, 2, 1):
            kind = self._words.checks.get(" ".join(parts[:length]))
            if kind is not None and length <= len(parts):
                return kind if parts[0] not in ("test", "tests", "build", "types", "format", "lint") else None
        return None

    def _tool(self, token: SentenceToken) -> str:
        name = token.code.lower() or token.word
        return " ".join(name.split()[:3]) if token.code or name in TOOLS else ""

    def _is_outcome(self, place: int, token: SentenceToken) -> bool:
        """Return whether the word of a check is the verb of an outcome: "it compiles"."""
        return token.word in ("compiles", "builds") and place > 0 and self._tokens[place - 1].word in ("code", "it")

    def _is_neutral(self, word: str) -> bool:
        return word in self._words[Term.NEUTRAL] or word in self._words[Term.PART] or word in SIGNS

    def _is_ratio_of_tests(self, place: int) -> bool:
        clause = self._clause
        alone = clause.is_open and ClaimKind.TESTS in clause.kinds
        full = clause.number is not None and clause.number == clause.total
        return alone and full and not self._outcome_follows(place)

    def _outcome_follows(self, place: int) -> bool:
        return any(
            token.word in self._words[Term.PASSES] or token.word in self._words[Term.FAILS]
            for token in self._tokens[place + 1 : place + 4]
        )

    def _outcome(self, place: int, token: SentenceToken) -> Iterator[Assertion]:
        clause, words = self._clause, self._words
        counted = clause.number is not None and place > 0 and self._counts(place)
        # A figure with its outcome is a result, whatever leads to it: "45 passed, 2 failed".
        told = counted and (token.word == "passed" or (token.word == "failed" and self._has_result))
        if not told and not (clause.is_open and clause.kinds):
            if not self._is_neutral(token.word):
                clause.is_open = False
            return
        if token.word in TICKS and not self._stands_alone(place):
            return
        if not self._may_follow(place):
            clause.is_open = False
            return
        fails = token.word in words[Term.FAILS]
        if fails and (clause.number == 0 or self._denied(place)):
            return  # "0 failed", "no errors"
        kinds = clause.kinds or {ClaimKind.TESTS: ""}
        self._has_result = True
        for kind, tool in kinds.items():
            of_tests = kind is ClaimKind.TESTS
            counts = _counts(clause.number, clause.total, fails=fails) if of_tests and counted else NO_COUNTS
            yield Assertion(
                kind=kind,
                start=clause.start if clause.start is not None else token.start,
                end=token.end,
                counts=counts,
                total=clause.total if of_tests else None,
                fails=fails or bool(counts.failed),
                tool=tool,
                whole=clause.whole and not clause.part,
                part=clause.part,
            )
        clause.number = clause.total = None

    def _counts(self, place: int) -> bool:
        """Return whether the figure of the clause is of the outcome: "45 passed", "all 45 tests pass", "45/45 ✅"."""
        before = self._tokens[max(0, place - 6) : place + 1]
        return any(token.number == self._clause.number or token.ratio for token in before)

    def _stands_alone(self, place: int) -> bool:
        """Return whether a tick tells the outcome of the check right before it: "Tests ✅", "| lint | ✅ |"."""
        before = [token for token in self._tokens[:place] if token.word not in SIGNS]
        if not before:
            return False
        last = before[-1]
        return self._check_of(last) is not None or last.ratio is not None or last.number is not None

    def _may_follow(self, place: int) -> bool:
        """Return whether what stands after an outcome leaves it one: no "pass rate", no "green field"."""
        if place + 1 >= len(self._tokens):
            return True
        token = self._tokens[place + 1]
        word = token.word
        return bool(
            word in SIGNS
            or word in self._words[Term.FOLLOWS]
            or word in self._words[Term.PASSES]
            or token.number is not None
            or token.ratio is not None
            or token.code
        )

    def _denied(self, place: int) -> bool:
        return place > 0 and self._tokens[place - 1].word in ("no", "zero", "0", "without")

    def _deed(self, place: int, token: SentenceToken, kind: ClaimKind) -> Iterator[Assertion]:
        clause = self._clause
        clause.is_open = kind in LOOKED  # "verified that the tests pass", "ran pytest: 45 passed"
        if not (clause.first or clause.speaks or self._has_done):
            return  # "cleared on stop, checked in the hook": a participle that goes on with a description
        if (clause.has_check or clause.other) and (kind in LOOKED or clause.has_check):
            return
        self._has_done = True
        start = token.start
        if kind in FATES:
            names, end = self._files(place)
            if names:
                yield Assertion(kind=kind, start=start, end=end, subjects=names)
            return
        if place + 1 < len(self._tokens) and not self._is_done(kind, self._tokens[place + 1]):
            return
        names, end = self._names(place)
        whole = any(follower.word in self._words[Term.WHOLE] for follower in self._tokens[place + 1 : place + 4])
        yield Assertion(kind=kind, start=start, end=end, subjects=names, whole=whole, part=clause.state)

    def _is_done(self, kind: ClaimKind, follower: SentenceToken) -> bool:
        """Return whether a participle is a verb here, and no adjective: "Merged cells", "published docs"."""
        word = follower.word
        if kind in LOOKED or kind is ClaimKind.REPRODUCED:
            return word not in SIGNS
        verbal = word in NO_OBJECT or word in SIGNS or word in BOUNDARIES or bool(follower.code)
        return verbal or word in ("the", "this", "it", "all", "everything", "pr", "both", "successfully", "#")

    def _files(self, place: int) -> tuple[tuple[str, ...], int]:
        """Return the files that a deed has as its direct objects, and where they end."""
        names: list[str] = []
        end = self._tokens[place].end
        gap = 0
        for token in self._tokens[place + 1 :]:
            name = _file(token)
            if name:
                names.append(name)
                end, gap = token.end, 0
            elif names and token.word in (",", "and", "&", "+", "(", ")"):
                continue
            elif not names and token.word not in NO_OBJECT and token.word not in SIGNS and gap < OBJECT_WORDS:
                gap += 1
            else:
                break
            if len(names) == MOST_SUBJECTS:
                break
        return tuple(names), end

    def _names(self, place: int) -> tuple[tuple[str, ...], int]:
        """Return the commits, branches, files and commands that stand after a deed in its clause."""
        names: list[str] = []
        end = self._tokens[place].end
        for token in self._tokens[place + 1 :]:
            if token.word in (";", "—", ".", "but", "|"):
                break
            name = token.code or (token.word if _is_name(token.word) else "")
            if name:
                names.append(name)
            end = token.end
        return tuple(names[:MOST_SUBJECTS]), end


TOOLS = frozenset(
    words(
        "pytest jest vitest mocha unittest tox nox playwright cypress tsc mypy pyright ruff eslint clippy biome flake8 "
        "pylint stylelint prettier black gofmt rustfmt golangci-lint shellcheck"
    )
)


def file_names_in(text: str) -> tuple[str, ...]:
    """Return the files that a piece of a sentence names."""
    return file_names(text)[:MOST_SUBJECTS]


def _file(token: SentenceToken) -> str:
    text = token.code or token.word
    if " " in text or not has_ending(text.rpartition("/")[2]) or text.rpartition("/")[2].startswith("."):
        return ""
    names = file_names(f"`{text}`")
    return names[0] if names else ""


def _is_name(word: str) -> bool:
    """Return whether a bare word is a commit or a branch: `39e7c6a`, `origin/main`, `main`."""
    if word in ("main", "master", "develop", "staging", "production", "origin"):
        return True
    is_hash = SHORTEST_HASH <= len(word) <= LONGEST_HASH and all(letter in "0123456789abcdef" for letter in word)
    return (is_hash and any(letter.isdigit() for letter in word)) or word.startswith("origin/")


def _counts(number: int | None, total: int | None, *, fails: bool) -> Counts:
    if number is None:
        return NO_COUNTS
    if fails:
        return Counts(failed=number)
    return Counts(passed=number, failed=total - number if total is not None and total > number else None)


def _joined(listed: Sequence[Assertion]) -> Iterator[Assertion]:
    """Yield assertions, those of one check in one sentence joined: "45 passed, 2 failed", "tests pass: 45 passed"."""
    joined: list[Assertion] = []
    for assertion in listed:
        place = next((n for n, other in enumerate(joined) if _is_same(other, assertion)), None)
        if place is None:
            joined.append(assertion)
            continue
        other = joined[place]
        joined[place] = replace(
            other,
            end=max(other.end, assertion.end),
            counts=Counts(
                passed=other.counts.passed if other.counts.passed is not None else assertion.counts.passed,
                failed=other.counts.failed if other.counts.failed is not None else assertion.counts.failed,
            ),
            total=other.total if other.total is not None else assertion.total,
            fails=other.fails or assertion.fails,
            whole=other.whole or assertion.whole,
            part=other.part or assertion.part,
        )
    checks = [assertion for assertion in joined if assertion.kind in CHECKS]
    # "I ran pytest: 45 passed" says no more than its outcome.
    yield from (assertion for assertion in joined if not (checks and assertion.kind in LOOKED))


def _is_same(one: Assertion, other: Assertion) -> bool:
    if one.kind is not other.kind or one.kind not in CHECKS:
        return False
    if None not in (one.counts.passed, other.counts.passed) and one.counts.passed != other.counts.passed:
        return False
    return not (one.tool and other.tool and one.tool != other.tool)
