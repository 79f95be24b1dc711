"""The record of tools: what the CLI reported of each call, bounded and redacted, never the agent's word."""

import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from mama_bot.model import ToolRecord, ToolRun

ARGUMENT_CHARACTERS = 4_000
OUTPUT_CHARACTERS = 2_000
MAX_RUNS = 1_000
PERSISTED_BYTES = 4 * 2**20
EDITING_TOOLS = frozenset({"Write", "Edit", "MultiEdit", "NotebookEdit"})
EXIT_CODE = re.compile(r"\A(?:Error: )?Exit code (\d{1,3})(?:\n|\Z)")
STRING_LIMITS = (1_000, 200, 40)

Redact = Callable[[str], str]


def clean(text: str) -> str:
    """The text as it can be stored anywhere: lone surrogates and NUL become U+FFFD, surrogate pairs are joined."""
    if text.isascii() and "\0" not in text:
        return text
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return joined.replace("\0", "\N{REPLACEMENT CHARACTER}")


class ToolRecorder:
    """Builds the record of one turn; nothing is kept before `redact` has seen it.

    At most 1,000 runs are kept, the later ones are only counted. `outputs` is the directory under which the CLI keeps
    the outputs that it found too large to report.
    """

    def __init__(self, *, workspace: Path, outputs: Path, redact: Redact, now: Callable[[], datetime]) -> None:
        self._workspace = workspace
        self._outputs = outputs
        self._redact = redact
        self._now = now
        self._runs: dict[str, ToolRun] = {}
        self._open: set[str] = set()
        self._dropped = 0

    @property
    def record(self) -> ToolRecord:
        """All runs so far, in the order they began; those without an end are still open or were cut off."""
        return ToolRecord(runs=tuple(self._runs.values()), dropped=self._dropped)

    @property
    def running(self) -> bool:
        """Whether a tool that began has not ended."""
        return bool(self._open)

    def started(self, *, run_id: str, tool: str, arguments: Mapping[str, Any]) -> ToolRun:
        """A tool call began; a repeated id does not count twice."""
        run = ToolRun(
            id=clean(run_id),
            tool=clean(tool),
            arguments=bounded_arguments(arguments, self._redact),
            working_directory=str(self._workspace),
            started_at=self._now(),
            files=tuple(self._redact(name) for name in edited_files(tool, arguments, self._workspace)),
        )
        self._open.add(run.id)
        if run.id not in self._runs and len(self._runs) >= MAX_RUNS:
            self._dropped += 1
        else:
            self._runs.setdefault(run.id, run)
        return run

    def finished(self, *, run_id: str, text: str, is_error: bool, structured: object = None) -> ToolRun | None:
        """A tool call ended; None for a call that is not in the record.

        `text` is the result as the model sees it, `structured` the CLI's own account of it where it gave one.
        """
        self._open.discard(clean(run_id))
        run = self._runs.get(clean(run_id))
        if run is None:
            return None
        interrupted = isinstance(structured, Mapping) and structured.get("interrupted") is True
        ok = not is_error and not interrupted
        output = clean(self._redact(self._whole_output(text, structured)))
        ended = replace(
            run,
            ended_at=self._now(),
            ok=ok,
            exit_status=exit_status(run.tool, text, ok=ok),
            output_head=output[:OUTPUT_CHARACTERS],
            output_tail=output[max(OUTPUT_CHARACTERS, len(output) - OUTPUT_CHARACTERS) :],
            output_sha256=sha256(output.encode()).hexdigest(),
            output_size=len(output),
            files=run.files if ok else (),
        )
        self._runs[run.id] = ended
        return ended

    def _whole_output(self, text: str, structured: object) -> str:
        if not isinstance(structured, Mapping) or "stdout" not in structured:
            return text
        persisted = structured.get("persistedOutputPath")
        if isinstance(persisted, str) and Path(persisted).is_relative_to(self._outputs):
            whole = _read_ends(Path(persisted))
            if whole is not None:
                return whole
        parts = (str(structured.get("stdout") or ""), str(structured.get("stderr") or ""))
        return "\n".join(part for part in parts if part)


def exit_status(tool: str, text: str, *, ok: bool) -> int | None:
    """The exit status of a Bash call; None for other tools and where the command did not run to an end."""
    if tool != "Bash":
        return None
    if ok:
        return 0
    found = EXIT_CODE.match(text)
    return int(found.group(1)) if found else None


def edited_files(tool: str, arguments: Mapping[str, Any], workspace: Path) -> tuple[str, ...]:
    """The file that an editing tool names: relative to the workspace where inside it, else absolute."""
    if tool not in EDITING_TOOLS:
        return ()
    named = arguments.get("file_path") or arguments.get("notebook_path")
    if not isinstance(named, str):
        return ()
    file = os.path.normpath(os.path.join(workspace, clean(named)))  # noqa: PTH118 - lexical: nothing is looked up
    for root in (workspace, Path(os.path.realpath(workspace))):
        if Path(file).is_relative_to(root):
            return (str(Path(file).relative_to(root)),)
    return (file,)


def bounded_arguments(arguments: Mapping[str, Any], redact: Redact) -> str:
    """Compact JSON of at most 4,000 characters, still JSON after cutting: long strings lose their ends first."""
    safe = _map_strings(arguments, lambda text: clean(redact(text)))
    whole = _compact(safe)
    for limit in STRING_LIMITS:
        if len(whole) <= ARGUMENT_CHARACTERS:
            return whole
        whole = _compact(_map_strings(safe, partial(_cut, limit=limit)))
    if len(whole) <= ARGUMENT_CHARACTERS:
        return whole
    return _compact({"truncated": _compact(safe)[: ARGUMENT_CHARACTERS // 4]})


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def _cut(text: str, *, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"


def _map_strings(value: Any, change: Callable[[str], str]) -> Any:
    match value:
        case str():
            return change(value)
        case Mapping():
            return {change(str(key)): _map_strings(item, change) for key, item in value.items()}
        case list() | tuple():
            return [_map_strings(item, change) for item in value]
        case _:
            return value


def _read_ends(file: Path) -> str | None:
    """The file, or its first and last 4 MiB; None when it cannot be read."""
    try:
        with file.open("rb") as stream:
            head = stream.read(PERSISTED_BYTES)
            size = stream.seek(0, os.SEEK_END)
            stream.seek(max(len(head), size - PERSISTED_BYTES))
            tail = stream.read(PERSISTED_BYTES)
    except OSError:
        return None
    return (head + tail).decode("utf-8", "replace")
