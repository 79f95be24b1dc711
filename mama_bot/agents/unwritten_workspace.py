"""What the calls of a process did that can write nothing of its workspace, whatever their words say."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mama_bot.model import CallReading, ToolRun
from mama_bot.protocols import CallReader


class UnwrittenWorkspace:
    """Reads calls as another `CallReader` does, but for the files of the workspace that they would have written."""

    def __init__(self, reader: CallReader) -> None:
        self._reader = reader

    def read(self, call: ToolRun, *, arguments: Mapping[str, Any], output: str) -> CallReading:
        """Return what the call ran, showed, and wrote elsewhere."""
        reading = self._reader.read(call, arguments=arguments, output=output)
        # Paths in the workspace are relative, and "" stands for some file of it.
        return replace(reading, touched=tuple(touch for touch in reading.touched if touch.path.startswith("/")))
