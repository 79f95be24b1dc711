"""Read plain files as a commit has them: what is on a disk may be anybody's."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

PLAIN = ("100644", "100755")
MOST_BYTES = 256 * 1024
MOST_FILES = 100


class _Entry(NamedTuple):
    mode: str
    name: str
    size: int
    path: str


# Runs git with these arguments and returns its output; raises GitFailed.
GitOutput = Callable[..., Awaitable[str]]


async def committed_files(
    output: GitOutput, commit: str, paths: Sequence[str], *, most_bytes: int = MOST_BYTES
) -> Mapping[str, str]:
    """Return the text of the files at or below these paths, by their paths; raises what `output` raises.

    Links are no files; nor is what is larger than any text that somebody reads, or no text, or leads elsewhere: git
    takes a tree in which a directory is called `..` from whoever sends it.
    """
    blobs: dict[str, str] = {}
    for entry in await _entries(output, commit, paths):
        is_text = entry.mode in PLAIN and entry.size <= most_bytes
        if is_text and ".." not in PurePosixPath(entry.path).parts and len(blobs) < MOST_FILES:
            blobs[entry.path] = entry.name
    texts = {path: await output("cat-file", "blob", name) for path, name in blobs.items()}
    return {path: text for path, text in texts.items() if "\0" not in text}


async def oversized_files(output: GitOutput, commit: str, paths: Sequence[str]) -> tuple[str, ...]:
    """Return which of these files `committed_files` leaves out for their size; raises what `output` raises."""
    entries = await _entries(output, commit, paths)
    return tuple(entry.path for entry in entries if entry.mode in PLAIN and entry.size > MOST_BYTES)


async def _entries(output: GitOutput, commit: str, paths: Sequence[str]) -> list[_Entry]:
    listed = await output("ls-tree", "-r", "-z", "--long", "--full-tree", commit, "--", *paths)
    entries = []
    for line in listed.split("\0"):
        properties, _, path = line.partition("\t")
        mode, _, name, size = (*properties.split(), "", "", "", "")[:4]
        if size.isdecimal():
            entries.append(_Entry(mode=mode, name=name, size=int(size), path=path))
    return entries
