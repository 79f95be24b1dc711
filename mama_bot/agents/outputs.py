"""Outputs of tools, whatever their size: read by their ends, at a cost that does not grow with them."""

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

KEPT_CHARACTERS = 2_000
END_BYTES = 2**19  # redaction takes up to 0.12 s for a megabyte: twice this bounds what one call costs
SEAM_BYTES = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundedOutput:
    """An output as far as it was read: all of it up to a mebibyte, else its two ends with a line between them.

    `size` is that of the whole: characters, or bytes where only the ends were read.
    """

    text: str
    size: int

    @property
    def head(self) -> str:
        """The first 2,000 characters."""
        return self.text[:KEPT_CHARACTERS]

    @property
    def tail(self) -> str:
        """The last 2,000 characters that are not in the head."""
        return self.text[max(KEPT_CHARACTERS, len(self.text) - KEPT_CHARACTERS) :]

    @property
    def sha256(self) -> str:
        """The hash of what was read, without its secrets: of the whole where all was read."""
        return sha256(self.text.encode()).hexdigest()


def whole_output(text: str, account: object, *, places: tuple[Path, ...]) -> BoundedOutput:
    """Return the output of a call: `text` as the model saw it, or more where the CLI's own account has more.

    The account may name a file that the CLI put a large output into; it is read when it lies in one of `places`.
    """
    if not isinstance(account, Mapping) or "stdout" not in account:
        return bounded(text)
    persisted = account.get("persistedOutputPath")
    whole = read_output(persisted, places=places) if isinstance(persisted, str) else None
    if whole is not None:
        return whole
    parts = (str(account.get("stdout") or ""), str(account.get("stderr") or ""))
    return bounded("\n".join(part for part in parts if part))


def bounded(text: str) -> BoundedOutput:
    """Return a text, or its ends."""
    if len(text) <= 2 * END_BYTES:
        return BoundedOutput(text=text, size=len(text))
    return BoundedOutput(text=_joined(text[:END_BYTES], text[-END_BYTES:], len(text) - 2 * END_BYTES), size=len(text))


def read_output(path: str, *, places: tuple[Path, ...]) -> BoundedOutput | None:
    """Return a file that the CLI wrote, or its ends; None when it lies in none of these places or cannot be read.

    What lies there by a link counts as where it really is; only a regular file is read.
    """
    try:
        if not any(Path(path).is_relative_to(place) for place in places) or ".." in Path(path).parts:
            return None
        real = Path(os.path.realpath(path))
        if not any(real.is_relative_to(os.path.realpath(place)) for place in places):
            return None
        # Opened without waiting and looked at afterwards: a FIFO in its place would hold the whole service.
        with os.fdopen(os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                return None
            head = stream.read(END_BYTES)
            size = stream.seek(0, os.SEEK_END)
            stream.seek(max(len(head), size - END_BYTES))
            tail = stream.read(END_BYTES)
    except (OSError, ValueError):  # a name with NUL in it
        return None
    left_out = size - len(head) - len(tail)
    if left_out <= 0:
        text = (head + tail).decode("utf-8", "replace")
        return BoundedOutput(text=text, size=len(text))
    return BoundedOutput(
        text=_joined(head.decode("utf-8", "replace"), tail.decode("utf-8", "replace"), left_out), size=size
    )


def _joined(head: str, tail: str, left_out: int) -> str:
    """Return two ends as one text, cut at lines where lines are short: half a secret is not recognised as one."""
    cut = head.rfind("\n", -SEAM_BYTES)
    begin = tail.find("\n", 0, SEAM_BYTES)
    return f"{head[: cut if cut >= 0 else None]}\n[... {left_out} left out ...]\n{tail[begin + 1 :]}"
