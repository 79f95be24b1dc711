"""What goes over the wire: requests as clients send them, and the two shapes of an answer."""

import json
from dataclasses import dataclass, field
from typing import Any

from aiohttp import BodyPartReader, web

Json = dict[str, Any]


class ApiError(Exception):
    """A refusal as the Bot API words it."""

    def __init__(self, status: int, description: str, *, http_status: int = 0, **parameters: int) -> None:
        super().__init__(description)
        self.status = status
        self.http_status = http_status or status
        self.description = description
        self.parameters = parameters


def bad_request(reason: str) -> ApiError:
    """A request that the Bot API does not take."""
    return ApiError(400, f"Bad Request: {reason}")


@dataclass(frozen=True, slots=True)
class Upload:
    """A file of a multipart request."""

    name: str
    media_type: str
    content: bytes


@dataclass(slots=True)
class Request:
    """The fields of a request, JSON in them already read, and its files by the name of their part."""

    fields: Json
    uploads: dict[str, Upload] = field(default_factory=dict)

    def text(self, name: str) -> str:
        """A field as a string; "" when it is missing."""
        value = self.fields.get(name)
        return value if isinstance(value, str) else "" if value is None else json.dumps(value)

    def number(self, name: str, default: int = 0) -> int:
        """A field as a whole number; raises ApiError for anything else."""
        value = self.fields.get(name)
        if value is None or value == "":
            return default
        try:
            return int(value)
        except (TypeError, ValueError) as error:
            raise bad_request(f"parameter {name} must be an integer") from error

    def record(self, name: str) -> Json | None:
        """A field as an object; raises ApiError for anything else."""
        value = self.fields.get(name)
        if value is None or isinstance(value, dict):
            return value
        raise bad_request(f"can't parse {name.replace('_', ' ')} JSON object")

    def upload(self, name: str) -> Upload | None:
        """The file that a field stands for: a part of its name, or one that it attaches."""
        value = self.fields.get(name)
        if isinstance(value, str) and value.startswith("attach://"):
            return self.uploads.get(value.removeprefix("attach://"))
        return self.uploads.get(name)


async def read_request(request: web.Request) -> Request:
    """The fields of the query and of a form, multipart or JSON body."""
    read = Request(fields=dict(request.query))
    if request.content_type.startswith("multipart/"):
        async for part in await request.multipart():
            if not isinstance(part, BodyPartReader):
                continue
            if part.filename:
                media_type = part.headers.get("Content-Type", "application/octet-stream")
                read.uploads[part.name or ""] = Upload(part.filename, media_type, bytes(await part.read()))
            else:
                read.fields[part.name or ""] = await part.text()
    elif request.content_type == "application/json" and request.can_read_body:
        read.fields |= await request.json()
    elif request.method == "POST":
        read.fields |= dict(await request.post())
    read.fields = {name: _value(name, value) for name, value in read.fields.items()}
    return read


def _value(name: str, value: Any) -> Any:
    """Objects and lists come JSON-encoded in forms; texts that only look so stay texts."""
    if not isinstance(value, str) or name in {"text", "caption", "name", "description"} or value[:1] not in ("[", "{"):
        return value
    try:
        return json.loads(value)
    except ValueError as error:
        raise bad_request(f"can't parse {name} JSON object") from error


def answered(result: object) -> web.Response:
    """A call that worked."""
    return web.json_response({"ok": True, "result": result})


def refused(error: ApiError) -> web.Response:
    """A call that did not."""
    body: Json = {"ok": False, "error_code": error.status, "description": error.description}
    if error.parameters:
        body["parameters"] = error.parameters
    return web.json_response(body, status=error.http_status)
