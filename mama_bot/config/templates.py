"""Prompts with fields of a delivery in them: `{{ pull_request.title }}`. They name values, and run nothing."""

from collections.abc import Iterator
from dataclasses import dataclass

OPENING, CLOSING = "{{", "}}"
MOST_PARTS = 20


@dataclass(frozen=True, slots=True)
class FieldPath:
    """Where a value stands in a JSON document: keys, and numbers of entries, from the outside in."""

    parts: tuple[str, ...]

    def __str__(self) -> str:
        return ".".join(self.parts)

    def of(self, document: object) -> object:
        """Return the value that stands there; None where there is none."""
        value = document
        for part in self.parts:
            if isinstance(value, dict):
                value = value.get(part)
            elif isinstance(value, list) and part.isdecimal() and part.isascii() and int(part) < len(value):
                value = value[int(part)]
            else:
                return None
        return value


def field_path(text: str) -> FieldPath:
    """Return the path that a text as `commits.0.message` names; raises ValueError, a sentence."""
    parts = tuple(text.strip().split("."))
    if len(parts) > MOST_PARTS or not all(_is_part(part) for part in parts):
        raise ValueError(
            f"{text.strip()[:60]!r} names no field. Write keys with dots between them, as commits.0.message."
        )
    return FieldPath(parts)


def parse_template(text: str) -> tuple[str | FieldPath, ...]:
    """Return the words of a template and the fields between them, in order; raises ValueError, a sentence."""
    return tuple(_pieces(text))


def _pieces(text: str) -> Iterator[str | FieldPath]:
    while True:
        words, opening, rest = text.partition(OPENING)
        if words:
            yield words
        if not opening:
            return
        inner, closing, text = rest.partition(CLOSING)
        if not closing:
            raise ValueError(f"a field begins with {OPENING} and does not end with {CLOSING}.")
        yield field_path(inner)


def _is_part(part: str) -> bool:
    return bool(part) and all(sign.isalnum() or sign in "_-" for sign in part)
