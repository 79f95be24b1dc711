"""Lays out what is granted where only the process that it is for can read it, and says how its tools find it."""

import os
import shlex
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mama_bot.provisions.git_ways import GitWay, credential_settings, ssh_command
from mama_bot.provisions.grants import Grant

PRIVATE_DIRECTORY, PRIVATE_FILE = 0o700, 0o400


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenGrant:
    """The variables of a process, the directories that it reads, and the sockets that it uses."""

    variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    readable: tuple[Path, ...] = ()
    sockets: tuple[Path, ...] = ()


def write_grant(grant: Grant, directory: Path) -> WrittenGrant:
    """Write what is granted into a directory of its own, and remove what was laid out there before; raises OSError."""
    shutil.rmtree(directory, ignore_errors=True)
    if not grant.vault:
        return WrittenGrant(variables=grant.variables)
    directory.mkdir(mode=PRIVATE_DIRECTORY, parents=True)
    places = {name: _written(directory / f"file-{name}", content) for name, content in grant.files.items()}
    way = _git_way(grant, directory)
    return WrittenGrant(
        variables={**grant.variables, **{name: str(place) for name, place in places.items()}, **way.as_variables},
        readable=(directory,),
        sockets=(grant.agent,) if grant.agent else (),
    )


def _git_way(grant: Grant, directory: Path) -> GitWay:
    settings: list[tuple[str, str]] = []
    variables: dict[str, str] = {}
    if grant.password:
        answer = _written(directory / "password", f"username={grant.user}\npassword={grant.password}\n".encode())
        settings += credential_settings(grant.source, f"cat {shlex.quote(str(answer))}")
    if grant.reaches_by_ssh:
        known_hosts = _written(directory / "known_hosts", grant.known_hosts)
        # Without the end of its last line ssh takes a key for broken.
        key = _written(directory / "key", grant.key.rstrip() + b"\n") if grant.key else None
        agent = grant.agent is not None
        variables["GIT_SSH_COMMAND"] = ssh_command(key=key, known_hosts=known_hosts, agent=agent)
        variables |= {"SSH_AUTH_SOCK": str(grant.agent)} if agent else {}
    return GitWay(settings=tuple(settings), variables=variables)


def _written(file: Path, content: bytes) -> Path:
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, PRIVATE_FILE)
    with os.fdopen(descriptor, "wb") as opened:
        opened.write(content)
    return file
