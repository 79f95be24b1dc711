"""Run git in repositories that the service alone writes, and let it fetch there, which it does nowhere else."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mama_bot.config.repository_settings import SCHEMES
from mama_bot.provisions import GitWay, with_settings
from mama_bot.repositories.confined import GitReach
from mama_bot.repositories.git import environment, git_failure, run_git

LOCAL_SECONDS = 300.0  # for what stays on this machine: the checkout of a very large tree is the slowest of it
# By which way out of this machine git goes; everything else of the service's environment stays here.
NETWORK = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO")
TRANSPORTS = {
    "GIT_ALLOW_PROTOCOL": ":".join(SCHEMES),
    "GIT_SSH_COMMAND": "ssh -o BatchMode=yes -o ConnectTimeout=15",
    "GIT_HTTP_LOW_SPEED_LIMIT": "1",
    "GIT_HTTP_LOW_SPEED_TIME": "30",
}
# The settings of the environment are not handed on to the git that serves a path on this machine; this file is.
GLOBAL_SETTINGS = "[safe]\n\tdirectory = *\n"


@dataclass(frozen=True, slots=True)
class OwnGit:
    """Runs git; `settings` is the file of global settings that its transports go by."""

    settings: Path

    async def output(
        self,
        directory: Path,
        *arguments: str,
        given: bytes = b"",
        variables: Mapping[str, str] | None = None,
        filters: tuple[str, ...] = (),
        undecodable: str = "replace",
        writable: Sequence[Path] | None = None,
    ) -> str:
        """Return the output of a git command that reaches nothing outside; raises GitFailed.

        `directory` is a bare repository, or with `variables` what they say; `filters` are settings that are not to run.
        `undecodable` is what becomes of bytes that are no UTF-8: paths that are used are read with "surrogateescape".
        Where only some places are `writable`, the kernel lets it write nowhere else, whatever a link says.
        """
        whole = environment(filters) | _of(directory) | dict(variables or {})
        reach = None if writable is None else GitReach(readable=("/",), writable=tuple(map(str, writable)))
        status, output, errors = await run_git(
            directory, *arguments, variables=whole, seconds=LOCAL_SECONDS, given=given, reach=reach
        )
        if status != 0:
            raise git_failure(directory, arguments[0], status, errors)
        return output.decode(errors=undecodable)

    async def succeeds(self, directory: Path, *arguments: str) -> bool:
        """Return whether a git command ends well; raises GitFailed where it does not end."""
        whole = environment(()) | _of(directory)
        status, _, _ = await run_git(directory, *arguments, variables=whole, seconds=LOCAL_SECONDS)
        return status == 0

    async def answer(
        self, directory: Path, *arguments: str, variables: Mapping[str, str] | None = None, given: bytes = b""
    ) -> tuple[int, str, str]:
        """Return exit status, output and errors of a git command that reaches nothing outside; raises GitFailed."""
        whole = environment(()) | _of(directory) | dict(variables or {})
        status, output, errors = await run_git(
            directory, *arguments, variables=whole, seconds=LOCAL_SECONDS, given=given
        )
        return status, output.decode(errors="replace"), errors

    async def reaching(
        self,
        directory: Path,
        *arguments: str,
        seconds: float,
        variables: Mapping[str, str] | None = None,
        way: GitWay | None = None,
    ) -> str:
        """Return the output of a git command that may reach another repository, by its `way`; raises GitFailed."""
        status, output, errors = await self.reached(
            directory, *arguments, seconds=seconds, variables=variables, way=way
        )
        if status != 0:
            raise git_failure(directory, arguments[0], status, errors)
        return output

    async def reached(
        self,
        directory: Path,
        *arguments: str,
        seconds: float,
        variables: Mapping[str, str] | None = None,
        way: GitWay | None = None,
    ) -> tuple[int, str, str]:
        """Return exit status, output and errors of such a command; raises GitFailed where it does not end."""
        whole = self.way_out() | _of(directory) | dict(variables or {})
        if way is not None:
            whole = with_settings(whole | dict(way.variables), way.settings)
        status, output, errors = await run_git(directory, *arguments, variables=whole, seconds=seconds)
        return status, output.decode(errors="replace"), errors

    def way_out(self) -> dict[str, str]:
        """Return the environment of a git command that may reach another repository."""
        if not self.settings.exists():
            self.settings.parent.mkdir(parents=True, exist_ok=True)
            self.settings.write_text(GLOBAL_SETTINGS, encoding="utf-8")
        names = [*NETWORK, *(name.lower() for name in NETWORK)]
        network = {name: os.environ[name] for name in names if name in os.environ}
        return environment(()) | network | TRANSPORTS | {"GIT_CONFIG_GLOBAL": str(self.settings)}


def _of(directory: Path) -> dict[str, str]:
    """Return what makes git take a directory for a bare repository, which it does of no directory by itself here."""
    return {"GIT_DIR": str(directory)}
