"""A record as a line of time: what ran, what was written, in order, indexed once for all claims."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice

from mama_bot.enforcement.claims.reconciliation.calls import arguments_of, command_of, file_of, output_of
from mama_bot.enforcement.claims.reconciliation.moments import (
    EditAt,
    RunAt,
    concerns,
    left_alone,
    place_of,
    shows_success,
)
from mama_bot.enforcement.claims.reconciliation.results import (
    flow_of,
    is_log,
    log_text,
    logs_in,
    may_be_log,
    own_text,
    said_by_others,
)
from mama_bot.enforcement.claims.reconciliation.trips import SWITCHES, Moment, Step, Trip, branches_of, gits, trips
from mama_bot.enforcement.claims.reconciliation.trips import WORDS as TRIP_WORDS
from mama_bot.facts.places import belongs, is_below, is_code, is_scratch, joined
from mama_bot.model import FILE_WRITERS, ClaimKind, Counts, FileFate, Run, RunEnd, RunKind, ToolKind, ToolRun
from mama_bot.runs.programs import PROGRAMS
from mama_bot.text.patterns import compiled

LOOKERS = frozenset({ToolKind.READ, ToolKind.LIST, ToolKind.SEARCH, ToolKind.SHELL})
UNFORMATTED = frozenset((RunKind.TYPES, RunKind.LINT, RunKind.BUILD))
MAIN_BRANCHES = frozenset(("main", "master", "develop", "trunk"))
PATHS = compiled(r"/[\w./-]+\w", groups=False)
MAKES = frozenset(("make", "gmake"))
MOST_LOOKS = 40
MOST_RUNS = 300
BRINGS = compiled(r"\bgit (?:-\S+ )*(?:pull|merge|rebase)\b", groups=False)
BROUGHT = compiled(r"(?m:^ (\S+) +\| +(?:\d+|Bin))")
CONFLICTS = compiled(r"CONFLICT|Automatic merge failed|could not apply|--continue\b", groups=False)
PUTS_ELSE = compiled(r"\b(?:stash|reset|revert|cherry-pick|apply|am|restore|checkout [^;&|]*--)\b", groups=False)
NEW_BRANCH = compiled(r"\b(?:checkout (?:-q )?-[bB]|switch (?:-q )?-[cC]) +([\w./-]+)")


class Timeline:
    """What a record shows, for one agent; `told` are calls of others whose results it may report."""

    def __init__(self, runs: Sequence[ToolRun], *, agent: str, told: Sequence[ToolRun] = ()) -> None:
        self._agent = agent
        self._told = frozenset(one.id for one in told)
        self._commands: dict[str, str] = {}
        self._logs: dict[tuple[str, int], tuple[str, ...]] = {}
        self._own_texts: dict[tuple[str, int], str] = {}
        self._edits_after: dict[tuple[Moment, RunKind, str], EditAt | None] = {}
        self._in_places: dict[str, bool] = {}
        self._of_kinds: dict[tuple[RunKind, ...], tuple[RunAt, ...]] = {}
        self._last: dict[tuple[int, ...], list[RunAt]] = {}
        self.shown: dict[tuple[ClaimKind, str], list[RunAt]] = {}
        self.calls = (*told, *runs)
        self._own = {name: self._is_own(name) for name in {call.agent for call in self.calls}}
        self.own_calls = tuple(call for call in self.calls if self.is_own(call))
        self.edits = tuple(self._all_edits())
        self.runs = tuple(self._all_runs())

    def is_own(self, call: ToolRun) -> bool:
        """Whether a call counts as the agent's: its own, a subagent's, or told."""
        return self._own[call.agent] or call.id in self._told

    def _is_own(self, name: str) -> bool:
        owner = name.partition("/")[0]
        return not owner or owner == self._agent

    def _is_own_runner(self, run: Run, at: Moment) -> bool:
        """Whether the agent wrote what goes by the name of a known program, or the Makefile that was made from."""
        word = run.command.split(" ", 1)[0]
        name = word.rpartition("/")[2]
        if name not in PROGRAMS or ("/" not in word and name not in MAKES):
            return False
        path = joined(run.directory, "Makefile" if name in MAKES else word)
        return any(
            edit.own and edit.path == path and edit.at < at and (name not in MAKES or edit.fate is FileFate.CREATED)
            for edit in self.edits
        )

    def _all_runs(self) -> Iterator[RunAt]:
        for number, call in enumerate(self.calls):
            for position, run in enumerate(call.ran):
                known = replace(run, end=RunEnd.PASSED) if shows_success(run, call) else run
                if known.end is RunEnd.PASSED and self.edits and self._is_own_runner(run, (number, position)):
                    known = replace(run, end=RunEnd.MASKED, counts=Counts())
                yield RunAt(known, call, (number, position), place_of(run), self.is_own(call))

    def _all_edits(self) -> Iterator[EditAt]:
        for number, call in enumerate(self.calls):
            if not call.touched:
                continue
            own = self.is_own(call)
            for touch in call.touched:
                if touch.path or not left_alone(call, touch):
                    yield EditAt(joined("", touch.path), touch.fate, call, (number, touch.after), own)

    @cached_property
    def code_edits(self) -> tuple[EditAt, ...]:
        """The edits that may change what a check says, in order."""
        return tuple(
            edit
            for edit in self.edits
            if (is_code(edit.path) and not is_scratch(edit.path) if edit.path else not self._only_lands(edit))
        )

    def _only_lands(self, edit: EditAt) -> bool:
        """Whether a merge, pull or rebase brings no code that is new here: what was worked on here comes home by it, or
        git, which lists what it brings, lists none.
        """
        command = self.command(edit.call)
        if BRINGS.search(command) is None or PUTS_ELSE.search(command) is not None:
            return False
        if any(run.kind is RunKind.FORMAT and not run.dry for run in edit.call.ran):
            return False
        words = command.split()
        if any(branch in words for branch in self._branches):
            return True
        if any(words_of_git[0] in SWITCHES for words_of_git in gits(command)):
            return False
        output = output_of(edit.call)
        if CONFLICTS.search(f"{command}\n{output}") is not None:
            return False
        return not any(is_code(match.group(1)) for match in BROUGHT.finditer(output))

    @cached_property
    def _branches(self) -> frozenset[str]:
        """The branches that were made or worked on in this turn."""
        made = {match.group(1) for _, command in self.commands for match in NEW_BRANCH.finditer(command)}
        return frozenset((made | self.branches) - MAIN_BRANCHES)

    @cached_property
    def branches(self) -> frozenset[str]:
        """The branches that git showed the agent to be on."""
        found: set[str] = set()
        for call, command in self.commands:
            if "git" in command:
                found.update(branches_of(command, output_of(call)))
        return frozenset(found)

    @cached_property
    def trips(self) -> tuple[Trip, ...]:
        """What was put aside and taken back, or changed and restored."""
        if not any(any(word in command for word in TRIP_WORDS) for _, command in self.commands):
            return ()
        edits: dict[str, list[tuple[Moment, str]]] = {}
        for edit in self.edits:
            if edit.own:
                edits.setdefault(edit.call.id, []).append((edit.at, edit.path))
        return trips(
            [
                Step(self.command(call) if call.kind is ToolKind.SHELL else "", output_of(call), edits.get(call.id, ()))
                for call in self.own_calls
                if call.id in edits or call.kind is ToolKind.SHELL
            ]
        )

    def runs_of(self, kinds: tuple[RunKind, ...]) -> tuple[RunAt, ...]:
        """The latest runs of some kinds, at most 300: what ran before them says nothing of the end."""
        found = self._of_kinds.get(kinds)
        if found is None:
            found = self._of_kinds[kinds] = tuple(one for one in self.runs if one.run.kind in kinds)[-MOST_RUNS:]
        return found

    def last_of(self, runs: Sequence[RunAt], latest: Callable[[Iterable[RunAt]], Iterable[RunAt]]) -> list[RunAt]:
        """The runs among some that `latest` keeps, worked out once for the same runs."""
        key = tuple(map(id, runs))
        found = self._last.get(key)
        if found is None:
            found = self._last[key] = list(latest(runs))
        return found

    def edit_after(self, run: RunAt) -> EditAt | None:
        """The last edit that makes a run stale; None for a fresh one. A formatter changes no type and no finding."""
        key = (run.at, run.run.kind, run.place)
        if key not in self._edits_after:
            self._edits_after[key] = self._edit_after(run)
        return self._edits_after[key]

    def _edit_after(self, run: RunAt) -> EditAt | None:
        for edit in reversed(self.code_edits):
            if edit.at <= run.at:
                return None
            if run.run.kind in UNFORMATTED and edit.formats:
                continue
            if any(trip.spares(edit.at, edit.path, run.at) for trip in self.trips):
                continue
            if not edit.path or (belongs(edit.path, run.place) and concerns(edit, run)):
                return edit
        return None

    @cached_property
    def worked_in(self) -> tuple[str, ...]:
        """The code files that the agent itself wrote."""
        return tuple({edit.path: None for edit in self.code_edits if edit.own and edit.path})

    def in_place(self, run: RunAt) -> bool:
        """Whether a run is of the project that was worked on."""
        found = self._in_places.get(run.place)
        if found is None:
            found = self._in_places[run.place] = self._is_in_place(run)
        return found

    def _is_in_place(self, run: RunAt) -> bool:
        if "$" in run.place or "`" in run.place:
            return True  # nobody knows where
        if self.worked_in:
            return any(belongs(path, run.place) for path in self.worked_in)
        return is_below(run.place, "") or self._strayed or self._made_tree(run.place)

    def is_work(self, place: str) -> bool:
        """Whether the agent wrote in a directory, or checked the project out there."""
        return self._made_tree(place) or any(is_below(path, place) for path in self.worked_in)

    def _made_tree(self, place: str) -> bool:
        """Whether the agent itself checked the project out there."""
        names = ("worktree add", "git clone", "clone ")
        base = place.rpartition("/")[2]
        return any(base in command and any(name in command for name in names) for _, command in self.commands)

    @cached_property
    def _strayed(self) -> bool:
        """Whether the agent never ran anything in its workspace itself."""
        return not any(is_below(run.place, "") for run in self.runs if run.own)

    def place(self, run_id: str) -> int:
        """How far on in the record a call is."""
        return self._places.get(run_id, -1)

    def share_a_place(self, run_id: str, other_id: str) -> bool:
        """Whether a run of one call may be of what a run of another one was of: not in directories side by side."""
        ours = {run.place for run in self.runs if run.call.id == run_id}
        theirs = {run.place for run in self.runs if run.call.id == other_id}
        return any(
            one.startswith("/") or other.startswith("/") or is_below(one, other) or is_below(other, one)
            for one in ours
            for other in theirs
        )

    @cached_property
    def _places(self) -> dict[str, int]:
        return {call.id: number for number, call in enumerate(self.calls)}

    @cached_property
    def commands(self) -> tuple[tuple[ToolRun, str], ...]:
        """The agent's own shell calls with their commands."""
        return tuple((call, self.command(call)) for call in self.own_calls if call.kind is ToolKind.SHELL)

    def command(self, call: ToolRun) -> str:
        """The command of a shell call."""
        found = self._commands.get(call.id)
        if found is None:
            found = self._commands[call.id] = command_of(call)
        return found

    @cached_property
    def arguments(self) -> tuple[tuple[ToolRun, str], ...]:
        """The agent's own calls that did not fail, with all that was asked of them, in lower case."""
        return tuple((call, call.arguments.lower()) for call in self.own_calls)

    @cached_property
    def read(self) -> tuple[ToolRun, ...]:
        """The agent's own calls that looked at something."""
        return tuple(call for call in self.own_calls if call.kind in LOOKERS and call.ok is not False)

    def own_text(self, run: RunAt) -> str:
        """What of the output of a run's call may be its own words."""
        if self.edits and self._is_own_runner(run.run, run.at):
            return ""
        key = (run.call.id, run.at[1])
        found = self._own_texts.get(key)
        if found is None:
            output = output_of(run.call)
            directory = run.call.working_directory
            found = own_text(self.command(run.call), directory, run.run, output) if output.strip() else ""
            self._own_texts[key] = found
        return found

    def said_by_run(self, run: RunAt) -> str:
        """What of the output of a run's call is not the command's own words."""
        if run.run.end is not RunEnd.PASSED and run.run.end is not RunEnd.FAILED:
            return self.own_text(run)
        return said_by_others(flow_of(self.command(run.call), run.call.working_directory), output_of(run.call))

    def logs_of(self, run: RunAt) -> tuple[str, ...]:
        """What the agent's own later calls show of the file, or the background task, that has a run's output."""
        key = (run.call.id, run.at[1])
        found = self._logs.get(key)
        if found is None:
            found = self._logs[key] = tuple(islice(self._logs_of(run), MOST_LOOKS))
        return found

    def _logs_of(self, run: RunAt) -> Iterator[str]:
        launched = output_of(run.call) if run.run.end is RunEnd.OPEN else ""
        logs = logs_in(self.command(run.call), run.call.working_directory, run.run)
        said = flow_of(self.command(run.call), run.call.working_directory)
        logs |= {match.group() for match in islice(PATHS.finditer(launched), MOST_LOOKS)}
        if not logs and not launched:
            return
        names = tuple(one.rstrip("/").rpartition("/")[2] for one in logs)
        for call in self.own_calls[bisect_right(self._own_places, run.at[0]) :]:
            if call.kind is ToolKind.OUTPUT:
                if launched and any(one in launched for one in map(str, arguments_of(call).values()) if len(one) > 2):
                    yield said_by_others(said, output_of(call))
                continue
            asked = call.arguments
            if not any(name in asked for name in names):
                continue
            if any(
                may_be_log(edit.path, logs) and edit.call.id != run.call.id
                for edit in self._edits_by_call.get(call.id, ())
            ):
                return  # from here on the file holds other words
            text = self._shown_of(call, logs)
            if text:
                yield said_by_others(said, text)

    def _shown_of(self, call: ToolRun, logs: frozenset[str]) -> str:
        """What a call shows of some logs, and of nothing else."""
        if call.kind is ToolKind.SHELL:
            return log_text(self.command(call), call.working_directory, logs, output_of(call))
        named = file_of(call) if call.kind is ToolKind.READ else ""
        shown = bool(named) and (is_log(named, logs) or is_log(joined(call.working_directory, named), logs))
        return output_of(call) if shown else ""

    @cached_property
    def _edits_by_call(self) -> dict[str, list[EditAt]]:
        found: dict[str, list[EditAt]] = {}
        for edit in self.edits:
            found.setdefault(edit.call.id, []).append(edit)
        return found

    @cached_property
    def _own_places(self) -> list[int]:
        return [self.place(call.id) for call in self.own_calls]

    @cached_property
    def failed_writes(self) -> tuple[tuple[ToolRun, str], ...]:
        """The agent's own attempts to write a file that failed, with the file."""
        failed = (call for call in self.own_calls if call.ok is False and call.kind in FILE_WRITERS)
        return tuple((call, path) for call in failed if (path := file_of(call)))
