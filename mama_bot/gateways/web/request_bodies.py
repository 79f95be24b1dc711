"""What the page sends, parsed once."""

import asyncio
import json
import re
import unicodedata
from json import JSONDecodeError
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import Request

from mama_bot.model import CommandName
from mama_bot.wording import Language

IDENTIFIER = re.compile(r"[A-Za-z0-9_-]{1,64}")
BYTES_PER_CHARACTER = 12  # a character outside the BMP, written as two JSON escapes
BODY_ALLOWANCE = 4_096
READ_SECONDS = 30.0
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})

Body = TypeVar("Body", bound=BaseModel)


class RequestRefused(Exception):
    """A request that cannot be served; `sentence` says what to change."""

    def __init__(self, *, status: int, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.code = code
        self.sentence = sentence


class _Sent(BaseModel):
    """What every body has: no further keys, and values of exactly the types that are asked for."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class NewMessage(_Sent):
    """A person's message; the page makes the id, so that sending it again after a lost answer stores it once.

    `language` is the page's: what is refused is told in it where the text is in no other (a command, a name of a file).
    """

    id: str
    text: str
    files: list[str] = []
    language: Language = Language.ENGLISH


class NewText(_Sent):
    """What a message that waits says from now on."""

    text: str


class NewCommand(_Sent):
    """What a person asks of the service itself."""

    model_config = ConfigDict(strict=False)

    name: CommandName
    argument: str = ""
    post_id: str = ""
    language: Language = Language.ENGLISH


class Settlement(_Sent):
    """What a person decided about a request to be served."""

    code: str
    approve: bool


class NewReport(_Sent):
    """That an attempt of a turn was judged wrongly, as a person says."""

    turn_id: str
    attempt: Annotated[int, Field(ge=0, le=1_000_000)]
    note: str = ""


class NewTrial(_Sent):
    """A text of a person's own, to be judged: with the record of its tool calls as JSON, or without one."""

    model_config = ConfigDict(strict=False)

    text: str
    record: str = ""
    reviews: bool = False
    to_agent: bool = True
    language: Language = Language.ENGLISH


class SignIn(_Sent):
    """The key, as a person typed it."""

    key: str


class Nothing(_Sent):
    """An empty object."""


async def body_of(request: Request, shape: type[Body], *, max_characters: int) -> Body:
    """Return the body as a value; raises RequestRefused."""
    body = await read_body(request, limit=max_characters * BYTES_PER_CHARACTER + BODY_ALLOWANCE)
    try:
        content = json.loads(body or b"{}")
    except (UnicodeDecodeError, JSONDecodeError, RecursionError, ValueError) as exc:
        raise RequestRefused(status=400, code="bad_json", sentence="The request is not valid JSON.") from exc
    if not isinstance(content, dict):
        raise RequestRefused(status=400, code="bad_json", sentence="The request is not a JSON object.")
    cleaned = {_storable(key): _storable(item) if isinstance(item, str) else item for key, item in content.items()}
    try:
        return shape.model_validate(cleaned)
    except ValidationError as exc:
        raise RequestRefused(status=422, code="bad_request", sentence=_sentence(exc)) from exc


async def read_body(request: Request, *, limit: int) -> bytes:
    """Return a body of so many bytes at most, as it came; raises RequestRefused."""
    body = bytearray()
    try:
        async with asyncio.timeout(READ_SECONDS):
            async for part in request.stream():
                body += part
                if len(body) > limit:
                    sentence = "The request is too large for this page."
                    raise RequestRefused(status=413, code="too_long", sentence=sentence)
    except TimeoutError as exc:
        sentence = f"The request was not complete after {READ_SECONDS:g} seconds. Send it again."
        raise RequestRefused(status=408, code="too_slow", sentence=sentence) from exc
    return bytes(body)


def _storable(text: str) -> str:
    return UNSTORABLE.sub(REPLACEMENT, text)


def _sentence(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part)[:60] for part in first["loc"])
    return f"The request cannot be used: {place}: {first['msg']}."


def checked_identifier(text: str, what: str) -> str:
    """Return the text, if it can name something; raises RequestRefused."""
    if IDENTIFIER.fullmatch(text):
        return text
    sentence = f"The id of a {what} has 1 to 64 letters (a-z), digits, hyphens or underscores."
    raise RequestRefused(status=422, code="bad_id", sentence=sentence)


def checked_text(text: str, *, max_characters: int, may_be_empty: bool = False) -> str:
    """Return the text, if there is something to read and it is not too long; raises RequestRefused."""
    if not may_be_empty and all(unicodedata.category(character) in INVISIBLE_CATEGORIES for character in text):
        raise RequestRefused(status=422, code="empty", sentence="The message is empty. Write something first.")
    if len(text) > max_characters:
        sentence = (
            f"The message has {len(text):,} characters; {max_characters:,} are allowed. "
            "Shorten it, or put the long part into a file."
        )
        raise RequestRefused(status=422, code="too_long", sentence=sentence)
    return text


def checked_limit(text: str | None, *, default: int, maximum: int, name: str = "limit") -> int:
    """Return how much to read; raises RequestRefused."""
    if text is None:
        return default
    if re.fullmatch(r"[0-9]{1,6}", text) and 1 <= int(text) <= maximum:
        return int(text)
    raise RequestRefused(status=422, code="bad_limit", sentence=f"{name} is a number from 1 to {maximum}.")
