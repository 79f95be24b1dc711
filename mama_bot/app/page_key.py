"""The key of the page, and where it is: both kept in the data directory, where no agent can read."""

import os
import secrets
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from pydantic import SecretStr

from mama_bot.app.configuration import Configuration, stored_places
from mama_bot.app.instance import owner_of
from mama_bot.app.sentences import NO_PAGE_RUNS
from mama_bot.app.system_clock import SystemClock
from mama_bot.errors import ConfigurationError
from mama_bot.gateways.web.sessions import Links, checked_key

KEY_NAME = "page.key"
ADDRESS_NAME = "page.address"  # of the service that runs there, whatever another configuration says
ONLY_OURS = 0o600


def with_page_key(configuration: Configuration) -> Configuration:
    """Return the configuration with a key for its page, made and kept in the data directory where none is configured.

    Raises ConfigurationError when the configured one is too short, or none can be kept.
    """
    settings = configuration.settings
    if not settings.web.enabled:
        return configuration
    key = settings.web.key.get_secret_value() if settings.web.key else ""
    key = checked_key(key) if key.strip() else kept_key(settings.data_directory)
    web = settings.web.model_copy(update={"key": SecretStr(key)})
    return replace(configuration, settings=settings.model_copy(update={"web": web}))


def kept_key(directory: Path, name: str = KEY_NAME) -> str:
    """Return the key that a file of the data directory holds, made where there is none; raises ConfigurationError."""
    file = directory / name
    try:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not file.exists():
            _make(file)
        file.chmod(ONLY_OURS)
        return checked_key(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        problem = (
            f"A key cannot be kept in the data directory: {reason}. Make the directory writable for this user, or set "
            "data_directory (MAMA_DATA_DIRECTORY) to another."
        )
        raise ConfigurationError(problem=problem, file=file) from None
    except ConfigurationError:
        problem = "The key in this file is too short. Remove the file: the next start makes another."
        raise ConfigurationError(problem=problem, file=file) from None


def _make(file: Path) -> None:
    """Write a new key as a whole, or leave the one that another start was quicker to write."""
    draft = file.with_name(f"{file.name}.{os.getpid()}")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, ONLY_OURS)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(f"{secrets.token_urlsafe(32)}\n")
        with suppress(FileExistsError):
            os.link(draft, file)
    finally:
        draft.unlink()


def keep_address(directory: Path, address: str) -> None:
    """Keep where the page of the service in this directory is; "" for nowhere, or nowhere yet."""
    file = directory / ADDRESS_NAME
    if address:
        file.write_text(f"{address}\n", encoding="utf-8")
    else:
        file.unlink(missing_ok=True)


def running_page(configuration: Configuration) -> str:
    """Return where the page of the service that runs here is; "" where none runs, or one without a page."""
    for place in stored_places(configuration):
        if owner_of(place.own_directory) is not None:
            with suppress(OSError, UnicodeDecodeError):
                return (place.own_directory / ADDRESS_NAME).read_text(encoding="utf-8").strip()
    return ""


def new_link(configuration: Configuration) -> str:
    """Return a link that opens the page of the service that runs here once; raises ConfigurationError without one."""
    address = running_page(configuration)
    key = with_page_key(configuration).settings.web.key if address else None
    if key is None:
        raise ConfigurationError(problem=NO_PAGE_RUNS)
    links = Links(key=key.get_secret_value(), clock=SystemClock(), new_id=lambda: secrets.token_hex(8))
    return links.link(address)
