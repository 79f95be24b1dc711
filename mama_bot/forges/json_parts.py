"""Read values out of what a forge answered: whatever is not there, or of another kind, is empty."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, urlsplit

from mama_bot.wording import one_line

NAME_CHARACTERS = 200
TEXT_CHARACTERS = 4_000
# Whoever may report on a commit chooses where that leads: nothing of it ends the link in which it is shown.
ADDRESS_SIGNS = "/:?#@!$&'+,;=%~._-"


def part(value: Any, *keys: str) -> Mapping[str, Any]:
    """Return what stands under keys, one below the other, as a mapping; empty where there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def name_in(value: Mapping[str, Any], key: str) -> str:
    """Return a short text on one line, "" where there is none."""
    text = value.get(key)
    return one_line(text, NAME_CHARACTERS) if isinstance(text, str) else ""


def text_in(value: Mapping[str, Any], key: str) -> str:
    """Return a text as it was written, bounded; "" where there is none."""
    text = value.get(key)
    return text[:TEXT_CHARACTERS] if isinstance(text, str) else ""


def whole_in(value: Mapping[str, Any], key: str) -> int | None:
    """Return a whole number, None where there is none."""
    number = value.get(key)
    return number if isinstance(number, int) and not isinstance(number, bool) else None


def time_in(value: Mapping[str, Any], key: str) -> datetime | None:
    """Return a moment such as "2026-01-31T12:00:00.123Z", None where there is none."""
    text = value.get(key)
    try:
        moment = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return moment.replace(tzinfo=moment.tzinfo or UTC) if moment is not None else None


def address_in(value: Mapping[str, Any], *keys: str) -> str:
    """Return the first address of the web among these as it may stand in a link, "" where there is none."""
    for key in keys:
        text = value.get(key)
        if isinstance(text, str) and text.startswith(("https://", "http://")) and " " not in text and len(text) < 2_000:
            return _in_link(text) if text.isprintable() else ""
    return ""


def _in_link(address: str) -> str:
    """Return an address without what a chat would read as markup; "" for one that shows another name than its host."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    if "@" in parts.netloc or not parts.hostname:
        return ""
    begin = f"{parts.scheme}://{parts.netloc}"
    rest = quote(address[len(begin) :], safe=ADDRESS_SIGNS)
    return f"{begin}{rest}" if not set(parts.netloc) & set("()<>|`\\*\"'") else ""
