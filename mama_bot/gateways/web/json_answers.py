"""The page's answers in JSON."""

import json

from starlette.responses import JSONResponse


class JsonAnswer(JSONResponse):
    """JSON as the page reads it."""

    def render(self, content: object) -> bytes:
        """Return the bytes; an agent's text may hold a lone surrogate."""
        text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "replace")
