"""The service's own values, as they look in common encodings."""

import base64
import re
from collections.abc import Iterator

# Shorter values in other encodings are parts of ordinary words and figures.
SHORTEST = 8
# What a text may hold between two characters of a value without hiding it from a reader: breaks, marks, nothing at all.
_BETWEEN = r"[\s*`~\x{ad}\x{200b}-\x{200f}\x{2060}\x{feff}\\]*"


def literal_forms(value: str) -> Iterator[str]:
    """Yield the value itself, reversed, in base64 wherever it stands in what was encoded, and in hex."""
    yield value
    if len(value) < SHORTEST:
        return
    yield value[::-1]
    content = value.encode("utf-8", "surrogatepass")
    yield content.hex()
    yield content.hex().upper()
    for before in range(3):
        encoded = base64.b64encode(b"\0" * before + content).decode()
        # What the neighbours of the value decide is left out at both ends.
        inner = encoded[(0, 2, 3)[before] : len(encoded) - (0, 3, 2)[(before + len(content)) % 3]]
        yield inner
        yield inner.translate({ord("+"): "-", ord("/"): "_"})


def written_otherwise(value: str) -> str:
    """Return an expression of the value with escapes, marks and breaks in it; "" for one too short to tell."""
    if len(value) < SHORTEST:
        return ""
    return _BETWEEN.join(_written(character) for character in value)


def _written(character: str) -> str:
    number = ord(character)
    percent = "".join(f"%{byte:02x}" for byte in character.encode("utf-8", "surrogatepass"))
    forms = [f"(?i:{percent})", f"&#0*{number};", f"(?i:&#x0*{number:x};)"]
    forms += [rf"(?i:\\u{number:04x})"] if number < 2**16 else []
    forms += [rf"(?i:\\x{number:02x})"] if number < 2**7 else []
    forms += {"&": ["&amp;"], "<": ["&lt;"], ">": ["&gt;"], '"': ["&quot;"], "'": ["&apos;"]}.get(character, [])
    return f"(?:{'|'.join([re.escape(character), *forms])})"
