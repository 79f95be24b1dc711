"""Whether the repositories of a configuration can be worked in: each is asked, all at the same time."""

import asyncio
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from mama_bot.checkouts.own_git import OwnGit
from mama_bot.config import RepositorySettings, is_url
from mama_bot.model import Examination
from mama_bot.repositories.git import GitFailed

SECONDS = 20.0


async def examined_repositories(
    repositories: Mapping[str, RepositorySettings], *, redact: Callable[[str], str]
) -> Sequence[Examination]:
    """Return what each repository answers; nothing is fetched."""
    with tempfile.TemporaryDirectory(prefix="mama-bot-doctor-") as scratch:
        git = OwnGit(Path(scratch) / "gitconfig")
        async with asyncio.TaskGroup() as group:
            asked = [
                group.create_task(_examined(name, settings, git, Path(scratch), redact))
                for name, settings in repositories.items()
            ]
    return [task.result() for task in asked]


async def _examined(
    name: str, settings: RepositorySettings, git: OwnGit, scratch: Path, redact: Callable[[str], str]
) -> Examination:
    subject = f"repository {name}"
    if settings.in_place:
        return Examination(subject=subject, ok=True, outcome=f"{settings.source}, worked in as it is")
    try:
        asked = ("ls-remote", "--symref", "--", settings.source, "HEAD", "refs/heads/*")
        told = await git.reaching(scratch, *asked, seconds=SECONDS)
    except GitFailed as error:
        return Examination(
            subject=subject,
            ok=False,
            outcome=redact(f"{settings.source} does not answer: {error.reason.strip().splitlines()[-1]}"),
            remedy=_remedy(settings.source),
        )
    branches = [line.partition("\trefs/heads/")[2] for line in told.splitlines() if "\trefs/heads/" in line]
    if not branches:
        outcome, remedy = f"{settings.source} has no commit yet", "Push a first one."
    elif settings.branch and settings.branch not in branches:
        outcome = f"{settings.source} has no branch {settings.branch}"
        remedy = f"Set repositories.{name}.branch to one that it has."
    else:
        return Examination(
            subject=subject,
            ok=True,
            outcome=f"{settings.source} answers, {len(branches)} branch{'' if len(branches) == 1 else 'es'}",
        )
    return Examination(subject=subject, ok=False, outcome=outcome, remedy=remedy)


def _remedy(source: str) -> str:
    if not is_url(source):
        return "Look at the directory: `git -C DIRECTORY status` says what is wrong with it."
    if source.startswith(("http://", "https://")):
        return f"Try `git ls-remote {source}` as the user who runs the service; a private one needs credentials."
    return (
        f"Try `ssh -o BatchMode=yes` and `git ls-remote {source}` as the user who runs the service: host and key known?"
    )
