"""The arguments of tool calls as text, bounded whatever a call is given."""

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

ARGUMENT_CHARACTERS = 4_000
STRING_LIMITS = (1_000, 200, 40)


def bounded_arguments(safe: Any) -> str:
    """Return arguments as JSON, with their long texts cut where the whole is too much."""
    whole = _compact(safe)
    for limit in STRING_LIMITS:
        if len(whole) <= ARGUMENT_CHARACTERS:
            return whole
        whole = _compact(map_strings(safe, partial(cut_text, limit=limit)))
    if len(whole) <= ARGUMENT_CHARACTERS:
        return whole
    return _compact({"truncated": _compact(safe)[: ARGUMENT_CHARACTERS // 4]})


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def cut_text(text: str, *, limit: int) -> str:
    """Return a text, or its beginning and how long it is."""
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"


def map_strings(value: Any, change: Callable[[str], str]) -> Any:
    """Return a value with each text in it changed."""
    match value:
        case str():
            return change(value)
        case Mapping():
            return {change(str(key)): map_strings(item, change) for key, item in value.items()}
        case list() | tuple():
            return [map_strings(item, change) for item in value]
        case _:
            return value
