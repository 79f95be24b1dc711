"""Reading what a client sends."""

import json
from dataclasses import dataclass

from aiohttp import BodyPartReader, web

from tests.platforms.discord_server.refusals import Json, Refused, unauthorized
from tests.platforms.discord_server.shapes import File


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """The body of a request."""

    form: Json
    files: tuple[File, ...] = ()


async def sent_with(request: web.Request) -> Sent:
    """The JSON of a request, or the `payload_json` and the files of a multipart one."""
    if not request.content_type.startswith("multipart/"):
        return Sent(form=_parsed(await request.text()))
    form: Json = {}
    files = []
    async for part in await request.multipart():
        if not isinstance(part, BodyPartReader):
            continue
        if part.name == "payload_json":
            form = _parsed(await part.text())
        else:
            media_type = part.headers.get("Content-Type", "application/octet-stream")
            content = bytes(await part.read(decode=False))
            files.append(File(name=part.filename or "file", media_type=media_type, content=content))
    return Sent(form=form, files=tuple(files))


def _parsed(text: str) -> Json:
    try:
        form = json.loads(text) if text else {}
    except ValueError:
        raise Refused(400, 50109, "The request body contains invalid JSON.") from None
    return form if isinstance(form, dict) else {"": form}


def token_of(request: web.Request) -> str:
    """The bot's token in the header."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme != "Bot":
        raise unauthorized()
    return token
