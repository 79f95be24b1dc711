"""One live `claude` process holding one conversation, used through the SDK from one task of its own."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import structlog

from mama_bot.agents import build_directory
from mama_bot.agents.attachment_desk import AttachmentDesk, user_message
from mama_bot.agents.claude_client import answer_nobody_in_silence, disconnect, interrupt_until, stream_of
from mama_bot.agents.claude_events import BACKEND, answers, broken, is_spoken, last_words, read_events, trouble
from mama_bot.agents.claude_faults import exhausted, failure
from mama_bot.agents.claude_hooks import ClaudeHooks
from mama_bot.agents.claude_tools import own_server
from mama_bot.agents.claude_usage import ModelPrices, ProcessBill, SessionTotal, note_fallback
from mama_bot.agents.error_lines import ErrorLines
from mama_bot.agents.model_patience import BorneTurn, ModelPatience
from mama_bot.agents.record import ToolRecorder, clean
from mama_bot.agents.session_turns import CLOSE_SECONDS, SessionTurns
from mama_bot.agents.signs_of_life import asked_for_signs
from mama_bot.config import ClaudeSettings
from mama_bot.confinement.launcher import PROCESS_VARIABLE
from mama_bot.confinement.plans import Excess
from mama_bot.confinement.processes import alive, end_marked, resident_megabytes
from mama_bot.errors import AgentCrashed, AgentError, AgentInterrupted, AgentTimedOut, LoginRefused, ModelFailed
from mama_bot.model import (
    AgentEvent,
    AgentPersona,
    ConversationKey,
    ModelRetried,
    Prompt,
    SessionId,
    TeamTool,
    TurnEnded,
    UsageTold,
)
from mama_bot.protocols import (
    Approver,
    AtStop,
    CallTeam,
    Declarations,
    Meanwhile,
    SessionWatch,
    ToolGuard,
    WorkTrees,
)
from mama_bot.sentences import SIGN_FIRST, SIGN_LIFE, SIGN_READY
from mama_bot.team_tools.tool_desk import ToolDesk

if TYPE_CHECKING:
    from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, ResultMessage

log = structlog.get_logger(__name__)

INTERRUPT_SECONDS = 10.0
LONGEST_TOOL_SECONDS = 600.0


class ClaudeSession:
    """One conversation in one process; made by ClaudeBackend, which runs `run` in a task.

    Unusable for good after any failure but ModelFailed, LoginRefused and AgentInterrupted, and after an `ask` that was
    abandoned.
    """

    def __init__(
        self,
        *,
        session_id: SessionId,
        key: ConversationKey,
        options: "ClaudeAgentOptions",
        process_mark: str,
        errors: ErrorLines,
        new_recorder: Callable[[], ToolRecorder],
        new_uuid: Callable[[], str],
        before: SessionTotal,
        prices: ModelPrices,
        settings: ClaudeSettings,
        persona: AgentPersona,
        workspace: Path,
        trees: WorkTrees | None,
        guard: ToolGuard,
        watch: SessionWatch | None,
        approver: Approver,
        declarations: Declarations,
        tools: Sequence[TeamTool],
        read_only: bool,
        build: Path | None,
        desk: AttachmentDesk,
        excess: Callable[[], Excess | None],
        spawn: Callable[[Any], asyncio.Task[None]],
    ) -> None:
        self._session_id = session_id
        self._turns: SessionTurns[BorneTurn] = SessionTurns(
            session_id=session_id,
            errors=errors,
            excess=excess,
            running=lambda: self._pid is not None and alive(self._pid),
            kill=self._kill,
            spawn=spawn,
        )
        self._options = options
        self._hooks = ClaudeHooks(
            current=lambda: self._turns.serving,
            persona=persona,
            workspace=workspace,
            trees=trees,
            guard=guard,
            watch=watch,
            approver=approver,
            declarations=declarations,
            judge_seconds=settings.in_turn_seconds,
            read_only=read_only,
            desk=desk,
            session_id=session_id,
            key=key,
        )
        options.hooks = self._hooks.matchers()
        offered = options.mcp_servers if isinstance(options.mcp_servers, dict) else {}
        options.mcp_servers = {**offered, **own_server(ToolDesk(tools=tools, call=self._turns.call_team))}
        self._process_mark = process_mark
        self._errors = errors
        self._new_recorder = new_recorder
        self._new_uuid = new_uuid
        self._bill = ProcessBill(
            model=options.model or "", before=before, prices=prices, budget_usd=options.max_budget_usd
        )
        self._settings = settings
        self._desk = desk
        self._build = build
        self._spawn = spawn
        self._interrupting = asyncio.Lock()
        self._client: ClaudeSDKClient | None = None
        self._messages: AsyncIterator[Any] | None = None
        self._pid: int | None = None
        self._late = False

    @property
    def session_id(self) -> SessionId:
        """What `ClaudeBackend.open` accepts as `resume`."""
        return self._session_id

    @property
    def pid(self) -> int | None:
        """The process, once it is ready."""
        return self._pid

    @property
    def usable(self) -> bool:
        """Whether `ask` may be called now."""
        return self._turns.usable

    @property
    def closed(self) -> bool:
        """Whether nothing of the process is left."""
        return self._turns.closed

    def memory_megabytes(self) -> float:
        """Return the resident memory of the process."""
        return 0.0 if self._pid is None else resident_megabytes(self._pid)

    async def start(self) -> None:
        """Start the process and wait until it is ready; raises AgentError, and leaves no process then."""
        await self._turns.start(self._run())

    @property
    def steerable(self) -> bool:
        """Hooks run between tool calls, and may tell the agent something."""
        return True

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
            lambda: BorneTurn(
                prompt=prompt,
                uuid=self._new_uuid(),
                model_patience=ModelPatience(
                    retries=self._settings.api_retries, seconds=self._settings.patience_seconds
                ),
                recorder=self._new_recorder(),
                at_stop=at_stop,
                meanwhile=meanwhile,
                request=prompt.request,
                call_team=call_team,
            )
        )

    async def interrupt(self) -> None:
        """Stop the running `ask`; asks the CLI again until it obeys, and gives the session up when it does not."""
        turn = self._turns.asked
        if turn is not None and self._client is not None and not turn.ended.is_set():
            turn.interrupted = True
            turn.stopped.set()
            await self._stop(turn)

    async def _stop(self, turn: BorneTurn) -> None:
        if (client := self._client) is None:
            return
        try:
            async with asyncio.timeout(INTERRUPT_SECONDS), self._interrupting:
                await interrupt_until(turn.ended, client)
        except Exception as error:  # noqa: BLE001 - the SDK raises bare Exception; the turn's own task reports the cause
            log.warning("interrupt_failed", session=self._session_id, error=str(error))
            await self.aclose()

    async def aclose(self) -> None:
        """End the process and all that it started; bounded, goes on when the caller is cancelled, never raises."""
        await self._turns.aclose()

    # --- inside the session's task ------------------------------------------------------------------

    async def _run(self) -> None:
        """Connect, serve one turn after the other, disconnect: the whole life of the SDK's client."""
        try:
            await self._connect()
            await self._turns.serve(self._answer)
        finally:
            self._turns.broken = True
            await self._disconnect()
            self._turns.end()

    async def _connect(self) -> None:
        from claude_agent_sdk import ClaudeSDKClient

        client = ClaudeSDKClient(self._options)
        # The SDK would wait for a polite end first, so a process that does not become ready is ended from outside.
        late = asyncio.get_running_loop().call_later(self._settings.start_seconds, self._end_late_start)
        try:
            async with asyncio.timeout(self._settings.start_seconds + CLOSE_SECONDS):
                await client.connect()
                answer_nobody_in_silence(client)
                server = await client.get_server_info() or {}
        except Exception as error:  # noqa: BLE001 - the SDK raises bare Exception; one session must not end the others
            reason: AgentError = AgentTimedOut(seconds=self._settings.start_seconds, sign=SIGN_READY)
            if not self._late:
                reason = broken(error, stderr=str(self._errors), session_id=self._session_id)
            reason.__cause__ = error
            self._turns.not_ready(reason)
        else:
            self._client = client
            self._messages = client.receive_messages()
            self._pid = int(server.get("pid") or 0) or None
            self._turns.ready()
        finally:
            late.cancel()

    def _end_late_start(self) -> None:
        self._late = True
        self._spawn(self._end_process())

    async def _end_process(self) -> None:
        await self._kill()

    async def _kill(self) -> tuple[str, ...]:
        return tuple(process.command for process in await end_marked(PROCESS_VARIABLE, self._process_mark))

    async def _disconnect(self) -> None:
        if self._client is None:
            return
        client, self._client = self._client, None
        with suppress(Exception):
            async with asyncio.timeout(CLOSE_SECONDS):
                await disconnect(client)

    async def _answer(self, turn: BorneTurn) -> None:
        try:
            outcome: AgentEvent | AgentError = await self._serve(turn)
        except AgentError as error:
            outcome = error
        except TimeoutError:
            seconds = turn.patience.borne or self._patience(turn)
            outcome = AgentTimedOut(seconds=seconds, sign=SIGN_LIFE if turn.heard else SIGN_FIRST)
        except Exception as error:  # noqa: BLE001 - the SDK raises bare Exception; one session must not end the others
            outcome = broken(error, stderr=str(self._errors), session_id=self._session_id)
            outcome.__cause__ = error
        if isinstance(outcome, AgentCrashed):
            outcome = self._turns.known(outcome)
        if isinstance(outcome, AgentError) and not session_survives(outcome):
            self._turns.broken = True
            outcome = AgentInterrupted() if turn.interrupted else turn.given_up or outcome
        turn.ended.set()
        turn.patience.end()
        # An interrupt on its way must not hit the next turn: wait until the CLI has acknowledged it.
        async with self._interrupting:
            await turn.report(outcome)
        if self._turns.broken:
            await self._kill()

    async def _serve(self, turn: BorneTurn) -> TurnEnded:
        from claude_agent_sdk import AssistantMessage, ResultMessage

        assert self._client is not None
        if turn.interrupted:
            raise AgentInterrupted
        if self._build is not None:
            await asyncio.to_thread(build_directory.lay_out, self._build)
        laid_out = await self._desk.lay_out(
            turn.prompt.attachments, earlier=turn.prompt.earlier, texts=turn.prompt.texts
        )
        await self._client.query(stream_of(user_message(turn.prompt, turn.uuid, laid_out)))
        while True:
            message = await self._next_message(turn)
            if isinstance(message, AssistantMessage | ResultMessage):
                self._desk.seen(laid_out)
            if isinstance(message, ResultMessage):
                await self._hooks.leave(turn)
                ended = self._ended(turn, message)
                if ended is not None:
                    return ended
            else:
                self._note(turn, message)
                if turn.meter.read(message):
                    turn.usage = self._bill.so_far(turn.meter.count)
                    await turn.report(UsageTold(usage=turn.usage))
                for event in read_events(message, turn.recorder):
                    if not isinstance(event, ModelRetried) or self._bears(turn, event):
                        await turn.report(event)

    def _note(self, turn: BorneTurn, message: object) -> None:
        turn.heard = True
        turn.error = trouble(message) or turn.error
        turn.last_words = last_words(message) or turn.last_words
        note_fallback(message, turn.recorder, model=self._options.model, fallback=self._settings.fallback_model)
        if is_spoken(message):
            turn.model_patience.answered()

    def _bears(self, turn: BorneTurn, retried: ModelRetried) -> bool:
        """Return whether the CLI may ask the model again; if not, the turn ends as if it had been stopped."""
        if turn.given_up is None and turn.model_patience.ends(retried, asyncio.get_running_loop().time()):
            turn.given_up = exhausted(retried, longest=turn.model_patience.seconds)
            self._spawn(self._stop(turn))
        return turn.given_up is None

    def _patience(self, turn: BorneTurn) -> float:
        """Return how many seconds of silence to bear: a command, of ten minutes at most, is silent by nature."""
        if turn.given_up is not None:
            return INTERRUPT_SECONDS
        if not turn.heard:
            return self._settings.first_event_seconds
        return self._settings.silence_seconds + (LONGEST_TOOL_SECONDS if turn.recorder.running else 0)

    async def _next_message(self, turn: BorneTurn) -> Any:
        assert self._messages is not None
        async with turn.patience.silence(self._patience(turn)), self._signs(turn):
            try:
                return await anext(self._messages)
            except StopAsyncIteration:
                raise AgentCrashed(returncode=None, stderr_tail=str(self._errors)) from None

    def _signs(self, turn: BorneTurn) -> AbstractAsyncContextManager[None]:
        if self._client is None or not turn.recorder.running:
            return nullcontext()
        every = self._settings.silence_seconds
        return asked_for_signs(turn.patience, self._client.get_mcp_status, every_seconds=every, spawn=self._spawn)

    def nearly_spent(self) -> bool:
        """Return whether the process has used half of its budget: a new one has a fresh budget, so it may go."""
        return self._bill.nearly_spent

    def _ended(self, turn: BorneTurn, result: "ResultMessage") -> TurnEnded | None:
        """Return the end of the turn; None for the result of something else, a task in the background."""
        if not answers(result, turn.uuid):
            log.info("background_result_skipped", session=self._session_id, origin=result.origin)
            return None
        spent = self._bill.take(result)
        error = failure(result, backend=BACKEND, error=turn.error)
        self._turns.broken = self._turns.broken or result.subtype == "error_max_budget_usd"
        if turn.interrupted:
            raise AgentInterrupted
        if error is not None:
            raise turn.given_up or error
        text = clean(result.result or "")
        return TurnEnded(
            text=text,
            record=turn.recorder.record,
            usage=spent,
            session_id=self._session_id,
            cut_short=result.stop_reason in ("max_tokens", "model_context_window_exceeded"),
        )


def session_survives(error: AgentError) -> bool:
    """Return whether a session may be asked again after this error."""
    return isinstance(error, ModelFailed | LoginRefused | AgentInterrupted)
