"""What the CLI writes down of a session, kept where another machine can take the session up again."""

import asyncio
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import structlog

from mama_bot.agents.record import Redact, clean
from mama_bot.confinement.plain_files import opened_below, plain_bytes
from mama_bot.errors import StoreUnavailable
from mama_bot.metrics import Metrics
from mama_bot.model import ConversationKey, SessionId
from mama_bot.protocols import SessionTranscripts

if TYPE_CHECKING:
    from claude_agent_sdk import ClaudeAgentOptions, SessionKey, SessionStore, SessionStoreEntry

log = structlog.get_logger(__name__)

PROJECTS = "projects"
MOST_BYTES = 32 * 2**20
# Names of things, by which the CLI and the model's service find them again: never words.
_NAMES = frozenset(
    {
        *("uuid", "parentUuid", "logicalParentUuid", "leafUuid", "sourceToolAssistantUUID", "messageId", "promptId"),
        *("sessionId", "requestId", "type", "role", "timestamp", "version", "model", "id", "tool_use_id", "signature"),
    }
)
_LEFT_OUT = {"type": "text", "text": "[not brought to this machine]"}
_FILES = frozenset({"image", "document"})


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptTranscripts:
    """Where the transcripts of a backend's sessions are kept, and what sees them before."""

    records: SessionTranscripts
    redact: Redact
    metrics: Metrics | None = None

    def of(self, key: ConversationKey, session_id: SessionId, config: Path) -> "KeptTranscript":
        """Return that of a session; `config` is the directory of the CLI."""
        return KeptTranscript(
            records=self.records,
            key=key,
            session_id=session_id,
            config=config,
            redact=self.redact,
            metrics=self.metrics,
        )


class KeptTranscript:
    """The transcript of one session, as the `session_store` of the SDK: each line is kept, and none is read by the SDK.

    Its own way to resume from a store is another directory of the CLI, which no sandbox shows: `bring` lays the file
    out where the CLI looks instead. Nothing is kept before `redact` has seen it, nor files, nor the transcripts of
    subagents.
    """

    def __init__(
        self,
        *,
        records: SessionTranscripts,
        key: ConversationKey,
        session_id: SessionId,
        config: Path,
        redact: Redact,
        metrics: Metrics | None,
    ) -> None:
        self._records = records
        self._key = key
        self._session_id = session_id
        self._config = config
        self._redact = redact
        self._metrics = metrics
        self._has_gap = False

    async def bring(self, workspace: Path) -> None:
        """Lay out what another machine kept of a session that is to be resumed; raises StoreUnavailable.

        Where it cannot be laid out the CLI finds no session, and one is begun anew.
        """
        file = self._here()
        lines = await self._records.lines(self._session_id)
        if lines and (file is None or await self._records.is_elsewhere(self._session_id)):
            try:
                await asyncio.to_thread(self._lay_out, workspace, lines)
            except (OSError, ValueError) as error:
                log.warning("transcript_not_brought", session=self._session_id, reason=str(error))
            else:
                log.info("transcript_brought", session=self._session_id, lines=len(lines))
        else:  # begun by an earlier release; or a life here was cut off before the last of it was kept
            self._has_gap = not lines or await asyncio.to_thread(self._has_more, file, lines)

    async def append(self, key: "SessionKey", entries: "list[SessionStoreEntry]") -> None:
        """Keep what the CLI wrote down. Where that fails the whole file is kept the next time: the CLI has it."""
        if key.get("subpath") or key["session_id"] != self._session_id:
            return
        whole, self._has_gap = self._has_gap, True  # until it is kept: the SDK may also give this up by itself
        try:
            lines = await asyncio.to_thread(self._told, entries, whole=whole)
            await self._records.add(self._key, self._session_id, lines, whole=whole)
        except (StoreUnavailable, OSError, ValueError, RecursionError) as error:
            log.warning("transcript_not_kept", session=self._session_id, reason=str(error))
            if self._metrics is not None:
                self._metrics.count("transcripts_not_kept")
        else:
            self._has_gap = False

    async def load(self, key: "SessionKey") -> "list[SessionStoreEntry] | None":
        """Return None: the SDK then lets the CLI look in its own directory."""
        del key
        return None

    def _here(self) -> Path | None:
        return next(iter(self._config.glob(f"{PROJECTS}/*/{self._session_id}.jsonl")), None)

    def _has_more(self, file: Path | None, lines: Sequence[str]) -> bool:
        try:
            return bool(_names_of(_written(file)) - _names_of(map(json.loads, lines)))
        except (OSError, ValueError):  # then it is as if nothing were kept
            return True

    def _told(self, entries: Sequence[Mapping[str, Any]], *, whole: bool) -> Sequence[str]:
        all_entries = [*_written(self._here() if whole else None), *entries]
        return once([told_line(entry, self._redact) for entry in all_entries])

    def _lay_out(self, workspace: Path, lines: Sequence[str]) -> None:
        """Write the file anew, by no link that an agent may have left: what is there is of an earlier life here."""
        from claude_agent_sdk import project_key_for_directory

        while (old := self._here()) is not None:
            old.unlink()
        place = Path(PROJECTS) / project_key_for_directory(workspace)
        for directory in (self._config / PROJECTS, self._config / place):
            if directory.is_symlink():
                directory.unlink()
            directory.mkdir(mode=0o700, exist_ok=True)
        with opened_below(self._config, place) as directory_descriptor:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            name = f"{self._session_id}.jsonl"
            descriptor = os.open(name, flags, 0o600, dir_fd=directory_descriptor)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.writelines(f"{line}\n" for line in once(lines))


async def name_session(
    options: "ClaudeAgentOptions", session_id: SessionId, *, resume: bool, kept: KeptTranscript | None
) -> None:
    """Say which session the CLI begins, or takes up, also from another machine; raises StoreUnavailable."""
    if resume:
        options.resume = session_id
    else:
        options.session_id = session_id
    options.session_store = cast("SessionStore | None", kept)  # it has all that is called
    if resume and kept is not None and options.cwd is not None:
        await kept.bring(Path(options.cwd))


def _written(file: Path | None) -> Sequence[Mapping[str, Any]]:
    """Return the lines of a file of the CLI, none without one; raises OSError, and ValueError for one that is too long.

    Its last line may not be written yet, and an agent can write others: what is no entry is left out.
    """
    written = b"" if file is None else plain_bytes(file, MOST_BYTES) or b""
    if len(written) == MOST_BYTES:
        raise ValueError(f"the file is longer than the {MOST_BYTES} bytes that are read")
    entries = (_entry(line) for line in written.splitlines())
    return [entry for entry in entries if entry is not None]


def _entry(line: bytes) -> Mapping[str, Any] | None:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None


def _names_of(entries: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    return frozenset(name for entry in entries if isinstance(name := entry.get("uuid"), str))


def told_line(entry: Mapping[str, Any], redact: Redact) -> str:
    """Return a line of a transcript as it is kept: without secrets, files, and what the CLI shows beside results."""
    kept = {name: value for name, value in entry.items() if name != "toolUseResult"}
    return clean(json.dumps(_told(kept, redact), ensure_ascii=False, separators=(",", ":")))


def _told(value: Any, redact: Redact, names: frozenset[str] = _NAMES) -> Any:
    match value:
        case str():
            return redact(value)
        case list():
            return [_told(each, redact, names) for each in value]
        case {"type": str(kind), "source": {"type": "base64"}} if kind in _FILES:
            return _LEFT_OUT
        case {"type": "redacted_thinking"}:
            return value
        case {"type": "thinking", "thinking": str(words)} if redact(words) != words:
            return _LEFT_OUT  # it is signed as it was
        case dict():
            # What a tool is called with is words, whatever it is called.
            inner = {name: frozenset() if name == "input" else names for name in value}
            return {
                name: each if name in names and isinstance(each, str) else _told(each, redact, inner[name])
                for name, each in value.items()
            }
        case _:
            return value


def once(lines: Sequence[str]) -> Sequence[str]:
    """Return lines, each that has a name once: what was kept by a unit whose answer was lost is kept twice."""
    kept: dict[str, str] = {}
    for number, line in enumerate(lines):
        name = json.loads(line).get("uuid")
        kept.setdefault(name if isinstance(name, str) else f"{number}", line)
    return [*kept.values()]
