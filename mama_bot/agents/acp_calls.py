"""Tool calls as agents tell them over the Agent Client Protocol: what each is, what it names, how it ended."""

import asyncio
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mama_bot.agents.record import clean
from mama_bot.model import ToolCall, ToolKind
from mama_bot.tool_names import call_of, command_of, foreign_tool, own_tool, replacements, served_tool

PLACES = frozenset({"cwd", "workdir"})  # where a call is made, which says nothing of what it does
SHELL, WRITE, EDIT, PATCH, READ = "shell", "write_file", "edit_file", "apply_patch", "read_file"
# What the protocol calls a kind of tool, by a name that says the same here.
TOOLS = {
    "execute": SHELL,
    "read": READ,
    "search": "search",
    "fetch": "web_fetch",
    "think": "write_todos",
    "switch_mode": "write_todos",
}
# Kinds that do nothing without arguments: who tells none has not told what it asks for.
WITH_ARGUMENTS = frozenset({"execute", "read", "edit", "delete", "move", "search", "fetch"})
# Where a command runs as Gemini says it, before the words of its model.
TOLD_DIRECTORY = re.compile(r"\[(?:in|current working directory) (.+?)\](?= \(| \[|$)")
SERVED_NOTE = "is_mcp_tool_call"  # what the adapter of Codex notes beside a call of a server's tool
ENDS = frozenset({"completed", "failed"})
BEGUN = frozenset({"in_progress", *ENDS})
MOST_OUTPUT = 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class FileDiff:
    """What a call makes of a file; `before` is None where it was not there."""

    path: str
    before: str | None
    after: str


@dataclass(slots=True, kw_only=True, eq=False)
class ToldCall:
    """One call, as far as the agent told of it; later words take the place of earlier ones.

    What is `foreign` is no tool of ours, whatever it is called; one that is `served` is a tool of a server, whatever
    kind it is told with (Codex: `execute`). `arguments_told` is set when the first of its arguments
    is told; `directory` is where it runs, where that is told beside them, `decided` the call that was permitted.
    """

    id: str
    name: str = ""
    title: str = ""
    kind: str = "other"
    status: str = "pending"
    given: dict[str, Any] = field(default_factory=dict)
    paths: tuple[str, ...] = ()
    directory: str = ""
    diffs: tuple[FileDiff, ...] = ()
    text: str = ""
    streamed: str = ""
    exit_status: int | None = None
    recorded: bool = False
    ended: bool = False
    refused: bool = False
    decided: ToolCall | None = None
    foreign: bool = False
    served: bool = False
    announced: bool = False
    arguments_told: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def permitted(self) -> bool:
        """Whether it may run."""
        return self.decided is not None

    @property
    def is_untold(self) -> bool:
        """Whether nobody can tell what it would do: its title stands for arguments only where none are announced."""
        return self.awaits_arguments and self.kind in WITH_ARGUMENTS

    def is_changed(self, workspace: str) -> bool:
        """Return whether it is another call by now than the one that was permitted."""
        return self.decided is not None and _deed(self.call(workspace)) != _deed(self.decided)

    @property
    def awaits_arguments(self) -> bool:
        """Whether it was announced without arguments so far. Who announces none at all (Gemini) will not tell any."""
        return self.announced and not self.arguments_told.is_set()

    def touches(self, path: str, workspace: str) -> bool:
        """Return whether it is under way and about a file."""
        named = (*self.paths, *(diff.path for diff in self.diffs))
        return self.recorded and not self.ended and _at(path, workspace) in {_at(each, workspace) for each in named}

    def hear(self, update: Mapping[str, Any]) -> None:
        """Take in what the agent tells of it now."""
        self.name = str(update.get("name") or self.name)
        self.title = clean(str(update.get("title") or self.title))
        if (kind := str(update.get("kind") or "other")) != "other":  # a question about a call may not know what it is
            self.kind = kind
        self.status = str(update.get("status") or self.status)
        notes = update.get("_meta")
        if isinstance(notes, Mapping) and notes.get(SERVED_NOTE) is True:
            self.served = True
        if isinstance(given := update.get("rawInput"), Mapping):
            self.announced = True
            self.given = {**self.given, **given}
            if given.keys() - PLACES:
                self.arguments_told.set()
        if isinstance(locations := update.get("locations"), Sequence) and locations:
            self.paths = tuple(str(each["path"]) for each in locations if isinstance(each, Mapping) and "path" in each)
        for part in update.get("content") or ():
            if isinstance(part, Mapping):
                self._hear_content(part)
        self._hear_end(update)

    def call(self, workspace: str) -> ToolCall:
        """Return the call as all rooms know calls."""
        tool, arguments = self._arguments()
        # OpenCode tells its own directory as `cwd` first, and then the one of the call as `workdir`.
        where = self.given.get("workdir") or self.given.get("cwd") or self.directory
        return replace(call_of(tool, arguments), directory=_at(str(where), workspace))

    @property
    def output(self) -> str:
        """What it printed, or what its result says."""
        return self.streamed or self.text

    def _hear_content(self, part: Mapping[str, Any]) -> None:
        match part.get("type"):
            case "diff" if part.get("path"):
                before = part.get("oldText")
                diff = FileDiff(
                    path=str(part["path"]), before=str(before) if before else None, after=str(part.get("newText") or "")
                )
                self.diffs = (*(each for each in self.diffs if each.path != diff.path), diff)
            case "content" if isinstance(block := part.get("content"), Mapping):
                text = str(block.get("text") or "")[:MOST_OUTPUT]
                if self.status != "pending":
                    self.text = text
                elif self.kind == "execute" and (told := TOLD_DIRECTORY.match(text)):
                    self.directory = told[1]

    def _hear_end(self, update: Mapping[str, Any]) -> None:
        """Codex tells of its commands in notes beside the update, OpenCode and others in the raw output."""
        notes = update.get("_meta") if isinstance(update.get("_meta"), Mapping) else {}
        assert isinstance(notes, Mapping)
        delta = notes.get("terminal_output_delta") or notes.get("terminal_output")
        if isinstance(delta, Mapping) and len(self.streamed) < MOST_OUTPUT:
            self.streamed += str(delta.get("data") or "")
        raw = update.get("rawOutput")
        metadata = raw.get("metadata") if isinstance(raw, Mapping) else None
        for told in (notes.get("terminal_exit"), raw, metadata):
            if isinstance(told, Mapping):
                for key in ("exit_code", "exitCode", "exit"):
                    if isinstance(status := told.get(key), int) and not isinstance(status, bool):
                        self.exit_status = status
        if self.served and isinstance(raw, Mapping):
            self.text = _served_text(raw.get("result"))[:MOST_OUTPUT]
        elif isinstance(raw, Mapping) and isinstance(output := raw.get("output") or raw.get("formatted_output"), str):
            self.text = output[:MOST_OUTPUT]
        elif isinstance(raw, str):
            self.text = raw[:MOST_OUTPUT]

    def _arguments(self) -> tuple[str, dict[str, Any]]:
        if self.served:
            tool, given = served_tool(str(self.given.get("server")), str(self.given.get("tool"))), {**self.given}
            arguments = given.get("arguments")
            return self._named(tool), dict(arguments) if isinstance(arguments, Mapping) else given
        match self.kind:
            case "execute":
                return SHELL, {**self.given, "command": command_of(self.given) or self.title}
            case "edit" | "delete" | "move":
                return self._edit()
            case "read" if self.paths:
                return READ, {**self.given, "file_path": self.paths[0]}
            case kind if kind in TOOLS:
                return TOOLS[kind], self.given or {"title": self.title}
            case _:
                return self._named(self.name or self.title or "other"), dict(self.given)

    def _named(self, name: str) -> str:
        return foreign_tool(name) if self.foreign else own_tool(name)

    def _edit(self) -> tuple[str, dict[str, Any]]:
        if len(self.diffs) == 1 and self.kind == "edit":
            (diff,) = self.diffs
            if diff.before is None:
                return WRITE, {"file_path": diff.path, "content": diff.after}
            return EDIT, {"file_path": diff.path, "old_string": diff.before, "new_string": diff.after}
        if self.diffs or self.kind != "edit":
            return PATCH, {"patch": self._patch()}
        tool = WRITE if "content" in self.given else EDIT
        return tool, {**({"file_path": self.paths[0]} if self.paths else {}), **self.given}

    def _patch(self) -> str:
        """Return the files in the form in which a patch names them."""
        lines = [f"*** {'Add' if diff.before is None else 'Update'} File: {diff.path}" for diff in self.diffs]
        named = {diff.path for diff in self.diffs}
        mark = "Delete" if self.kind == "delete" else "Update"
        lines += [f"*** {mark} File: {path}" for path in self.paths if path not in named]
        return "\n".join(("*** Begin Patch", *lines, "*** End Patch"))


def _served_text(result: object) -> str:
    """Return the words of what a server's tool answered."""
    blocks = result.get("content") if isinstance(result, Mapping) else None
    listed = blocks if isinstance(blocks, list) else []
    return "\n".join(str(block["text"]) for block in listed if isinstance(block, Mapping) and "text" in block)


def _at(path: str, workspace: str) -> str:
    return os.path.normpath(os.path.join(workspace, path))  # noqa: PTH118 - lexical: nothing is looked at


def _deed(call: ToolCall) -> tuple[object, ...]:
    """Return what a call does, in whatever words: two of one deed need one decision."""
    paths = frozenset(_at(path, call.directory) for path in call.paths)
    match call.kind:
        case ToolKind.SHELL:
            return call.kind, call.command, call.directory
        case ToolKind.WRITE | ToolKind.EDIT:
            return "change", paths, replacements(call)
        case ToolKind.READ:
            return call.kind, paths
        case _:
            return call.kind, call.tool, dict(call.arguments)
