"""The record that the service would have kept of calls that somebody wrote down."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from mama_bot.agents.record import ToolRecorder
from mama_bot.config import ClaimCheckSettings
from mama_bot.declarations import ReportTools
from mama_bot.model import ToolRecord, ToolRun
from mama_bot.runs import RunReader
from mama_bot.text.patterns import compiled
from mama_bot.trial.given_messages import MessageInput, RunInput

WORKSPACE = Path("/workspace")
BEGINNING = datetime(2000, 1, 1, tzinfo=UTC)
MOST_PATHS = 2_000
MOST_PARTS = 8
SEARCHED_CHARACTERS = 4_000
ABSOLUTE = compiled(r"/(?:[\w.@+-]+/)+[\w.@+-]*")  # /home/kim/shop/


def given_record(
    message: MessageInput, runs: Sequence[RunInput], settings: ClaimCheckSettings, *, prefix: str = ""
) -> ToolRecord:
    """Return the record that the service would have kept of these calls of a conversation."""
    places = RecordedPlaces([run for record in (*message.earlier, message.record or ()) for run in record])
    reader = RunReader(commands=settings.commands, workspace=places.root, junit_xml=settings.junit_xml)
    recorder = ToolRecorder(
        workspace=places.root, outputs=places.root, redact=str, now=lambda: BEGINNING, declarations=ReportTools()
    )
    for number, run in enumerate(runs):
        name = f"{prefix}run-{number}"
        recorder.started(run_id=name, tool=run.tool, arguments=run.named_arguments)
        recorder.finished(run_id=name, text=_text(run.output), is_error=run.failed, structured=run.output)
    kept = recorder.record
    told = zip(kept.runs, runs, strict=False)
    return replace(kept, runs=tuple(_as_told(call, run, reader, places) for call, run in told))


class RecordedPlaces:
    """Where the calls of a record were made: a relative directory is that of the absolute paths beside it."""

    def __init__(self, runs: Sequence[RunInput]) -> None:
        self._paths = tuple(islice(_absolute_paths(runs), MOST_PATHS))
        self.root = Path(self.of(runs[0].cwd if runs else ""))

    def of(self, directory: str) -> str:
        """Return the absolute form of a directory."""
        name = directory.strip("/").removeprefix("./")
        if directory.startswith("/") or not name or name == ".":
            return directory if directory.startswith("/") else str(WORKSPACE)
        parts = name.split("/")
        for length in range(min(len(parts), MOST_PARTS), 0, -1):
            known = "/".join(parts[:length])
            for path in self._paths:
                before, separator, _ = f"{path}/".partition(f"/{known}/")
                if separator:
                    return f"{before}/{name}"
        return str(WORKSPACE / name)


def _absolute_paths(runs: Sequence[RunInput]) -> Iterator[str]:
    """The absolute paths that calls name, those of file tools first."""
    for run in runs:
        for key in ("file_path", "path", "notebook_path"):
            named = run.named_arguments.get(key)
            if isinstance(named, str) and named.startswith("/") and "\0" not in named:
                yield named
    for run in runs:
        command = run.named_arguments.get("command")
        texts = (command if isinstance(command, str) else "", _text(run.output)[:SEARCHED_CHARACTERS])
        for text in texts:
            yield from (match.group() for match in ABSOLUTE.finditer(text))


def _as_told(kept: ToolRun, told: RunInput, reader: RunReader, places: RecordedPlaces) -> ToolRun:
    """What the writer says outright stands above what is read from the call."""
    begun = BEGINNING + timedelta(seconds=told.at)
    call = replace(
        kept,
        exit_status=kept.exit_status if told.exit_status is None else told.exit_status,
        files=kept.files if told.files is None or told.failed else told.files,
        working_directory=places.of(told.cwd),
        started_at=begun,
        ended_at=begun + timedelta(seconds=told.seconds) if told.finished else None,
        ok=kept.ok if told.finished else None,
        agent=told.agent,
        background=told.background,
    )
    if not told.finished:
        call = replace(call, exit_status=None)
    read = reader.read(call, arguments=told.named_arguments, output=_text(told.output))
    return replace(call, ran=read.ran, touched=read.touched, looked=read.looked)


def _text(output: Any) -> str:
    """The output as text: content blocks joined, anything else as JSON."""
    if output is None or isinstance(output, str):
        return output or ""
    if isinstance(output, list):
        return "\n".join(_text(block.get("text", block) if isinstance(block, dict) else block) for block in output)
    return json.dumps(output, ensure_ascii=False)
