"""A scripted model whose service fails when it is told to: what it is asked to count it answers with a figure."""

import re
from collections import Counter, deque

from mama_bot.demo.model_script import ModelReply, ModelRequest, ToolUse

ASKED = re.compile(r"count (\d+)")
PRAISE = "Understood! What an excellent, truly brilliant question!"

FAILURES: dict[str, ModelReply] = {
    "overloaded": ModelReply(status=529, error_message="Overloaded"),
    "broken": ModelReply(status=500, error_message="Internal server error"),
    "limited": ModelReply(status=429, error_message="Too many requests", retry_after_seconds=1),
    "silent": ModelReply(hang=True),
    "cut": ModelReply(text="Item", drop=True),
    "overloaded while it speaks": ModelReply(text="Item", stream_error="overloaded_error", error_message="Overloaded"),
    "empty": ModelReply(text=""),
}


class FailingModel:
    """Answers as `count N` asks, with a tool call and now and then praise before; `failures` come first, in order."""

    def __init__(self) -> None:
        self.failures: deque[str] = deque()
        self.met: Counter[str] = Counter()

    def __call__(self, request: ModelRequest) -> ModelReply:
        """Return the reply to one request."""
        numbers = ASKED.findall(" ".join(request.user_texts))
        if not numbers:  # of the CLI itself, such as for a title
            return ModelReply(text="ok")
        if self.failures:
            kind = self.failures.popleft()
            self.met[kind] += 1
            return FAILURES[kind]
        number = numbers[-1]
        if not request.tool_results and "[SENT BACK" not in request.last_user_text:
            arguments = {"command": "sleep 0.1", "description": "count"}
            return ModelReply(tool_calls=(ToolUse(name="Bash", arguments=arguments),))
        if "[SENT BACK" not in request.last_user_text and int(number) % 4 == 0:
            return ModelReply(text=PRAISE, delay_seconds=0.05)
        return ModelReply(text=f"Item {number} has 3 functions: `f`, `g`, `h`.", delay_seconds=0.05)
