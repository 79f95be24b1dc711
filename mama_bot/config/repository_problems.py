"""What is wrong about the settings of repositories, beyond the types of their values."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from mama_bot.config.document import KeyPath, nearest
from mama_bot.config.forge_settings import problems_of_forge
from mama_bot.config.provision_settings import problems_of_provisions
from mama_bot.config.repository_settings import (
    ASKER,
    EVERYBODY,
    OWNERS,
    SCHEMES,
    RepositorySettings,
    is_skill_name,
    is_url,
)
from mama_bot.config.settings import Settings

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")
# What a persona's `workspace` and the command /repo mean by these words.
TAKEN = frozenset({"own", "team", "scratch", "default"})
DIGEST = re.compile(r"[0-9a-f]{32}")
NAMED_PLACE = re.compile(r"(?:discord|slack|telegram|web|memory)/\S+")


def problems_of_repositories(settings: Settings) -> Iterator[tuple[KeyPath, str]]:
    """Yield each mistake with the key that it is about, as a sentence without that key."""
    names, owners = settings.repositories, dict[str, str]()
    default = settings.default_repository
    if default and default not in names:
        yield ("default_repository",), f"{default!r} is no repository. {nearest(default, names)}"
    for name, repository in names.items():
        key = ("repositories", name)
        if not NAME.fullmatch(name) or name in TAKEN or name.endswith((".", ".lock")) or ".." in name:
            yield key, "this is no name for a repository. Give it one of letters, digits and hyphens, such as 'app'."
        for part, problem in (
            *problems_of_source(repository),
            *_problems_of_provisions(repository),
            *_problems_of_rights(repository),
            *_problems_of_offers(repository),
        ):
            yield (*key, *part), problem
        if repository.forge is not None:
            for part, problem in problems_of_forge(repository.source, repository.forge, in_place=repository.in_place):
                yield (*key, "forge", *part), problem
        for places, values in (("channels", repository.channels), ("people", repository.people)):
            for number, place in enumerate(values):
                problem = _problem_of_place(place, owners.get(place, ""))
                owners.setdefault(place, name)
                if problem:
                    yield (*key, places, str(number)), problem


def problems_of_source(repository: RepositorySettings) -> Iterator[tuple[KeyPath, str]]:
    """Yield what is wrong about where a repository comes from, each with its key."""
    source = repository.source
    if not source.strip() or not source.isprintable():
        yield ("source",), "expected a path or a URL to clone."
    elif is_url(source):
        yield from _problems_of_url(source, in_place=repository.in_place)
    if repository.branch.startswith("-") or not all(sign.isprintable() and sign != " " for sign in repository.branch):
        yield ("branch",), f"{repository.branch!r} is no name of a branch."
    if repository.in_place:
        for key in ("branch", "set_up"):
            if getattr(repository, key):
                yield (
                    (key,),
                    "this is for work trees, and with `mode: in_place` there is none. Remove the one or the other.",
                )


def _problems_of_url(source: str, *, in_place: bool) -> Iterator[tuple[KeyPath, str]]:
    if in_place:
        yield ("source",), "`mode: in_place` needs a directory on this machine, and this is a URL."
        return
    scheme, sign, _ = source.partition("://")
    if sign and scheme not in SCHEMES:
        yield ("source",), f"{scheme!r} is no transport of git. Known: {', '.join(SCHEMES)}."
        return
    try:
        parts = urlsplit(source) if sign else None
    except ValueError:
        yield ("source",), "this is no URL that git understands."
        return
    # Over ssh the name is the account on the server; over http it is a secret, or stands before one.
    if parts is not None and (parts.password or (parts.username and scheme in ("http", "https"))):
        yield ("source",), "this URL holds a user or password, and every agent could read it. Leave it out here."


def _problems_of_provisions(repository: RepositorySettings) -> Iterator[tuple[KeyPath, str]]:
    yield from problems_of_provisions(repository)
    for persona, settings in repository.personas.items():
        yield from ((("personas", persona, *key), problem) for key, problem in problems_of_provisions(settings))
    for number, command in enumerate(repository.set_up):
        if not command.strip() or "\0" in command:
            yield ("set_up", str(number)), "expected a command line."


def _problems_of_rights(repository: RepositorySettings) -> Iterator[tuple[KeyPath, str]]:
    words = (OWNERS, ASKER, EVERYBODY)
    for right in (name for name in RepositorySettings.model_fields if name.startswith("may_")):
        for number, who in enumerate(getattr(repository, right)):
            if who not in words and not NAMED_PLACE.fullmatch(who):
                yield (right, str(number)), f"{who!r} names nobody. Write {', '.join(words)}, or platform/id."


def _problems_of_offers(repository: RepositorySettings) -> Iterator[tuple[KeyPath, str]]:
    for server, digest in repository.mcp_servers.items():
        if not DIGEST.fullmatch(digest):
            yield ("mcp_servers", server), "expected the digest of its declaration, which `mama-bot doctor` shows."
    for number, skill in enumerate(repository.skills):
        if not is_skill_name(skill):
            yield ("skills", str(number)), f"{skill[:80]!r} is no name of a skill. Write that of its folder alone."


def _problem_of_place(place: str, owner: str) -> str:
    if not NAMED_PLACE.fullmatch(place):
        return f"{place!r} names no place. Write platform/id, such as slack/C0123ABC."
    return f"{place} belongs to {owner!r} already. Name it once." if owner else ""
