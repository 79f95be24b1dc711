"""`mama-bot topic` and `mama-bot item`: the boards of the team at a terminal, also while the service runs."""

import argparse
import getpass
import json
import sys
from collections.abc import Sequence

from mama_bot.app.configuration import Configuration
from mama_bot.boards.item_lines import item_line
from mama_bot.boards.item_words import item_lines, item_row
from mama_bot.boards.sentences import UNKNOWN_TOPIC
from mama_bot.boards.topic_lines import post_line
from mama_bot.commands import sentences as says
from mama_bot.commands.board_files import export_board, import_board
from mama_bot.commands.kept_store import existing
from mama_bot.commands.terminal_text import terminal_text
from mama_bot.config import nearest_name
from mama_bot.errors import BoardRefused, ConfigurationError
from mama_bot.model import (
    REPOSITORY_BOARD,
    USUAL_PRIORITY,
    BoardId,
    Contributor,
    Dependency,
    DependencyKind,
    ItemChange,
    ItemId,
    ItemQuery,
    ItemStatus,
    NewItem,
    NewTopicPost,
    TopicPost,
    TopicPostId,
)
from mama_bot.store import Store
from mama_bot.wording import Language, one_line


async def topic_answer(configuration: Configuration, options: argparse.Namespace, language: Language) -> Sequence[str]:
    """Return what an action of `mama-bot topic` leads to, as lines; raises BoardRefused, ConfigurationError."""
    async with existing(configuration) as store:
        match options.action:
            case "list":
                lines = await _topics(configuration, options, store, language)
            case "read":
                board = await _board(configuration, options, store)
                since = TopicPostId(options.since) or None
                posts = await store.topics.read(board, options.topic, since=since, limit=options.limit)
                if not posts and not since:
                    await _refuse_unknown(board, options.topic, store)
                lines = _posts(posts, options, language)
            case "post":
                board = await _board(configuration, options, store)
                new = NewTopicPost(
                    topic=options.topic,
                    text=sys.stdin.read() if options.text == "-" else options.text,
                    by=_author(options),
                    in_reply_to=TopicPostId(options.reply_to) or None,
                )
                lines = _posts([await store.topics.add(board, new)], options, language)
            case "export":
                board = await _board(configuration, options, store)
                lines = await export_board(store, board, options.path, "topics", options.commit, language)
            case _:
                board = await _board(configuration, options, store)
                lines = await import_board(store, board, options.path, "topics", language)
    return [terminal_text(line) for line in lines]


async def item_answer(configuration: Configuration, options: argparse.Namespace, language: Language) -> Sequence[str]:
    """Return what an action of `mama-bot item` leads to, as lines; raises BoardRefused, ConfigurationError."""
    async with existing(configuration) as store:
        board = await _board(configuration, options, store)
        lines = await _item_lines(store, board, options, language)
    return [terminal_text(line) for line in lines]


async def _item_lines(store: Store, board: BoardId, options: argparse.Namespace, language: Language) -> Sequence[str]:
    match options.action:
        case "list":
            query = ItemQuery(
                status=_status(options.status),
                kind=options.kind,
                assignee=options.assignee,
                ready=options.ready,
                closed_too=options.all,
                limit=options.limit,
            )
            listed = await store.items.query(board, query)
            if options.json:
                return [item_line(each.item) for each in listed]
            return [item_row(each, language) for each in listed] or [says.NO_ITEMS.to(language, board=board)]
        case "show":
            return await _shown(store, board, ItemId(options.id), options, language)
        case "create":
            new = NewItem(
                title=options.title,
                by=_author(options),
                description=options.description or "",
                kind=options.kind or "task",
                priority=USUAL_PRIORITY if options.priority is None else options.priority,
                assignee=options.assignee or "",
                labels=tuple(options.label or ()),
                dependencies=_dependencies(options),
            )
            return await _shown(store, board, (await store.items.create(board, new)).id, options, language)
        case "update":
            change = ItemChange(
                title=options.title,
                description=options.description,
                status=_status(options.status),
                kind=options.kind,
                priority=options.priority,
                assignee=options.assignee,
                labels=None if options.label is None else tuple(options.label),
                adds=_dependencies(options),
                removes=tuple(ItemId(each) for each in options.unblock),
            )
            await store.items.update(board, ItemId(options.id), change, _author(options))
            return await _shown(store, board, ItemId(options.id), options, language)
        case "close":
            await store.items.close(board, ItemId(options.id), options.reason, _author(options))
            return await _shown(store, board, ItemId(options.id), options, language)
        case "export":
            return await export_board(store, board, options.path, "items", options.commit, language)
        case _:
            return await import_board(store, board, options.path, "items", language)


async def _shown(
    store: Store, board: BoardId, item_id: ItemId, options: argparse.Namespace, language: Language
) -> Sequence[str]:
    listed = await store.items.find(board, item_id)
    if listed is None:
        raise BoardRefused(says.NO_SUCH_ITEM.of(id=one_line(item_id, 60), board=board))
    return [item_line(listed.item)] if options.json else list(item_lines(listed, language))


async def _refuse_unknown(board: BoardId, topic: str, store: Store) -> None:
    """Raise BoardRefused where nothing was ever posted to a topic while others there have posts."""
    names = [each.topic for each in await store.topics.topics(board)]
    if names and topic not in names:
        raise BoardRefused(UNKNOWN_TOPIC.of(topic=topic, hint=nearest_name(topic, names)))


async def _topics(
    configuration: Configuration, options: argparse.Namespace, store: Store, language: Language
) -> Sequence[str]:
    """Return the topics of the board that is named, of all boards where none is."""
    named = options.repository or options.board
    topics = await store.topics.topics(await _board(configuration, options, store) if named else None)
    if options.json:
        return [
            json.dumps(
                {"board": each.board, "topic": each.topic, "posts": each.posts, "last_at": each.last_at.isoformat()},
                ensure_ascii=False,
            )
            for each in topics
        ]
    rows = [
        f"{each.last_at.astimezone():%Y-%m-%d %H:%M}  {each.board}  {each.topic}  "
        f"{says.TOPIC_POSTS.to(language, n=each.posts)}"
        for each in topics
    ]
    return rows or [says.NO_TOPICS.to(language)]


def _posts(posts: Sequence[TopicPost], options: argparse.Namespace, language: Language) -> Sequence[str]:
    if options.json:
        return [post_line(post) for post in posts]
    if not posts:
        return [says.NO_POSTS.to(language)]
    lines = []
    for post in posts:
        role = ", ".join(filter(None, (post.by.role, post.by.model)))
        who = f"{post.by.name} ({role})" if role else post.by.name
        imported = f"  [{says.IMPORTED.to(language)}]" if post.imported else ""
        lines.append(f"{post.id}  {post.at.astimezone():%Y-%m-%d %H:%M}  {who}{imported}")
        lines += [f"    {line}" for line in post.text.splitlines()]
    return lines


async def _board(configuration: Configuration, options: argparse.Namespace, store: Store) -> BoardId:
    """Return the board that is meant: the one that is named, the default repository's, or the only one there is."""
    settings = configuration.settings
    if options.repository:
        if options.repository not in settings.repositories:
            names = ", ".join(settings.repositories) or "-"
            raise ConfigurationError(problem=says.NO_SUCH_REPOSITORY.of(name=options.repository[:60], names=names))
        return BoardId(f"{REPOSITORY_BOARD}{options.repository}")
    boards = await store.items.boards()
    if options.board:
        if options.board not in boards:
            raise ConfigurationError(
                problem=says.NO_SUCH_BOARD.of(board=options.board[:80], boards=", ".join(boards) or "-")
            )
        return BoardId(options.board)
    if settings.default_repository or len(settings.repositories) == 1:
        return BoardId(f"{REPOSITORY_BOARD}{settings.default_repository or next(iter(settings.repositories))}")
    if len(boards) == 1:
        return boards[0]
    raise ConfigurationError(problem=says.WHICH_BOARD.of(boards=", ".join(boards) or "-"))


def _dependencies(options: argparse.Namespace) -> tuple[Dependency, ...]:
    blockers = tuple(Dependency(on=ItemId(each)) for each in options.blocked_by)
    parent = Dependency(on=ItemId(options.parent), kind=DependencyKind.PARENT_CHILD)
    return (*blockers, parent) if options.parent else blockers


def _status(text: str | None) -> ItemStatus | None:
    if text is None:
        return None
    name = text.replace("-", "_")
    if name not in set(ItemStatus):
        raise ConfigurationError(problem=says.NO_STATUS.of(status=text[:40], names=", ".join(ItemStatus)))
    return ItemStatus(name)


def _author(options: argparse.Namespace) -> Contributor:
    return Contributor(name=one_line(options.author, 100) or getpass.getuser())
