"""What an approver itself has seen, as the record of its own calls shows it."""

import posixpath
from collections.abc import Sequence

from mama_bot.facts.places import same_file
from mama_bot.model import Facts, LookKind, RunEnd

SHOWN = "shown"
ENDED = frozenset((RunEnd.PASSED, RunEnd.FAILED))
# What nobody reads line by line: pictures, archives, what a tool locks.
UNREADABLE = frozenset(
    (
        *(".png", ".jpg", ".jpeg", ".gif", ".svg", ".ico", ".webp", ".pdf", ".zip", ".gz", ".jar", ".whl", ".bin"),
        *(".woff", ".woff2", ".ttf", ".otf", ".mp3", ".mp4", ".sqlite", ".db", ".pyc", ".lock", ".lockb", ".snap"),
    )
)
LOCKED = frozenset(("package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "go.sum"))


def has_seen(own: Facts) -> bool:
    """Return whether the approver was shown a file's content, or ran a check that ended, by no runner of its own."""
    shown = any(look.kind is LookKind.FILE and look.state == SHOWN and look.witness.own for look in own.looks)
    return shown or any(check.witness.own and check.end in ENDED and not check.runner for check in own.checks)


def rests_on_own_run(own: Facts) -> bool:
    """Return whether nothing that the approver has seen is more than a run by means that are not known."""
    shown = any(look.kind is LookKind.FILE and look.state == SHOWN and look.witness.own for look in own.looks)
    return not shown and not any(
        check.witness.own and check.end in ENDED and check.plain and not check.runner for check in own.checks
    )


def unread_files(files: Sequence[str], own: Facts) -> tuple[str, ...]:
    """Return which of some changed files the approver was not shown in this turn, by itself or in a diff."""
    shown = [
        look.subject
        for look in own.looks
        if look.kind is LookKind.FILE and look.state == SHOWN and look.witness.own and not look.witness.age
    ]
    return tuple(file for file in files if is_readable(file) and not any(same_file(file, name) for name in shown))


def is_readable(file: str) -> bool:
    """Return whether a person would read a file line by line."""
    name = posixpath.basename(file).lower()
    return name not in LOCKED and posixpath.splitext(name)[1] not in UNREADABLE
