"""The socket on which relays ask about the calls of sessions that are not the bot's own."""

import asyncio
import json
import os
import socket
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import structlog

from mama_bot.model import AgentPersona, Allow, Amend, Ask, Decision, Moment, ToolAsked, ToolEnded, ToolTurn
from mama_bot.protocols import SessionWatch, ToolGuard
from mama_bot.recent import Recent
from mama_bot.session_hooks.plugin.relay import MOST_INPUT
from mama_bot.session_hooks.session_clis import CLIS
from mama_bot.wording import language_of_locale

SECONDS = 8.0  # less than a relay waits
MOST_AT_ONCE = 16
MOST_WAITING = 64
MOST_HEAD = 10_000
MOST_SESSIONS = 500
PAUSE_SECONDS = 1.0
TERMINAL = AgentPersona(name="terminal", display_name="Terminal", prompt="")

log = structlog.get_logger(__name__)


class HookSocket:
    """Answers relays by rules; what it cannot decide in time it does not answer, and the failure modes hold then.

    A process in the sandbox of the bot's agents is not answered.
    """

    def __init__(self, *, path: Path, guard: ToolGuard, watch: SessionWatch) -> None:
        self._path = path
        self._guard = guard
        self._watch = watch
        self._unheard: Recent[str, str] = Recent(MOST_SESSIONS)

    async def run(self) -> None:
        """Answer until cancelled."""
        try:
            with _listening(self._path) as listener:
                await self._listen(listener)
        except OSError as error:  # a path too long, a file system without sockets, too many files: the service goes on
            log.warning("hooks_not_served", path=str(self._path), reason=str(error))
            await asyncio.Event().wait()

    async def _listen(self, listener: socket.socket) -> None:
        slots, loop = asyncio.Semaphore(MOST_AT_ONCE), asyncio.get_running_loop()
        async with asyncio.TaskGroup() as group:
            while True:
                await slots.acquire()
                try:
                    connection, _ = await loop.sock_accept(listener)
                except OSError as error:
                    log.warning("hook_not_accepted", reason=str(error))
                    slots.release()
                    await asyncio.sleep(PAUSE_SECONDS)
                    continue
                connection.setblocking(False)
                task = group.create_task(self._answered(connection))
                task.add_done_callback(lambda _: slots.release())

    async def _answered(self, connection: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        with connection:
            try:
                async with asyncio.timeout(SECONDS):
                    if is_walled(_peer(connection)):
                        log.warning("hook_of_agent_refused")
                        return
                    asked = b""
                    while piece := await loop.sock_recv(connection, 1 << 16):
                        asked += piece
                        if len(asked) > MOST_INPUT + MOST_HEAD:
                            return
                    answer = json.dumps(await self._answer(asked), ensure_ascii=False)
                    await loop.sock_sendall(connection, answer.encode("utf-8", "replace") + b"\n")
            except Exception as error:  # noqa: BLE001 - one odd input must not end the service; the failure modes hold
                log.warning("hook_not_answered", failure=f"{type(error).__name__}: {error}")

    async def _answer(self, asked: bytes) -> Mapping[str, Any]:
        head, project, text = asked.split(b"\0", 2)
        name, _, locale = head.decode(errors="replace").partition(" ")  # a relay of an earlier release tells no locale
        cli, given, language = CLIS[name], json.loads(text), language_of_locale(locale)
        moment, workspace = cli.moment_told(given), Path(os.fsdecode(project) or str(given["cwd"]))
        if moment is None:
            return {}
        turn = ToolTurn(
            persona=TERMINAL,
            workspace=workspace,
            read_only=False,
            session=f"{cli.name}:{str(given.get('session_id') or '')[:100]}",
            subagent=str(given.get("agent_id") or "")[:100],
        )
        decision = await self._decided(moment, turn)
        if not cli.reminds_before:
            decision = self._reminded(decision, moment, turn.session)
        if isinstance(decision, Ask):  # the person at the terminal reads it
            decision = replace(decision, question=decision.asked(language))
        call = moment.call if isinstance(moment, ToolAsked | ToolEnded) else None
        return cli.answer_of(str(given["hook_event_name"]), decision, call)

    async def _decided(self, moment: Moment, turn: ToolTurn) -> Decision:
        if isinstance(moment, ToolAsked):
            decision = await self._guard.decide(moment.call, turn)
        else:
            decision = await self._watch.at(moment, turn)
        if not isinstance(decision, Allow):
            log.info("hook_answered", rule=decision.rule, decision=decision.kind, session=turn.session)
        return decision

    def _reminded(self, decision: Decision, moment: Moment, session: str) -> Decision:
        """Return the decision with what a session was to be told before its last call, and could not hear then."""
        amend = decision.amend if isinstance(decision, Ask) else decision
        if isinstance(moment, ToolAsked) and isinstance(amend, Amend) and amend.reminder:
            self._unheard[session] = amend.reminder
        if not isinstance(moment, ToolEnded) or not isinstance(decision, Allow | Amend):
            return decision
        earlier = self._unheard.pop(session, "")
        later = decision.reminder if isinstance(decision, Amend) else ""
        words = "\n".join(filter(None, (earlier, later)))
        return Amend(rule="", reason=words, reminder=words) if words else decision


def is_walled(process: int) -> bool:
    """Return whether a process is in a sandbox, which none can leave, or is gone."""
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return True
    return "\nNoNewPrivs:\t0" not in status


def _peer(connection: socket.socket) -> int:
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return int(struct.unpack("3i", credentials)[0])


@contextmanager
def _listening(path: Path) -> Iterator[socket.socket]:
    """A socket for this user alone: nobody connects before it listens, and then its mode is set."""
    path.unlink(missing_ok=True)  # of a life that was killed: the data directory is this process's alone
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.setblocking(False)
        listener.bind(str(path))
        path.chmod(0o600)
        listener.listen(MOST_WAITING)
        try:
            yield listener
        finally:
            path.unlink(missing_ok=True)
