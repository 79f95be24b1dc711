"""How large an image is, read from its first bytes."""

from collections.abc import Mapping

_START_OF_FRAME = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_WITHOUT_LENGTH = frozenset(range(0xD0, 0xD8)) | {0x01, 0xFF}
_LENGTHS: Mapping[bytes, int] = {b"VP8X": 30, b"VP8L": 25, b"VP8 ": 30}


def longest_side(content: bytes) -> int:
    """Return the longer side of a PNG, JPEG, GIF or WebP in pixels; 0 when its head does not tell."""
    if content.startswith(b"\x89PNG\r\n\x1a\n") and content[12:16] == b"IHDR" and len(content) >= 24:
        return max(_big(content[16:20]), _big(content[20:24]))
    if content.startswith(b"GIF8") and len(content) >= 10:
        return max(_little(content[6:8]), _little(content[8:10]))
    if content[:4] == b"RIFF" and len(content) >= _LENGTHS.get(content[12:16], len(content) + 1):
        return _of_webp(content)
    return _of_jpeg(content) if content.startswith(b"\xff\xd8") else 0


def _of_webp(content: bytes) -> int:
    match content[12:16]:
        case b"VP8X":
            return 1 + max(_little(content[24:27]), _little(content[27:30]))
        case b"VP8L":
            bits = _little(content[21:25])
            return 1 + max(bits & 0x3FFF, bits >> 14 & 0x3FFF)
        case _:
            return max(_little(content[26:28]) & 0x3FFF, _little(content[28:30]) & 0x3FFF)


def _of_jpeg(content: bytes) -> int:
    at = 2
    while at + 9 <= len(content) and content[at] == 0xFF:
        marker = content[at + 1]
        if marker in _START_OF_FRAME:
            return max(_big(content[at + 5 : at + 7]), _big(content[at + 7 : at + 9]))
        at += 1 if marker == 0xFF else 2 if marker in _WITHOUT_LENGTH else 2 + max(2, _big(content[at + 2 : at + 4]))
    return 0


def _big(number: bytes) -> int:
    return int.from_bytes(number, "big")


def _little(number: bytes) -> int:
    return int.from_bytes(number, "little")
