"""The claude CLI as an agent backend: one process for each conversation and persona, isolated, with a known end."""

import asyncio
import os
import shutil
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any, Self

import structlog

from mama_bot.agents import build_directory
from mama_bot.agents import sentences as words
from mama_bot.agents.attachment_desk import AttachmentDesk
from mama_bot.agents.claude_environment import SERVERS, cli_variables, retry_variables, runnable_cli
from mama_bot.agents.claude_events import BACKEND
from mama_bot.agents.claude_servers import server_options, server_rules
from mama_bot.agents.claude_session import ClaudeSession
from mama_bot.agents.claude_tools import own_rules
from mama_bot.agents.claude_transcripts import KeptTranscripts, name_session
from mama_bot.agents.claude_usage import ModelPrices, SessionTotal, total_so_far
from mama_bot.agents.error_lines import ErrorLines
from mama_bot.agents.homes import GRANTED, AgentHome, link_credentials, make_home, make_run_directory, write_starter
from mama_bot.agents.login import LoginKind, find_login
from mama_bot.agents.permissions import permission_rules
from mama_bot.agents.record import Redact, ToolRecorder
from mama_bot.agents.shells import REACH_FILE, SHELL_VARIABLE, real_shell, write_shell
from mama_bot.agents.tool_variables import build_variables, home_variables
from mama_bot.agents.unwritten_workspace import UnwrittenWorkspace
from mama_bot.config import ClaudeSettings
from mama_bot.confinement import launcher
from mama_bot.confinement.launcher import MARK_VARIABLE, PLAN_VARIABLE
from mama_bot.confinement.plans import SHARED_MEMORY, Plan, Pulse
from mama_bot.confinement.processes import MarkedProcess, end_marked
from mama_bot.confinement.sandbox import Reach, Sandbox
from mama_bot.errors import AgentUnavailable
from mama_bot.metrics import Metrics
from mama_bot.model import AgentPersona, ConversationKey, SessionId
from mama_bot.protocols import Approver, CallReader, Clock, Declarations, SessionWatch, TeamTools, ToolGuard, WorkTrees
from mama_bot.provisions import (
    GrantMissing,
    McpServer,
    Provision,
    Provisions,
    WrittenGrant,
    nothing_provided,
    write_grant,
    write_skills,
)
from mama_bot.tool_policy.absent_approver import NobodyApproves

if TYPE_CHECKING:
    from claude_agent_sdk import ClaudeAgentOptions

log = structlog.get_logger(__name__)

MAX_LINE_BYTES = 64 * 2**20
# Of a server: who waits for another agent is told by us when it is too long.
LONGEST_TOOL_MILLISECONDS = 4 * 3600 * 1000


class ClaudeBackend:
    """Opens `claude` sessions while its `async with` block runs; leaves no process and no temporary file behind.

    `environment` is the whole environment that agents may be given (only the variables that `launcher.kept` lists get
    through); `state_directory` keeps each agent's transcripts; `mark` names this service, and processes that an earlier
    run of the same service left are ended on entry. `trees` and `reader` (one for each
    workspace) tell the record how the work tree stood and what each call ran. `guard` decides about each
    tool call before it is made, `watch` is told of what else happens in a session, `approver` answers what
    a guard asks (None: with a no); `declarations` read what agents declare, `team_tools` are the tools of
    ours that they are offered.
    `sandbox` says what a process can reach; without one nothing is confined. `limits` are those of `sandbox.limits`, by
    name; `umask` is what agents keep from others of the files that they make, `pulse` what they stand still without,
    `tool_variables` what their tools are told of a workspace. `provisions` says what a persona is given
    in a workspace: its process alone gets that. `transcripts` keeps what sessions remember for other machines.
    """

    name = BACKEND

    def __init__(
        self,
        *,
        settings: ClaudeSettings,
        state_directory: Path,
        mark: str,
        environment: Mapping[str, str],
        home: Path,
        system_prompt: Callable[[AgentPersona], str],
        redact: Redact,
        clock: Clock,
        new_uuid: Callable[[], str],
        trees: WorkTrees | None = None,
        reader: Callable[[Path], CallReader] | None = None,
        guard: ToolGuard,
        watch: SessionWatch | None = None,
        approver: Approver | None = None,
        declarations: Declarations,
        team_tools: TeamTools,
        provisions: Provisions = nothing_provided,
        sandbox: Sandbox | None = None,
        limits: Mapping[str, int] = MappingProxyType({}),
        umask: int | None = None,
        pulse: Pulse | None = None,
        tool_variables: Callable[[Path], Mapping[str, str]] = lambda _: {},
        metrics: Metrics | None = None,
        transcripts: KeptTranscripts | None = None,
        priced: bool = True,
    ) -> None:
        self._sandbox = sandbox
        self._limits = limits
        self._umask = umask
        self._pulse = pulse
        self._tool_variables = tool_variables
        self._settings = settings
        self._state = state_directory
        self._mark = mark
        self._environment = dict(environment)
        self._home = home
        self._system_prompt = system_prompt
        self._redact = redact
        self._clock = clock
        self._new_uuid = new_uuid
        self._trees = trees
        self._reader = reader
        self._metrics = metrics
        self._transcripts = transcripts
        self._prices = ModelPrices(priced=priced)
        self._guard = guard
        self._watch = watch
        self._approver = approver or NobodyApproves()
        self._declarations = declarations
        self._team_tools = team_tools
        self._provisions = provisions
        self._tasks = asyncio.TaskGroup()
        self._sessions: set[ClaudeSession] = set()
        self._run_directory: Path | None = None

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

    async def warm_up(self) -> None:
        """Import the SDK (about half a second) beside the event loop; the first `open` does it otherwise."""
        await asyncio.to_thread(import_module, "claude_agent_sdk")

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
    ) -> ClaudeSession:
        """Start a process for a conversation.

        Raises AgentUnavailable, AgentCrashed, AgentTimedOut, or SessionLost: the session to be resumed is not there, or
        the id of a new one is taken.
        """
        if self._run_directory is None:
            raise RuntimeError("ClaudeBackend is not running; use it as `async with ClaudeBackend(...)`.")
        await self.warm_up()
        try:
            provision = await self._provisions(persona, workspace, read_only)
            starter, home = self._prepare_files(persona, key, provision, apart)
            written = write_grant(provision.grant, home.granted)
        except GrantMissing as error:
            raise AgentUnavailable(backend=BACKEND, reason=str(error), remedy=words.SEE_DOCTOR) from error
        except OSError as error:
            raise AgentUnavailable(
                backend=BACKEND,
                reason=words.FILES_NOT_WRITTEN.of(problem=error.strerror or str(error)),
                remedy=words.FREE_SPACE,
            ) from error
        errors = ErrorLines(self._redact)
        process_mark = self._new_uuid()
        options = self._options(persona, home, workspace, starter, errors, process_mark)
        plan, file = await asyncio.to_thread(self._plan, home, workspace, written, read_only=read_only)
        options.env[PLAN_VARIABLE] = str(file)
        if self._sandbox is not None:
            options.env |= await asyncio.to_thread(
                self._confine_commands, home, workspace, written, read_only=read_only
            )
        if not read_only:
            await asyncio.to_thread(self._offer, options, home, workspace, provision.servers)
        reader = self._reader(workspace) if self._reader else None
        if reader is not None and read_only and self._sandbox is not None:
            reader = UnwrittenWorkspace(reader)
        kept = None if self._transcripts is None else self._transcripts.of(key, session_id, home.config)
        await name_session(options, session_id, resume=resume, kept=kept)
        before = await asyncio.to_thread(total_so_far, home.config, session_id) if resume else SessionTotal()
        session = ClaudeSession(
            session_id=session_id,
            key=key,
            options=options,
            process_mark=process_mark,
            errors=errors,
            new_recorder=lambda: ToolRecorder(
                workspace=workspace,
                outputs=home.config,
                temporary=home.cli_temporary,
                redact=self._redact,
                now=self._clock.now,
                agent=persona.name,
                reader=reader,
                declarations=self._declarations,
                metrics=self._metrics,
            ),
            new_uuid=self._new_uuid,
            before=before,
            prices=self._prices,
            settings=self._settings,
            persona=persona,
            workspace=workspace,
            trees=self._trees,
            guard=self._guard,
            watch=self._watch,
            approver=self._approver,
            declarations=self._declarations,
            tools=self._team_tools.offered(persona),
            read_only=read_only,
            build=home.build if read_only else None,
            desk=AttachmentDesk(home=home, session_id=session_id, metrics=self._metrics),
            excess=plan.excess,
            spawn=self._spawn,
        )
        await self._start(session)
        return session

    async def _start(self, session: ClaudeSession) -> None:
        self._sessions = {other for other in self._sessions if not other.closed} | {session}
        await session.start()
        log.info("agent_started", session=session.session_id, pid=session.pid)

    def _spawn(self, coroutine: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        return self._tasks.create_task(coroutine)

    def _prepare_files(
        self, persona: AgentPersona, key: ConversationKey, provision: Provision, apart: str
    ) -> tuple[Path, AgentHome]:
        cli = runnable_cli(self._settings.cli_path)
        assert self._run_directory is not None
        if not self._run_directory.is_dir():  # temporary directories are tidied up by others
            self._run_directory = make_run_directory(self._mark)
        starter = write_starter(self._run_directory, cli)
        home = make_home(self._state, self._run_directory, key, persona.name, vault=provision.grant.vault, apart=apart)
        login = find_login(self._environment, self._home)
        link_credentials(home, login.file if login and login.kind is LoginKind.CREDENTIALS_FILE else None)
        skills = write_skills(provision.skills, home.skills)
        prompt = f"{self._system_prompt(persona)}{provision.instructions}{skills}"
        home.prompt.write_text(prompt, encoding="utf-8", errors="replace")
        return starter, home

    def _plan(self, home: AgentHome, workspace: Path, written: WrittenGrant, *, read_only: bool) -> tuple[Plan, Path]:
        """Write down what a process can reach and take, where no agent can change it; return it and its file."""
        assert self._run_directory is not None
        own_home = home.build / build_directory.HOME if read_only else home.home
        variables = {**written.variables, **home_variables(own_home, home.temporary, self._home)}
        plan = Plan(
            told=self._run_directory / f"{home.root.name}.told",
            reach=self._reach(home, workspace, written, read_only=read_only),
            limits=self._limits,
            umask=self._umask,
            pulse=self._pulse,
            disks=(workspace, home.root, home.temporary, SHARED_MEMORY),
            variables={**variables, **build_variables(home.build, self._tool_variables(workspace))}
            if read_only
            else variables,
        )
        plan.write(home.plan)
        return plan, home.plan

    def _reach(self, home: AgentHome, workspace: Path, written: WrittenGrant, *, read_only: bool) -> Reach | None:
        if self._sandbox is None:
            return None
        assert self._run_directory is not None
        login = find_login(self._environment, self._home)
        return self._sandbox.reach(
            workspace=workspace,
            root=home.root,
            own=home.own(read_only=read_only),
            programs=(*self._programs(), *written.readable, home.servers),
            private=(self._run_directory,),
            sockets=written.sockets,
            login=login.file if login else None,
            servers=[self._environment[name] for name in SERVERS if self._environment.get(name)],
            read_only=read_only,
        )

    def _programs(self) -> tuple[Path, ...]:
        cli = runnable_cli(self._settings.cli_path)
        return (cli, Path(sys.prefix), Path(sys.base_prefix), Path(launcher.__file__).parent)

    def _confine_commands(
        self, home: AgentHome, workspace: Path, written: WrittenGrant, *, read_only: bool
    ) -> Mapping[str, str]:
        """Have each command run in a confinement of its own below the CLI's; return what tells the CLI so."""
        assert self._sandbox is not None
        assert self._run_directory is not None
        kind = real_shell(self._environment)
        if kind is None:
            return {}
        reach = self._sandbox.reach(
            workspace=workspace,
            root=home.attachments,
            own=home.commands(read_only=read_only),
            programs=(*self._programs(), *home.told, home.skills, *written.readable),
            private=(self._run_directory,),
            read_only=read_only,
        )
        return {SHELL_VARIABLE: str(write_shell(home, reach, kind)), "CLAUDE_CODE_TMPDIR": str(home.cli_temporary)}

    def _offer(
        self, options: "ClaudeAgentOptions", home: AgentHome, workspace: Path, servers: Sequence[McpServer]
    ) -> None:
        """Offer an agent the tools of MCP servers."""
        reach = home.shell / REACH_FILE if SHELL_VARIABLE in options.env else None
        path = self._environment.get("PATH", os.defpath)
        offered = server_options(servers, home.servers, workspace=workspace, reach=reach, path=path)
        options.mcp_servers = offered
        options.allowed_tools += server_rules([server for server in servers if server.name in offered])

    def _options(
        self,
        persona: AgentPersona,
        home: AgentHome,
        workspace: Path,
        starter: Path,
        errors: ErrorLines,
        process_mark: str,
    ) -> "ClaudeAgentOptions":
        from claude_agent_sdk import ClaudeAgentOptions

        return ClaudeAgentOptions(
            cli_path=starter,
            cwd=workspace,
            env={
                **cli_variables(self._environment, persona, home, mark=self._mark, process_mark=process_mark),
                **self._tool_variables(workspace),
                "MCP_TOOL_TIMEOUT": str(LONGEST_TOOL_MILLISECONDS),
                **retry_variables(self._settings),
            },
            system_prompt={"type": "file", "path": str(home.prompt)},
            model=persona.model or self._settings.model,
            fallback_model=self._settings.fallback_model,
            tools=list(persona.tools),
            allowed_tools=[
                *permission_rules(persona.tools, workspace, home.attachments, home.skills),
                *own_rules(self._team_tools.offered(persona)),
            ],
            permission_mode="dontAsk",
            setting_sources=[],
            strict_mcp_config=True,
            max_turns=self._settings.max_turns,
            max_budget_usd=self._settings.max_budget_usd,
            max_buffer_size=MAX_LINE_BYTES,
            include_partial_messages=True,  # signs of life while a long text is written; nothing of them is read
            # What a person writes is text: "/clear" is no command, "@file" no attachment.
            verbatim_prompts=True,
            stderr=errors.add,
        )
