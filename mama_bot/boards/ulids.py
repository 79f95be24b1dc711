"""ULIDs: ids that sort by the time at which they were made, 48 bits of milliseconds and 80 of randomness."""

from datetime import datetime

CHARACTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's base 32: no I, L, O, U
LENGTH = 26
RANDOM_BYTES = 10
_RANDOM_BITS = 8 * RANDOM_BYTES
_VALUES = {character: value for value, character in enumerate(CHARACTERS)}
_MOST = 1 << 128


def ulid(at: datetime, randomness: bytes, *, after: str = "") -> str:
    """Return a ULID for a moment; where a clock stands still or goes back it sorts behind the one `after` it comes."""
    value = (int(at.timestamp() * 1000) << _RANDOM_BITS) | int.from_bytes(randomness[:RANDOM_BYTES])
    if is_ulid(after):
        value = max(value, _value(after) + 1)
    return "".join(CHARACTERS[value >> shift & 31] for shift in range(5 * (LENGTH - 1), -1, -5))


def is_ulid(text: str) -> bool:
    """Return whether a text is a ULID as `ulid` writes it."""
    return len(text) == LENGTH and all(character in _VALUES for character in text) and _value(text) < _MOST


def _value(text: str) -> int:
    value = 0
    for character in text:
        value = value << 5 | _VALUES[character]
    return value
