"""A prompt with what others wrote in it: each value stands between marks that nothing in it can end."""

import json
from collections.abc import Sequence

from mama_bot.config import FieldPath
from mama_bot.text.foreign import foreign_mark
from mama_bot.triggers.sentences import FOREIGN, NO_VALUE
from mama_bot.wording import Language, printable

MOST_OF_VALUE = 4_000
MOST_IN_ALL = 20_000
CUT = " […]"


def prompt_of(
    pieces: Sequence[str | FieldPath], document: object, language: Language, *, most: int = MOST_IN_ALL
) -> str:
    """Return a template with its fields filled in, each marked as foreign; so many foreign characters at most."""
    values: list[str | None] = []
    for piece in pieces:
        value = _text(piece.of(document)) if isinstance(piece, FieldPath) else None
        if value is not None:
            value = _cut(value, min(MOST_OF_VALUE, most))
            most -= len(value)
        values.append(value)
    mark = foreign_mark([value for value in values if value is not None])
    words = []
    for piece, value in zip(pieces, values, strict=True):
        if isinstance(piece, str):
            words.append(piece)
        elif value is None:
            words.append(NO_VALUE.to(language))
        else:
            words.append(f'<{mark} field="{piece}">{value}</{mark}>')
    marked = any(value is not None for value in values)
    return "".join((*words, f"\n\n{FOREIGN.to(language, mark=mark)}" if marked else ""))


def _text(value: object) -> str | None:
    """A value as text that shows all it holds: what does not print could say something that no person sees."""
    if value is None:
        return None
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return printable(text[: MOST_OF_VALUE + 1], keep="\n\t", instead=" ")


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: max(0, most - len(CUT))]}{CUT}"
