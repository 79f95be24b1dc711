"""What a scripted model is asked and what it answers: plain values."""

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

PERSONA_PREFIX = "persona:"
CLI_PREFIXES = ("<system-reminder>", "[Image: source: ")
CLI_REMARK = "\n\n<system-reminder>"
FEEDBACK_PREFIX = "Stop hook feedback:\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """The result of a tool, as the model sees it."""

    tool_use_id: str
    text: str
    is_error: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenImage:
    """An image that the model was shown."""

    media_type: str
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One request to the model, parsed: all that a script may look at.

    `user_texts` and `assistant_texts` are the whole conversation, oldest first, without the CLI's own remarks and
    headings. `tool_results` are those since the last user text, in the order of their calls; `images` are those of the
    whole conversation that no tool read; `messages` is the raw list of the Messages API.
    """

    system: str
    user_texts: tuple[str, ...]
    assistant_texts: tuple[str, ...]
    tool_results: tuple[ToolResult, ...]
    tools: tuple[str, ...]
    model: str
    messages: tuple[Mapping[str, Any], ...] = field(repr=False)
    images: tuple[SeenImage, ...] = ()

    @property
    def spoken_texts(self) -> tuple[str, ...]:
        """All that stands in the words of users, oldest first, with the CLI's own remarks."""
        spoken = (message for message in self.messages if message.get("role") == "user")
        return tuple(
            text.removeprefix(FEEDBACK_PREFIX) for message in spoken for text in _texts(_blocks(message.get("content")))
        )

    @property
    def last_user_text(self) -> str:
        """The newest text of a person or of the service; "" when there is none."""
        return self.user_texts[-1] if self.user_texts else ""

    @property
    def persona(self) -> str:
        """The name on the line `persona: <name>` of the system prompt; empty without such a line."""
        for line in self.system.splitlines():
            if line.strip().lower().startswith(PERSONA_PREFIX):
                return line.strip()[len(PERSONA_PREFIX) :].strip()
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """A tool that the scripted model wants to run."""

    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenCount:
    """The usage that a reply reports, in tokens."""

    input: int = 1000
    output: int = 50
    cache_read: int = 0
    cache_write: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    """What the scripted model does with one request.

    A `status` other than 200 is sent as the API's error envelope, with `retry_after_seconds` as a header. Before the
    first byte the server waits `delay_seconds`, or for ever with `hang`. `pieces` is the number of deltas that the
    text is streamed in, `pause_seconds` the wait between them. After the first delta `drop` cuts the connection, and
    `stream_error` (an error type such as "overloaded_error") ends the stream.
    """

    text: str = ""
    tool_calls: tuple[ToolUse, ...] = ()
    status: int = 200
    error_message: str = "scripted failure"
    retry_after_seconds: float | None = None
    delay_seconds: float = 0.0
    hang: bool = False
    pieces: int = 4
    pause_seconds: float = 0.0
    drop: bool = False
    stream_error: str = ""
    stop_reason: str = ""
    usage: TokenCount = field(default_factory=TokenCount)


ModelScript = Callable[[ModelRequest], ModelReply]


def echo(request: ModelRequest) -> ModelReply:
    """Repeat the first 200 characters of the request: a script that needs no story."""
    return ModelReply(text=f"echo: {request.last_user_text[:200]}")


def parse_request(body: Mapping[str, Any]) -> ModelRequest:
    """Parse the body of a Messages API request; what is missing becomes empty."""
    messages = tuple(body.get("messages") or ())
    user_texts: list[str] = []
    assistant_texts: list[str] = []
    results: list[ToolResult] = []
    images: list[SeenImage] = []
    calls: dict[str, int] = {}
    for message in messages:
        blocks = _blocks(message.get("content"))
        if message.get("role") == "assistant":
            assistant_texts.extend(_texts(blocks))
            used = [str(block.get("id")) for block in blocks if block.get("type") == "tool_use"]
            calls |= {call: number for number, call in enumerate(used, len(calls))}
        if message.get("role") != "user":
            continue
        results.extend(_tool_result(block) for block in blocks if block.get("type") == "tool_result")
        images.extend(_image(block) for block in blocks if block.get("type") == "image")
        texts = [text for text in _texts(blocks) if not text.lstrip().startswith(CLI_PREFIXES)]
        spoken = [text.removeprefix(FEEDBACK_PREFIX) for text in texts]
        if spoken:
            user_texts.extend(spoken)
            results.clear()
    results.sort(key=lambda result: calls.get(result.tool_use_id, len(calls)))
    return ModelRequest(
        system="\n".join(_texts(_blocks(body.get("system")))),
        user_texts=tuple(user_texts),
        assistant_texts=tuple(assistant_texts),
        tool_results=tuple(results),
        tools=tuple(str(tool.get("name", "")) for tool in body.get("tools") or ()),
        model=str(body.get("model", "")),
        messages=messages,
        images=tuple(images),
    )


def _blocks(content: object) -> Sequence[Mapping[str, Any]]:
    if isinstance(content, str):
        return ({"type": "text", "text": content},)
    if isinstance(content, list):
        return [block for block in content if isinstance(block, Mapping)]
    return ()


def _texts(blocks: Sequence[Mapping[str, Any]]) -> list[str]:
    return [str(block.get("text", "")) for block in blocks if block.get("type") == "text"]


def _image(block: Mapping[str, Any]) -> SeenImage:
    source = block.get("source")
    source = source if isinstance(source, Mapping) else {}
    try:
        content = base64.b64decode(str(source.get("data", "")), validate=True)
    except ValueError:
        content = b""
    return SeenImage(media_type=str(source.get("media_type", "")), content=content)


def _tool_result(block: Mapping[str, Any]) -> ToolResult:
    text, _, _ = "\n".join(_texts(_blocks(block.get("content")))).partition(CLI_REMARK)
    return ToolResult(
        tool_use_id=str(block.get("tool_use_id", "")),
        text=text,
        is_error=bool(block.get("is_error")),
    )
