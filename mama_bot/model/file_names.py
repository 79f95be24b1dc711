"""Names of files, types of images, sizes for people: pure functions."""

import unicodedata

MAX_NAME_BYTES = 100
_MAX_EXTENSION_BYTES = 16
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def safe_name(name: str) -> str:
    """Return a name for a file that is only a name: no directories or control characters, not hidden, not long."""
    base = name.replace("\\", "/").rpartition("/")[2]
    shown = unicodedata.normalize(
        "NFC", "".join(character for character in base if unicodedata.category(character) not in _UNSAFE)
    )
    stem, dot, extension = " ".join(shown.split()).strip(". ").rpartition(".")
    if not dot or not stem.strip() or len(extension.encode()) > _MAX_EXTENSION_BYTES:
        stem, extension = f"{stem}{dot}{extension}", ""
    ending = f".{extension}" if extension else ""
    return f"{cut_bytes(stem, MAX_NAME_BYTES - len(ending.encode())).strip() or 'file'}{ending}"


def image_type(begin: bytes) -> str:
    """Return the media type of an image from its first 12 bytes; "" when a model cannot see it."""
    if begin.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if begin.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if begin.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    return "image/webp" if begin[:4] == b"RIFF" and begin[8:12] == b"WEBP" else ""


def cut_bytes(text: str, size: int) -> str:
    """Return the beginning of a text that fits into so many bytes of UTF-8."""
    return text.encode()[:size].decode(errors="ignore")


def shown_size(size: int) -> str:
    """Return a number of bytes for people: "812 B", "12 KB", "3.4 MB"."""
    if size < 1000:
        return f"{size} B"
    kilobytes = max(1, round(size / 1024))
    return f"{kilobytes:,} KB" if kilobytes < 1000 else f"{size / 2**20:.1f} MB"
