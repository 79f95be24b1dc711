"""An agent in memory, without a process: a function decides what it says. For fast tests and benchmarks."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mama_bot.errors import AgentCrashed, AgentError, AgentInterrupted, ModelFailed, SessionLost
from mama_bot.model import (
    AgentEvent,
    AgentPersona,
    ConversationKey,
    Prompt,
    SessionId,
    Stopping,
    ToolFinished,
    ToolRecord,
    ToolRun,
    ToolStarted,
    TurnEnded,
    Usage,
    UsageTold,
)
from mama_bot.model_faults import ModelFault
from mama_bot.protocols import AtStop, CallTeam, Meanwhile
from mama_bot.tool_names import with_kind

ROUNDS = 9  # as the real CLI: after eight times it stops whatever it is told


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedReply:
    """What a scripted agent does with one prompt: it reports runs, then, after a delay, a text or an error.

    A message that it gets when it is about to stop is its next prompt.
    """

    text: str = ""
    runs: tuple[ToolRun, ...] = ()
    delay_seconds: float = 0.0
    usage: Usage = field(default_factory=lambda: Usage(input_tokens=1000, output_tokens=50, cost_usd=0.001))
    error: AgentError | None = None


AgentScript = Callable[[AgentPersona, str, Sequence[str]], ScriptedReply]


def agent_echo(persona: AgentPersona, prompt: str, history: Sequence[str]) -> ScriptedReply:  # noqa: ARG001 - a script
    """Repeat the prompt: a script for tests that need no story."""
    return ScriptedReply(text=f"echo: {prompt}")


class ScriptedAgentBackend:
    """A backend whose sessions live in memory.

    `script` gets the persona, the prompt and the session's earlier prompts. `opened` lists every session, oldest first.
    Without `tells_tools` the agent reports no tool calls, and its record is not complete. `remembered` bounds how many
    earlier prompts a session keeps, for whoever asks very often.
    """

    def __init__(
        self,
        *,
        script: AgentScript = agent_echo,
        name: str = "claude",
        tells_tools: bool = True,
        remembered: int | None = None,
    ) -> None:
        self._script = script
        self._name = name
        self._tells_tools = tells_tools
        self._remembered = remembered
        self._histories: dict[SessionId, deque[str]] = {}
        self.opened: list[ScriptedSession] = []

    @property
    def name(self) -> str:
        """The name that personas use."""
        return self._name

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
    ) -> "ScriptedSession":
        """Open a session; raises SessionLost for an unknown one to resume and for a new id that is taken."""
        if resume != (session_id in self._histories):
            raise SessionLost(session_id=session_id)
        history = self._histories.setdefault(session_id, deque(maxlen=self._remembered))
        session = ScriptedSession(
            persona=persona,
            key=key,
            workspace=workspace,
            session_id=session_id,
            script=self._script,
            history=history,
            tells_tools=self._tells_tools,
            read_only=read_only,
        )
        self.opened.append(session)
        return session

    def lose(self, session_id: SessionId) -> None:
        """Forget a session, so that it cannot be resumed."""
        self._histories.pop(session_id, None)


class ScriptedSession:
    """One conversation of a scripted agent."""

    def __init__(
        self,
        *,
        persona: AgentPersona,
        key: ConversationKey,
        workspace: Path,
        session_id: SessionId,
        script: AgentScript,
        history: deque[str],
        tells_tools: bool = True,
        read_only: bool = False,
    ) -> None:
        self.read_only = read_only
        self.persona = persona
        self.key = key
        self.workspace = workspace
        self.megabytes = 100.0
        self.closed = False
        self._session_id = session_id
        self._script = script
        self._history = history
        self._tells_tools = tells_tools
        self._asked = False
        self._broken = False
        self._stop = asyncio.Event()

    @property
    def session_id(self) -> SessionId:
        """The id that `open` accepts with `resume`."""
        return self._session_id

    @property
    def usable(self) -> bool:
        """Whether `ask` may be called now."""
        return not self._broken and not self._asked

    def memory_megabytes(self) -> float:
        """Return `megabytes`, which a test sets."""
        return self.megabytes

    @property
    def steerable(self) -> bool:
        """Whether it can be told something meanwhile: it cannot, and hears of it when it is asked again."""
        return False

    async def ask(
        self,
        prompt: Prompt,
        *,
        at_stop: AtStop | None = None,
        meanwhile: Meanwhile | None = None,
        call_team: CallTeam | None = None,
    ) -> AsyncGenerator[AgentEvent, None]:
        """Play the script's reply to a prompt as events."""
        if self._asked:
            raise RuntimeError("This session is being asked already; one ask at a time.")
        if self._broken:
            raise AgentCrashed(returncode=None)
        self._asked = True
        self._stop.clear()
        finished = False
        try:
            async for event in self._play(prompt.text, at_stop):
                if isinstance(event, TurnEnded):
                    finished, self._asked = True, False
                yield event
        except (ModelFailed, AgentInterrupted):
            finished, self._asked = True, False
            raise
        finally:
            if not finished:
                self._broken, self._asked = True, False

    async def interrupt(self) -> None:
        """Stop the running `ask`."""
        self._stop.set()

    async def aclose(self) -> None:
        """End the session."""
        self._broken = True
        self.closed = True
        self._stop.set()

    async def _play(self, prompt: str, at_stop: AtStop | None) -> AsyncIterator[AgentEvent]:
        record, usage = ToolRecord(complete=self._tells_tools), Usage()
        for round_ in range(ROUNDS):
            reply = self._script(self.persona, prompt, tuple(self._history))
            self._history.append(prompt)
            if self._tells_tools:
                runs = tuple(map(with_kind, reply.runs))
                record += ToolRecord(runs=runs)
                for run in runs:
                    yield ToolStarted(run=run)
                    yield ToolFinished(run=run)
            await self._wait(reply.delay_seconds)
            if reply.error is not None:
                raise reply.error
            if not reply.text.strip():
                raise ModelFailed(status=None, fault=ModelFault.EMPTY)
            usage += reply.usage
            yield UsageTold(usage=usage)
            await self._wait(0)  # it may be stopped for what it took
            last = at_stop is None or round_ == ROUNDS - 1
            prompt = "" if last else await self._told(at_stop, Stopping(text=reply.text, record=record, usage=usage))
            await self._wait(0)  # it may have been stopped meanwhile
            if not prompt:
                yield TurnEnded(text=reply.text, record=record, usage=usage, session_id=self._session_id)
                return

    async def _told(self, at_stop: AtStop | None, stopping: Stopping) -> str:
        """Return what the agent is told as it is about to stop; when asking fails it stops, as the real CLI does."""
        if at_stop is None:
            return ""
        try:
            return await at_stop(stopping)
        except Exception:  # noqa: BLE001 - it fails open
            return ""

    async def _wait(self, seconds: float) -> None:
        if seconds > 0:
            try:
                async with asyncio.timeout(seconds):
                    await self._stop.wait()
            except TimeoutError:
                return
        if self._stop.is_set():
            raise AgentCrashed(returncode=None) if self.closed else AgentInterrupted()
