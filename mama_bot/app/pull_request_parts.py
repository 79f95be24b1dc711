"""The forges of repositories, and what watches pull requests there, put together from the configuration."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from mama_bot.app.configuration import Configuration
from mama_bot.config import ForgePlace, forge_place
from mama_bot.errors import ForgeRefused
from mama_bot.metrics import Metrics
from mama_bot.model import ForgeKind
from mama_bot.protocols import Clock, Forge
from mama_bot.pull_requests import sentences as says
from mama_bot.pull_requests.watch import PullRequestWatch
from mama_bot.store import Store

if TYPE_CHECKING:  # without a forge no client of HTTP is loaded
    from mama_bot.forges.github import GitHub
    from mama_bot.forges.gitlab import GitLab
    from mama_bot.forges.http_api import ForgeToken

ForgeOf = Callable[[str], Forge]


@asynccontextmanager
async def open_forges(configuration: Configuration, clock: Clock) -> AsyncIterator[ForgeOf]:
    """Give what returns the forge of a repository, or raises ForgeRefused; their connections end with the block."""
    forges: dict[str, GitHub | GitLab] = {}

    def forge_of(name: str) -> Forge:
        if name not in forges:
            forges[name] = _made(configuration, name, clock)
        return forges[name]

    try:
        yield forge_of
    finally:
        for forge in forges.values():
            await forge.api.close()


def _made(configuration: Configuration, name: str, clock: Clock) -> "GitHub | GitLab":
    repository = configuration.settings.repositories.get(name)
    settings = repository.forge if repository is not None else None
    place = forge_place(repository.source, settings) if repository is not None and settings is not None else None
    if settings is None or place is None:
        raise ForgeRefused(says.NO_FORGE.of(name=name) if repository is not None else says.NOTHING_TO_OPEN)
    from mama_bot.forges import sentences as forge_says
    from mama_bot.forges.http_api import ForgeToken

    value = configuration.environment.get(settings.token, "").strip()
    if not value:
        raise ForgeRefused(forge_says.NO_TOKEN.of(host=place.host, token=settings.token))
    return _of_kind(place, ForgeToken(variable=settings.token, value=value), clock)


def _of_kind(place: ForgePlace, token: "ForgeToken", clock: Clock) -> "GitHub | GitLab":
    from mama_bot.forges.github import GitHub
    from mama_bot.forges.gitlab import GitLab

    match place.kind:
        case ForgeKind.GITHUB:
            return GitHub(place=place, token=token, clock=clock)
        case ForgeKind.GITLAB:
            return GitLab(place=place, token=token, clock=clock)


def pull_request_watch(
    configuration: Configuration, *, store: Store, forge_of: ForgeOf, clock: Clock, metrics: Metrics
) -> PullRequestWatch:
    """Return what tells threads of their pull requests."""
    return PullRequestWatch(
        records=store.pull_requests,
        forge_of=forge_of,
        outbox=store.outbox,
        settings=configuration.settings.pull_requests,
        clock=clock,
        metrics=metrics,
    )
