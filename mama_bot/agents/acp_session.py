"""One live agent that is spoken to over the Agent Client Protocol, holding one conversation in a process of its own."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import structlog

from mama_bot.agents import build_directory
from mama_bot.agents.acp_answers import cost_of, is_cut_short, prompt_blocks, usage_of
from mama_bot.agents.acp_beginnings import not_answered, not_started, opened_session
from mama_bot.agents.acp_clis import AcpCli
from mama_bot.agents.acp_connection import AcpConnection, AgentRefusal, NotAnswered
from mama_bot.agents.acp_events import AcpEvents
from mama_bot.agents.acp_hooks import AcpHooks
from mama_bot.agents.acp_permissions import CANCELLED, chosen
from mama_bot.agents.acp_process import AcpProcess
from mama_bot.agents.acp_sessions import AcpSessions
from mama_bot.agents.acp_tools import SessionTools
from mama_bot.agents.acp_turns import AcpTurn
from mama_bot.agents.attachment_desk import AttachmentDesk
from mama_bot.agents.error_lines import ErrorLines
from mama_bot.agents.record import ToolRecorder, clean
from mama_bot.agents.session_turns import SessionTurns
from mama_bot.agents.signs_of_life import asked_for_signs
from mama_bot.confinement.plans import Excess
from mama_bot.errors import (
    AgentCrashed,
    AgentError,
    AgentInterrupted,
    AgentTimedOut,
    ModelFailed,
)
from mama_bot.model import AgentEvent, Prompt, SessionId, TeamAnswer, TeamCall, TurnEnded, Usage
from mama_bot.protocols import AtStop, CallTeam, Meanwhile
from mama_bot.sentences import SIGN_READY
from mama_bot.tool_policy.guards import GUARD_SECONDS

log = structlog.get_logger(__name__)

INTERRUPT_SECONDS = 10.0
LONGEST_TOOL_SECONDS = 600.0
MOST_ROUNDS = 8  # of one turn: what it is told at its stop, and a last one


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answered:
    """The end of a prompt: what the agent answered, or why it did not."""

    answer: Mapping[str, Any]
    error: AgentError | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reached:
    """All that was told before this has been read."""

    event: asyncio.Event


class AcpSession:
    """One conversation in one process; made by AcpBackend.

    Unusable for good after any failure but ModelFailed and AgentInterrupted, and after an `ask` that was abandoned.
    """

    def __init__(
        self,
        *,
        session_id: SessionId,
        resume: bool,
        cli: AcpCli,
        hook_socket: Path | None,
        process: AcpProcess,
        sessions: AcpSessions,
        events: AcpEvents,
        errors: ErrorLines,
        new_recorder: Callable[[], ToolRecorder],
        new_uuid: Callable[[], str],
        workspace: Path,
        tools: SessionTools,
        instructions: str,
        start_seconds: float,
        silence_seconds: float,
        build: Path | None,
        desk: AttachmentDesk,
        excess: Callable[[], Excess | None],
        spawn: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]],
    ) -> None:
        self._session_id = session_id
        self._turns: SessionTurns[AcpTurn] = SessionTurns(
            session_id=session_id,
            errors=errors,
            excess=excess,
            running=lambda: process.running and bool(self._agents_id),
            kill=process.kill,
            spawn=spawn,
        )
        self._resume = resume
        self._cli = cli
        self._process = process
        self._sessions = sessions
        self._events = events
        current = lambda: self._turns.serving  # noqa: E731
        self._hooks = AcpHooks(path=hook_socket, current=current, events=events) if hook_socket is not None else None
        self._errors = errors
        self._new_recorder = new_recorder
        self._new_uuid = new_uuid
        self._workspace = workspace
        self._tools = tools
        self._instructions = instructions
        self._start_seconds = start_seconds
        self._silence_seconds = silence_seconds
        self._build = build
        self._desk = desk
        self._spawn = spawn
        self._told: asyncio.Queue[Mapping[str, Any] | _Answered | _Reached] = asyncio.Queue()
        self._connection: AcpConnection | None = None
        self._agents_id = ""
        self._takes_images = False
        self._cost = 0.0

    @property
    def session_id(self) -> SessionId:
        """What `AcpBackend.open` accepts as `resume`."""
        return self._session_id

    @property
    def pid(self) -> int | None:
        """The process, once it was started."""
        return self._process.pid

    @property
    def usable(self) -> bool:
        """Whether `ask` may be called now."""
        return self._turns.usable

    @property
    def closed(self) -> bool:
        """Whether nothing of the process is left."""
        return self._turns.closed

    @property
    def steerable(self) -> bool:
        """The protocol has no way to tell an agent something between its calls."""
        return False

    async def start(self) -> None:
        """Start the process and wait until it is ready; raises AgentError, and leaves no process then."""
        await self._turns.start(self._run())

    def ask(
        self,
        prompt: Prompt,
        *,
        at_stop: AtStop | None = None,
        meanwhile: Meanwhile | None = None,
        call_team: CallTeam | None = None,
    ) -> AsyncGenerator[AgentEvent, None]:
        """Ask and report what happens; the last event is TurnEnded, or AgentError is raised."""
        return self._turns.ask(
            lambda: AcpTurn(
                prompt=prompt,
                uuid=self._new_uuid(),
                recorder=self._new_recorder(),
                at_stop=at_stop,
                meanwhile=meanwhile,
                request=prompt.request,
                call_team=call_team,
            )
        )

    async def interrupt(self) -> None:
        """Stop the running `ask`; gives the session up when the agent does not obey."""
        turn, connection = self._turns.asked, self._connection
        if turn is None or connection is None or turn.ended.is_set():
            return
        turn.interrupted = True
        turn.stopped.set()
        try:
            async with asyncio.timeout(INTERRUPT_SECONDS):
                await connection.notify("session/cancel", {"sessionId": self._agents_id})
                await turn.ended.wait()
        except (TimeoutError, OSError) as error:
            log.warning("interrupt_failed", session=self._session_id, error=str(error))
            await self.aclose()

    async def aclose(self) -> None:
        """End the process and all that it started; bounded, goes on when the caller is cancelled, never raises."""
        self._tools.end()
        await self._turns.aclose()

    # --- inside the session's task ------------------------------------------------------------------

    async def _run(self) -> None:
        """Start, serve one turn after the other, end: the whole life of the process."""
        try:
            await self._connect()
            await self._turns.serve(self._answer_turn)
        finally:
            self._turns.broken = True
            self._tools.end()
            await self._process.close()
            if self._hooks is not None:
                await self._hooks.close()
            self._turns.end()

    async def _connect(self) -> None:
        try:
            async with asyncio.timeout(self._start_seconds):
                if self._hooks is not None:
                    await self._hooks.start()
                self._connection = await self._process.start(answer=self._answer, hear=self._hear)
                opened = await opened_session(
                    self._connection,
                    cli=self._cli,
                    sessions=self._sessions,
                    session_id=self._session_id,
                    resume=self._resume,
                    workspace=self._workspace,
                    servers=await self._tools.servers(self._call_team, self._process.pid),
                )
        except TimeoutError:
            reason: AgentError = AgentTimedOut(seconds=self._start_seconds, sign=SIGN_READY)
        except (AgentRefusal, AgentError, OSError) as error:
            status = await self._process.exit_status() if isinstance(error, OSError) else None
            reason = not_started(self._cli, error, status=status, stderr=str(self._errors))
            reason = self._turns.known(reason) if isinstance(reason, AgentCrashed) else reason
        else:
            self._agents_id, self._cost = opened.agents_id, opened.cost_usd
            self._takes_images = opened.takes_images
            self._turns.ready()
            return
        self._turns.not_ready(reason)

    async def _call_team(self, call: TeamCall) -> TeamAnswer:
        """Carry out a call of a tool of ours, and note that it was one: a name alone makes none."""
        turn = self._turns.serving
        if turn is not None:
            turn.answered.append(call)
        return await self._turns.call_team(call)

    async def _answer_turn(self, turn: AcpTurn) -> None:
        try:
            outcome: AgentEvent | AgentError = await self._serve(turn)
        except AgentError as error:
            outcome = error
        except TimeoutError:
            outcome = AgentTimedOut(seconds=turn.patience.borne or self._patience(turn))
        except (OSError, ValueError, KeyError, TypeError) as error:  # of what an agent tells, in whatever form
            log.warning("turn_failed", session=self._session_id, failure=f"{type(error).__name__}: {error}")
            outcome = AgentCrashed(returncode=None, stderr_tail=str(self._errors) or str(error))
        if isinstance(outcome, AgentCrashed):
            outcome = self._turns.known(outcome)
        if isinstance(outcome, AgentError) and not isinstance(outcome, ModelFailed | AgentInterrupted):
            self._turns.broken = True
            outcome = AgentInterrupted() if turn.interrupted else outcome
        turn.ended.set()
        turn.patience.end()
        if self._turns.broken:
            await self._process.kill()
        await turn.report(outcome)

    async def _serve(self, turn: AcpTurn) -> TurnEnded:
        if turn.interrupted:
            raise AgentInterrupted
        if self._build is not None:
            await asyncio.to_thread(build_directory.lay_out, self._build)
        laid_out = await self._desk.lay_out(
            turn.prompt.attachments, earlier=turn.prompt.earlier, texts=turn.prompt.texts, shows=self._takes_images
        )
        before = [self._instructions, await self._events.begins(turn)]
        self._instructions = ""
        blocks = prompt_blocks(turn.prompt, laid_out, before=before)
        spent = Usage()
        for last in (*[False] * (MOST_ROUNDS - 1), True):
            answer = await self._prompt(turn, blocks)
            self._desk.seen(laid_out)
            spent += usage_of(answer, await asyncio.to_thread(self._new_cost))
            text = clean("".join(turn.words)).strip("\n")
            if turn.failed and not turn.interrupted:
                raise not_answered(self._cli, AgentRefusal(code=0, message=text, details=""))
            words = "" if last else await self._events.before_stop(turn, text)
            if not words:
                if turn.interrupted:
                    raise AgentInterrupted
                cut_short, record = is_cut_short(answer, text), self._events.record(turn)
                return TurnEnded(
                    text=text, record=record, usage=spent, session_id=self._session_id, cut_short=cut_short
                )
            blocks = [{"type": "text", "text": words}]
        raise AssertionError("the last round always ends the turn")

    def _new_cost(self) -> float:
        """Return what was spent since this was asked last; a session tells its total."""
        return self._sessions.spent(self._session_id, self._cost)

    async def _prompt(self, turn: AcpTurn, blocks: list[dict[str, Any]]) -> Mapping[str, Any]:
        """Ask once, and take in what is told until the answer comes; raises AgentError."""
        # Stopped while it was judged, or laid out: a cancellation without a prompt is heard by nobody.
        if turn.stopped.is_set():
            raise AgentInterrupted
        turn.words.clear()
        turn.failed = False
        self._spawn(self._request(blocks))
        while True:
            async with turn.patience.silence(self._patience(turn)), self._signs(turn):
                told = await self._told.get()
            match told:
                case _Answered():
                    if told.error is not None:
                        raise AgentInterrupted if turn.interrupted and self._process.running else told.error
                    return told.answer
                case _Reached():
                    told.event.set()
                case _:
                    self._cost = max(self._cost, cost_of(told) or 0.0)
                    await self._events.hear(turn, told)

    async def _request(self, blocks: list[dict[str, Any]]) -> None:
        """Ask, and put the answer behind all that is told before it; never raises."""
        assert self._connection is not None
        given = {"sessionId": self._agents_id, "prompt": blocks}
        try:
            answered = _Answered(answer=await self._connection.request("session/prompt", given))
        except AgentRefusal as error:
            answered = _Answered(answer={}, error=not_answered(self._cli, error))
        except OSError:
            status = await self._process.exit_status()
            crashed = AgentCrashed(returncode=status, stderr_tail=str(self._errors))
            answered = _Answered(answer={}, error=crashed)
        self._told.put_nowait(answered)

    def _patience(self, turn: AcpTurn) -> float:
        """Return how many seconds of silence to bear: a running command is silent by nature."""
        return self._silence_seconds + (LONGEST_TOOL_SECONDS if turn.recorder.running else 0)

    def _signs(self, turn: AcpTurn) -> AbstractAsyncContextManager[None]:
        if not (self._cli.gives_signs and turn.recorder.running):
            return nullcontext()
        return asked_for_signs(turn.patience, self._sign, every_seconds=self._silence_seconds, spawn=self._spawn)

    async def _sign(self) -> None:
        """Have the agent answer what it answers at once; a refusal is an answer as well.

        Codex asks its own server for the sessions, so that one is known to live too, and OpenCode its store.
        """
        assert self._connection is not None
        with suppress(AgentRefusal):
            await self._connection.request("session/list", {})

    # --- what the agent tells and asks, at any time ---------------------------------------------------

    def _hear(self, method: str, told: Mapping[str, Any]) -> None:
        update = told.get("update")
        if method == "session/update" and isinstance(update, Mapping) and self._turns.serving is not None:
            self._told.put_nowait(update)

    async def _answer(self, method: str, given: Mapping[str, Any]) -> Mapping[str, Any] | None:
        turn = self._turns.serving
        if method == "session/request_permission":
            return await self._permitted(turn, given)
        if turn is None or turn.interrupted:
            raise NotAnswered(reason="No turn runs in which this could be done.")
        return await self._events.answer(turn, method, given)

    async def _permitted(self, turn: AcpTurn | None, given: Mapping[str, Any]) -> Mapping[str, Any]:
        asked = given.get("toolCall")
        if turn is None or turn.interrupted or not isinstance(asked, Mapping):
            return CANCELLED
        try:
            async with asyncio.timeout(GUARD_SECONDS):
                reached = asyncio.Event()
                self._told.put_nowait(_Reached(event=reached))
                await reached.wait()
            allowed = await self._events.permitted(turn, asked)
        except Exception as error:  # noqa: BLE001 - what cannot be decided does not run
            log.warning("not_permitted", session=self._session_id, failure=f"{type(error).__name__}: {error}")
            allowed = False
        # What it was permitted runs now, maybe without a word: from here on the patience of a command holds.
        self._told.put_nowait(_Reached(event=asyncio.Event()))
        return CANCELLED if turn.stopped.is_set() else chosen(given.get("options"), allowed=allowed)
