"""What the settings give to whoever works in a repository: variables, secrets, a way to the server of its source."""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pydantic import Field

from mama_bot.config.document import KeyPath
from mama_bot.config.section import Section

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# What the service says itself, for itself and its agents: nobody's to hand over, nor to say otherwise.
_OWN = re.compile(r"(?:MAMA|ANTHROPIC|CLAUDE|GIT_CONFIG)_.*|HOME|TMPDIR|SHELL|SSH_AUTH_SOCK")


class GitAccess(Section):
    """`repositories.NAME.git`: what is shown to the server of the source when git asks for it.

    `password` names a variable of `secrets.env` (a token, over https), `user` whose it is. `ssh_key`, `known_hosts` and
    the socket `ssh_agent` are files. Where it is `service_only` agents have none of it: the service fetches with it.
    """

    user: str = "git"
    password: str = ""
    ssh_key: Path | None = None
    known_hosts: Path | None = None
    ssh_agent: Path | None = None
    service_only: bool = False

    @property
    def files(self) -> Mapping[str, Path]:
        """The files that are named, by their keys."""
        named = {"ssh_key": self.ssh_key, "known_hosts": self.known_hosts, "ssh_agent": self.ssh_agent}
        return {key: path for key, path in named.items() if path is not None}


class ProvisionSettings(Section):
    """What whoever works in a repository is given there.

    `environment` are variables that anybody may see, `secrets` names of variables of `secrets.env` that are handed on,
    `secret_files` variables that will hold the place of a copy of a file. Who only looks is given `environment` alone.
    """

    environment: Mapping[str, str] = Field(default_factory=dict)
    secrets: tuple[str, ...] = ()
    secret_files: Mapping[str, Path] = Field(default_factory=dict)
    git: GitAccess = GitAccess()

    @property
    def named_secrets(self) -> Iterator[tuple[KeyPath, str]]:
        """The variables of `secrets.env` that are named, each with its key."""
        for number, name in enumerate(self.secrets):
            yield ("secrets", str(number)), name
        if self.git.password:
            yield ("git", "password"), self.git.password

    @property
    def named_files(self) -> Iterator[tuple[KeyPath, Path]]:
        """The files that are named, each with its key."""
        for name, path in self.secret_files.items():
            yield ("secret_files", name), path
        for name, path in self.git.files.items():
            yield ("git", name), path


def problems_of_provisions(settings: ProvisionSettings) -> Iterator[tuple[KeyPath, str]]:
    """Yield what is wrong about names, each with its key."""
    yield from problems_of_variables(settings.environment, settings.secrets)
    for name in settings.secret_files:
        yield from _problem_of_variable(("secret_files", name), name)
    password = settings.git.password
    if password and (not _VARIABLE.fullmatch(password) or password != password.upper()):
        # It may be the password itself, which is not to stand in a log: a token of GitHub has the form of a name.
        problem = "expected the name of a variable in secrets.env, in capitals, such as APP_PASSWORD."
        yield ("git", "password"), problem
    elif password.startswith("MAMA_"):
        yield ("git", "password"), f"{password} is the service's own. Give this one a name of its own in secrets.env."
    if not settings.git.user.isprintable() or not settings.git.user:
        yield ("git", "user"), "expected the name of an account."


def problems_of_variables(environment: Iterable[str], secrets: Iterable[str]) -> Iterator[tuple[KeyPath, str]]:
    """Yield what is wrong about the names of variables, and of those in secrets.env, each with its key."""
    for name in environment:
        yield from _problem_of_variable(("environment", name), name)
    for number, name in enumerate(secrets):
        if _VARIABLE.fullmatch(name):
            yield from _problem_of_variable(("secrets", str(number)), name)
        else:
            yield ("secrets", str(number)), f"{name[:40]!r} is no name of a variable in secrets.env."


def _problem_of_variable(key: KeyPath, name: str) -> Iterator[tuple[KeyPath, str]]:
    if not _VARIABLE.fullmatch(name):
        yield key, f"{name[:40]!r} is no name of a variable."
    elif _OWN.fullmatch(name):
        yield key, f"{name} is the service's own, and agents are given none of that. Name another variable."
