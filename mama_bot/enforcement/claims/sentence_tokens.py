"""A sentence as tokens: words, figures, signs and pieces of code, and what each is for a claim."""

from collections.abc import Iterator
from dataclasses import dataclass

from mama_bot.enforcement.claims.vocabulary import Term, Vocabulary
from mama_bot.model import ClaimKind, words
from mama_bot.text.normalise import MASK
from mama_bot.text.paths import file_names, has_ending

MOST_DIGITS = 7
SHORTEST_HASH, LONGEST_HASH = 7, 40
HEXADECIMAL = frozenset("0123456789abcdef")
# The last sign of a syllable: ㅆ, as in 했, 됐, 렸, is the past; 있 and 겠 have it too.
FIRST_SYLLABLE, SIGNS_OF_SYLLABLE, PAST = ord("가"), 28, 20
NOT_PAST = frozenset("있겠")
CONNECTIVES = ("고", "며", "지만", "는데", "ㄴ데", "인데", "니까", "으니", "해서", "어서", "아서", "여서")
BRANCHES = frozenset(("main", "master", "develop", "staging", "production", "origin"))
# Programs may be named like this where nothing is run: `test`, `build`.
OWN_NAMES = frozenset(words("test tests build types format lint bundle compile suite checks spec"))
PROGRAM_WORDS = 3
COMMAND = frozenset("(){}<>=;")  # no command line, but code
TEST_FILE_SIGNS = ("test_", "_test.", ".test.", ".spec.", "tests.")
TICKS = frozenset("✅✓✔☑🟢")
SIGNS = frozenset(",;—–-(|&.!):=*_~\"'…•`+#>[]→") | TICKS | frozenset("❌✗✘🔴🎉🚀")


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceToken:
    """A word, figure, sign or piece of code of a sentence.

    `word` is in lower case, `stem` the listed word that a Korean one begins with, `code` its text in backticks.
    """

    word: str
    stem: str
    start: int
    end: int
    code: str = ""

    @property
    def ending(self) -> str:
        """What a Korean word has behind its stem: 했습니다 of 통과했습니다."""
        return self.word[len(self.stem) :]

    @property
    def value(self) -> float | None:
        """The figure that it is, whole or not; None for anything else."""
        digits = self.word.replace(",", "")
        if not digits[:1].isdecimal() or len(digits) > MOST_DIGITS or not digits.replace(".", "", 1).isdecimal():
            return None
        return float(digits)

    @property
    def ratio(self) -> tuple[int, int] | None:
        """The two figures of `45/45`."""
        if "/" not in self.word:
            return None
        first, _, second = self.word.replace(",", "").replace(" ", "").partition("/")
        if not (first.isdecimal() and second.isdecimal()) or len(first) > MOST_DIGITS or len(second) > MOST_DIGITS:
            return None
        return int(first), int(second)

    @property
    def file(self) -> str:
        """The file that it names; "" for anything else."""
        text = self.code or self.word
        name = text.rpartition("/")[2]
        if " " in text or not has_ending(name) or name.startswith("."):
            return ""
        return next(iter(file_names(f"`{text}`")), "")

    @property
    def name(self) -> str:
        """The piece of code, commit or branch that it is; "" for anything else."""
        return self.code or (self.word if self.word in BRANCHES or self.word.startswith("origin/") else self.commit)

    @property
    def commit(self) -> str:
        """The commit that a bare word is: `39e7c6a`."""
        is_hash = SHORTEST_HASH <= len(self.word) <= LONGEST_HASH and HEXADECIMAL.issuperset(self.word)
        return self.word if is_hash and any(letter.isdigit() for letter in self.word) else ""

    @property
    def is_past(self) -> bool:
        """Whether a Korean word tells what was done: 통과했고, 마쳤습니다, 올렸음."""
        return self.word[0] >= "가" and any(
            (ord(sign) - FIRST_SYLLABLE) % SIGNS_OF_SYLLABLE == PAST and sign not in NOT_PAST
            for sign in self.word
            if "가" <= sign <= "힣"
        )

    @property
    def connects(self) -> bool:
        """Whether a Korean word ends a clause that goes on: 통과했고."""
        return len(self.word) > 1 and self.word[0] >= "가" and self.word.endswith(CONNECTIVES)

    def check(self, vocabulary: Vocabulary) -> ClaimKind | None:
        """Return the kind of check that it names, in words or as a command."""
        if not self.code:
            return vocabulary.checks.get(self.stem)
        parts = _without_wrapper(self.code.lower().split())
        for length in range(min(PROGRAM_WORDS, len(parts)), 0, -1):
            kind = vocabulary.checks.get(" ".join(parts[:length]))
            if kind is not None:
                return kind if parts[0] not in OWN_NAMES else None
        if len(parts) == 1 and any(sign in parts[0] for sign in TEST_FILE_SIGNS):
            return ClaimKind.TESTS
        return None

    @property
    def is_command(self) -> bool:
        """Whether it is a command line in backticks: `terraform validate`, `make smoke`."""
        program, _, rest = self.code.partition(" ")
        return bool(rest) and program.replace("-", "").isalnum() and program.islower() and COMMAND.isdisjoint(self.code)

    @property
    def tool(self) -> str:
        """The tool or command that the name of a check is."""
        if self.code:
            return self.code.lower()
        return self.word if self.word in TOOLS else ""


def _without_wrapper(parts: list[str]) -> list[str]:
    """Return a command's words without what only starts it: `python3 -m pytest`, `uv run pytest`, `npx jest`."""
    while parts[:1] and (" ".join(parts[:2]) in WRAPPERS or parts[0] in WRAPPERS):
        parts = parts[1 if parts[0] in WRAPPERS else 2 :]
    return parts


WRAPPERS = frozenset(
    ("python -m", "python3 -m", "uv run", "poetry run", "hatch run", "pnpm exec", "npx", "bunx", "uvx")
)
TOOLS = frozenset(
    words(
        "pytest jest vitest mocha unittest tox nox playwright cypress ctest tsc mypy pyright ruff eslint clippy biome "
        "flake8 pylint stylelint prettier black gofmt rustfmt golangci-lint shellcheck detekt ansible-lint"
    )
)


def sentence_tokens(masked: str, raw: str, vocabulary: Vocabulary) -> Iterator[SentenceToken]:
    """Yield the tokens of a sentence; `masked` has its code masked, `raw` is the same sentence as it was written."""
    for match in vocabulary.tokens.finditer(masked):
        start, end = match.start(), match.end()
        text = match.group()
        code = raw[start:end].strip("`").strip() if text[0] == MASK else ""
        word = " ".join(text.lower().split()) or text
        yield SentenceToken(word=word, stem=vocabulary.stem(word), start=start, end=end, code=code)


def in_lists(token: SentenceToken, vocabulary: Vocabulary, *terms: Term) -> bool:
    """Return whether a token is a word of one of some lists."""
    return any(token.stem in vocabulary[term] for term in terms)
