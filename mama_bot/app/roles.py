"""What a process is among others: its role, its name, and where what is its own lies."""

import uuid
from dataclasses import replace
from pathlib import Path

from mama_bot.app import sentences as says
from mama_bot.app.configuration import Configuration
from mama_bot.config import ServiceRole, Settings
from mama_bot.config.platform_problems import PLATFORMS, platforms_with_token
from mama_bot.confinement.plans import Pulse
from mama_bot.confinement.pulse import PulseFile
from mama_bot.errors import ConfigurationError
from mama_bot.store.nodes import Node, NodeLease
from mama_bot.wording import Said

NODE_NAME = "node.id"
PULSE_NAME = "node.pulse"
ID_CHARACTERS = 40


def with_role(configuration: Configuration, role: ServiceRole) -> Configuration:
    """Return the configuration for a role; raises ConfigurationError where it does not fit."""
    problem = _role_problem(configuration.settings, role)
    if problem is not None:
        raise ConfigurationError(problem=problem)
    settings = configuration.settings
    if role in (ServiceRole.GATEWAY, ServiceRole.WORKER):  # they serve no page
        web = settings.web.model_copy(update={"enabled": False})
        settings = settings.model_copy(update={"web": web})
    return replace(configuration, settings=settings, role=role)


def node_of(configuration: Configuration) -> Node | None:
    """Return the node that a process is, known by its data directory; None where it does all.

    Raises ConfigurationError where its name cannot be kept.
    """
    if configuration.role is ServiceRole.ALL:
        return None
    name, file = _kept_name(configuration)
    try:
        pulse = PulseFile(configuration.own_directory / PULSE_NAME)
    except OSError as error:
        raise ConfigurationError(
            problem=says.NODE_NOT_KEPT.of(reason=error.strerror or str(error)), file=file
        ) from None
    return Node(
        id=name,
        role=configuration.role.value,
        shared_files=_shares_files(configuration),
        platforms=platforms_with_token(configuration.settings) if configuration.role is ServiceRole.GATEWAY else (),
        lease=_lease(configuration),
        wrote=pulse.beat,
    )


def transcript_place(configuration: Configuration) -> str | None:
    """Return by what name this process keeps what agents remember, for whoever takes over from it.

    None where nobody does, and where whoever does has the same files. Raises ConfigurationError.
    """
    if not _on_postgresql(configuration.settings) or _shares_files(configuration):
        return None
    return _kept_name(configuration)[0]


def pulse_of(configuration: Configuration) -> Pulse | None:
    """Return what agents and checks of a node stand still without; None for a process that nobody takes over from."""
    if configuration.role is ServiceRole.ALL:
        return None
    return Pulse(file=configuration.own_directory / PULSE_NAME, seconds=_lease(configuration).posting_seconds)


def _shares_files(configuration: Configuration) -> bool:
    return configuration.role is not ServiceRole.ALL and configuration.settings.nodes.shared_directory is not None


def _kept_name(configuration: Configuration) -> tuple[str, Path]:
    """Return the name of a data directory, and its file; raises ConfigurationError where it cannot be kept."""
    file = configuration.own_directory / NODE_NAME
    try:
        if not file.exists():
            file.write_text(f"{uuid.uuid4().hex}\n", encoding="utf-8")
        name = file.read_text(encoding="utf-8").strip()[:ID_CHARACTERS]
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise ConfigurationError(problem=says.NODE_NOT_KEPT.of(reason=str(reason)), file=file) from None
    if not name:
        raise ConfigurationError(problem=says.NODE_FILE_EMPTY, file=file)
    return name, file


def _lease(configuration: Configuration) -> NodeLease:
    return NodeLease(silence_seconds=configuration.settings.nodes.silence_seconds)


def _on_postgresql(settings: Settings) -> bool:
    return settings.store.url is not None and settings.store.url.get_secret_value().startswith("postgres")


def _role_problem(settings: Settings, role: ServiceRole) -> Said | None:
    """Return why a process cannot have a role, and what to do; None where it can."""
    if role is ServiceRole.ALL:
        return None
    if not _on_postgresql(settings):
        return says.ROLE_NEEDS_POSTGRESQL.of(role=role.value)
    if role is ServiceRole.GATEWAY and not platforms_with_token(settings):
        return says.ROLE_NEEDS_TOKEN.of(platforms=", ".join(PLATFORMS))
    if role is ServiceRole.PAGE and not settings.web.enabled:
        return says.ROLE_NEEDS_PAGE
    return None
