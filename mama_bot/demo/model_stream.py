"""A scripted reply in the format of the Anthropic Messages API: server-sent events, a whole message, an error."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from mama_bot.demo.model_script import ModelReply, ToolUse

ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}


@dataclass(frozen=True, slots=True)
class Pause:
    """A moment in a stream where the server may wait, cut the connection or send an error."""

    first: bool


def error_body(status: int, message: str) -> dict[str, Any]:
    """Return the API's error envelope."""
    return {"type": "error", "error": {"type": ERROR_TYPES.get(status, "api_error"), "message": message}}


def event(payload: dict[str, Any]) -> bytes:
    """Return a payload as a server-sent event."""
    return f"event: {payload['type']}\ndata: {json.dumps(payload, ensure_ascii=False)}\n\n".encode()


def stream(reply: ModelReply, *, message_id: str, model: str) -> Iterator[dict[str, Any] | Pause]:
    """Yield the events of a reply in order; a Pause follows each delta of its text."""
    yield {"type": "message_start", "message": _envelope(reply, message_id=message_id, model=model, content=[])}
    index = 0
    if reply.text:
        yield from _text_block(reply)
        index = 1
    for offset, call in enumerate(reply.tool_calls, start=index):
        yield from _tool_block(call, index=offset, tool_id=_tool_id(message_id, offset))
    delta = {"stop_reason": _stop_reason(reply), "stop_sequence": None}
    yield {"type": "message_delta", "delta": delta, "usage": {"output_tokens": reply.usage.output}}
    yield {"type": "message_stop"}


def message(reply: ModelReply, *, message_id: str, model: str) -> dict[str, Any]:
    """Return the whole reply as one message, for a request that does not stream."""
    content: list[dict[str, Any]] = [{"type": "text", "text": reply.text}] if reply.text else []
    for offset, call in enumerate(reply.tool_calls, start=len(content)):
        content.append(_tool_use(call, tool_id=_tool_id(message_id, offset), arguments=dict(call.arguments)))
    whole = _envelope(reply, message_id=message_id, model=model, content=content)
    whole["stop_reason"] = _stop_reason(reply)
    whole["usage"]["output_tokens"] = reply.usage.output
    return whole


def _envelope(reply: ModelReply, *, message_id: str, model: str, content: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {
            "input_tokens": reply.usage.input,
            "cache_creation_input_tokens": reply.usage.cache_write,
            "cache_read_input_tokens": reply.usage.cache_read,
            "output_tokens": 1,
        },
    }


def _text_block(reply: ModelReply) -> Iterator[dict[str, Any] | Pause]:
    yield {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    size = -(-len(reply.text) // max(1, reply.pieces))
    for start in range(0, len(reply.text), size):
        piece = reply.text[start : start + size]
        yield {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}
        yield Pause(first=start == 0)
    yield {"type": "content_block_stop", "index": 0}


def _tool_block(call: ToolUse, *, index: int, tool_id: str) -> Iterator[dict[str, Any]]:
    block = _tool_use(call, tool_id=tool_id, arguments={})
    arguments = json.dumps(call.arguments, ensure_ascii=False)
    delta = {"type": "input_json_delta", "partial_json": arguments}
    yield {"type": "content_block_start", "index": index, "content_block": block}
    yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}


def _tool_use(call: ToolUse, *, tool_id: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"type": "tool_use", "id": tool_id, "name": call.name, "input": arguments}


def _tool_id(message_id: str, offset: int) -> str:
    return f"toolu_{message_id.removeprefix('msg_')}_{offset}"


def _stop_reason(reply: ModelReply) -> str:
    return reply.stop_reason or ("tool_use" if reply.tool_calls else "end_turn")
