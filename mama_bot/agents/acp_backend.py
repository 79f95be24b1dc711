"""A CLI that speaks the Agent Client Protocol as an agent backend: a process for each conversation and persona."""

import asyncio
import os
import shlex
import shutil
import sys
from collections.abc import Coroutine, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import structlog

from mama_bot.agents import build_directory
from mama_bot.agents import sentences as words
from mama_bot.agents.acp_clis import AcpCli, CliSetup, CliStart, without_keys
from mama_bot.agents.acp_events import AcpEvents
from mama_bot.agents.acp_files import AcpFiles
from mama_bot.agents.acp_permissions import AcpPermissions
from mama_bot.agents.acp_process import AcpProcess
from mama_bot.agents.acp_session import AcpSession
from mama_bot.agents.acp_sessions import AcpSessions
from mama_bot.agents.acp_tools import SessionTools
from mama_bot.agents.agent_surroundings import AgentSurroundings
from mama_bot.agents.attachment_desk import AttachmentDesk
from mama_bot.agents.claude_environment import PROXIES, author_variables, loopback_without_proxy
from mama_bot.agents.error_lines import ErrorLines
from mama_bot.agents.homes import GRANTED, AgentHome, make_home, make_run_directory
from mama_bot.agents.record import ToolRecorder
from mama_bot.agents.tool_variables import build_variables, home_variables
from mama_bot.agents.unwritten_workspace import UnwrittenWorkspace
from mama_bot.config import AcpSettings, CliSettings
from mama_bot.confinement import launcher
from mama_bot.confinement.launcher import MARK_VARIABLE, PARENT_VARIABLE, PLAN_VARIABLE
from mama_bot.confinement.plans import SHARED_MEMORY, Plan
from mama_bot.confinement.processes import MarkedProcess, end_marked
from mama_bot.confinement.sandbox import Reach
from mama_bot.errors import AgentUnavailable
from mama_bot.model import AgentPersona, ConversationKey, SessionId
from mama_bot.provisions import (
    GrantMissing,
    Provision,
    WrittenGrant,
    write_grant,
    write_skills,
)

log = structlog.get_logger(__name__)

SESSIONS_FILE = "sessions.json"


class AcpBackend:
    """Opens sessions of one CLI while its `async with` block runs; leaves no process and no temporary file behind.

    `environment` is the whole that agents may be given: of it the CLI gets what every agent may see, and the keys of
    its own provider. `mark` names this service: processes that an earlier run of it left are ended on entry.
    """

    def __init__(
        self,
        *,
        cli: AcpCli,
        settings: AcpSettings,
        state_directory: Path,
        mark: str,
        environment: Mapping[str, str],
        home: Path,
        surroundings: AgentSurroundings,
    ) -> None:
        self._cli = cli
        self._settings = settings
        chosen = settings if isinstance(settings, CliSettings) else CliSettings()
        self._cli_path, self._model = chosen.cli_path, chosen.model
        self._state = state_directory
        self._mark = f"{mark}-{cli.name}"
        self._environment = dict(environment)
        self._home = home
        self._around = surroundings
        self._tasks = asyncio.TaskGroup()
        self._sessions: set[AcpSession] = set()
        self._run_directory: Path | None = None

    @property
    def name(self) -> str:
        """What a persona names it by."""
        return self._cli.name

    async def __aenter__(self) -> Self:
        await self.sweep()
        self._run_directory = make_run_directory(self._mark)
        self._state.mkdir(parents=True, exist_ok=True, mode=0o700)
        shutil.rmtree(self._state / GRANTED, ignore_errors=True)  # of a life that was killed
        await self._tasks.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            async with asyncio.TaskGroup() as closing:
                for session in tuple(self._sessions):
                    closing.create_task(session.aclose())
        finally:
            await self._tasks.__aexit__(None, None, None)
            await self.sweep()
            shutil.rmtree(self._state / GRANTED, ignore_errors=True)
            if self._run_directory is not None:
                shutil.rmtree(self._run_directory, ignore_errors=True)

    async def sweep(self) -> tuple[MarkedProcess, ...]:
        """End every process of this service's agents, those of an earlier run included; returns what was found."""
        ended = await end_marked(MARK_VARIABLE, self._mark)
        if ended:
            log.warning("orphans_ended", count=len(ended), commands=[process.command for process in ended])
        return ended

    async def open(
        self,
        *,
        persona: AgentPersona,
        key: ConversationKey,
        workspace: Path,
        session_id: SessionId,
        resume: bool,
        read_only: bool = False,
        apart: str = "",
    ) -> AcpSession:
        """Start a process for a conversation; see `AgentBackend.open`."""
        if self._run_directory is None:
            raise RuntimeError("AcpBackend is not running; use it as `async with AcpBackend(...)`.")
        command = self._command(persona)
        try:
            provision = await self._around.provisions(persona, workspace, read_only)
            home = self._make_home(persona, key, provision, apart)
            written = write_grant(provision.grant, home.granted)
            skills = write_skills(provision.skills, home.skills)
            prompt = f"{self._around.system_prompt(persona)}{provision.instructions}{skills}"
            start = self._cli.start(self._setup(persona, home, prompt, read_only=read_only))
            plan = await asyncio.to_thread(
                self._plan, home, workspace, written, start, Path(command[0]), read_only=read_only
            )
        except GrantMissing as error:
            raise AgentUnavailable(backend=self.name, reason=str(error), remedy=words.SEE_DOCTOR) from error
        except OSError as error:
            raise AgentUnavailable(
                backend=self.name,
                reason=words.FILES_NOT_WRITTEN.of(problem=error.strerror or str(error)),
                remedy=words.FREE_SPACE,
            ) from error
        session = self._session(
            persona,
            key,
            workspace,
            session_id,
            home,
            prompt,
            start,
            plan,
            (*command, *start.arguments),
            resume=resume,
            read_only=read_only,
        )
        self._sessions = {other for other in self._sessions if not other.closed} | {session}
        await session.start()
        log.info("agent_started", backend=self.name, session=session_id, pid=session.pid)
        return session

    def _session(
        self,
        persona: AgentPersona,
        key: ConversationKey,
        workspace: Path,
        session_id: SessionId,
        home: AgentHome,
        prompt: str,
        start: CliStart,
        plan: Plan,
        command: tuple[str, ...],
        *,
        resume: bool,
        read_only: bool,
    ) -> AcpSession:
        around, errors = self._around, ErrorLines(self._around.redact)
        tools = around.offered.of_session(persona) if around.offered is not None else SessionTools()
        permissions = AcpPermissions(
            persona=persona, guard=around.guard, approver=around.approver, declarations=around.declarations
        )
        return AcpSession(
            session_id=session_id,
            resume=resume,
            cli=self._cli,
            hook_socket=self._hook_socket(home) if self._cli.hooked else None,
            process=AcpProcess(
                command=command,
                environment=self._launched(persona, home),
                directory=workspace,
                mark=around.new_uuid(),
                errors=errors,
                spawn=self._spawn,
            ),
            sessions=AcpSessions(home.root / SESSIONS_FILE),
            events=AcpEvents(
                persona=persona,
                workspace=workspace,
                key=key,
                session_id=session_id,
                read_only=read_only,
                tells_all=self._cli.tells_all,
                hooked=self._cli.hooked,
                permissions=permissions,
                own_tools=tools.names,
                files=AcpFiles(workspace=workspace, readable=(home.attachments, home.skills), read_only=read_only),
                watch=around.watch,
                trees=around.trees,
                judge_seconds=self._settings.in_turn_seconds,
            ),
            errors=errors,
            new_recorder=lambda: self._recorder(persona, workspace, home, read_only=read_only),
            new_uuid=around.new_uuid,
            workspace=workspace,
            tools=tools,
            instructions=prompt if start.prefixed and not resume else "",
            start_seconds=self._settings.start_seconds,
            silence_seconds=self._settings.silence_seconds,
            build=home.build if read_only else None,
            desk=AttachmentDesk(home=home, session_id=session_id, metrics=around.metrics),
            excess=plan.excess,
            spawn=self._spawn,
        )

    def _recorder(self, persona: AgentPersona, workspace: Path, home: AgentHome, *, read_only: bool) -> ToolRecorder:
        around = self._around
        reader = around.reader(workspace) if around.reader else None
        if reader is not None and read_only and around.sandbox is not None:
            reader = UnwrittenWorkspace(reader)
        return ToolRecorder(
            workspace=workspace,
            outputs=home.config,
            redact=around.redact,
            now=around.clock.now,
            agent=persona.name,
            reader=reader,
            declarations=around.declarations,
            metrics=around.metrics,
        )

    def _spawn(self, coroutine: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        return self._tasks.create_task(coroutine)

    def _command(self, persona: AgentPersona) -> tuple[str, ...]:
        """Return what is started, without its arguments; raises AgentUnavailable where it is not there."""
        given = shlex.split(persona.command) if persona.command else []
        chosen = Path(given[0]) if given and os.sep in given[0] else self._cli_path
        if given and chosen is None:
            place = shutil.which(given[0], path=self._environment.get("PATH", os.defpath))
            chosen = Path(place or given[0])
        cli = self._cli.find(self._environment, chosen)
        if cli is None or not cli.is_file():
            reason = words.NO_PROGRAM.of(program=self._cli.program) if cli is None else words.NO_FILE.of(file=str(cli))
            raise AgentUnavailable(backend=self.name, reason=reason, remedy=self._cli.install_remedy)
        if not os.access(cli, os.X_OK):
            reason, remedy = words.NOT_EXECUTABLE.of(file=str(cli)), words.MAKE_EXECUTABLE.of(file=str(cli))
            raise AgentUnavailable(backend=self.name, reason=reason, remedy=remedy)
        return (str(cli.absolute()), *given[1:])

    def _make_home(self, persona: AgentPersona, key: ConversationKey, provision: Provision, apart: str) -> AgentHome:
        assert self._run_directory is not None
        if not self._run_directory.is_dir():  # temporary directories are tidied up by others
            self._run_directory = make_run_directory(self._mark)
        return make_home(self._state, self._run_directory, key, persona.name, vault=provision.grant.vault, apart=apart)

    def _setup(self, persona: AgentPersona, home: AgentHome, prompt: str, *, read_only: bool) -> CliSetup:
        return CliSetup(
            home=home,
            prompt=prompt,
            model=persona.model or self._model,
            tools=persona.tools,
            read_only=read_only,
            environment=self._environment,
            home_of_person=self._home,
            hook_socket=self._hook_socket(home),
        )

    def _hook_socket(self, home: AgentHome) -> Path:
        assert self._run_directory is not None
        return self._run_directory / f"{home.root.name}.hooks"

    def _launched(self, persona: AgentPersona, home: AgentHome) -> dict[str, str]:
        """Return the variables of the launcher, which lets few of them through; the plan adds the others."""
        return {
            **without_keys(self._environment),
            **loopback_without_proxy(self._environment),
            **author_variables(persona),
            MARK_VARIABLE: self._mark,
            PARENT_VARIABLE: str(os.getpid()),
            PLAN_VARIABLE: str(home.plan),
        }

    def _plan(
        self,
        home: AgentHome,
        workspace: Path,
        written: WrittenGrant,
        start: CliStart,
        program: Path,
        *,
        read_only: bool,
    ) -> Plan:
        """Write down what the process can reach and take, where no agent can change it."""
        assert self._run_directory is not None
        own_home = home.build / build_directory.HOME if read_only else home.home
        told = self._around.tool_variables(workspace)
        variables = {
            **told,
            **written.variables,
            **home_variables(own_home, home.temporary, self._home),
            **(build_variables(home.build, told) if read_only else {}),
            **start.variables,
        }
        plan = Plan(
            told=self._run_directory / f"{home.root.name}.told",
            reach=self._reach(home, workspace, written, start, program, read_only=read_only),
            limits=self._around.limits,
            umask=self._around.umask,
            pulse=self._around.pulse,
            disks=(workspace, home.root, home.temporary, SHARED_MEMORY),
            variables=variables,
        )
        plan.write(home.plan)
        return plan

    def _reach(
        self,
        home: AgentHome,
        workspace: Path,
        written: WrittenGrant,
        start: CliStart,
        program: Path,
        *,
        read_only: bool,
    ) -> Reach | None:
        sandbox = self._around.sandbox
        if sandbox is None:
            return None
        assert self._run_directory is not None
        offered = self._around.offered
        servers = (*self._cli.servers, *PROXIES, *(name.lower() for name in PROXIES))
        return sandbox.reach(
            workspace=workspace,
            root=home.root,
            own=(*home.own(read_only=read_only), *start.writable),
            programs=(*self._programs(program), *written.readable, *(offered.readable if offered is not None else ())),
            private=(self._run_directory,),
            sockets=(*written.sockets, self._hook_socket(home), *(offered.sockets if offered is not None else ())),
            servers=[self._environment[name] for name in servers if self._environment.get(name)],
            read_only=read_only,
        )

    def _programs(self, program: Path) -> tuple[Path, ...]:
        """Return what is read to start the CLI: where its package lies with what it needs, and Node."""
        real = program.resolve()
        packages = [parent for parent in real.parents if parent.name == "node_modules"]
        node = shutil.which("node", path=self._environment.get("PATH", os.defpath))
        beside = (Path(node).resolve().parent.parent,) if node else ()
        place = packages[-1] if packages else real
        return (program, place, *beside, Path(sys.prefix), Path(sys.base_prefix), Path(launcher.__file__).parent)
