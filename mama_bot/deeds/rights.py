"""Who may do what with the work of a conversation: the one place that decides it."""

from collections.abc import Sequence
from typing import assert_never

from mama_bot.config import ASKER, EVERYBODY, OWNERS, RepositorySettings
from mama_bot.model import Author, AuthorKind, DeedRight, Origin, Platform

# Of a scratch repository, which no settings tell of.
UNCONFIGURED = RepositorySettings(source="scratch")


def named(right: DeedRight, settings: RepositorySettings | None) -> Sequence[str]:
    """Return who is named for a right: words, and "platform/id" of people and roles."""
    settings = settings or UNCONFIGURED
    match right:
        case DeedRight.UNDO:
            return settings.may_undo
        case DeedRight.MERGE:
            return settings.may_merge
        case DeedRight.DISCARD:
            return settings.may_discard
        case DeedRight.PUSH:
            return settings.may_push
        case unexpected:
            assert_never(unexpected)


def may(
    right: DeedRight,
    settings: RepositorySettings | None,
    platform: Platform,
    author: Author,
    origin: Origin,
    *,
    is_owner: bool,
    is_asker: bool,
) -> bool:
    """Return whether somebody whom the platform vouches for has a right; an agent or a bot never has.

    `is_asker` says that the work was done for them.
    """
    who_may = named(right, settings)
    return is_among(who_may, platform, author, origin, is_owner=is_owner, is_asker=is_asker)


def is_among(
    who_may: Sequence[str], platform: Platform, author: Author, origin: Origin, *, is_owner: bool, is_asker: bool
) -> bool:
    """Return whether somebody is one of those who are named by words, or as "platform/id" of people and roles."""
    if author.kind is not AuthorKind.PERSON:
        return False
    who = {EVERYBODY, f"{platform}/{author.id}", *(f"{platform}/{role}" for role in origin.roles)}
    if is_owner:
        who.add(OWNERS)
    if is_asker:
        who.add(ASKER)
    return not who.isdisjoint(who_may)
