"""A sentence as tokens: words, figures, signs and pieces of code, and what each is for a claim."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from mama_bot.enforcement.claims.vocabulary import Term, vocabulary
from mama_bot.model import ClaimKind, RunKind, words
from mama_bot.runs.programs import recognise
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
ARGUMENT = frozenset("-./:_&|")  # "round trip" is no command line
RUNNERS = frozenset(
    words(
        "make just task mise npm pnpm yarn bun npx cargo go python python3 pytest docker podman terraform tofu kubectl "
        "helm git gh gradle mvn dotnet bundle rake mix flutter dart swift xcodebuild poetry uv tox nox ansible pulumi "
        "cmake ninja meson ctest bazel composer php ruby rails alembic psql mysql curl deno nx turbo fastlane hatch rye"
    )
)
TEST_FILE_SIGNS = ("test_", "_test.", ".test.", ".spec.", "tests.")
TICKS = frozenset("✅✓✔☑🟢")
SIGNS = frozenset(",;—–-(|&.!):=*_~\"'…•`+#>[]→") | TICKS | frozenset("❌✗✘🔴🎉🚀")


class _Word(NamedTuple):
    """What of a word is the same wherever it stands."""

    word: str
    stem: str
    roles: int
    kind: ClaimKind | None
    value: float | None
    ratio: tuple[int, int] | None
    connects: bool


@dataclass(slots=True)
class SentenceToken:
    """A word, figure, sign or piece of code of a sentence.

    `word` is in lower case, `stem` the listed word that a Korean one begins with, `roles` the lists that it stands in,
    `kind` the check that it names, `value` its figure and `ratio` those of `45/45`; `connects` says that it ends a
    clause that goes on (통과했고), `code` is its text in backticks.
    """

    start: int
    end: int
    word: str
    stem: str
    roles: int = 0
    kind: ClaimKind | None = None
    value: float | None = None
    ratio: tuple[int, int] | None = None
    connects: bool = False
    code: str = ""

    @property
    def ending(self) -> str:
        """What a Korean word has behind its stem: 했습니다 of 통과했습니다."""
        return self.word[len(self.stem) :]

    @property
    def file(self) -> str:
        """The file that it names; "" for anything else."""
        return _file_of(self.code or self.word)

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
        return is_past(self.word)

    @property
    def is_command(self) -> bool:
        """Whether it is a command line in backticks: `terraform validate`, `make smoke`."""
        program, _, rest = self.code.partition(" ")
        if not rest or not program.islower() or not COMMAND.isdisjoint(self.code):
            return False
        return program in RUNNERS or (program.replace("-", "").isalnum() and not ARGUMENT.isdisjoint(rest))

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


@lru_cache(maxsize=2_000)
def _file_of(text: str) -> str:
    """Return the file that a word or a piece of code names; "" for anything else."""
    name = text.rpartition("/")[2]
    if " " in text or not has_ending(name) or name.startswith("."):
        return ""
    return next(iter(file_names(f"`{text}`")), "")


@lru_cache(maxsize=10_000)
def is_past(word: str) -> bool:
    """Return whether a Korean word is in the past: one of its syllables ends in ㅆ."""
    return word[0] >= "가" and any(
        (ord(sign) - FIRST_SYLLABLE) % SIGNS_OF_SYLLABLE == PAST and sign not in NOT_PAST
        for sign in word
        if "가" <= sign <= "힣"
    )


def sentence_tokens(masked: str, raw: str) -> list[SentenceToken]:
    """Return the tokens of a sentence; `masked` has its code masked, `raw` is the same sentence as it was written."""
    tokens: list[SentenceToken] = []
    place = 0
    for chunk in masked.split():
        begin = masked.index(chunk, place)
        place = begin + len(chunk)
        for word, start, end in _words_of(chunk):
            token = SentenceToken(begin + start, begin + end, *word)
            if word.word[0] == MASK:
                token.code = raw[token.start : token.end].strip("`").strip()
                token.kind = _kind_of_code(token.code.lower())
            tokens.append(token)
    phrases = vocabulary().phrases
    return _with_phrases(tokens) if any(token.word in phrases for token in tokens) else tokens


def _with_phrases(tokens: Sequence[SentenceToken]) -> list[SentenceToken]:
    """Return tokens, those that are one listed word together joined: `test suite`, `타입 체크`."""
    phrases = vocabulary().phrases
    joined: list[SentenceToken] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        for parts, phrase in phrases.get(token.word, ()):
            behind = tokens[place : place + len(parts)]
            if len(behind) == len(parts) and all(map(_is_word, behind, parts)):
                ending = behind[-1].word[len(parts[-1]) :]
                word = _word(phrase + ending, phrase)
                token = SentenceToken(token.start, behind[-1].end, *word)
                place += len(parts) - 1
                break
        joined.append(token)
        place += 1
    return joined


def _is_word(token: SentenceToken, word: str) -> bool:
    return token.word == word or (word[0] >= "가" and token.word.startswith(word))


@lru_cache(maxsize=30_000)
def _words_of(chunk: str) -> tuple[tuple[_Word, int, int], ...]:
    """Return the words and signs of a piece of text without white space, and where they stand in it."""
    parts = []
    for match in vocabulary().tokens.finditer(chunk):
        text = match.group().lower()
        parts.append((_word(text, vocabulary().stem(text)), match.start(), match.end()))
    return tuple(parts)


def _word(word: str, stem: str) -> _Word:
    known = vocabulary()
    connects = len(word) > 1 and word[0] >= "가" and word.endswith(CONNECTIVES)
    return _Word(word, stem, known.roles.get(stem, 0), known.checks.get(stem), _value(word), _ratio(word), connects)


def _value(word: str) -> float | None:
    digits = word.replace(",", "")
    if not digits[:1].isdecimal() or len(digits) > MOST_DIGITS or not digits.replace(".", "", 1).isdecimal():
        return None
    return float(digits)


def _ratio(word: str) -> tuple[int, int] | None:
    first, slash, second = word.replace(",", "").partition("/")
    if not (slash and first.isdecimal() and second.isdecimal()):
        return None
    return (int(first), int(second)) if max(len(first), len(second)) <= MOST_DIGITS else None


@lru_cache(maxsize=2_000)
def _kind_of_code(code: str) -> ClaimKind | None:
    """Return the kind of check that a command, or the name of a file of tests, is."""
    parts = _without_wrapper(code.split())
    for length in range(min(PROGRAM_WORDS, len(parts)), 0, -1):
        kind = vocabulary().checks.get(" ".join(parts[:length]))
        if kind is not None:
            return kind if parts[0] not in OWN_NAMES else None
    if len(parts) == 1:
        return ClaimKind.TESTS if any(sign in parts[0] for sign in TEST_FILE_SIGNS) else None
    return _kind_of_command(parts)


def _kind_of_command(parts: Sequence[str]) -> ClaimKind | None:
    """Return the kind of check that the record would take a command for: `rake test`, `cabal test all`."""
    tool = recognise(parts)
    return CHECK_OF_RUN.get(tool.kind) if tool is not None else None


CHECK_OF_RUN = {
    RunKind.TESTS: ClaimKind.TESTS,
    RunKind.BUILD: ClaimKind.BUILD,
    RunKind.TYPES: ClaimKind.TYPES,
    RunKind.LINT: ClaimKind.LINT,
    RunKind.FORMAT: ClaimKind.FORMAT,
}


def in_lists(token: SentenceToken, *terms: Term) -> bool:
    """Return whether a token is a word of one of some lists."""
    return token.roles & MASKS[terms] != 0


class _Masks(dict[tuple[Term, ...], int]):
    """The roles of the words of some lists, each sum made once."""

    def __missing__(self, terms: tuple[Term, ...]) -> int:
        mask = self[terms] = sum(vocabulary().bits[term] for term in dict.fromkeys(terms))
        return mask


MASKS = _Masks()
