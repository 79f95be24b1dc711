"""Which sandbox agents get here: what is hidden from them follows from the configuration."""

from functools import partial

import structlog

from mama_bot.app.configuration import Configuration
from mama_bot.checkouts.checkouts import borrowed_objects
from mama_bot.config import Containment
from mama_bot.confinement.sandbox import Sandbox, is_possible
from mama_bot.errors import ConfigurationError

log = structlog.get_logger(__name__)

UNCONFINED = (
    "This machine's kernel confines no process (Landlock is missing or switched off): agents with a shell reach "
    "everything that the service's user reaches, its secrets and its database included. Reviewers and other readers "
    "get no shell."
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
        borrowed=partial(borrowed_objects, configuration.directory.absolute()),
    )


def tell_where_nothing_is_confined(configuration: Configuration) -> None:
    """Log that agents and checks run without a sandbox, and why; nothing where they have one."""
    if sandbox_of(configuration) is None:
        chosen = configuration.settings.sandbox.mode is Containment.NEVER
        log.warning(
            "agents_unconfined",
            reason="sandbox.mode is never; reviewers and other readers get no shell" if chosen else UNCONFINED,
        )
