"""Regular expressions: RE2, so that no pattern and no text can make matching slower than linear."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Generic, Protocol, TypeVar, cast

import re2

from mama_bot.errors import ConfigurationError, MamaBotError

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
        """Return the text with every match replaced; a text as replacement is a template of ASCII characters."""
        ...


class RawSet(Protocol):
    """What google-re2 calls a set: many expressions, one pass over the text."""

    def Add(self, pattern: str) -> int: ...  # noqa: D102, N802 - the library's own name
    def Compile(self) -> None: ...  # noqa: D102, N802
    def Match(self, text: str) -> list[int] | None: ...  # noqa: D102, N802


# What an expression may remember of the texts it met, so that the next ones are quicker. A set meets every line of
# every text; a single expression only sentences in which its set found something.
MEMORY_BYTES = 8 << 20
SET_MEMORY_BYTES = 16 << 20
compile_re2 = cast("Callable[..., Pattern]", re2.compile)


def compiled(expression: str, *, ignore_case: bool = True, groups: bool = True) -> Pattern:
    r"""Return the pattern of an expression of ours (ASCII `\b`, `\d`, `\w`); RE2 compiles it when it is first asked.

    The judgement has hundreds of them, and a service that starts should not wait for them. What a person configured
    goes to `compiled_at_once` instead.
    """
    return cast("Pattern", CompiledWhenAsked(expression, ignore_case, groups))


def compiled_at_once(expression: str, *, ignore_case: bool = True, groups: bool = True) -> Pattern:
    """Compile an RE2 expression; raises ConfigurationError when RE2 refuses it."""
    try:
        return compile_re2(expression, options(ignore_case=ignore_case, groups=groups))
    except re2.error as error:
        reason = error.args[0] if error.args else "unknown"
        text = reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
        raise ConfigurationError(
            problem=f"The pattern {expression!r} is not an RE2 expression: {text}. "
            "Look-around and back references do not exist there."
        ) from error


class CompiledWhenAsked:
    """Stands for a pattern until one of its methods is asked for; from then on it has the methods of the pattern."""

    def __init__(self, expression: str, ignore_case: bool, groups: bool) -> None:
        self._expression = expression
        self._ignore_case = ignore_case
        self._groups = groups

    def __getattr__(self, name: str) -> object:
        """Compile; Python asks here only for what is not there yet. Raises ConfigurationError."""
        if name not in METHODS:
            raise AttributeError(name)
        pattern = compiled_at_once(self._expression, ignore_case=self._ignore_case, groups=self._groups)
        for method in METHODS:
            setattr(self, method, getattr(pattern, method))
        return getattr(pattern, name)


METHODS = ("search", "match", "fullmatch", "finditer", "findall", "sub")


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

    def __init__(self) -> None:
        super().__init__(f"The word lists are too large to be searched with {SET_MEMORY_BYTES >> 20} MB of memory.")


class PatternSet(Generic[Key]):
    """Tells in one pass which of many expressions occur in a text, whatever their number."""

    def __init__(self, expressions: Mapping[Key, Sequence[str]]) -> None:
        self._keys: list[Key] = []
        self._set = cast("RawSet", re2.Set.SearchSet(options(memory=SET_MEMORY_BYTES)))
        for key, listed in expressions.items():
            if listed:
                self._set.Add(any_of(listed))
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
    """Whether an expression gets a word boundary before it, and behind it."""
    ending = expression.rstrip(")?+*") if expression.isascii() else expression
    return is_word(expression.lstrip("(")[:1]), is_word(ending[-1:])


def is_word(character: str) -> bool:
    """Whether a character has an ASCII word boundary beside it."""
    return character.isascii() and character.isalnum()


def alternation(expressions: Iterable[str]) -> Pattern:
    """Compile a pattern that finds any of the expressions; raises ConfigurationError for what is no RE2 expression."""
    return compiled_at_once(any_of(expressions), groups=False)
