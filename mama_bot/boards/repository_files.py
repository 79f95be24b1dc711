"""The files of a board in a repository: `.mama/topics.jsonl` and `.mama/items.jsonl`, which git merges by union."""

import os
import posixpath
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from mama_bot.boards.item_lines import item_line, items_of
from mama_bot.boards.json_lines import BadLine
from mama_bot.boards.topic_lines import post_line, posts_of
from mama_bot.model import TopicPost, WorkItem

DIRECTORY = ".mama"
TOPICS = f"{DIRECTORY}/topics.jsonl"
ITEMS = f"{DIRECTORY}/items.jsonl"
ATTRIBUTES = f"{DIRECTORY}/.gitattributes"
UNION = "*.jsonl merge=union\n"
MOST_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardFiles:
    """What the files of a board hold, and the lines in them that hold nothing usable, by file."""

    posts: tuple[TopicPost, ...]
    items: tuple[WorkItem, ...]
    bad: Mapping[str, tuple[BadLine, ...]]


def read_board(root: Path) -> BoardFiles:
    """Return what lies in a repository; files that are not there hold nothing. Raises OSError."""
    try:
        with _directory(root) as directory:
            return board_of_files({name: _text(name, directory) for name in (TOPICS, ITEMS)})
    except FileNotFoundError:
        return board_of_files({})


def board_of_files(texts: Mapping[str, str]) -> BoardFiles:
    """Return what the texts of these files hold; one that is not there holds nothing."""
    posts, bad_posts = posts_of(texts.get(TOPICS, ""))
    items, bad_items = items_of(texts.get(ITEMS, ""))
    bad = {TOPICS: tuple(bad_posts), ITEMS: tuple(bad_items)}
    return BoardFiles(posts=tuple(posts), items=tuple(items), bad=bad)


def write_board(root: Path, posts: Sequence[TopicPost] | None, items: Sequence[WorkItem] | None) -> tuple[str, ...]:
    """Write what is new into the files of a repository (None: nothing of that kind), and return which are otherwise.

    Posts are added at the end: no line that is there is changed. Of each item one line stays, the newest. Raises
    OSError.
    """
    changed = {}
    if not (posts or items or (root / DIRECTORY).is_dir()):
        return ()
    with _directory(root, make=True) as directory:
        if posts is not None and (added := _added(there := _text(TOPICS, directory), posts)):
            changed[TOPICS] = there + added
        if items is not None and (merged := _merged(there := _text(ITEMS, directory), items)) != there:
            changed[ITEMS] = merged
        attributes = _text(ATTRIBUTES, directory)
        if changed and UNION.strip() not in attributes.splitlines():
            # A last line without its end stays a line of its own.
            changed[ATTRIBUTES] = attributes + ("" if attributes.endswith("\n") or not attributes else "\n") + UNION
        for name, text in changed.items():
            _write(name, text, directory)
    return tuple(changed)


def _added(there: str, posts: Sequence[TopicPost]) -> str:
    known = {post.id for post in posts_of(there)[0]}
    added = "".join(f"{post_line(post)}\n" for post in posts if post.id not in known)
    # A torn line stays torn: nothing is joined to it.
    return f"\n{added}" if added and there and not there.endswith("\n") else added


def _merged(there: str, items: Sequence[WorkItem]) -> str:
    kept = {item.id: item for item in items_of(there)[0]}
    for item in items:
        if item.id not in kept or kept[item.id].updated_at <= item.updated_at:
            kept[item.id] = item
    return "".join(f"{item_line(kept[each])}\n" for each in sorted(kept))


@contextmanager
def _directory(root: Path, *, make: bool = False) -> Iterator[int]:
    """Open the directory of the files, a plain one: whatever an agent puts in its place later leads nowhere else."""
    if make:
        (root / DIRECTORY).mkdir(exist_ok=True)
    try:
        opened = os.open(root / DIRECTORY, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except NotADirectoryError as error:
        raise OSError(f"{root / DIRECTORY} is no plain directory: nothing is read or written there") from error
    try:
        yield opened
    finally:
        os.close(opened)


def _text(name: str, directory: int) -> str:
    try:
        return regular_text(Path(posixpath.basename(name)), directory=directory)
    except FileNotFoundError:
        return ""


def regular_text(file: Path, *, directory: int | None = None) -> str:
    """Return a plain file of a bounded size, whatever else stands under its name; raises OSError."""
    descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=directory)
    with os.fdopen(descriptor, "rb") as opened:
        state = os.fstat(opened.fileno())
        if not stat.S_ISREG(state.st_mode) or state.st_size > MOST_BYTES:
            raise OSError(f"{file} is no plain file of at most {MOST_BYTES // 1024 // 1024} MB")
        return opened.read().decode(errors="replace")


def _write(name: str, text: str, directory: int) -> None:
    """Write a file whole or not at all."""
    file = posixpath.basename(name)
    draft = f".{file}.{os.getpid()}"
    with suppress(FileNotFoundError):
        os.unlink(draft, dir_fd=directory)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with os.fdopen(os.open(draft, flags, 0o644, dir_fd=directory), "w", encoding="utf-8") as opened:
            opened.write(text)
        os.replace(draft, file, src_dir_fd=directory, dst_dir_fd=directory)
    except BaseException:
        with suppress(OSError):
            os.unlink(draft, dir_fd=directory)
        raise
