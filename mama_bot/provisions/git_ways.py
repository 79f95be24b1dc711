"""How git proves who it is to the server of a repository: by settings that hold no secret, and what they lead to."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from mama_bot.config import GitAccess, is_url

CONNECT_SECONDS = 15
# The whole of what ssh goes by: the files of whoever runs the service are nobody else's.
SSH = ("ssh", "-F", "none", "-o", "BatchMode=yes", "-o", f"ConnectTimeout={CONNECT_SECONDS}")
PASSWORD_VARIABLE = "MAMA_BOT_GIT_PASSWORD"  # noqa: S105 - a name, not a value
COUNT = "GIT_CONFIG_COUNT"
_HTTP = ("http", "https")


@dataclass(frozen=True, slots=True, kw_only=True)
class GitWay:
    """Settings and variables with which git reaches a server; no secret stands in the settings."""

    settings: Sequence[tuple[str, str]] = ()
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def as_variables(self) -> Mapping[str, str]:
        """Return all of it as variables, for a git that has no other settings of that kind."""
        return with_settings({**self.variables, "GIT_TERMINAL_PROMPT": "0"}, self.settings)


def with_settings(variables: Mapping[str, str], settings: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return variables in which these settings of git stand behind those that stand there already."""
    first = int(variables.get(COUNT, "0"))
    added: dict[str, str] = {}
    for number, (name, value) in enumerate(settings, first):
        added |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    return {**variables, **added, COUNT: str(first + len(settings))} if settings else dict(variables)


def host_of(source: str) -> str:
    """Return the beginning of a source that names its server over http, as git tells servers apart; "" for others."""
    if not is_url(source):
        return ""
    parts = urlsplit(source) if "://" in source else None
    return f"{parts.scheme}://{parts.netloc}" if parts and parts.scheme in _HTTP and parts.netloc else ""


def credential_settings(source: str, answer: str) -> Sequence[tuple[str, str]]:
    """Return what makes git run `answer`, a shell command, for name and password of the server, and ask nobody else."""
    host = host_of(source)
    if not host:
        return ()
    # An empty helper forgets those that other settings name: none of them is to be told of this password.
    helper = f'!answer() {{ test "$1" = get && {answer}; }}; answer'
    return ((f"credential.{host}.helper", ""), (f"credential.{host}.helper", helper))


def ssh_command(*, key: Path | None = None, known_hosts: Path | None = None, agent: bool = False) -> str:
    """Return the command for ssh with these files alone; a host that is in no list of known ones is refused."""
    options = ["-o", "StrictHostKeyChecking=yes"]
    if known_hosts is not None:
        options += ["-o", f"UserKnownHostsFile={_in_ssh(known_hosts)}"]
    if key is not None:
        options += ["-o", f"IdentityFile={_in_ssh(key)}", "-o", "IdentitiesOnly=yes"]
    if not agent:
        options += ["-o", "IdentityAgent=none"]
    return shlex.join([*SSH, *options])


def own_way(access: GitAccess, source: str, secrets: Mapping[str, str]) -> GitWay:
    """Return the way of the service itself, whose files and variables no agent sees."""
    variables: dict[str, str] = {}
    settings: Sequence[tuple[str, str]] = ()
    password = secrets.get(access.password, "")
    if password:
        answer = f'printf "username=%s\\npassword=%s\\n" {shlex.quote(access.user)} "${PASSWORD_VARIABLE}"'
        settings = credential_settings(source, answer)
        variables[PASSWORD_VARIABLE] = password
    if access.files:
        known_hosts = access.known_hosts or Path("~/.ssh/known_hosts")
        agent = access.ssh_agent is not None
        variables["GIT_SSH_COMMAND"] = ssh_command(key=access.ssh_key, known_hosts=known_hosts, agent=agent)
        variables |= {"SSH_AUTH_SOCK": str(access.ssh_agent)} if agent else {}
    return GitWay(settings=settings, variables=variables)


def _in_ssh(path: Path) -> str:
    """Return a path as ssh reads it in an option: with spaces, and signs that stand for something else."""
    text = str(path).replace("%", "%%")
    return f'"{text}"' if " " in text else text
