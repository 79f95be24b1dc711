"""Whether the repositories of a configuration can be worked in: each is asked, all at the same time."""

import asyncio
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from mama_bot.app.configuration import Configuration
from mama_bot.app.provisions import granted_in
from mama_bot.checkouts.own_git import OwnGit
from mama_bot.commands.setup.likely_checks import likely_checks
from mama_bot.config import GitAccess, RepositorySettings, is_url
from mama_bot.model import Examination
from mama_bot.provisions import GrantMissing, own_way
from mama_bot.provisions.git_ways import host_of
from mama_bot.repositories.git import GitFailed

SECONDS = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A repository that is asked, for the service or as a persona that has a way of its own."""

    name: str
    settings: RepositorySettings
    access: GitAccess
    persona: str = ""

    @property
    def subject(self) -> str:
        return f"repository {self.name}{f', as {self.persona}' if self.persona else ''}"

    @property
    def key(self) -> str:
        return f"repositories.{self.name}{f'.personas.{self.persona}' if self.persona else ''}.git"


async def examined_repositories(configuration: Configuration) -> Sequence[Examination]:
    """Return what each repository answers, and what of its secrets is missing; nothing is fetched."""
    redact = configuration.redactor()
    with tempfile.TemporaryDirectory(prefix="mama-bot-doctor-") as scratch:
        git = OwnGit(Path(scratch) / "gitconfig")
        async with asyncio.TaskGroup() as group:
            answers = [
                group.create_task(_examined(asked, git, Path(scratch), configuration.environment))
                for asked in _all(configuration.settings.repositories)
            ]
    told = [*_missing(configuration), *(answer.result() for answer in answers), *_unchecked(configuration)]
    return [replace(each, outcome=redact(each.outcome)) for each in told]


def _all(repositories: Mapping[str, RepositorySettings]) -> Iterator[_Asked]:
    for name, settings in repositories.items():
        yield _Asked(name=name, settings=settings, access=settings.git)
        for persona, given in settings.personas.items():
            if given.git != GitAccess():
                yield _Asked(name=name, settings=settings, access=given.git, persona=persona)


def _missing(configuration: Configuration) -> Iterator[Examination]:
    for name, settings in configuration.settings.repositories.items():
        for persona in ("", *settings.personas):
            try:
                granted_in(configuration, name, settings, persona)
            except GrantMissing as error:
                yield Examination(
                    subject=f"secrets of {name}{f' for {persona}' if persona else ''}",
                    ok=False,
                    outcome=f"{error}: agents cannot begin there",
                    remedy=f"Put it there, readable for the service, or take it out of repositories.{name}.",
                )
                break


def _unchecked(configuration: Configuration) -> Iterator[Examination]:
    """Note where nothing is run by the service: there "done" rests on what agents ran."""
    enforcement = configuration.settings.enforcement
    if not (enforcement.enabled and enforcement.workspace_checks.enabled):
        return
    for name, settings in configuration.settings.repositories.items():
        if settings.checks:
            continue
        likely = () if is_url(settings.source) else likely_checks(Path(settings.source).expanduser())
        suggested = f"By its files: {', '.join(' '.join(check.argv) for check in likely)}. " if likely else ""
        yield Examination(
            subject=f"checks of {name}",
            ok=True,
            noted=True,
            outcome="none: that its tests pass rests on what agents ran themselves",
            remedy=f"{suggested}Write what the service shall run into repositories.{name}.checks (docs/how-to.md).",
        )


async def _examined(asked: _Asked, git: OwnGit, scratch: Path, secrets: Mapping[str, str]) -> Examination:
    subject, settings = asked.subject, asked.settings
    if settings.in_place and not asked.persona:
        return Examination(subject=subject, ok=True, outcome=f"{settings.source}, worked in as it is")
    try:
        arguments = ("ls-remote", "--symref", "--", settings.source, "HEAD", "refs/heads/*")
        way = own_way(asked.access, settings.source, secrets)
        told = await git.reaching(scratch, *arguments, seconds=SECONDS, way=way)
    except GitFailed as error:
        reason = error.reason.strip()
        outcome = f"{settings.source} does not answer: {_last_words(reason)}"
        return Examination(subject=subject, ok=False, outcome=outcome, remedy=_remedy(asked, reason))
    branches = [line.partition("\trefs/heads/")[2] for line in told.splitlines() if "\trefs/heads/" in line]
    if not branches:
        outcome, remedy = f"{settings.source} has no commit yet", "Push a first one."
    elif settings.branch and settings.branch not in branches:
        outcome = f"{settings.source} has no branch {settings.branch}"
        remedy = f"Set repositories.{asked.name}.branch to one that it has."
    else:
        counted = f"{len(branches)} branch{'' if len(branches) == 1 else 'es'}"
        outcome = f"{settings.source} answers, {counted}"
        return Examination(subject=subject, ok=True, outcome=outcome, remedy=_hint(asked))
    return Examination(subject=subject, ok=False, outcome=outcome, remedy=remedy)


def _hint(asked: _Asked) -> str:
    """Return what is missing where reading works and nobody said who pushes; "" for nothing."""
    if asked.persona or not host_of(asked.settings.source) or asked.access.password:
        return ""
    return f"To merge and push there put a token into secrets.env, and its name into {asked.key}.password."


def _last_words(reason: str) -> str:
    """Return the line of git or of ssh that tells most: the first that begins with its author's complaint."""
    lines = reason.splitlines()
    return next((line for line in lines if "verification failed" in line or "denied" in line), lines[-1])


def _remedy(asked: _Asked, reason: str) -> str:
    source, access = asked.settings.source, asked.access
    if not is_url(source):
        return "Look at the directory: `git -C DIRECTORY status` says what is wrong with it."
    if host_of(source):
        if access.password:
            return (
                f"Is {access.password} in secrets.env still good, for the account {access.user}, and may it read here?"
            )
        return f"A private one needs a token: put it into secrets.env, and its name into {asked.key}.password."
    host = urlsplit(source).hostname if "://" in source else source.partition(":")[0].rpartition("@")[2]
    if "verification failed" in reason:
        where = access.known_hosts or "~/.ssh/known_hosts"
        return f"Compare what `ssh-keyscan {host}` prints with the keys that {host} publishes, and add them to {where}."
    if "denied" in reason and not access.files:
        return f"Give it a deploy key: {asked.key}.ssh_key."
    if "denied" in reason:
        return f"Add the public half of {access.ssh_key or 'a key of the agent'} to the repository, as a deploy key."
    return (
        f"Try `ssh -o BatchMode=yes` and `git ls-remote {source}` as the user who runs the service: host and key known?"
    )
