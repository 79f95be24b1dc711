"""JSON Lines as a repository holds them: what git, people and crashes leave between the lines is passed over."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from mama_bot.boards import sentences as says
from mama_bot.wording import Said

# A comment that some tools keep at the end of the file, and what git leaves where it did not merge.
PASSED_OVER = ("<!--", "<<<<<<<", "=======", ">>>>>>>", "|||||||")


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
        try:
            value = json.loads(words)
        except (ValueError, RecursionError):
            yield BadLine(number=number, reason=says.TORN if number == len(lines) else says.NOT_JSON)
            continue
        if isinstance(value, dict):
            yield JsonLine(number=number, value=value, text=words)
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
