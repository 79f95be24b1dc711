"""Which sandbox agents get here: what is hidden from them follows from the configuration."""

from functools import partial
from pathlib import Path

import structlog

from mama_bot.app.configuration import Configuration
from mama_bot.checkouts.work_places import borrowed_objects
from mama_bot.config import Containment, RepositorySettings
from mama_bot.confinement.ports import DEVELOPMENT, OUTSIDE, Ports, given_by_kernel, listening_here, port_of
from mama_bot.confinement.sandbox import Network, Sandbox, is_possible
from mama_bot.errors import ConfigurationError

log = structlog.get_logger(__name__)

UNCONFINED = (
    "This machine's kernel confines no process (Landlock is missing or switched off): agents with a shell reach "
    "everything that the service's user reaches, its secrets and its database included."
)


def sandbox_of(configuration: Configuration) -> Sandbox | None:
    """Return the sandbox of this service's agents and checks; None where there is none.

    Raises ConfigurationError where one is required and the machine has none.
    """
    settings = configuration.settings.sandbox
    if settings.mode is Containment.NEVER:
        return None
    if not is_possible():
        if settings.mode is Containment.REQUIRED:
            raise ConfigurationError(problem=f"sandbox.mode is required, and it cannot be had: {UNCONFINED}")
        return None
    return Sandbox(
        hidden=(configuration.settings.data_directory.absolute(), configuration.secrets_file),
        home=configuration.home,
        readable=settings.readable,
        writable=settings.writable,
        network=Network(open=partial(_open_ports, configuration), own=partial(_own_ports, configuration)),
        borrowed=partial(borrowed_objects, configuration.directory.absolute()),
    )


def tell_where_nothing_is_confined(configuration: Configuration) -> None:
    """Log that agents and checks run without a sandbox, and why; nothing where they have one."""
    if sandbox_of(configuration) is None:
        chosen = configuration.settings.sandbox.mode is Containment.NEVER
        log.warning("agents_unconfined", reason="sandbox.mode is never" if chosen else UNCONFINED)


def _open_ports(configuration: Configuration, workspace: Path) -> Ports:
    """Return the ports that are open to who works there, the service's own included."""
    repository = _repository_of(configuration, workspace)
    asked = (*configuration.settings.sandbox.connect, *(repository.connect if repository else ()))
    return (*OUTSIDE, *DEVELOPMENT, *given_by_kernel(), *asked)


def _own_ports(configuration: Configuration) -> set[int]:
    """Return the ports that no agent connects to: where the service listens, and where its database does."""
    url = configuration.settings.store.url
    database = port_of(url.get_secret_value()) if url else None
    return {configuration.settings.web.port, *listening_here(), *((database,) if database else ())}


def _repository_of(configuration: Configuration, workspace: Path) -> RepositorySettings | None:
    repositories, real = configuration.settings.repositories, workspace.resolve()
    if borrowed_objects(configuration.directory.absolute(), real):
        return repositories.get(real.name)
    in_place = (repository for repository in repositories.values() if repository.in_place)
    return next((repository for repository in in_place if Path(repository.source).resolve() == real), None)
