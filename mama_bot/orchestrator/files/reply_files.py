"""Files that go out with a reply: copied from the workspace once the reply is cleared, or refused with a line."""

import asyncio
import mimetypes
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import structlog

from mama_bot.metrics import Metrics
from mama_bot.model import Notice, NoticeKind, OutgoingFile, Post, PostId, Reply, Turn
from mama_bot.model.file_names import image_type, safe_name, shown_size
from mama_bot.orchestrator.files.named_files import named_files
from mama_bot.orchestrator.files.sentences import AND_MORE, NOT_SENT, REASONS
from mama_bot.orchestrator.files.workspace_files import MAX_FILE_BYTES, StaysHere, Why, read_to_send, without_secrets
from mama_bot.wording import Language, printable

log = structlog.get_logger(__name__)

MAX_FILES = 10
MAX_REFUSALS_SHOWN = 10
COPY_SECONDS = 60.0
_SHOWN_CHARACTERS = 120


class OutgoingFiles:
    """Finds the files that replies name; copies lie below `directory`, by post, and are made anew on a repeat."""

    def __init__(
        self,
        *,
        directory: Path,
        redact: Callable[[str], str],
        metrics: Metrics,
    ) -> None:
        self._directory = directory
        self._redact = redact
        self._metrics = metrics

    async def posts(self, reply: Reply, turn: Turn, workspace: Path) -> list[Post]:
        """Return a reply with the files of a workspace that it names, and a line about those that stay there."""
        paths = named_files(reply.text)
        if not paths:
            return [reply]
        files: Sequence[OutgoingFile] = ()
        refused: list[tuple[str, Why]] = []
        try:
            async with asyncio.timeout(COPY_SECONDS):
                files, refused = await asyncio.to_thread(self._copied, reply.id, workspace, paths)
        except (OSError, TimeoutError) as error:
            log.warning("files_not_copied", post=reply.id, reason=str(error) or type(error).__name__)
            refused = [(path, Why.UNREADABLE) for path in paths]
        self._metrics.count("files_sent", len(files), persona=turn.persona)
        for _, why in refused:
            self._metrics.count("files_refused", persona=turn.persona, reason=why.value)
        if refused:
            some = [f"{_shown(path)}: {why.value}" for path, why in refused[:MAX_REFUSALS_SHOWN]]
            log.warning("files_refused", post=reply.id, count=len(refused), files=some)
        if files:
            log.info("files_sent", post=reply.id, files=[file.name for file in files])
        sent = replace(reply, files=tuple(files))
        return [sent, _refusal(reply, refused, turn.language)] if refused else [sent]

    def _copied(
        self, post_id: PostId, workspace: Path, paths: Sequence[str]
    ) -> tuple[Sequence[OutgoingFile], list[tuple[str, Why]]]:
        directory = self._directory / sha256(post_id.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        shutil.rmtree(directory, ignore_errors=True)
        files: list[OutgoingFile] = []
        refused: list[tuple[str, Why]] = []
        for path in paths:
            if len(files) == MAX_FILES:
                refused.append((path, Why.TOO_MANY))
                continue
            try:
                name, content = read_to_send(workspace, path)
            except StaysHere as error:
                refused.append((path, error.why))
                continue
            copy = directory / f"{len(files)}-{safe_name(name)}"
            files.append(self._copy(name, content, copy))
        return files, refused

    def _copy(self, name: str, content: bytes, copy: Path) -> OutgoingFile:
        clean = without_secrets(content, self._redact)
        if clean != content:
            self._metrics.count("files_redacted")
            log.warning("file_redacted", file=_shown(name))
        copy.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o400)
        with os.fdopen(descriptor, "wb") as file:
            file.write(clean)
            file.flush()
            os.fsync(descriptor)  # the reply that names it is stored durably
        media_type = image_type(clean) or mimetypes.guess_type(name)[0] or "application/octet-stream"
        return OutgoingFile(name=_name(name), media_type=media_type, size=len(clean), path=copy)


def _refusal(reply: Reply, refused: Sequence[tuple[str, Why]], language: Language) -> Notice:
    limits = {"size": shown_size(MAX_FILE_BYTES), "files": MAX_FILES}
    lines = [f"- `{_shown(path)}`: {REASONS[why].to(language, **limits)}" for path, why in refused[:MAX_REFUSALS_SHOWN]]
    if (more := len(refused) - len(lines)) > 0:
        lines.append(AND_MORE.to(language, more=more))
    head = NOT_SENT.to(language, name=reply.display_name)
    return Notice(
        id=PostId(f"{reply.turn_id}.files"),
        key=reply.key,
        notice=NoticeKind.REFUSED,
        text="\n".join((head, *lines)),
        turn_id=reply.turn_id,
        answers=reply.answers,
    )


def _shown(path: str) -> str:
    shown = _name(path).replace("`", "'")
    return shown if len(shown) <= _SHOWN_CHARACTERS else f"…{shown[-_SHOWN_CHARACTERS:]}"


def _name(name: str) -> str:
    return printable(name, instead="") or "file"
