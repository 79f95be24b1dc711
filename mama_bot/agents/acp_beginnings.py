"""How a session over the Agent Client Protocol begins or goes on, and what it means when an agent refuses something."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import structlog

from mama_bot.agents import sentences as words
from mama_bot.agents.acp_clis import AcpCli
from mama_bot.agents.acp_connection import AcpConnection, AgentRefusal
from mama_bot.agents.acp_sessions import AcpSessions
from mama_bot.confinement.launcher import NO_WALLS
from mama_bot.errors import AgentCrashed, AgentError, AgentUnavailable, LoginRefused, ModelFailed, SessionLost
from mama_bot.model import SessionId
from mama_bot.model_faults import ModelFault, fault_of_status
from mama_bot.text.patterns import compiled

log = structlog.get_logger(__name__)

PROTOCOL_VERSION = 1
NOT_LOGGED_IN = -32000
NOT_EXECUTABLE = (126, 127)
NOT_AUTHENTICATED = 401
API_ERROR = "APIError"  # what OpenCode calls every failure of the model's service; its status it does not tell
STATUS = compiled(r"\b(?:status|code|HTTP)\D{0,12}([45]\d\d)\b")  # `got status: 429`, `"code": 503`
MOST_CHARACTERS = 1_000
TITLE = "mama-bot"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedSession:
    """A session that the agent holds: its id there, what it has cost so far, and whether it takes images."""

    agents_id: str
    cost_usd: float
    takes_images: bool


async def opened_session(
    connection: AcpConnection,
    *,
    cli: AcpCli,
    sessions: AcpSessions,
    session_id: SessionId,
    resume: bool,
    workspace: Path,
    servers: Sequence[Mapping[str, Any]] = (),
) -> OpenedSession:
    """Introduce the service and begin a session, or go on with a known one; `servers` are those of its tools.

    Raises AgentRefusal, SessionLost where there is none to be resumed, and OSError.
    """
    files = {"readTextFile": cli.asks_for_files, "writeTextFile": cli.asks_for_files}
    introduction = {
        "protocolVersion": PROTOCOL_VERSION,
        "clientCapabilities": {"fs": files, "terminal": False},
        "clientInfo": {"name": "mama-bot", "version": "1"},
    }
    able = _mapping((await connection.request("initialize", introduction)).get("agentCapabilities"))
    takes_images = bool(_mapping(able.get("promptCapabilities")).get("image"))
    place = {"cwd": str(workspace), "mcpServers": [*servers]}
    if not resume:
        agents_id = str((await connection.request("session/new", place)).get("sessionId") or "")
        if not agents_id:
            raise OSError("it began no session")
        await asyncio.to_thread(sessions.keep, session_id, agents_id, 0.0)
        if cli.titled:
            await _given_a_title(connection, agents_id)
        return OpenedSession(agents_id=agents_id, cost_usd=0.0, takes_images=takes_images)
    known = await asyncio.to_thread(sessions.known, session_id)
    resumes = "resume" in _mapping(able.get("sessionCapabilities"))
    if known is None or not (resumes or able.get("loadSession")):
        raise SessionLost(session_id=session_id, kept=bool(resumes or able.get("loadSession")))
    method = "session/resume" if resumes else "session/load"
    try:
        await connection.request(method, {**place, "sessionId": known.agents_id})
    except AgentRefusal as error:
        log.info("session_not_resumed", session=session_id, reason=f"{error} {error.details}".strip())
        raise SessionLost(session_id=session_id) from error
    return OpenedSession(agents_id=known.agents_id, cost_usd=known.cost_usd, takes_images=takes_images)


async def _given_a_title(connection: AcpConnection, agents_id: str) -> None:
    """Name a session, so that nobody pays for a model that does."""
    try:
        await connection.request("session/set_title", {"sessionId": agents_id, "title": TITLE})
    except AgentRefusal as error:  # of another version: it works all the same, and its title costs
        log.info("session_not_titled", reason=f"{error} {error.details}".strip())


def not_started(cli: AcpCli, error: Exception, *, status: int | None, stderr: str) -> AgentError:
    """Return why there is no session: a login is missing, it refuses, the process is gone."""
    if isinstance(error, AgentError):
        return error
    if isinstance(error, AgentRefusal):
        if error.code == NOT_LOGGED_IN:
            return not_logged_in(cli, str(error))
        return AgentUnavailable(backend=cli.name, reason=_reason(error).rstrip(" ."), remedy=cli.login_remedy)
    if status in NOT_EXECUTABLE:
        remedy = words.WALLS if NO_WALLS in stderr else cli.install_remedy
        return AgentUnavailable(backend=cli.name, reason=stderr.strip() or str(error), remedy=remedy)
    return AgentCrashed(returncode=status, stderr_tail=stderr or str(error))


def not_answered(cli: AcpCli, error: AgentRefusal) -> AgentError:
    """Return why a prompt was not answered."""
    if error.code == NOT_LOGGED_IN:
        return not_logged_in(cli, str(error))
    reason = _reason(error)
    status = _status(error.code, reason)
    if status == NOT_AUTHENTICATED:
        return LoginRefused(backend=cli.name, reason=reason)
    untold = ModelFault.BROKEN if API_ERROR in error.details else ModelFault.OTHER
    return ModelFailed(status=status, reason=reason, fault=fault_of_status(status) if status else untold)


def not_logged_in(cli: AcpCli, reason: str) -> AgentUnavailable:
    """Return that the CLI has no login, and what to do."""
    return AgentUnavailable(
        backend=cli.name, reason=reason.rstrip(" .") or words.NOT_LOGGED_IN, remedy=cli.login_remedy
    )


def _reason(error: AgentRefusal) -> str:
    told = str(error)
    return (f"{told}: {error.details}" if error.details and error.details not in told else told)[:MOST_CHARACTERS]


def _status(code: int, reason: str) -> int | None:
    """Return the HTTP status with which a model's service failed, as far as an error tells it."""
    if 400 <= code < 600:
        return code
    match = STATUS.search(reason)
    return int(match.group(1)) if match else None


def _mapping(told: object) -> Mapping[str, Any]:
    return told if isinstance(told, Mapping) else {}
