"""Which sandbox agents get here: what is hidden from them follows from the configuration."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import structlog

from mama_bot.app.configuration import Configuration
from mama_bot.app.provisions import work_repository
from mama_bot.app.sentences import SWITCHED_OFF, UNCONTAINED
from mama_bot.app.tool_boundary import boundary_files
from mama_bot.checkouts.work_places import borrowed_objects
from mama_bot.config import ContainedPart, Containment
from mama_bot.confinement.machine import Machine, has_mount_namespaces, this_machine
from mama_bot.confinement.path_sockets import covers_for, usable_sockets
from mama_bot.confinement.ports import DEVELOPMENT, OUTSIDE, Ports, given_by_kernel, listening_here, port_of
from mama_bot.confinement.sandbox import Covers, Network, Sandbox
from mama_bot.errors import ConfigurationError
from mama_bot.session_hooks.plugin.relay import SOCKET
from mama_bot.wording import Said

log = structlog.get_logger(__name__)

UNCONFINED = (
    "Nothing confines a process on this machine (Landlock is missing or switched off, bubblewrap is not there or "
    "refused): agents with a shell reach everything that the service's user reaches, its secrets and its database "
    "included. Reviewers and other readers get no shell."
)


def sandbox_of(configuration: Configuration, machine: Machine | None = None) -> Sandbox | None:
    """Return the sandbox of this service's agents and checks on a machine, by default this one; None: there is none.

    Raises ConfigurationError where one is required and the machine lacks a part of it that was not left to it.
    """
    settings = configuration.settings.sandbox
    if settings.mode is Containment.NEVER:
        return None
    machine = machine or machine_of(configuration)
    lacking = {part: why for part, why in machine.lacking().items() if part not in settings.may_lack}
    if settings.mode is Containment.REQUIRED and lacking:
        raise ConfigurationError(
            problem=f"sandbox.mode is required, and not all of it can be had: {containment_sentence(machine)}"
        )
    if not machine.landlock and machine.bubblewrap is None:
        return None
    return Sandbox(
        hidden=(
            configuration.settings.data_directory.absolute(),
            configuration.directory.absolute(),
            configuration.secrets_file,
            *configuration.secret_files,
            *_secret_files(configuration),
        ),
        home=configuration.home,
        readable=(*settings.readable, *boundary_files(configuration.directory)),
        writable=settings.writable,
        network=Network(open=partial(_open_ports, configuration), own=partial(_own_ports, configuration)),
        freezes=has_mount_namespaces(),
        bubblewrap=machine.bubblewrap,
        covers=partial(_covers, settings.sockets) if machine.namespaces or machine.bubblewrap else _no_covers,
        borrowed=partial(borrowed_objects, configuration.directory.absolute()),
    )


def machine_of(configuration: Configuration) -> Machine:
    """Return what this machine offers, by the sockets that this service's agents may use."""
    return this_machine(_accepted(configuration))


def containment_sentence(machine: Machine) -> str:
    """Return a sentence on what is contained on a machine, and what is not."""
    lacking = machine.lacking()
    if ContainedPart.FILES in lacking:
        return UNCONFINED
    held = ", ".join(part.value for part in ContainedPart if part not in lacking)
    missing = "; ".join(f"{part.value} ({why})" for part, why in lacking.items())
    means = [f"Landlock {machine.landlock}"] if machine.landlock else []
    means += ["bubblewrap"] if machine.bubblewrap else []
    return f"contained ({' and '.join(means)}): {held}" + (f"; not contained: {missing}" if missing else "")


def tell_what_is_not_contained(configuration: Configuration) -> None:
    """Log what no sandbox holds in of agents and checks, and why; nothing where all is held."""
    settings = configuration.settings.sandbox
    if settings.mode is Containment.NEVER:
        log.warning("agents_unconfined", reason="sandbox.mode is never; reviewers and other readers get no shell")
        return
    machine = machine_of(configuration)
    if machine.lacking():
        log.warning("agents_unconfined", reason=containment_sentence(machine))


def uncontained(configuration: Configuration, machine: Machine | None = None) -> Said | None:
    """Return what people are to know of what is not contained on a machine; None where all is that they asked for."""
    settings = configuration.settings.sandbox
    if settings.mode is Containment.NEVER:
        return SWITCHED_OFF.of()
    machine = machine or machine_of(configuration)
    missing = [part for part in machine.lacking() if part not in settings.may_lack]
    return UNCONTAINED.of(parts=", ".join(missing)) if missing else None


def _accepted(configuration: Configuration) -> tuple[Path, ...]:
    """Return the sockets that agents are not kept from by mounts: ours answers no process of a sandbox."""
    return (*configuration.settings.sandbox.sockets, configuration.own_directory / SOCKET)


def _secret_files(configuration: Configuration) -> Iterator[Path]:
    """Yield the files that are granted somewhere: who is granted one is given a copy."""
    for repository in configuration.settings.repositories.values():
        for settings in (repository, *repository.personas.values()):
            yield from settings.secret_files.values()
            if settings.git.ssh_key is not None:
                yield settings.git.ssh_key


def _covers(accepted: Sequence[Path], needed: Sequence[Path]) -> Covers:
    return covers_for(usable_sockets(), kept=(*accepted, *needed))


def _no_covers(needed: Sequence[Path]) -> Covers:
    del needed
    return Covers()


def _open_ports(configuration: Configuration, workspace: Path) -> Ports:
    """Return the ports that are open to who works there, the service's own included."""
    work_place = work_repository(configuration, workspace)
    asked = (*configuration.settings.sandbox.connect, *(work_place[1].connect if work_place else ()))
    return (*OUTSIDE, *DEVELOPMENT, *given_by_kernel(), *asked)


def _own_ports(configuration: Configuration) -> set[int]:
    """Return the ports that no agent connects to: where the service listens, and where its database does."""
    url = configuration.settings.store.url
    database = port_of(url.get_secret_value()) if url else None
    return {configuration.settings.web.port, *listening_here(), *((database,) if database else ())}
