"""JSON Lines as a repository holds them: what git, people and crashes leave between the lines is passed over."""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from mama_bot.boards import sentences as says
from mama_bot.model import well_formed
from mama_bot.wording import Said

# A comment that some tools keep at the end of the file, and what git leaves where it did not merge.
PASSED_OVER = ("<!--", "<<<<<<<", "=======", ">>>>>>>", "|||||||")
# What is kept of a line is stored and read whole with each look at a board.
MOST_CHARACTERS = 250_000
MOST_DEPTH = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonLine:
    """One object of a file, with the number of its line and the words of it."""

    number: int
    value: Mapping[str, Any]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BadLine:
    """A line that holds nothing usable, and why."""

    number: int
    reason: Said

    @property
    def sentence(self) -> Said:
        """What whoever imports it is told."""
        return says.BAD_LINE.of(number=self.number, reason=self.reason)


def lines_of(text: str) -> Iterator[JsonLine | BadLine]:
    """Yield the objects of a text of JSON Lines; a sentinel and blank lines are none, a torn last line is told."""
    lines = text.removeprefix("\ufeff").split("\n")
    for number, line in enumerate(lines, start=1):
        words = line.strip()
        if not words or words.startswith(PASSED_OVER):
            continue
        if len(words) > MOST_CHARACTERS:
            yield BadLine(number=number, reason=says.LONG_LINE.of(most=MOST_CHARACTERS))
            continue
        try:
            value = json.loads(words, parse_constant=_refuse_constant, parse_float=_finite)
        except (ValueError, RecursionError):
            yield BadLine(number=number, reason=says.TORN if number == len(lines) else says.NOT_JSON)
            continue
        if _depth(value) > MOST_DEPTH:
            yield BadLine(number=number, reason=says.NESTED.of(most=MOST_DEPTH))
        elif isinstance(value, dict):
            yield JsonLine(number=number, value=_well_formed(value, words), text=words)
        else:
            yield BadLine(number=number, reason=says.NOT_JSON)


def json_line(value: Mapping[str, Any]) -> str:
    """Return an object as one line, without what is empty: `{"id": "a", "text": ""}` is `{"id":"a"}`."""
    kept = {name: field for name, field in value.items() if field not in ("", None, [], {}, ())}
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))


def text_field(value: Mapping[str, Any], *names: str) -> str:
    """Return the first of some fields that is a text with something in it, "" for none."""
    return next((value[name] for name in names if isinstance(value.get(name), str) and value[name].strip()), "")


def moment_field(value: Mapping[str, Any], *names: str) -> datetime | None:
    """Return the first of some fields that is a moment, in ISO 8601 or as seconds since 1970; None for none."""
    for name in names:
        given = value.get(name)
        try:
            if isinstance(given, str):
                at = datetime.fromisoformat(given)
                return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
            if isinstance(given, int | float) and not isinstance(given, bool):
                return datetime.fromtimestamp(given, UTC)
        except (ValueError, OverflowError, OSError):
            continue
    return None


def _depth(value: object) -> int:
    """Return how deep a value of JSON is nested: 1 for `{}`, 2 for `{"a": []}`."""
    depth, level = 0, [value]
    while level := [each for each in level if isinstance(each, dict | list)]:
        depth += 1
        level = [part for each in level for part in (each.values() if isinstance(each, dict) else each)]
    return depth


def _well_formed(value: Mapping[str, Any], words: str) -> Mapping[str, Any]:
    """Return an object whose texts, and names, can be stored: an escape may stand for half of a character."""
    kept: Mapping[str, Any] = value
    if "\\u" in words:
        kept = json.loads(well_formed(json.dumps(value, ensure_ascii=False)))
    return kept


def _finite(digits: str) -> float:
    """Return a number that JSON can hold: `1e999` would be written as none."""
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"{digits} is too large")
    return number


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")
