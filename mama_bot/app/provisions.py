"""What agents are given in the repository in which they work, by the configuration."""

import asyncio
from functools import partial
from pathlib import Path

from mama_bot.app.configuration import Configuration
from mama_bot.checkouts.work_places import borrowed_objects
from mama_bot.config import RepositorySettings
from mama_bot.model import AgentPersona
from mama_bot.provisions import GitWay, Grant, Provision, grant_of, own_way


class RepositoryProvisions:
    """Says what a persona is given in a workspace: what its repository grants it there, and nothing elsewhere."""

    def __init__(self, configuration: Configuration) -> None:
        self._configuration = configuration

    async def of(self, persona: AgentPersona, workspace: Path, only_looks: bool) -> Provision:
        """Return it; raises GrantMissing where something of it is not there any more."""
        work_place = work_repository(self._configuration, workspace)
        if work_place is None:
            return Provision()
        name, settings = work_place
        granted = partial(granted_in, self._configuration, name, settings, persona.name, only_looks=only_looks)
        return Provision(grant=await asyncio.to_thread(granted))


def granted_in(
    configuration: Configuration,
    name: str,
    settings: RepositorySettings,
    persona: str = "",
    *,
    only_looks: bool = False,
) -> Grant:
    """Return what a persona ("": nobody in particular) is granted in a repository; raises GrantMissing."""
    return grant_of(
        name,
        settings,
        persona=persona,
        secrets=configuration.environment,
        home=configuration.home,
        only_looks=only_looks,
    )


def own_ways(configuration: Configuration) -> dict[str, GitWay]:
    """Return how the service itself reaches the source of each repository, by name."""
    repositories = configuration.settings.repositories.items()
    return {name: own_way(each.git, each.source, configuration.environment) for name, each in repositories}


def work_repository(configuration: Configuration, workspace: Path) -> tuple[str, RepositorySettings] | None:
    """Return the repository that a workspace is of, with its name; None where it is of none that is configured."""
    repositories, real = configuration.settings.repositories, workspace.resolve()
    if borrowed_objects(configuration.directory.absolute(), real):
        settings = repositories.get(real.name)
        return (real.name, settings) if settings is not None else None
    in_place = ((name, each) for name, each in repositories.items() if each.in_place)
    return next(((name, each) for name, each in in_place if Path(each.source).resolve() == real), None)
