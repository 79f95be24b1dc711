"""The known options of a program with which it only looks; any other option is refused."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mama_bot.shell.tokens import word_set
from mama_bot.text.patterns import Pattern

SHOWN = 80


@dataclass(frozen=True, slots=True)
class Known:
    """Options by their whole names; `flags` are letters that may be combined, `valued` letters with a value.

    `needed`: it writes unless one of these is given. `values`: the values that an option may have. `named`: how many
    words may be given besides options.
    """

    long: frozenset[str] = frozenset()
    flags: str = ""
    valued: str = ""
    needed: frozenset[str] = frozenset()
    values: Mapping[str, Pattern] = field(default_factory=dict)
    pattern: Pattern | None = None
    named: int | None = None
    subcommands: frozenset[str] = frozenset()

    def refusal(self, name: str, given: Sequence[str]) -> str:
        """Return why these words are refused; "" when each is known."""
        for index, word in enumerate(given):
            if not word.startswith("-") or word in ("-", "--"):
                continue
            option, equals, value = word.partition("=")
            if not self._has(option, word):
                return f"{name} {option[:SHOWN]} is no option that is known to change nothing"
            allowed = self.values.get(option) or self.values.get(word[:2])
            if allowed is None:
                continue
            if not equals:
                joined = option not in self.values
                value = word[2:] if joined else given[index + 1] if index + 1 < len(given) else ""
            if allowed.fullmatch(value) is None:
                return f"{name} {option[:SHOWN]} {value[:SHOWN]} is not known to change nothing"
        return self._words(name, given)

    def _has(self, option: str, word: str) -> bool:
        if option in self.long or (self.pattern is not None and self.pattern.fullmatch(option) is not None):
            return True
        if word.startswith("--"):
            return False
        for letter in word[1:]:
            if letter in self.valued:
                return True
            if letter not in self.flags:
                return False
        return True

    def _words(self, name: str, given: Sequence[str]) -> str:
        named = [word for word in given if not word.startswith("-")]
        if self.subcommands and not self.subcommands.intersection(named[:1]):
            return f"{name} is only known with {' or '.join(sorted(self.subcommands))}"
        if self.named is not None and len(named) > self.named:
            return f"{name} may write {named[self.named][:SHOWN]}"
        if self.needed and not self.needed.intersection(word.partition("=")[0] for word in given):
            return f"{name} changes files without {' or '.join(sorted(self.needed))}"
        return ""


def known(
    long: str = "",
    flags: str = "",
    valued: str = "",
    *,
    needed: str = "",
    values: Mapping[str, Pattern] | None = None,
    pattern: Pattern | None = None,
    named: int | None = None,
    subcommands: str = "",
) -> Known:
    """Return the options that are written as words: `known("--check --diff", "q", needed="--check")`."""
    return Known(word_set(long), flags, valued, word_set(needed), values or {}, pattern, named, word_set(subcommands))
