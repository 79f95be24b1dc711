"""What an agent tells over the Agent Client Protocol in a turn, and what it is told before it stops."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, assert_never

import structlog

from mama_bot.agents.acp_answers import FAILED_THREAD, thread_status
from mama_bot.agents.acp_calls import BEGUN, ENDS, ToldCall
from mama_bot.agents.acp_connection import NotAnswered
from mama_bot.agents.acp_files import AcpFiles
from mama_bot.agents.acp_permissions import AcpPermissions
from mama_bot.agents.acp_turns import AcpTurn
from mama_bot.agents.record import ToldEnd
from mama_bot.agents.turn_trees import TurnTrees
from mama_bot.errors import CallChanged
from mama_bot.model import (
    FILE_WRITERS,
    AgentPersona,
    AgentStops,
    Allow,
    Amend,
    Ask,
    Block,
    ConversationKey,
    Decision,
    Moment,
    SessionId,
    SessionStarts,
    Stopping,
    TeamCall,
    ToolCall,
    ToolEnded,
    ToolFinished,
    ToolKind,
    ToolRecord,
    ToolStarted,
    ToolTurn,
)
from mama_bot.protocols import SessionWatch, WorkTrees
from mama_bot.tool_names import call_of, foreign_tool, own_name

log = structlog.get_logger(__name__)

MEANWHILE_SECONDS = 5.0
FILE_REQUESTS: Mapping[str, str] = {"fs/read_text_file": "read", "fs/write_text_file": "edit"}
WATCH_SECONDS = 10.0
MOST_WATCHED = 200_000
ARGUMENTS_SECONDS = 2.0
CHANGERS = FILE_WRITERS | {ToolKind.SHELL}
UNTOLD = (
    "What {tool} was to do was not told in time, so nobody could decide whether it may run. Call it again, with its "
    "arguments."
)
REFUSED = (
    "A call of yours was refused, and this is why:\n- {reasons}\n\n"
    "Go on without it, or say in your reply what is missing."
)


class AcpEvents:
    """Takes in what one session tells, and keeps its record."""

    def __init__(
        self,
        *,
        persona: AgentPersona,
        workspace: Path,
        key: ConversationKey,
        session_id: SessionId,
        read_only: bool,
        tells_all: bool,
        hooked: bool,
        permissions: AcpPermissions,
        own_tools: frozenset[str],
        files: AcpFiles,
        watch: SessionWatch | None,
        trees: WorkTrees | None,
        judge_seconds: float,
    ) -> None:
        self._persona = persona
        self._workspace = workspace
        self._key = key
        self._session_id = session_id
        self._read_only = read_only
        self._tells_all = tells_all
        self._hooked = hooked
        self._permissions = permissions
        self._own_tools = own_tools
        self._files = files
        self._watch = watch
        self._trees = TurnTrees(trees)
        self._judge_seconds = judge_seconds
        self._begun = False

    def record(self, turn: AcpTurn) -> ToolRecord:
        """Return the record so far."""
        return replace(turn.recorder.record, complete=self._tells_all)

    async def begins(self, turn: AcpTurn) -> str:
        """Return what the agent is told before its prompt."""
        words = [turn.taken_reminders()]
        if not self._begun:
            self._begun = True
            words.append(_words(await self._at(turn, SessionStarts())))
        return "\n\n".join(word for word in words if word)

    async def hear(self, turn: AcpTurn, update: Mapping[str, Any]) -> None:
        """Take in one thing that the agent tells."""
        match update.get("sessionUpdate"):
            case "agent_message_chunk":
                content = update.get("content")
                if isinstance(content, Mapping) and content.get("type") == "text":
                    turn.say(str(content.get("text") or ""), str(update.get("messageId") or ""))
            case "tool_call" | "tool_call_update":
                turn.words.clear()  # the last text of a turn is its draft
                call = turn.told(str(update.get("toolCallId") or ""))
                call.hear(update)
                self._name(call)
                await self._stands(turn, call)
                if call.refused and call.status == "completed" and not call.recorded:
                    log.warning("refused_call_completed", persona=self._persona.name, tool=call.title[:200])
                if call.status in BEGUN and (not call.refused or call.status == "completed"):
                    await self._started(turn, call)
                if call.status in ENDS and not call.ended:
                    await self._ended(turn, call)
            case "session_info_update" if status := thread_status(update):
                turn.failed = status == FAILED_THREAD
            case _:
                pass

    async def permitted(self, turn: AcpTurn, asked: Mapping[str, Any]) -> bool:
        """Return whether a call may run; the reason of a refusal is told to the agent before it stops."""
        told = turn.told(str(asked.get("toolCallId") or ""))
        told.hear({**asked, "status": "pending"})
        if told.awaits_arguments:  # OpenCode may ask before it tells what it asks for
            with suppress(TimeoutError):  # a tool may take no arguments
                async with asyncio.timeout(ARGUMENTS_SECONDS):
                    await told.arguments_told.wait()
        self._name(told)
        call = told.call(str(self._workspace))
        if refusal := UNTOLD.format(tool=call.tool[:80]) if told.is_untold else await self.refusal(turn, call):
            told.refused = True
            turn.refusals.append(refusal)
            return False
        told.decided = call
        if told.is_changed(str(self._workspace)) and (refusal := await self._standing(turn, told)):
            told.refused = True  # it became another one while a person was asked
            turn.refusals.append(refusal)
            return False
        await self._started(turn, told)
        return True

    async def _stands(self, turn: AcpTurn, told: ToldCall) -> None:
        """Keep a call that runs to what was decided; raises CallChanged where it does what may not be done."""
        workspace = str(self._workspace)
        if self._hooked and told.decided is None and told.status in {"in_progress", "completed"}:
            call = told.call(workspace)
            hooked = turn.hooked.get(told.id)
            # A patch that a shell applies is asked for as a command, and told as an edit.
            told.decided = call if hooked is not None and hooked.kind is not call.kind else hooked
            is_changed = call.kind in CHANGERS if hooked is None else told.is_changed(workspace)
        else:
            is_changed = told.is_changed(workspace)
        if not is_changed or told.ended or not (refusal := await self._standing(turn, told)):
            return
        await self._started(turn, told)  # it may have run
        call = told.call(workspace)
        turn.recorder.amended(run_id=told.id, arguments=call.arguments, tool=call.tool)
        raise CallChanged(tool=call.tool[:80], reason=refusal)

    async def _standing(self, turn: AcpTurn, told: ToldCall) -> str:
        """Return why what a permitted call became may not run; "" where it may. Nobody is asked any more."""
        told.decided = call = told.call(str(self._workspace))
        refusal = await self._permissions.standing(call, self._tool_turn(turn))
        log.warning("permitted_call_changed", persona=self._persona.name, tool=call.tool[:200], stands=not refusal)
        return refusal

    async def refusal(self, turn: AcpTurn, call: ToolCall) -> str:
        """Return why a call may not run; "" where it may."""
        return await self._permissions.refusal(call, self._tool_turn(turn), turn)

    async def answer(self, turn: AcpTurn, method: str, given: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Do what the agent asks of the service; raises NotAnswered, and NotImplementedError for what nobody does.

        What it reads and writes by the service is a call like any other: of one that was permitted, or decided here.
        """
        if method not in FILE_REQUESTS:
            raise NotImplementedError
        path = self._files.absolute(str(given.get("path") or ""))
        given = {**given, "path": path}
        part_of = [call for call in turn.calls.values() if call.touches(path, str(self._workspace))]
        asked = ToldCall(id=f"{FILE_REQUESTS[method]}-{len(turn.calls)}")
        asked.hear(_file_call(method, path, given))
        is_permitted = any(call.permitted for call in part_of)
        if not is_permitted and (refusal := await self.refusal(turn, asked.call(str(self._workspace)))):
            raise NotAnswered(reason=refusal)
        if part_of:
            return await self._done(method, given)
        turn.calls[asked.id] = asked
        if FILE_REQUESTS[method] == "read":  # a look for what is not there shows nothing
            answer = await self._done(method, given)
            asked.text = str((answer or {}).get("content") or "")
            await self._started(turn, asked)
        else:
            await self._started(turn, asked)
            asked.status = "failed"
            try:
                answer = await self._done(method, given)
            except (NotAnswered, OSError) as error:
                asked.text = str(error)
                await self._ended(turn, asked)
                raise
        asked.status = "completed"
        await self._ended(turn, asked)
        return answer

    async def _done(self, method: str, given: Mapping[str, Any]) -> Mapping[str, Any] | None:
        if FILE_REQUESTS[method] == "read":
            return {"content": await asyncio.to_thread(self._files.read, given)}
        await asyncio.to_thread(self._files.write, given)
        return None

    async def before_stop(self, turn: AcpTurn, text: str) -> str:
        """Return what the agent is told before it may stop; "": it may."""
        await self._leave(turn)
        if turn.interrupted:
            return ""
        if turn.refusals:
            reasons = "\n- ".join(dict.fromkeys(turn.refusals))
            turn.refusals.clear()
            return REFUSED.format(reasons=reasons)
        if words := await self._said_meanwhile(turn) or await self._ruled(turn):
            return words
        if turn.at_stop is None or not text.strip():
            return ""
        try:
            async with asyncio.timeout(self._judge_seconds), turn.patience.waiting():
                return await turn.at_stop(Stopping(text=text, record=self.record(turn)))
        except Exception as error:  # noqa: BLE001 - the agent stops, and its text is judged as every text is
            log.warning("not_judged_in_turn", failure=f"{type(error).__name__}: {error}")
            return ""

    def _name(self, told: ToldCall) -> None:
        """Know a tool of another by what the session is offered, whatever a title says: to be decided as ours it is."""
        own = own_name(told.call(str(self._workspace)).tool)
        if own and not told.foreign and own not in self._own_tools:
            told.foreign = True
            log.warning("foreign_tool", persona=self._persona.name, tool=own)

    async def _answered(self, turn: AcpTurn, told: ToldCall) -> None:
        """Know a call of ours by the one that the service took; raises CallChanged where a permitted one was none."""
        call = told.call(str(self._workspace))
        if not (own := own_name(call.tool)) or turn.take_answered(TeamCall(tool=own, arguments=call.arguments)):
            return
        told.foreign = True
        log.warning("foreign_tool", persona=self._persona.name, tool=own)
        if told.permitted and told.status == "completed":
            await self._stands(turn, told)

    async def _started(self, turn: AcpTurn, told: ToldCall) -> None:
        if told.recorded:
            return
        told.recorded = True
        call = told.call(str(self._workspace))
        directory = call.directory
        if own_name(call.tool):  # it is ours once the service has taken it, and anybody's until then
            call = call_of(foreign_tool(call.tool), call.arguments)
        run = turn.recorder.started(
            run_id=told.id,
            tool=call.tool,
            arguments=call.arguments,
            directory=directory,
            before=await self._trees.before(turn, call.kind, directory),
        )
        await turn.report(ToolStarted(run=run))

    async def _ended(self, turn: AcpTurn, told: ToldCall) -> None:
        if told.recorded:
            await self._answered(turn, told)
        told.ended = True
        if not told.recorded:
            return
        call, ok = told.call(str(self._workspace)), told.status == "completed"
        turn.recorder.amended(run_id=told.id, arguments=call.arguments, tool=call.tool)
        after, changed = await self._trees.after(turn, call.kind, told.id, call.directory)
        turn.recorder.returned(run_id=told.id, after=after, changed=changed)
        end = ToldEnd(exit_status=told.exit_status)
        run = turn.recorder.finished(run_id=told.id, text=told.output, is_error=not ok, end=end)
        if run is None:
            return
        await turn.report(ToolFinished(run=run))
        watched = ToolEnded(call=call, ok=ok, output=told.output[:MOST_WATCHED], exit_status=run.exit_status)
        if words := _words(await self._at(turn, watched)):
            turn.reminders.append(words)

    async def _leave(self, turn: AcpTurn) -> None:
        if self._watch is not None:
            try:
                turn.recorder.work_stands(await self._watch.standing(self._tool_turn(turn)))
            except Exception as error:  # noqa: BLE001 - the reply is worth more than the line about its workflow
                log.warning("no_standing", failure=f"{type(error).__name__}: {error}")
        await self._trees.leave(turn)

    async def _said_meanwhile(self, turn: AcpTurn) -> str:
        """Return what a person said meanwhile; "" for nothing, and when it cannot be known."""
        if turn.meanwhile is None:
            return ""
        try:
            async with asyncio.timeout(MEANWHILE_SECONDS):
                prompt = await turn.meanwhile()
        except Exception as error:  # noqa: BLE001 - the agent stops, and is told when it is asked again
            log.warning("not_told_meanwhile", failure=f"{type(error).__name__}: {error}")
            return ""
        return "" if prompt is None else prompt.text

    async def _ruled(self, turn: AcpTurn) -> str:
        """Return what a rule keeps the agent from stopping with, once: what it then says is judged in any case."""
        if "" in turn.ruled:
            return ""
        decision = await self._at(turn, AgentStops())
        words = decision.feedback if isinstance(decision, Block) else ""
        if words:
            turn.ruled.add("")
        return words

    async def _at(self, turn: AcpTurn, moment: Moment) -> Decision:
        if self._watch is None:
            return Allow()
        try:
            async with asyncio.timeout(WATCH_SECONDS):
                return await self._watch.at(moment, self._tool_turn(turn))
        except Exception as error:  # noqa: BLE001 - it already happened, or happens all the same: the session goes on
            log.warning("not_watched", phase=moment.phase.value, failure=f"{type(error).__name__}: {error}")
            return Allow()

    def _tool_turn(self, turn: AcpTurn) -> ToolTurn:
        return ToolTurn(
            persona=self._persona,
            workspace=self._workspace,
            read_only=self._read_only,
            session=self._session_id,
            key=self._key,
            request=turn.request,
        )


def _file_call(method: str, path: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a request for a file in the form in which a call of that kind is told."""
    update = {"kind": FILE_REQUESTS[method], "status": "in_progress", "locations": [{"path": path}]}
    if FILE_REQUESTS[method] == "read":
        return update
    return {**update, "content": [{"type": "diff", "path": path, "newText": str(given.get("content") or "")}]}


def _words(decision: Decision) -> str:
    """Return what the agent is told of what already happened."""
    match decision:
        case Allow():
            return ""
        case Amend():
            return decision.reminder
        case Ask():
            return decision.reason
        case Block():
            return decision.feedback
        case unexpected:
            assert_never(unexpected)
