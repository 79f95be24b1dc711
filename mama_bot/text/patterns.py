"""Regular expressions: RE2, so that no pattern and no text can make matching slower than linear."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate, pairwise
from typing import ClassVar, Generic, Protocol, TypeVar, cast

import re2

from mama_bot.errors import ConfigurationError, ErrorDecision, MamaBotError

Key = TypeVar("Key")


class Match(Protocol):
    """Where a pattern matched."""

    def start(self, group: int = 0) -> int:
        """Return the first character, counted in the searched text."""
        ...

    def end(self, group: int = 0) -> int:
        """Return one past the last character."""
        ...

    def group(self, group: int = 0) -> str:
        """Return the matched characters."""
        ...


class Pattern(Protocol):
    """A compiled expression; its texts must hold no lone surrogate (see `normalise`)."""

    def search(self, text: str, begin: int = 0) -> Match | None:
        """Return the first match anywhere, or from `begin` on."""
        ...

    def match(self, text: str) -> Match | None:
        """Return a match at the start."""
        ...

    def fullmatch(self, text: str) -> Match | None:
        """Return a match of the whole text."""
        ...

    def finditer(self, text: str) -> Iterator[Match]:
        """Yield all matches that do not overlap."""
        ...

    def findall(self, text: str) -> list[str]:
        """Return the texts of all matches."""
        ...

    def sub(self, replacement: str | Callable[[Match], str], text: str) -> str:
        """Return the text with every match replaced; a text as replacement is taken as it stands."""
        ...


class RawPattern(Protocol):
    """What google-re2 makes of an expression."""

    @property
    def Match(self) -> "Scan": ...  # noqa: D102, N802 - the library's own name
    def ProgramSize(self) -> int: ...  # noqa: D102, N802


class RawSet(Protocol):
    """What google-re2 calls a set: many expressions, one pass over the text."""

    def Add(self, pattern: str) -> int: ...  # noqa: D102, N802 - the library's own name
    def Compile(self) -> None: ...  # noqa: D102, N802
    def Match(self, text: str) -> list[int] | None: ...  # noqa: D102, N802


# What an expression may remember of the texts it met, so that the next ones are quicker. A set meets every line of
# every text; a single expression only sentences in which its set found something.
MEMORY_BYTES = 8 << 20
SET_MEMORY_BYTES = 16 << 20
# The library's own Python takes three times as long around a search as the search itself, so its engine is asked here.
ENGINE = re2._re2.RE2
ANYWHERE, AT_START, WHOLE = ENGINE.Anchor.UNANCHORED, ENGINE.Anchor.ANCHOR_START, ENGINE.Anchor.ANCHOR_BOTH
Spans = Sequence[tuple[int, int]]
Scan = Callable[[object, bytes, int, int], Spans]


def compiled(expression: str, *, ignore_case: bool = True, groups: bool = True) -> "CompiledWhenAsked":
    r"""Return the pattern of an expression of ours (ASCII `\b`, `\d`, `\w`); RE2 compiles it when it is first asked.

    The judgement has hundreds of them, and a service that starts should not wait for them. What a person configured
    goes to `compiled_at_once` instead.
    """
    return CompiledWhenAsked(expression, ignore_case, groups)


def compiled_at_once(expression: str, *, ignore_case: bool = True, groups: bool = True) -> Pattern:
    """Compile an RE2 expression; raises ConfigurationError when RE2 refuses it."""
    pattern = CompiledWhenAsked(expression, ignore_case, groups)
    pattern.compile()
    return pattern


def compiled_size(expression: str, *, ignore_case: bool = True) -> int:
    """Return how many instructions RE2 makes of an expression; raises ConfigurationError when it refuses it."""
    return engine_of(expression, ignore_case=ignore_case, groups=False).ProgramSize()


def engine_of(expression: str, *, ignore_case: bool, groups: bool) -> "RawPattern":
    """Return what RE2 makes of an expression; raises ConfigurationError when it refuses it."""
    engine = ENGINE(expression.encode(), options(ignore_case=ignore_case, groups=groups))
    if not engine.ok():
        raise ConfigurationError(
            problem=f"The pattern {expression!r} is not an RE2 expression: "
            f"{engine.error().decode(errors='replace')}. Look-around and back references do not exist there."
        )
    return cast("RawPattern", engine)


class SpanMatch:
    """Where a pattern matched: the span of the whole, and those of its groups."""

    __slots__ = ("_spans", "_text")

    def __init__(self, text: str, spans: Spans) -> None:
        self._text, self._spans = text, spans

    def start(self, group: int = 0) -> int:
        """Return the first character; -1 for a group without a match."""
        return self._spans[group][0]

    def end(self, group: int = 0) -> int:
        """Return one past the last character; -1 for a group without a match."""
        return self._spans[group][1]

    def group(self, group: int = 0) -> str:
        """Return the matched characters; "" for a group without a match."""
        start, end = self._spans[group]
        return self._text[start:end]


class SearchedText:
    """A text that many patterns search, with what each of them needs of it."""

    __slots__ = ("_flat", "raw", "size", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.raw = text.encode()
        self.size = len(self.raw)
        self._flat: str | None = None

    @property
    def flat(self) -> str:
        """The text in lower case with spaces for white space, of the same length; "" where that is not possible."""
        if self._flat is None:
            text = self.text
            flat = text.lower().translate(WHITE) if not text.isprintable() else text.lower()
            self._flat = flat if len(flat) == len(text) and "  " not in flat else ""
        return self._flat


WHITE = str.maketrans("\t\n\f\r", "    ")


class CompiledWhenAsked:
    """A pattern that is compiled when it is first searched for. RE2 counts bytes, a match characters."""

    __slots__ = ("_expression", "_groups", "_ignore_case", "_scan")

    def __init__(self, expression: str, ignore_case: bool, groups: bool) -> None:
        self._expression = expression
        self._ignore_case = ignore_case
        self._groups = groups
        self._scan: Scan | None = None

    def compile(self) -> Scan:
        """Compile; raises ConfigurationError when RE2 refuses the expression."""
        engine = engine_of(self._expression, ignore_case=self._ignore_case, groups=self._groups)
        self._scan = scan = engine.Match
        return scan

    def search(self, text: str, begin: int = 0) -> Match | None:
        """Return the first match anywhere, or from `begin` on."""
        return self._first(ANYWHERE, text, text.encode(), begin)

    def match(self, text: str) -> Match | None:
        """Return a match at the start."""
        return self._first(AT_START, text, text.encode())

    def fullmatch(self, text: str) -> Match | None:
        """Return a match of the whole text."""
        return self._first(WHOLE, text, text.encode())

    def is_in(self, searched: "SearchedText") -> bool:
        """Return whether there is a match anywhere."""
        return (self._scan or self.compile())(ANYWHERE, searched.raw, 0, searched.size)[0][0] >= 0

    def search_in(self, searched: "SearchedText", begin: int) -> Match | None:
        """Do as `search`."""
        return self._first(ANYWHERE, searched.text, searched.raw, begin)

    def match_in(self, searched: "SearchedText") -> Match | None:
        """Do as `match`."""
        return self._first(AT_START, searched.text, searched.raw)

    def fullmatch_in(self, searched: "SearchedText") -> Match | None:
        """Do as `fullmatch`."""
        return self._first(WHOLE, searched.text, searched.raw)

    def _first(self, anchor: object, text: str, raw: bytes, begin: int = 0) -> Match | None:
        size = len(raw)
        plain = size == len(text)
        place = begin if plain or not begin else len(text[:begin].encode())
        spans = (self._scan or self.compile())(anchor, raw, place, size)
        if spans[0][0] < 0:
            return None
        return SpanMatch(text, spans if plain else in_characters(raw, spans, 0, 0))

    def finditer(self, text: str) -> Iterator[Match]:
        """Yield all matches that do not overlap."""
        raw = text.encode()
        if len(raw) == len(text):
            for spans in self._spans(raw):
                yield SpanMatch(text, spans)
            return
        known = characters = 0
        for spans in self._spans(raw):
            start = spans[0][0]
            characters += len(raw[known:start].decode())
            known = start
            yield SpanMatch(text, in_characters(raw, spans, start, characters))

    def starts_in(self, text: str) -> list[int]:
        """Return where the matches begin, without the rest of them."""
        raw = text.encode()
        starts = [spans[0][0] for spans in self._spans(raw)]
        if len(raw) == len(text):
            return starts
        edges = pairwise((0, *starts))
        return list(accumulate([len(raw[before:start].decode()) for before, start in edges]))

    def findall(self, text: str) -> list[str]:
        """Return the texts of all matches."""
        raw = text.encode()
        if len(raw) == len(text):
            return [text[start:end] for (start, end), *_ in self._spans(raw)]
        return [raw[start:end].decode() for (start, end), *_ in self._spans(raw)]

    def _spans(self, raw: bytes) -> Iterator[Spans]:
        """Yield the spans of all matches that do not overlap, counted in bytes."""
        scan, size, place = self._scan or self.compile(), len(raw), 0
        while True:
            spans = scan(ANYWHERE, raw, place, size)
            start, end = spans[0]
            if start < 0:
                return
            yield spans
            if place == size:
                return
            place = end if end > place else after_character(raw, place)

    def sub(self, replacement: str | Callable[[Match], str], text: str) -> str:
        """Return the text with every match replaced."""
        pieces: list[str] = []
        done = 0
        for match in self.finditer(text):
            pieces += (text[done : match.start()], replacement if isinstance(replacement, str) else replacement(match))
            done = match.end()
        return "".join((*pieces, text[done:])) if pieces else text


def in_characters(raw: bytes, spans: Spans, known: int, characters: int) -> Spans:
    """Return spans of bytes as spans of characters; `characters` stand before the byte `known`."""
    if len(spans) == 1:
        start, end = spans[0]
        first = characters + len(raw[known:start].decode())
        return ((first, first + len(raw[start:end].decode())),)
    return [
        (characters + len(raw[known:start].decode()), characters + len(raw[known:end].decode())) if start >= 0 else span
        for span in spans
        for start, end in (span,)
    ]


def after_character(raw: bytes, place: int) -> int:
    """Return where the character that begins at a place ends."""
    return next((end for end in range(place + 1, len(raw)) if raw[end] & 0xC0 != 0x80), len(raw))


@cache
def options(*, ignore_case: bool = True, groups: bool = True, memory: int = MEMORY_BYTES) -> object:
    """Return the options that every expression here is compiled with."""
    chosen = re2.Options()
    chosen.case_sensitive = not ignore_case
    chosen.log_errors = False
    chosen.max_mem = memory
    # Each group costs time at each match, and long alternations have hundreds of them that nobody asks for.
    chosen.never_capture = not groups
    return chosen


ANYTHING = r"(?s:.)"


class SearchGaveUp(MamaBotError):
    """A set of expressions had no memory left to search a text."""

    decision: ClassVar = ErrorDecision.AS_SET

    def __init__(self) -> None:
        super().__init__(f"The word lists are too large to be searched with {SET_MEMORY_BYTES >> 20} MB of memory.")


class PatternSet(Generic[Key]):
    """Tells in one pass which of many expressions occur in a text, whatever their number.

    Upper and lower case are the same, and words begin and end where an expression does; not so `as_written`.
    """

    def __init__(self, expressions: Mapping[Key, Sequence[str]], *, as_written: bool = False) -> None:
        self._keys: list[Key] = []
        chosen = options(ignore_case=not as_written, groups=not as_written, memory=SET_MEMORY_BYTES)
        self._set = cast("RawSet", re2.Set.SearchSet(chosen))
        for key, listed in expressions.items():
            for expression in listed if as_written else (any_of(listed),) * bool(listed):
                self._set.Add(expression)
                self._keys.append(key)
        if self._keys:
            # Found in every text: when it is not, the automaton gave up, which the library tells by finding nothing.
            self._set.Add(ANYTHING)
            try:
                self._set.Compile()
            except re2.error as error:
                raise ConfigurationError(problem=str(SearchGaveUp())) from error

    def keys_in(self, text: str) -> frozenset[Key]:
        """Return the keys of the expressions that occur somewhere in a text; raises SearchGaveUp."""
        if not self._keys or not text:
            return frozenset()
        keys, indexes = self._keys, self._set.Match(text)
        if not indexes:
            raise SearchGaveUp
        return frozenset([keys[index] for index in indexes if index < len(keys)])


NOTHING = r"[^\x00-\x{10FFFF}]"


def any_of(expressions: Iterable[str]) -> str:
    """Return an alternation, `^` and `$` line by line, on word boundaries beside ASCII letters and digits.

    Without expressions it is one that finds nothing.
    """
    alternatives = "|".join(on_word_boundaries(expression) for expression in expressions)
    return f"(?m:{alternatives})" if alternatives else NOTHING


def on_word_boundaries(expression: str) -> str:
    r"""Return an expression with `\b` at the ends that need one, its spaces matching any white space.

    `" ?"` also matches no white space.
    """
    body = rf"(?:{expression})".replace(" ?", r"\s*").replace(" ", r"\s+")
    before, after = word_boundaries(expression)
    return f"{BOUNDARY * before}{body}{BOUNDARY * after}"


BOUNDARY = r"\b"


def word_boundaries(expression: str) -> tuple[bool, bool]:
    """Return whether an expression gets a word boundary before it, and behind it."""
    ending = expression.rstrip(")?+*") if expression.isascii() else expression
    return is_word(expression.lstrip("(")[:1]), is_word(ending[-1:])


def is_word(character: str) -> bool:
    """Return whether a character has an ASCII word boundary beside it."""
    return character.isascii() and character.isalnum()


def alternation(expressions: Iterable[str]) -> Pattern:
    """Compile a pattern that finds any of the expressions; raises ConfigurationError for what is no RE2 expression."""
    return compiled_at_once(any_of(expressions), groups=False)
