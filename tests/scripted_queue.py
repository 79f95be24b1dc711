"""A scripted model for tests: a queue of replies."""

from collections import deque

from mama_bot.demo.model_script import ModelReply, ModelRequest, echo


class ScriptedQueue:
    """A script for tests: replies in the order they were pushed, else the sticky reply, else an echo."""

    def __init__(self, *replies: ModelReply) -> None:
        self._waiting: deque[tuple[str, ModelReply]] = deque(("", reply) for reply in replies)
        self._sticky: ModelReply | None = None

    def push(self, *replies: ModelReply, when: str = "") -> None:
        """Add replies; with `when`, only for a request whose system prompt, last message or results hold that text."""
        self._waiting.extend((when, reply) for reply in replies)

    def stick(self, reply: ModelReply | None) -> None:
        """Set the reply for every request that no pushed reply fits; None for an echo."""
        self._sticky = reply

    def __len__(self) -> int:
        return len(self._waiting)

    def __call__(self, request: ModelRequest) -> ModelReply:
        """Return the first reply that fits, and remove it from the queue."""
        for position, (when, reply) in enumerate(self._waiting):
            if when in request.system or when in request.last_user_text or when in _results(request):
                del self._waiting[position]
                return reply
        return self._sticky or echo(request)


def _results(request: ModelRequest) -> str:
    return "\n".join(result.text for result in request.tool_results)
