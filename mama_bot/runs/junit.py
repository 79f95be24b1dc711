"""JUnit XML: what test tools write where they are asked to."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from xml.parsers import expat

from mama_bot.runs.formats import Summary, summary_with

MAX_BYTES = 4 << 20
CHUNK_BYTES = 1 << 18


class _Refused(Exception):
    """The file holds what no test tool writes."""


class _Cases:
    """Counts test cases as they are read; nothing else is kept."""

    def __init__(self) -> None:
        self.ran = self.failed = self.errors = self.skipped = 0
        self._outcome = ""
        self._inside = False

    def start(self, name: str, _attributes: Mapping[str, str]) -> None:
        if name == "testcase":
            self._inside, self._outcome = True, ""
        elif self._inside and name in {"failure", "error", "skipped"} and self._outcome in {"", "skipped"}:
            self._outcome = name
        elif self._inside and name == "rerunFailure":
            self._outcome = self._outcome or ""

    def end(self, name: str) -> None:
        if name == "testcase":
            self._inside = False
            self.ran += 1
            self.failed += self._outcome == "failure"
            self.errors += self._outcome == "error"
            self.skipped += self._outcome == "skipped"


def read_junit(file: Path, *, since: float, until: float | None) -> Summary | None:
    """Return what a file says that was written between two moments (seconds since 1970); None for any other file.

    Only a regular file of at most 4 MiB is read, no link, and nothing that could be waited for.
    """
    try:
        # Opened without waiting and looked at afterwards: a FIFO in its place would hold the whole service.
        with os.fdopen(os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as stream:
            status = os.fstat(stream.fileno())
            if not stat.S_ISREG(status.st_mode):
                return None
            if status.st_mtime < since or (until is not None and status.st_mtime > until) or status.st_size > MAX_BYTES:
                return None
            cases = _Cases()
            parser = expat.ParserCreate()
            parser.StartElementHandler = cases.start
            parser.EndElementHandler = cases.end
            parser.StartDoctypeDeclHandler = _refuse
            parser.EntityDeclHandler = _refuse
            while chunk := stream.read(CHUNK_BYTES):
                parser.Parse(chunk, False)
            parser.Parse(b"", True)
    except (OSError, ValueError, expat.ExpatError, _Refused):
        return None
    passed = cases.ran - cases.failed - cases.errors - cases.skipped
    return summary_with(passed=passed, failed=cases.failed, errors=cases.errors, skipped=cases.skipped or None)


def _refuse(*_: object) -> None:
    raise _Refused
