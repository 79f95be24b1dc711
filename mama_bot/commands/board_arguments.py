"""What `mama-bot topic` and `mama-bot item` take."""

import argparse
from collections.abc import Callable
from pathlib import Path

from mama_bot.commands.sentences import NOT_A_COUNT
from mama_bot.commands.setup.setup_arguments import add_language_argument
from mama_bot.errors import ConfigurationError

Finish = Callable[[argparse.ArgumentParser], None]


def add_topic_arguments(command: argparse.ArgumentParser, finish: Finish) -> None:
    """Add the actions of `mama-bot topic`; `finish` adds what every command that reads the store takes."""
    actions = command.add_subparsers(dest="action", required=True, metavar="ACTION")
    _add(actions, "list", "list the topics, the latest first", finish)
    read = _add(actions, "read", "show what was posted to a topic", finish)
    read.add_argument("topic", metavar="TOPIC")
    read.add_argument("--since", default="", metavar="ID", help="only what came after this post")
    read.add_argument("--limit", type=_count, default=50, metavar="N", help="at most so many (default: 50)")
    post = _add(actions, "post", "post to a topic", finish)
    post.add_argument("topic", metavar="TOPIC")
    post.add_argument("text", metavar="TEXT", help="- reads the input")
    post.add_argument("--reply-to", default="", metavar="ID", help="the post that it answers")
    _add_author(post)
    _add_file_actions(actions, finish, "the posts", "DIRECTORY", "the repository")


def add_item_arguments(command: argparse.ArgumentParser, finish: Finish) -> None:
    """Add the actions of `mama-bot item`."""
    actions = command.add_subparsers(dest="action", required=True, metavar="ACTION")
    listing = _add(actions, "list", "list the items that are not closed, the most urgent first", finish)
    listing.add_argument("--ready", action="store_true", help="only open ones that nothing blocks")
    listing.add_argument("--status", default=None, metavar="STATUS", help="such as open, in_progress, closed")
    listing.add_argument("--type", dest="kind", default=None, metavar="TYPE", help="such as task, bug, feature")
    listing.add_argument("--assignee", default=None, metavar="NAME")
    listing.add_argument("--all", action="store_true", help="closed ones as well")
    listing.add_argument("--limit", type=_count, default=200, metavar="N", help="at most so many (default: 200)")
    show = _add(actions, "show", "show one item", finish)
    show.add_argument("id", metavar="ID")
    create = _add(actions, "create", "create an item", finish)
    create.add_argument("title", metavar="TITLE")
    _add_fields(create)
    update = _add(actions, "update", "change an item", finish)
    update.add_argument("id", metavar="ID")
    update.add_argument("--title", default=None, metavar="TITLE")
    update.add_argument("--status", default=None, metavar="STATUS", help="open, in_progress, blocked, deferred")
    update.add_argument(
        "--unblock", action="append", default=[], metavar="ID", help="it does not hang on this item any more"
    )
    _add_fields(update)
    close = _add(actions, "close", "close an item, with a reason", finish)
    close.add_argument("id", metavar="ID")
    close.add_argument("reason", metavar="REASON")
    _add_author(close)
    _add_file_actions(actions, finish, "the items", "PATH", "the repository, or a file as `bd export` writes it")


def _add(
    actions: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, purpose: str, finish: Finish
) -> argparse.ArgumentParser:
    action = actions.add_parser(name, help=purpose, description=f"{purpose[0].upper()}{purpose[1:]}.")
    which = action.add_mutually_exclusive_group()
    which.add_argument("--repository", default="", metavar="NAME", help="of this repository (default: the default one)")
    which.add_argument("--board", default="", metavar="BOARD", help="or of any board, as `topic list` names it")
    add_language_argument(action)
    finish(action)
    return action


def _add_file_actions(
    actions: "argparse._SubParsersAction[argparse.ArgumentParser]", finish: Finish, what: str, metavar: str, where: str
) -> None:
    export = _add(actions, "export", f"write {what} into a repository, where git merges them", finish)
    export.add_argument("path", type=Path, metavar="DIRECTORY", help="the repository")
    export.add_argument("--commit", action="store_true", help="and commit just these files")
    take_in = _add(actions, "import", f"take in {what} that are new there", finish)
    take_in.add_argument("path", type=Path, metavar=metavar, help=where)


def _add_fields(command: argparse.ArgumentParser) -> None:
    command.add_argument("--description", default=None, metavar="TEXT")
    command.add_argument("--type", dest="kind", default=None, metavar="TYPE", help="such as task, bug, feature")
    command.add_argument("--priority", type=int, default=None, metavar="0-4", help="0 is first (default: 2)")
    command.add_argument("--assignee", default=None, metavar="NAME")
    command.add_argument("--label", action="append", default=None, metavar="LABEL")
    command.add_argument("--blocked-by", action="append", default=[], metavar="ID", help="it waits for this item")
    command.add_argument("--parent", default="", metavar="ID", help="it is a part of this item")
    _add_author(command)


def _add_author(command: argparse.ArgumentParser) -> None:
    command.add_argument("--as", dest="author", default="", metavar="NAME", help="who says so (default: your login)")


def _count(text: str) -> int:
    if text.isascii() and text.isdigit() and 1 <= int(text[:6]) <= 10_000 and len(text) <= 5:
        return int(text)
    raise ConfigurationError(problem=NOT_A_COUNT.of(most=10_000, given=text[:40]))
