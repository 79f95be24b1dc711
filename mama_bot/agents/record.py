"""The record of tools: what the CLI reported of each call, bounded and redacted, never the agent's word."""

import asyncio
import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import structlog

from mama_bot.agents.bounded_arguments import ARGUMENT_CHARACTERS, bounded_arguments, cut_text, map_strings
from mama_bot.agents.outputs import BoundedOutput, bounded, read_output, whole_output
from mama_bot.metrics import Metrics
from mama_bot.model import (
    FILE_WRITERS,
    CallReading,
    Declaration,
    LeftTree,
    ToolCall,
    ToolKind,
    ToolRecord,
    ToolRun,
    TreeChange,
    WorkflowStanding,
    WorkTreeState,
    well_formed,
)
from mama_bot.protocols import CallReader, Declarations
from mama_bot.tool_names import call_of, declaring_tool, is_served

log = structlog.get_logger(__name__)

MAX_RUNS = 1_000
BACKGROUND_EXIT = re.compile(r"exit code (\d{1,3})")
EXIT_CODE = re.compile(r"\A(?:Error: )?Exit code (\d{1,3})(?:\n|\Z)")
# `Process exited with code 1`, `Exit Code: 0`, `<exited with exit code 0>`, `"exit_code":0`
FURTHER_EXIT = re.compile(r'(?i)\bexit(?:ed with(?: exit)?)?[ _]code"?:? ?(\d{1,3})\b')

Redact = Callable[[str], str]


def clean(text: str) -> str:
    """Return the text as it can be stored anywhere: well-formed, and NUL replaced by U+FFFD."""
    return well_formed(text).replace("\0", "\N{REPLACEMENT CHARACTER}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Return:
    """What the CLI told of a call's end before the model saw the result."""

    at: datetime
    account: object
    after: WorkTreeState | None
    changed: tuple[TreeChange, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldEnd:
    """How a command ended, as an agent tells it beside its output; None: it does not tell."""

    exit_status: int | None


class ToolRecorder:
    """Builds the record of one turn; nothing is kept before `redact` has seen it.

    At most 1,000 runs are kept, the later ones are only counted. `outputs` is the directory under which the CLI keeps
    the outputs that it found too large to report, `temporary` that for those of commands in the background. `agent` is
    whose turn it is; `reader` reads what each call did: one that fails leaves nothing confirmed. `declarations` read
    what the agent declares.
    """

    def __init__(
        self,
        *,
        workspace: Path,
        outputs: Path,
        redact: Redact,
        now: Callable[[], datetime],
        agent: str = "",
        temporary: Path | None = None,
        reader: CallReader | None = None,
        declarations: Declarations | None = None,
        metrics: Metrics | None = None,
    ) -> None:
        self._workspace = workspace
        self._real = os.path.realpath(workspace)
        self._places = (outputs, temporary) if temporary else (outputs,)
        self._redact = redact
        self._now = now
        self._agent = agent
        self._reader = reader
        self._declarations = declarations
        self._metrics = metrics
        self._runs: dict[str, ToolRun] = {}
        self._open: set[str] = set()
        self._ended = asyncio.Event()
        self._beyond: set[str] = set()
        self._arguments: dict[str, Mapping[str, Any]] = {}
        self._returns: dict[str, _Return] = {}
        self._amended: dict[str, Mapping[str, Any]] = {}
        self._subagents: dict[str, str] = {}
        self._refused: set[str] = set()
        self._left: tuple[LeftTree, ...] = ()
        self._workflow: WorkflowStanding | None = None
        self._fallback = ""

    @property
    def record(self) -> ToolRecord:
        """All runs so far, in the order they began; those without an end are still open or were cut off."""
        return ToolRecord(
            runs=tuple(self._runs.values()),
            dropped=len(self._beyond),
            left=self._left,
            workflow=self._workflow,
            fallback=self._fallback,
        )

    @property
    def running(self) -> bool:
        """Whether a tool that began has not ended."""
        return bool(self._open)

    async def quiet(self, seconds: float) -> None:
        """Wait until every call that began has ended, or for so long: results do not come the way that stops do."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._open:
                    self._ended.clear()
                    await self._ended.wait()

    def refused(self, run_id: str) -> None:
        """Note that a call is kept from running, before or after it is told of: its words are no run."""
        if len(self._refused) < MAX_RUNS:
            self._refused.add(clean(run_id))

    def kept_from_running(self, run_id: str) -> None:
        """Note that the CLI says so of a call; nothing is noted of one that came back from its tool."""
        if clean(run_id) not in self._returns:
            self.refused(run_id)

    def subagent_began(self, run_id: str, subagent: str) -> None:
        """Note that the call `run_id` is carried out by a subagent of this name."""
        if len(self._subagents) < MAX_RUNS:
            self._subagents[run_id] = subagent

    def subagent_of(self, run_id: str) -> str:
        """Return who carries out a call of the tool that starts subagents."""
        return self._subagents.get(run_id, run_id)

    def directory_of(self, run_id: str) -> str:
        """Return where a call runs; "" for a call that is not in the record."""
        run = self._runs.get(clean(run_id))
        return run.working_directory if run else ""

    def tree_before(self, run_id: str) -> WorkTreeState | None:
        """Return the work tree as a call found it; None where that is not known."""
        run = self._runs.get(clean(run_id))
        return run.before if run else None

    def leave(self, left: Sequence[LeftTree]) -> None:
        """Record the work trees as the agent leaves them, in place of what was recorded so before."""
        self._left = tuple(replace(tree, changed=self._own_names(tree.changed)) for tree in left)

    def work_stands(self, workflow: WorkflowStanding | None) -> None:
        """Record how far the work is by its workflow, in place of what was recorded so before."""
        self._workflow = workflow

    def written_by_fallback(self, model: str) -> None:
        """Record which model wrote in place of the one that is set; "": that one did."""
        self._fallback = model

    def _own_names(self, changed: Sequence[TreeChange]) -> tuple[TreeChange, ...]:
        """Return changes with their paths as the record names files."""
        return tuple(
            replace(change, path=self._redact(_named(change.path, self._workspace, "")) if change.path else "")
            for change in changed
        )

    def started(
        self,
        *,
        run_id: str,
        tool: str,
        arguments: Mapping[str, Any],
        directory: str = "",
        subagent: str = "",
        before: WorkTreeState | None = None,
    ) -> ToolRun:
        """Record that a tool call began; message and hook may both tell it, in either order.

        `directory` is where it runs ("": the workspace), `subagent` whose call it is ("": the agent's own).
        """
        key = clean(run_id)
        if key in self._runs:
            return self._known(key, directory, before)
        arguments = self._amended.get(key, arguments)
        where = self._place(directory)
        safe = map_strings(arguments, lambda text: clean(self._redact(text)))
        call = call_of(clean(tool), arguments)
        run = ToolRun(
            id=key,
            tool=call.tool,
            kind=call.kind,
            command=self._bounded_text(call.command),
            paths=tuple(self._bounded_text(path) for path in call.paths),
            arguments=bounded_arguments(safe),
            working_directory=self._redact(where),
            started_at=self._now(),
            files=tuple(self._redact(name) for name in edited_files(call, self._workspace, where)),
            agent=f"{self._agent}/{clean(subagent)}" if subagent else self._agent,
            before=before,
        )
        if len(self._runs) < MAX_RUNS:
            self._runs[key] = run
            self._arguments[key] = safe
            self._open.add(key)
        elif key not in self._beyond:
            self._beyond.add(key)
            self._open.add(key)
        return run

    def amended(self, *, run_id: str, arguments: Mapping[str, Any], tool: str = "") -> None:
        """Record that a call runs with other arguments than it was asked for, or as another tool; at any time."""
        key = clean(run_id)
        run = self._runs.get(key)
        if run is None and len(self._amended) < MAX_RUNS:
            self._amended[key] = arguments
        elif run is not None:
            call = call_of(clean(tool) or run.tool, arguments)
            self._arguments[key] = map_strings(arguments, lambda text: clean(self._redact(text)))
            self._runs[key] = replace(
                run,
                tool=call.tool,
                kind=call.kind,
                command=self._bounded_text(call.command),
                paths=tuple(self._bounded_text(path) for path in call.paths),
                arguments=bounded_arguments(self._arguments[key]),
                files=tuple(map(self._redact, edited_files(call, self._workspace, run.working_directory))),
            )

    def _bounded_text(self, text: str) -> str:
        return cut_text(clean(self._redact(text)), limit=ARGUMENT_CHARACTERS)

    def _place(self, directory: str) -> str:
        """Return a directory of the CLI under the name that the workspace has for us: the CLI follows links."""
        where = clean(directory) or str(self._workspace)
        inside = where == self._real or where.startswith(f"{self._real}/")
        return f"{self._workspace}{where[len(self._real) :]}" if inside else where

    def _known(self, key: str, directory: str, before: WorkTreeState | None) -> ToolRun:
        """Return a call that is in the record already, with what only its second announcement tells."""
        run = self._runs[key]
        if directory:
            run = replace(run, working_directory=self._redact(self._place(directory)))
        self._runs[key] = replace(run, before=before or run.before)
        return self._runs[key]

    def returned(
        self,
        *,
        run_id: str,
        account: object = None,
        after: WorkTreeState | None = None,
        changed: Sequence[TreeChange] | None = None,
    ) -> None:
        """Note that a call ended and its result is on its way: the CLI's own account of it, and the work tree now.

        `changed` is what differs in it from before the call (None: nobody could tell).
        """
        if clean(run_id) in self._open:
            own = None if changed is None else self._own_names(changed)
            self._returns[clean(run_id)] = _Return(at=self._now(), account=account, after=after, changed=own)

    def finished(
        self, *, run_id: str, text: str, is_error: bool, structured: object = None, end: ToldEnd | None = None
    ) -> ToolRun | None:
        """Record the end of a tool call, or that it runs on in the background; None for an unknown call.

        `text` is the result as the model sees it, `structured` the CLI's own account of it where it gave one, `end` how
        a command ended where that is not read from the result.
        """
        key = clean(run_id)
        self._open.discard(key)
        self._ended.set()
        back = self._returns.pop(key, None)
        run = self._runs.get(key)
        if run is None:
            return None
        account = structured if back is None or back.account is None else back.account
        told = account if isinstance(account, Mapping) else {}
        if back is not None:
            run = replace(run, after=back.after, changed=back.changed)
        if told.get("backgroundTaskId"):
            return self._keep(replace(run, background=True), bounded(""))
        ok = not is_error and told.get("interrupted") is not True
        refused = not ok and key in self._refused
        status = exit_status(run.kind, text, ok=ok, tool=run.tool)
        if end is not None:
            status = end.exit_status if run.kind is ToolKind.SHELL else None
        if status == 0 and told.get("returnCodeInterpretation"):
            status = 1  # a `grep` that found nothing, a `diff` that found something: no failure to the CLI
        ended = replace(
            run,
            ended_at=back.at if back else self._now(),
            ok=ok,
            exit_status=status,
            refused=refused,
            files=run.files if ok else (),
        )
        return self._keep(ended, whole_output(text, account, places=self._places))

    def left_background(self, *, run_id: str, ok: bool, summary: str, output_file: str) -> ToolRun | None:
        """Record the end of a call that was left running in the background; None for any other call."""
        run = self._runs.get(clean(run_id))
        if run is None or not run.background or run.ended_at is not None:
            return None
        match = BACKGROUND_EXIT.search(summary)
        status = int(match.group(1)) if match else None
        output = read_output(output_file, places=self._places) or bounded("")
        return self._keep(replace(run, ended_at=self._now(), ok=ok and status in (0, None), exit_status=status), output)

    def _keep(self, run: ToolRun, output: BoundedOutput) -> ToolRun:
        text = clean(self._redact(output.text))
        output = BoundedOutput(text=text, size=len(text) if output.size == len(output.text) else output.size)
        kept = replace(
            run,
            output_head=output.head,
            output_tail=output.tail,
            output_sha256=output.sha256,
            output_size=output.size,
        )
        reading = self._reading(kept, text)
        kept = replace(kept, ran=reading.ran, touched=reading.touched, looked=reading.looked)
        if kept.kind is ToolKind.REPORT and kept.ok:
            kept = replace(kept, declared=self._declared(kept))
        self._runs[run.id] = kept
        if kept.ended_at is not None:
            self._arguments.pop(run.id, None)
        return kept

    def _declared(self, run: ToolRun) -> Declaration | None:
        if self._declarations is None:
            return None
        read = self._declarations.read(declaring_tool(run.tool), self._arguments.get(run.id, {}))
        return read if isinstance(read, Declaration) else None

    def _reading(self, run: ToolRun, output: str) -> CallReading:
        if self._reader is None or run.refused:
            return CallReading()
        try:
            return self._reader.read(run, arguments=self._arguments.get(run.id, {}), output=output)
        except Exception as error:  # noqa: BLE001 - one odd output must not lose the turn; nothing of it is confirmed
            log.warning("call_not_read", tool=run.tool, call=run.id, failure=f"{type(error).__name__}: {error}")
            if self._metrics is not None:
                self._metrics.count("calls_not_read", tool=run.tool)
            return CallReading()


def exit_status(kind: ToolKind, text: str, *, ok: bool, tool: str = "Bash") -> int | None:
    """Return the exit status of a shell call; None for other tools and where the command did not run to an end.

    Of a shell that is not Claude's the words around its output tell; None where one of a server says nothing.
    """
    if kind is not ToolKind.SHELL:
        return None
    if tool.lower() != "bash" and (told := _last(FURTHER_EXIT, f"{text[:200]}\n{text[200:][-300:]}")) is not None:
        return told
    if ok:
        return None if is_served(tool) else 0
    status = EXIT_CODE.match(text)
    return int(status.group(1)) if status else None


def _last(pattern: re.Pattern[str], text: str) -> int | None:
    figures = pattern.findall(text)
    return int(figures[-1]) if figures else None


def edited_files(call: ToolCall, workspace: Path, directory: str = "") -> tuple[str, ...]:
    """Return the files that an editing call names: relative to the workspace where inside it, else absolute.

    A relative name is taken from `directory` ("": the workspace).
    """
    if call.kind not in FILE_WRITERS or not call.paths:
        return ()
    return tuple(_named(path, workspace, directory) for path in call.paths)


def _named(path: str, workspace: Path, directory: str) -> str:
    file = os.path.normpath(os.path.join(workspace, directory, clean(path)))  # noqa: PTH118 - lexical: nothing is looked up
    for root in (workspace, Path(os.path.realpath(workspace))):
        if Path(file).is_relative_to(root):
            return str(Path(file).relative_to(root))
    return file
