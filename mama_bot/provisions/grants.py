"""What the settings of a repository grant to one persona there: values, and files by their content."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from mama_bot.config import GitAccess, ProvisionSettings, RepositorySettings
from mama_bot.errors import ErrorDecision, MamaBotError

SECRET_NAME = re.compile(r"(?:.*_)?(?:KEY|TOKEN|SECRET)|.*(?:PASSWORD|PASSWD)")
# A word of a file that cannot be an ordinary one.
_RANDOM = re.compile(r"(?=[^\s\"',]*[0-9])(?=[^\s\"',]*[A-Za-z])[^\s\"',:]{16,400}")
MOST_FILE_BYTES = 2**20


class GrantMissing(MamaBotError):
    """Something that the settings grant is not there any more."""

    decision: ClassVar = ErrorDecision.WITHHELD


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """What whoever works in a repository is given; `vault` is that repository where some of it is secret, else "".

    `variables` are given as they are, of `files` a copy whose place a variable holds. `password`, `key` and
    `known_hosts` are for git alone, for the server of `source`.
    """

    vault: str = ""
    source: str = ""
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    files: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    user: str = ""
    password: str = field(default="", repr=False)
    key: bytes = field(default=b"", repr=False)
    known_hosts: bytes = field(default=b"", repr=False)
    agent: Path | None = None

    @property
    def reaches_by_ssh(self) -> bool:
        """Whether git is given a way by ssh."""
        return bool(self.key or self.agent or self.known_hosts)


def grant_of(
    name: str,
    repository: RepositorySettings,
    *,
    persona: str = "",
    secrets: Mapping[str, str],
    home: Path,
    only_looks: bool = False,
) -> Grant:
    """Return what a persona ("": nobody in particular) is given in a repository; raises GrantMissing.

    `secrets` are the variables that the service was given, `home` is that of whoever runs it, whose list of known hosts
    is used where no other one is named. Who only looks is given what is no secret.
    """
    given = (repository, *(settings for who, settings in repository.personas.items() if who == persona))
    environment = {key: value for settings in given for key, value in settings.environment.items()}
    if only_looks:
        return Grant(
            source=repository.source,
            variables={key: value for key, value in environment.items() if not SECRET_NAME.fullmatch(key)},
        )
    variables = environment | {key: _value(key, secrets) for settings in given for key in settings.secrets}
    files = {key: _content(path) for settings in given for key, path in settings.secret_files.items()}
    access = _access_of(given)
    grant = Grant(
        source=repository.source,
        variables=variables,
        files=files,
        user=access.user,
        password=_value(access.password, secrets) if access.password else "",
        key=_content(access.ssh_key) if access.ssh_key else b"",
        known_hosts=_known_hosts(access, home),
        agent=access.ssh_agent,
    )
    is_secret = variables.keys() - environment.keys() or any(map(SECRET_NAME.fullmatch, environment))
    if is_secret or files or grant.password or grant.key or grant.agent:
        return replace(grant, vault=name)
    return grant


def secret_values(settings: ProvisionSettings, secrets: Mapping[str, str]) -> Iterator[str]:
    """Yield every value that stands for a secret in these settings; what is not there is left out."""
    yield from (value for key, value in settings.environment.items() if SECRET_NAME.fullmatch(key))
    yield from (secrets[name] for _, name in settings.named_secrets if name in secrets)
    for path in (*settings.secret_files.values(), *((settings.git.ssh_key,) if settings.git.ssh_key else ())):
        try:
            text = _content(path).decode(errors="replace")
        except GrantMissing:
            continue
        yield text.strip()
        yield from (match.group() for match in _RANDOM.finditer(text))


def _access_of(given: tuple[ProvisionSettings, ...]) -> GitAccess:
    named = [settings.git for settings in given if settings.git != GitAccess()]
    access = named[-1] if named else GitAccess()
    return GitAccess() if access.service_only else access


def _value(name: str, secrets: Mapping[str, str]) -> str:
    value = secrets.get(name, "")
    if not value:
        raise GrantMissing(f"{name} is neither in secrets.env nor in the environment")
    return value


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MOST_FILE_BYTES)
    except OSError as error:
        raise GrantMissing(f"{path} cannot be read ({error.strerror or error})") from error


def _known_hosts(access: GitAccess, home: Path) -> bytes:
    if not access.files:
        return b""
    if access.known_hosts is not None:
        return _content(access.known_hosts)
    try:
        return _content(home / ".ssh" / "known_hosts")
    except GrantMissing:  # then none is known, and ssh says so
        return b""
