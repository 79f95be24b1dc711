"""Reading a file of a workspace that is to leave it: no way out of the workspace, no secrets, no surprises."""

import errno
import os
import posixpath
import re
import stat
from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import ClassVar

from mama_bot.errors import ErrorDecision, MamaBotError

MAX_FILE_BYTES = 8 * 2**20
_PIECE = 2**17
_MANY_LINES = "-----BEGIN "

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # a pipe without a writer would never open
_PRIVATE_DIRECTORIES = frozenset({".git", ".ssh", ".aws", ".gnupg", ".kube", ".docker", ".azure", ".gcloud"})
_PRIVATE_FILE = re.compile(
    r"\.env.*|.{0,200}\.env|.{0,200}\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk)|id_(?:rsa|dsa|ecdsa|ed25519).*"
    r"|[._]netrc|\.npmrc|\.pypirc|\.htpasswd|\.pgpass|\.git-credentials|\.?credentials(?:\.json)?"
    r"|\.?secrets?\.(?:ya?ml|json|toml|ini|txt|env)"
)


class Why(StrEnum):
    """Why a file stays where it is."""

    MISSING = "missing"
    OUTSIDE = "outside"
    LINK = "link"
    NO_FILE = "no_file"
    REPOSITORY = "repository"
    SECRET = "secret"  # noqa: S105 - a reason, not a password
    EMPTY = "empty"
    TOO_LARGE = "too_large"
    TOO_MANY = "too_many"
    UNREADABLE = "unreadable"


class StaysHere(MamaBotError):
    """A file is not sent."""

    decision: ClassVar = ErrorDecision.REFUSED

    def __init__(self, why: Why) -> None:
        super().__init__(f"The file is not sent: {why.value}.")
        self.why = why


def read_to_send(workspace: Path, path: str) -> tuple[str, bytes]:
    """Return the base name and the content of a file of a workspace, by a path relative to it (or absolute, inside it).

    No link is followed, so the file that was checked is the file that is read. Raises StaysHere.
    """
    parts = _parts(workspace, path)
    try:
        descriptor = _opened(workspace, parts)
    except (OSError, ValueError) as error:
        raise StaysHere(_why(error)) from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise StaysHere(Why.NO_FILE)
        if status.st_size > MAX_FILE_BYTES:
            raise StaysHere(Why.TOO_LARGE)
        with os.fdopen(os.dup(descriptor), "rb") as file:
            content = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise StaysHere(Why.UNREADABLE) from error
    finally:
        os.close(descriptor)
    if not content:
        raise StaysHere(Why.EMPTY)
    if len(content) > MAX_FILE_BYTES:
        raise StaysHere(Why.TOO_LARGE)
    return parts[-1], content


def without_secrets(content: bytes, redact: Callable[[str], str]) -> bytes:
    """Return a text's content (UTF-8, or UTF-16 with its mark) with secrets redacted; any other file as it is."""
    encoding = "utf-16" if content.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        return content
    clean = "".join(redact(piece) for piece in _pieces(text))
    return content if clean == text else clean.encode(encoding)


def _pieces(text: str) -> Iterator[str]:
    """Whole lines, some at a time, so that the event loop gets its turns; a key of many lines stays in one piece."""
    start = 0
    while len(text) - start > _PIECE and _MANY_LINES not in text:
        end = text.find("\n", start + _PIECE) + 1 or len(text)
        yield text[start:end]
        start = end
    yield text[start:]


def _parts(workspace: Path, path: str) -> tuple[str, ...]:
    plain = posixpath.normpath(path)
    if plain.startswith("/"):
        roots = [root for root in (workspace.absolute(), workspace.resolve()) if Path(plain).is_relative_to(root)]
        if not roots:
            raise StaysHere(Why.OUTSIDE)
        plain = str(Path(plain).relative_to(roots[0]))
    parts = Path(plain).parts
    if not parts:
        raise StaysHere(Why.NO_FILE)
    if parts[0] in ("..", "~"):
        raise StaysHere(Why.OUTSIDE)
    names = [part.casefold() for part in parts]
    if ".git" in names:
        raise StaysHere(Why.REPOSITORY)
    if _PRIVATE_DIRECTORIES.intersection(names) or _PRIVATE_FILE.fullmatch(names[-1]):
        raise StaysHere(Why.SECRET)
    return parts


def _opened(workspace: Path, parts: tuple[str, ...]) -> int:
    """A descriptor of the file; each directory on the way is opened in the one before."""
    directory = os.open(workspace.resolve(), _DIRECTORY)
    try:
        for part in parts[:-1]:
            _no_link(part, directory)
            inner = os.open(part, _DIRECTORY, dir_fd=directory)
            os.close(directory)
            directory = inner
        _no_link(parts[-1], directory)
        return os.open(parts[-1], _FILE, dir_fd=directory)
    finally:
        os.close(directory)


def _no_link(name: str, directory: int) -> None:
    """For a clear reason only: the opening itself does not follow links."""
    if stat.S_ISLNK(os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode):
        raise OSError(errno.ELOOP, "a link")


def _why(error: OSError | ValueError) -> Why:
    if not isinstance(error, OSError):  # a NUL in the name
        return Why.MISSING
    if error.errno == errno.ELOOP:
        return Why.LINK
    if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG):
        return Why.MISSING
    return Why.NO_FILE if error.errno == errno.ENXIO else Why.UNREADABLE
