"""Files on the page: those that come with a message, and those that go out with a reply."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

import structlog
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from mama_bot.errors import FileRefused
from mama_bot.gateways.chat.message_files import keep_attachment, message_directory
from mama_bot.gateways.web.json_views import Json, file_view
from mama_bot.gateways.web.request_bodies import RequestRefused, checked_identifier
from mama_bot.metrics import Metrics
from mama_bot.model import Attachment, ConversationKey, MessageId, OutgoingFile, PostId, Reply, written_id
from mama_bot.model.file_names import safe_name
from mama_bot.protocols import ConversationHistory
from mama_bot.recent import Recent
from mama_bot.wording import Language

log = structlog.get_logger(__name__)

MAX_FILE_BYTES = 10 * 2**20
MAX_FILES = 10
MAX_WAITING_MESSAGES = 100
UPLOAD_SECONDS = 120.0
INLINE_TYPES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
FILE_LIMITS: Mapping[str, int] = {"max_file_bytes": MAX_FILE_BYTES, "max_files": MAX_FILES}


class WebFiles:
    """Keeps what a page sends before its message comes, and serves what belongs to a conversation."""

    def __init__(self, *, uploads: Path, history: ConversationHistory, metrics: Metrics) -> None:
        self._uploads = uploads
        self._history = history
        self._metrics = metrics
        self._waiting: Recent[tuple[ConversationKey, MessageId], dict[str, Attachment]] = Recent(MAX_WAITING_MESSAGES)

    async def keep(self, request: Request, key: ConversationKey, message_id: MessageId) -> Json:
        """Store the body as a file of a message that is to come; raises RequestRefused."""
        waiting = self._waiting[key, message_id] = self._waiting.get((key, message_id), {})
        name = safe_name(request.query_params.get("name", ""))
        if len(waiting) >= MAX_FILES and name not in waiting:
            sentence = f"A message takes at most {MAX_FILES} files."
            raise RequestRefused(status=422, code="too_many_files", sentence=sentence)
        try:
            async with asyncio.timeout(UPLOAD_SECONDS):
                attachment = await keep_attachment(
                    request.stream(),
                    directory=message_directory(self._uploads, message_id),
                    name=name,
                    media_type=request.query_params.get("type", ""),
                    max_bytes=MAX_FILE_BYTES,
                )
        except FileRefused as error:
            self._metrics.count("files_refused", platform=key.platform)
            log.warning("file_refused", conversation=str(key), reason=str(error))
            sentence = error.to(Language(request.query_params.get("language", Language.ENGLISH)))
            raise RequestRefused(status=422, code="file_refused", sentence=sentence) from error
        except TimeoutError as error:
            sentence = f"The file did not come within {UPLOAD_SECONDS:g} seconds. Send it again."
            raise RequestRefused(status=408, code="too_slow", sentence=sentence) from error
        waiting[attachment.name] = attachment
        return file_view(attachment.name, attachment.size, attachment.media_type)

    def of_message(self, key: ConversationKey, message_id: MessageId, names: Sequence[str]) -> tuple[Attachment, ...]:
        """Return the files that were sent for a message; raises RequestRefused where one is not known any more."""
        waiting = self._waiting.get((key, message_id), {})
        missing = next((name for name in names if name not in waiting), None)
        if missing is not None:
            sentence = f"The file {missing[:100]!r} is not here any more. Attach it again."
            raise RequestRefused(status=422, code="file_gone", sentence=sentence)
        return tuple(waiting[name] for name in dict.fromkeys(names))

    def forget(self, key: ConversationKey, message_id: MessageId) -> None:
        """Forget the files of a message that is stored, and names its files itself."""
        self._waiting.pop((key, message_id), None)

    async def serve(self, request: Request, key: ConversationKey) -> Response:
        """Serve a file of a message or reply of this conversation; only images of harmless types are shown in place."""
        file = await self._found(request, key)
        if isinstance(file, OutgoingFile) and file.path is None:
            return Response(file.content, media_type="application/octet-stream", headers=_as_attachment(file.name))
        path = file.path
        if path is None or not await asyncio.to_thread(path.is_file):
            raise HTTPException(404, "The file is not there any more.")
        inline = isinstance(file, Attachment) and file.media_type in INLINE_TYPES
        return FileResponse(
            path,
            media_type=file.media_type if inline else "application/octet-stream",
            filename=file.name,
            content_disposition_type="inline" if inline else "attachment",
            headers={"cache-control": "private, max-age=3600"},
        )

    async def _found(self, request: Request, key: ConversationKey) -> Attachment | OutgoingFile:
        files: Sequence[Attachment | OutgoingFile] = ()
        if (message_id := request.query_params.get("message")) is not None:
            checked_identifier(written_id(MessageId(message_id)), "message")
            message = await self._history.message(key, MessageId(message_id))
            files = message.attachments if message is not None else ()
        elif (post_id := request.query_params.get("post")) is not None:
            post = await self._history.posted(key, PostId(post_id[:200]))
            files = post.files if isinstance(post, Reply) else ()
        number = request.query_params.get("number", "")
        if not number.isascii() or not number.isdigit() or len(number) > 3 or int(number) >= len(files):
            raise HTTPException(404, "There is no such file in this conversation.")
        return files[int(number)]


def _as_attachment(name: str) -> dict[str, str]:
    plain = "".join(sign if (sign.isascii() and sign.isalnum()) or sign in "._-" else "_" for sign in name)
    return {"content-disposition": f'attachment; filename="{plain}"', "cache-control": "no-store"}
