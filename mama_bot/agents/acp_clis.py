"""What the agents that speak the Agent Client Protocol have in common, as far as a session needs to know of each."""

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mama_bot.agents.homes import AgentHome
from mama_bot.agents.sentences import CHECK_COMMAND, INSTALL, LOG_IN
from mama_bot.confinement.launcher import allowed_variables
from mama_bot.wording import Language, Said

OTHERS_KEYS = ("ANTHROPIC_", "CLAUDE_", "API_TIMEOUT_MS")


@dataclass(frozen=True, slots=True, kw_only=True)
class CliSetup:
    """What a session lays out for its CLI: where it lives, what it is told of itself, which tools it is granted.

    `environment` is the whole that agents may be given, `home_of_person` where a person's own login may lie,
    `hook_socket` where its hooks are answered.
    """

    home: AgentHome
    prompt: str
    model: str | None
    tools: Sequence[str]
    read_only: bool
    environment: Mapping[str, str]
    home_of_person: Path
    hook_socket: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class CliStart:
    """How a CLI is started: its arguments, and the variables that it alone is given.

    `prefixed` says that the CLI takes no instructions but in its first prompt, `readable` what it reads beside.
    """

    arguments: tuple[str, ...]
    variables: Mapping[str, str]
    prefixed: bool = False
    writable: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CliLogin:
    """A login that a CLI would use: the variable or the file that holds it, never its value."""

    source: str
    file: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AcpCli:
    """One agent's CLI. `tested` are the versions that its tests run with, `install` says how to get it.

    `keys` are the variables of its own provider, which no other agent is given, `servers` those among them that name
    the model's service. `tells_all`: it tells of each call that it makes,
    `asks_for_files`: it has the service read and write files, `hooked`: before each call it asks by a hook,
    `gives_signs`: it answers what it is asked while a command of it runs, `titled`: where a session is given no title
    it has a model make one up, at a price.
    """

    name: str
    title: str
    program: str
    tested: str
    install: str
    login: str
    keys: tuple[str, ...]
    servers: tuple[str, ...]
    logins: tuple[str, ...]
    login_file: str
    start: Callable[[CliSetup], CliStart]
    tells_all: bool = True
    asks_for_files: bool = False
    hooked: bool = False
    gives_signs: bool = False
    titled: bool = False

    @property
    def install_remedy(self) -> Said:
        """What helps where the CLI is not there."""
        return INSTALL.of(command=self.install, name=self.name) if self.install else CHECK_COMMAND

    @property
    def login_remedy(self) -> Said | str:
        """What helps where nobody is logged in."""
        return LOG_IN.of(keys=" / ".join(self.logins)) if self.logins else self.login

    @property
    def remedy(self) -> str:
        """What helps where the CLI is not there, as the terminal says it."""
        return self.install_remedy.to(Language.ENGLISH)

    def find(self, environment: Mapping[str, str], chosen: Path | None) -> Path | None:
        """Return where the CLI is: the chosen one, else what the path holds."""
        if chosen is not None:
            return chosen
        place = shutil.which(self.program, path=environment.get("PATH", os.defpath))
        return Path(place) if place else None

    def find_login(self, environment: Mapping[str, str], home: Path) -> CliLogin | None:
        """Return the login that it would use: a variable, else a file in the person's home; None without one."""
        for name in self.logins:
            if environment.get(name, "").strip():
                return CliLogin(source=name)
        file = home / self.login_file
        try:
            there = bool(self.login_file) and file.is_file() and file.stat().st_size > 0
        except OSError:  # a home that this user may not look into holds no login for it
            there = False
        return CliLogin(source=str(file), file=file) if there else None

    def own_keys(self, environment: Mapping[str, str]) -> dict[str, str]:
        """Return the variables of its own provider that are set."""
        return {name: environment[name] for name in self.keys if environment.get(name)}


def without_keys(environment: Mapping[str, str]) -> dict[str, str]:
    """Return what every agent may see of the environment, without what is another provider's."""
    return {name: value for name, value in allowed_variables(environment).items() if not name.startswith(OTHERS_KEYS)}


def link_login(place: Path, login: Path | None) -> None:
    """Let an agent use the person's own login, or take that away."""
    if place.is_symlink() or place.exists():
        place.unlink()
    if login is not None:
        place.symlink_to(login.absolute())
