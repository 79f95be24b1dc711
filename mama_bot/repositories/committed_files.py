"""Read plain files as a commit has them: what is on a disk may be anybody's."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import PurePosixPath

PLAIN = ("100644", "100755")
MOST_BYTES = 256 * 1024
MOST_FILES = 100

# Runs git with these arguments and returns its output; raises GitFailed.
GitOutput = Callable[..., Awaitable[str]]


async def committed_files(output: GitOutput, commit: str, paths: Sequence[str]) -> Mapping[str, str]:
    """Return the text of the files at or below these paths, by their paths; raises what `output` raises.

    Links are no files; nor is what is larger than any text that somebody reads, or no text, or leads elsewhere: git
    takes a tree in which a directory is called `..` from whoever sends it.
    """
    listed = await output("ls-tree", "-r", "-z", "--long", "--full-tree", commit, "--", *paths)
    blobs: dict[str, str] = {}
    for entry in listed.split("\0"):
        properties, _, path = entry.partition("\t")
        mode, _, name, size = (*properties.split(), "", "", "", "")[:4]
        is_text = mode in PLAIN and size.isdecimal() and int(size) <= MOST_BYTES
        if is_text and ".." not in PurePosixPath(path).parts and len(blobs) < MOST_FILES:
            blobs[path] = name
    texts = {path: await output("cat-file", "blob", name) for path, name in blobs.items()}
    return {path: text for path, text in texts.items() if "\0" not in text}
