"""Boards and the files of a repository: written there for git to merge, and taken in from there."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from mama_bot.boards.item_lines import items_of
from mama_bot.boards.repository_files import ITEMS, TOPICS, BoardFiles, read_board, regular_text, write_board
from mama_bot.commands import sentences as says
from mama_bot.errors import ConfigurationError
from mama_bot.model import BoardId, TopicPost, WorkItem
from mama_bot.repositories.git import FILTERS, Git, GitFailed, environment, run_git
from mama_bot.store import Store
from mama_bot.wording import Language

Kind = Literal["topics", "items"]
GIT_SECONDS = 30
AUTHOR = ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL")


async def export_board(
    store: Store, board: BoardId, root: Path, kind: Kind, commits: bool, language: Language
) -> Sequence[str]:
    """Write what a board holds into a repository, and say which files are otherwise; raises ConfigurationError."""
    posts = await store.topics.all_posts(board) if kind == "topics" else None
    items = await store.items.all_items(board) if kind == "items" else None
    written = _written(root, posts, items)
    lines = [says.WRITTEN_TO.to(language, file=name) for name in written] or [says.UP_TO_DATE.to(language)]
    if written and commits:
        await _commit(root, written)
        lines.append(says.COMMITTED.to(language))
    return lines


async def import_board(store: Store, board: BoardId, path: Path, kind: Kind, language: Language) -> Sequence[str]:
    """Take in what a repository, or for items a file, holds, and say what came of it; raises ConfigurationError."""
    files = _read(path, kind)
    if kind == "topics":
        taken, bad = await store.topics.take_in(board, files.posts), files.bad[TOPICS]
    else:
        taken, bad = await store.items.take_in(board, files.items, own_too=True), files.bad[ITEMS]
    told = says.TAKEN_IN.to(language, new=taken.new, changed=taken.changed, known=taken.known, board=board)
    return [told, *(line.sentence.to(language) for line in bad), *taken.problems]


def _written(root: Path, posts: Sequence[TopicPost] | None, items: Sequence[WorkItem] | None) -> Sequence[str]:
    if not root.is_dir():
        raise ConfigurationError(problem=says.NO_DIRECTORY_THERE.of(path=root))
    try:
        return write_board(root, posts, items)
    except OSError as error:
        raise ConfigurationError(problem=says.UNUSABLE_FILES.of(reason=error.strerror or error)) from error


def _read(path: Path, kind: Kind) -> BoardFiles:
    try:
        if path.is_dir():
            return read_board(path)
        if kind == "items" and path.exists():
            items, bad = items_of(regular_text(path))
            return BoardFiles(posts=(), items=tuple(items), bad={ITEMS: tuple(bad)})
    except OSError as error:
        raise ConfigurationError(problem=says.UNUSABLE_FILES.of(reason=error.strerror or error)) from error
    raise ConfigurationError(problem=says.NO_DIRECTORY_THERE.of(path=path))


async def _commit(root: Path, files: Sequence[str]) -> None:
    """Commit just these files, as whoever runs the command; raises ConfigurationError.

    The directory may be one in which agents work: nothing that is configured there runs, no hook, filter or monitor.
    """
    git = Git(GIT_SECONDS)
    try:
        repository = await git.find(root)
        if repository is None:
            raise ConfigurationError(
                problem=says.NOT_COMMITTED.of(reason=says.NO_DIRECTORY_THERE.of(path=root / ".git"))
            )
        asked = ("config", "--null", "--name-only", "--get-regexp", FILTERS)
        _, listed, _ = await git.run(root, *asked, variables=repository.variables)
        filters = tuple(name for name in listed.split("\0") if name)
        variables = {**environment(filters), **repository.variables, **await _author()}
        for arguments in (
            ("add", "--", *files),
            ("commit", "--quiet", "--no-gpg-sign", "-m", "Update the boards of the team", "--", *files),
        ):
            status, output, errors = await run_git(root, *arguments, variables=variables, seconds=GIT_SECONDS)
            if status != 0:
                reason = (errors or output.decode(errors="replace")).strip()[-300:]
                raise ConfigurationError(problem=says.NOT_COMMITTED.of(reason=reason))
    except (GitFailed, OSError) as error:
        raise ConfigurationError(problem=says.NOT_COMMITTED.of(reason=error)) from error


async def _author() -> Mapping[str, str]:
    """Return the variables that name the person who runs the command, by the person's own settings."""
    author = {name: os.environ[name] for name in AUTHOR if name in os.environ}
    for setting in ("user.name", "user.email"):
        asked = ("config", "--global", "--get", setting)
        status, output, _ = await run_git(Path("/"), *asked, variables=os.environ, seconds=GIT_SECONDS)
        for name in AUTHOR:
            if status == 0 and name.endswith(setting.removeprefix("user.").upper()):
                author.setdefault(name, output.decode(errors="replace").strip())
    return author
