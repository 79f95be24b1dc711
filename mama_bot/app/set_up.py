"""The commands that set a fresh work tree up, run in the sandbox of whoever will work there."""

import asyncio
import os
import shutil
import tempfile
import uuid
from pathlib import Path

from mama_bot.app.configuration import Configuration
from mama_bot.app.containment import sandbox_of
from mama_bot.app.host_checks import END_MARKED, SEEN, mark
from mama_bot.app.provisions import granted_in
from mama_bot.app.roles import pulse_of
from mama_bot.checkouts.own_git import NETWORK
from mama_bot.checkouts.work_places import home_of
from mama_bot.confinement.plans import SHARED_MEMORY, Plan
from mama_bot.confinement.sandbox import Sandbox
from mama_bot.enforcement.host_checks.checks import MARK_VARIABLE, RUN_VARIABLE, without_terminal_signs
from mama_bot.enforcement.host_checks.process import FinishedCommand, run_argv
from mama_bot.provisions import GrantMissing, WrittenGrant, write_grant

TOLD_CHARACTERS = 300


class SetUpCommands:
    """Runs the `set_up` of a repository in a work tree: by a shell, with the network, and nothing of the service's."""

    def __init__(self, configuration: Configuration) -> None:
        self._configuration = configuration
        self._sandbox = sandbox_of(configuration)
        self._redact = configuration.redactor()

    async def run(self, name: str, tree: Path) -> str:
        """Return what went wrong, with the end of what it printed; "" where all went well."""
        settings = self._configuration.settings
        seconds = settings.work_trees.set_up_seconds
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        for command in settings.repositories[name].set_up:
            left = until - loop.time()
            try:
                done = await self._run(name, tree, command, left) if left > 0 else None
            except GrantMissing as error:
                return str(error)
            except OSError as error:
                return f"`{command}` cannot be started ({error.strerror or error})"
            if done is None or done.exit_status is None:
                return f"`{command}` was not done within {seconds:g} seconds"
            if done.exit_status != 0:
                output = self._redact(without_terminal_signs(done.output)).strip()[-TOLD_CHARACTERS:]
                return f"`{command}` ended with exit status {done.exit_status}: {output}"
        return ""

    async def _run(self, name: str, tree: Path, command: str, seconds: float) -> FinishedCommand:
        scratch = await asyncio.to_thread(lambda: Path(tempfile.mkdtemp(prefix="mama-set-up-")))
        own, run = mark(self._configuration), uuid.uuid4().hex[:16]
        home, temporary = home_of(tree), scratch / "tmp"
        try:
            settings = self._configuration.settings.repositories[name]
            grant = granted_in(self._configuration, name, settings)
            written = await asyncio.to_thread(write_grant, grant, tree.parent / "granted")
            for directory in (home, temporary):
                await asyncio.to_thread(directory.mkdir, exist_ok=True)
            return await run_argv(
                ("/bin/sh", "-ec", command),
                directory=tree,
                environment={
                    **self._environment(),
                    **written.variables,
                    "HOME": str(home),
                    "TMPDIR": str(temporary),
                    MARK_VARIABLE: own,
                    RUN_VARIABLE: run,
                },
                seconds=seconds,
                plan=self._plan(tree, scratch, (home, temporary), written),
                plan_file=scratch / "plan.json",
                end_strays=lambda: END_MARKED(RUN_VARIABLE, run),
            )
        finally:
            for directory in (scratch, tree.parent / "granted"):
                await asyncio.to_thread(shutil.rmtree, directory, ignore_errors=True)

    def _environment(self) -> dict[str, str]:
        given = self._configuration.environment
        network = (*NETWORK, *(variable.lower() for variable in NETWORK))
        seen = {variable: given[variable] for variable in (*SEEN, *network) if variable in given}
        defaults = {"LANG": "C.UTF-8", "PATH": os.defpath}
        return defaults | seen

    def _plan(self, tree: Path, scratch: Path, own: tuple[Path, Path], written: WrittenGrant) -> Plan:
        sandbox: Sandbox | None = self._sandbox
        reach = None
        if sandbox is not None:
            reach = sandbox.reach(
                workspace=tree,
                root=tree,
                own=own,
                programs=written.readable,
                private=(scratch,),
                sockets=written.sockets,
            )
        return Plan(
            told=scratch / "told.json",
            reach=reach,
            limits=self._configuration.settings.sandbox.limits.model_dump(),
            umask=self._configuration.umask,
            pulse=pulse_of(self._configuration),
            disks=(tree, scratch, SHARED_MEMORY),
            every_variable=True,
        )
