"""What was made of files that git ignores, where their directory was there before."""

import os
from collections.abc import Sequence
from pathlib import Path

MOST_LOOKED_AT = 50_000


def made_within(tree: Path, directories: Sequence[str], since_ns: int, *, most: int) -> tuple[str, ...]:
    """Return the files in directories of a work tree that were made or changed after a moment, `most` at most.

    The moment is one of the file system (`st_mtime_ns` of a mark); of `MOST_LOOKED_AT` files the rest is not looked at.
    """
    made: list[str] = []
    left = MOST_LOOKED_AT
    for directory in directories:
        for place, _, names in os.walk(tree / directory):
            for name in names:
                if (left := left - 1) < 0 or len(made) >= most:
                    return tuple(made)
                file = Path(place, name)
                try:
                    changed = file.lstat().st_ctime_ns
                except OSError:  # it went meanwhile
                    continue
                if changed > since_ns:
                    made.append(file.relative_to(tree).as_posix())
    return tuple(made)
