"""Reads what a finished tool call ran, how that ended, and which files it wrote."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from mama_bot.config import RunCommands
from mama_bot.model import (
    FILE_WRITERS,
    CallReading,
    FileFate,
    FileTouch,
    Look,
    LookKind,
    Run,
    RunEnd,
    RunKind,
    ToolKind,
    ToolRun,
    well_formed,
)
from mama_bot.runs.directories import directory_options
from mama_bot.runs.ends import (
    distrust_later_words,
    end_of,
    is_idle,
    note_giving_up,
    note_nothing_to_make,
    trusted,
    whole_summary,
)
from mama_bot.runs.files import (
    SOME_FILES,
    gathered,
    relative,
    touched_by_edit,
    touched_by_step,
)
from mama_bot.runs.formats import Summary, summed
from mama_bot.runs.git_commands import GIT_KINDS, git_call, git_end, git_tool
from mama_bot.runs.inner_runs import give_shown, runs_inside
from mama_bot.runs.junit import read_junit
from mama_bot.runs.looks import last_looks, look_of_tool, looks_of
from mama_bot.runs.missed_files import missed_in, says_missed
from mama_bot.runs.output import Output, without_labels
from mama_bot.runs.own_output import OwnLines, told_by_echo
from mama_bot.runs.programs import NAMING, behind_wrapper, recognise
from mama_bot.runs.result_files import others_may_leave
from mama_bot.runs.scripts import kind_of_name, script
from mama_bot.runs.shadowed_programs import is_stood_in_for
from mama_bot.runs.told_runs import INTERPRETERS, RunStep, script_name, summaries_of
from mama_bot.runs.tools import Tool
from mama_bot.shell.exit_states import FAILED, OK, ShellStep, View
from mama_bot.shell.flow import Flow, joined_path
from mama_bot.shell.tokens import word_set
from mama_bot.shell.wrappers import RUNNERS, program
from mama_bot.text.patterns import Pattern, alternation, compiled
from mama_bot.tool_names import command_of, is_served

MAX_WORDS = 400
# Seconds by which the time of a file may be coarser than the clock.
CLOCK_SLACK = 2.0
ABSENT = compiled(
    r"go\.mod file not found|could not find `Cargo\.toml`|could not determine executable to run|command not found"
    r"|does not contain a Gradle build|there is no POM in this directory|Missing script:|No rule to make target"
    r"|No module named (?:pytest|nose|unittest2|mypy|ruff|flake8|black|build)\b|no build file"
    r"|Could not find a package.json|enoent .*package\.json|no configuration file provided|Could not locate Gemfile"
    r"|There are no \.py\[i\] files in|This project is configured to use ",
    groups=False,
)
REFUSED = (
    "<tool_use_error>",
    "Permission to use",
    "The user doesn't want",
    "PreToolUse:",
    "requested permissions",
    "was blocked",
)
# They may run several tasks at once.
LABELLING = word_set("turbo nx lerna mise pnpm moon")
# They end with a status that is not 0 where there was nothing to do.
NOTHING_FAILS = frozenset({"pytest", "git commit"})


class RunReader:
    """Reads tool calls of one workspace: a `CallReader`.

    Directories and paths in what it returns are relative to `workspace` where they lie in it ("" is the workspace
    itself), else absolute. `junit_xml` are paths in the workspace. Raises ConfigurationError for an expression of
    `commands` that is no RE2. Reading never raises, and costs a bounded amount whatever the call holds.
    """

    def __init__(self, *, commands: RunCommands, workspace: Path, junit_xml: Sequence[str] = ()) -> None:
        self._workspace = str(workspace)
        self._junit_xml = tuple(junit_xml)
        self._own: list[tuple[RunKind, Pattern]] = [
            (RunKind(name), alternation(expressions))
            for name in RunCommands.model_fields
            if (expressions := getattr(commands, name))
        ]

    def read(self, call: ToolRun, *, arguments: Mapping[str, Any], output: str) -> CallReading:
        """Return what the call ran, wrote and showed."""
        if call.kind in FILE_WRITERS:
            if call.ok is False:
                return CallReading()
            return CallReading(touched=touched_by_edit(call, arguments, output, self._workspace))
        if call.kind is not ToolKind.SHELL:
            seen = look_of_tool(call, arguments) if call.ok else ()
            return CallReading(looked=tuple(self._placed(look, "") for look in seen))
        command = command_of(arguments)
        if call.ok is False and call.exit_status is None and any(mark in output[:400] for mark in REFUSED):
            return CallReading()
        return self._shell(
            call,
            well_formed(command),
            background=call.background or arguments.get("run_in_background") is True,
            text=well_formed(output),
        )

    def tools(self, command: str) -> tuple[Tool, ...]:
        """Return the known programs that a command line runs, in order; none where it is not understood."""
        return tuple(run.tool for run in self._recognised(Flow(command, self._workspace, behind_wrapper)))

    def _shell(self, call: ToolRun, command: str, *, background: bool, text: str) -> CallReading:
        directory = joined_path(self._workspace, call.working_directory)
        flow = Flow(command, directory, behind_wrapper)
        if not flow.understood:
            return CallReading(touched=(FileTouch(path=SOME_FILES, fate=FileFate.CHANGED),))
        status = call.exit_status if call.exit_status is not None or call.ok is not True else 0
        # What a shell of a server returns without an error may still have failed.
        final = None if call.exit_status is None and is_served(call.tool) else status
        open_ended = background or (status is None and call.ok is None)
        runs = self._recognised(flow)
        if not open_ended:
            runs = sorted((*runs, *unknown_scripts(flow, runs)), key=lambda run: run.index)
        if any(program(step.argv[0]) in LABELLING for step in flow.steps if step.argv):
            text = without_labels(text)
        output = Output("" if open_ended else text, own=OwnLines(flow.steps).holds)
        if runs:
            self._look(runs, output)
            if not open_ended:
                flow.solve(final, {})
                distrust_later_words(runs, flow)
                self._look_at_files(call, flow, runs)
        self._decide(flow, runs, text, final)
        ran: list[Run] = []
        touched: list[FileTouch] = []
        ran_of = {run.index: run for run in runs}
        before: dict[int, int] = {}
        misses = missed_in(text)
        for index, step in enumerate(flow.steps):
            run = ran_of.get(index)
            earlier = before.setdefault(step.pipeline, len(ran))
            touched.extend(self._touches(step, run, earlier, misses))
            end = end_of(run, status, output, open_ended=open_ended) if run is not None else None
            if run is not None and end is not None:
                if end is RunEnd.PASSED and is_stood_in_for(step, command, {touch.path for touch in touched}):
                    run.summary, run.shown, end = None, [], RunEnd.MASKED
                ran.extend(self._run(part, ended, hook=hook) for part, ended, hook in runs_inside(run, end, output))
        shown = () if open_ended else self._looks(flow, output)
        return CallReading(ran=tuple(ran), touched=gathered(touched), looked=last_looks(shown))

    def _looks(self, flow: Flow, output: Output) -> Iterator[Look]:
        for step in flow.steps:
            yield from (self._placed(look, step.directory) for look in looks_of(step, output))

    def _placed(self, look: Look, directory: str) -> Look:
        if look.kind is not LookKind.FILE:
            return look
        return replace(look, subject=relative(joined_path(directory, look.subject), self._workspace))

    def _touches(
        self, step: ShellStep, run: RunStep | None, earlier: int, misses: Sequence[str]
    ) -> Iterator[FileTouch]:
        for path, fate in touched_by_step(step, run.tool if run is not None else None):
            if not misses or not says_missed(step, path, misses):
                place = path if path == SOME_FILES else relative(path, self._workspace)
                yield FileTouch(path=place, fate=fate, after=earlier)

    def _recognised(self, flow: Flow) -> list[RunStep]:
        runs: list[RunStep] = []
        for index, step in enumerate(flow.steps):
            if not step.argv:
                continue
            tool = self._tool(step)
            if tool is not None:
                runs.append(RunStep(index, step, tool))
        return runs

    def _tool(self, step: ShellStep) -> Tool | None:
        if self._own:
            begun = _beginnings(step)
            for kind, pattern in self._own:
                if any(pattern.match(text) is not None for text in begun):
                    known = recognise(step.argv)
                    return replace(known, kind=kind) if known else Tool(kind=kind, name=step.argv[0], script=True)
        if program(step.argv[0]) == "git":
            call = git_call(step.argv)
            if call is None:
                return None
            for change in call.directories:
                step.directory = joined_path(step.directory, change)
            return git_tool(call)
        for change in directory_options(step.argv):
            step.directory = joined_path(step.directory, change)
        known = recognise(step.argv)
        runner = program(step.written[0]) if step.written else ""
        if known is None and runner in RUNNERS and step.argv[0].isidentifier():  # `hatch run lint`
            return script(kind_of_name(step.argv[0]), f"{runner} run {step.argv[0]}", step.argv[1:])
        return known

    def _look(self, runs: list[RunStep], output: Output) -> None:
        """Give each run the part of the output that is its own."""
        give_shown(runs, output)
        by_name: dict[str, list[RunStep]] = {}
        for run in runs:
            if run.step.seen and not run.step.background:
                by_name.setdefault(run.tool.name, []).append(run)
        for namesakes in by_name.values():
            summaries = summaries_of(namesakes[0].tool, output)
            if len(namesakes) == 1:
                (run,) = namesakes
                # A hook may run the same suite once more.
                hooked = any(later.index > run.index and later.shown for later in runs if later.tool.kind in GIT_KINDS)
                run.summary = summaries[0] if hooked and len(summaries) == 2 else whole_summary(run, summaries)
                note_giving_up(run, output)
                run.first = summaries[0] if summaries and not run.tool.script else run.summary
                continue
            for place, run in enumerate(namesakes):
                last = place + 1 == len(namesakes)
                if place < len(summaries):
                    run.summary = summed(summaries[place:]) if last and run.tool.script else summaries[place]
        if len(runs) == 1 and runs[0].summary is None:
            runs[0].absent = ABSENT.search(output.tail) is not None or is_idle(runs[0], output)
        note_nothing_to_make(runs, output)
        for run in runs:
            if run.tool.kind in GIT_KINDS and run.step.seen:
                cut = run.step.view is not View.WHOLE or run.step.written[:1] != run.step.argv[:1]
                end, run.target = git_end(run.tool, output, cut=cut)
                run.summary = None if end is None else Summary(end=end)
            else:
                run.summary, run.first = trusted(run, run.summary, output), trusted(run, run.first, output)

    def _look_at_files(self, call: ToolRun, flow: Flow, runs: list[RunStep]) -> None:
        """Let a JUnit file written during the call stand above the text, where one run alone can have written it.

        A failure that the text or the exit status tells stands above any file.
        """
        suites = [run for run in runs if run.tool.kind is RunKind.TESTS and not run.step.background]
        if not self._junit_xml or len(suites) != 1:
            return
        suite, told = suites[0], suites[0].summary
        failed = (told is not None and told.end is RunEnd.FAILED) or suite.step.ends == {FAILED}
        names = frozenset(Path(name).name for name in self._junit_xml)
        tools = frozenset(run.index for run in runs if not run.tool.script)
        if failed or others_may_leave(names, flow.steps, suite.index, tools):
            return
        since = call.started_at.timestamp() - CLOCK_SLACK
        until = None if call.ended_at is None else call.ended_at.timestamp() + CLOCK_SLACK
        places = [place for name in self._junit_xml if (place := Path(self._workspace, name)).is_file()]
        files = [read_junit(place, since=since, until=until) for place in places]
        suite.summary = summed(summary for summary in files if summary is not None) or told

    def _decide(self, flow: Flow, runs: list[RunStep], text: str, status: int | None) -> None:
        """Settle how the steps ended, from the exit status, the summaries, and what `echo $?` printed."""
        flow.solve(status, {})
        known = told_by_echo(flow, text)
        guessed: dict[int, str] = {}
        for run in runs:
            summary = run.summary
            if summary is None or run.index in known or len(run.step.ends) < 2 or run.step.background:
                continue
            if summary.end is not RunEnd.NOTHING or run.tool.name in NOTHING_FAILS:
                guessed[run.index] = OK if summary.end is RunEnd.PASSED else FAILED
        while known or guessed:
            if flow.solve(status, {**guessed, **known}):
                return
            if guessed:
                guessed.popitem()
            else:
                known.clear()
        flow.solve(status, {})

    def _run(self, run: RunStep, end: RunEnd, *, hook: bool) -> Run:
        return Run(
            kind=run.tool.kind,
            tool=run.tool.name,
            command=" ".join(run.step.argv)[:1_000],
            end=end,
            directory=relative(run.step.directory, self._workspace),
            selected=run.tool.selected[:50],
            target=run.target or run.tool.target,
            dry=run.tool.dry,
            hook=hook,
            counts=run.summary.counts if run.summary is not None else Summary(end=end).counts,
        )


def unknown_scripts(flow: Flow, runs: Sequence[RunStep]) -> Iterator[RunStep]:
    """Yield the scripts of a project that nobody knows: what they print may tell what they ran."""
    known = {run.index for run in runs}
    for index, step in enumerate(flow.steps):
        name = script_name(step.argv) if index not in known and step.seen and not step.background else ""
        if name:
            # A file of tests is a part of them.
            chosen = step.argv[1:2] if program(step.argv[0]) in INTERPRETERS and kind_of_name(name) else ()
            tool = Tool(kind=RunKind.TESTS, name=name, selected=chosen, script=True)
            yield RunStep(index, step, tool, unknown=True)


def _beginnings(step: ShellStep) -> list[str]:
    """Return how the words of a program begin: as written, without its wrappers, without its interpreter."""
    if program(step.argv[0]) in NAMING:
        return []
    ways = [step.written, step.argv]
    if program(step.argv[0]) in INTERPRETERS and step.argv[1:2] != ("-c",):
        ways.append(step.argv[1:])
    return [" ".join(words[:MAX_WORDS])[:4_000] for words in ways if words]
