"""How a run ended, from its exit status, what its tool printed, and what was printed after it."""

from dataclasses import replace

from mama_bot.model import RunEnd, RunKind
from mama_bot.runs.checkers import CHECKERS
from mama_bot.runs.formats import Summary, summed
from mama_bot.runs.output import Output
from mama_bot.runs.own_output import spoken_after
from mama_bot.runs.scripts import OWN_NAMES
from mama_bot.runs.suites import SUITES
from mama_bot.runs.told_runs import RunStep
from mama_bot.shell.exit_states import FAILED, OK, SKIPPED
from mama_bot.shell.flow import Flow
from mama_bot.text.patterns import compiled

CUT_OFF = frozenset({124, 130, 137, 143})


# The shell found no such program, or one that cannot be run.
NOT_FOUND = frozenset({126, 127})


IDLE = compiled(
    r"(?m:^g?make(?:\[\d+\])?: (?:'[^']*' is up to date\.|Nothing to be done for ))"
    r"|(?m:^> echo [^&;|\n]*$)",
    groups=False,
)


def is_idle(run: RunStep, output: Output) -> bool:
    """Return whether a script of tests says that it had nothing to do, or was only to run where there is one."""
    if run.tool.kind is not RunKind.TESTS or not run.tool.script:
        return False
    return IDLE.search(output.tail) is not None or ("--if-present" in run.step.argv and not output.text.strip())


GAVE_UP = ("make: *** [", "make: *** No rule", "ELIFECYCLE", "npm ERR! code", "npm error code", "error Command failed")


def note_giving_up(run: RunStep, output: Output) -> None:
    """Let a script that says itself that it gave up be failed, whatever the last suite in it said."""
    if run.tool.script and run.summary is not None and next(output.last_with(*GAVE_UP), None) is not None:
        run.summary = replace(run.summary, end=RunEnd.FAILED)


READABLE = frozenset({*SUITES, *CHECKERS})


def go_by_shown_tool(run: RunStep) -> None:
    """Give a script that shows one tool of its kind the name of that tool, so that it is read as that tool is."""
    tools = [tool for _, tool in run.shown if tool.kind is run.tool.kind and tool.name in READABLE]
    if len(tools) == 1 and run.tool.name.rpartition(" ")[2] not in OWN_NAMES:
        run.tool = replace(run.tool, name=tools[0].name)


def whole_summary(run: RunStep, summaries: list[Summary]) -> Summary | None:
    """Return one run's summary: what a tool printed last; a script and a loop may run several suites."""
    if run.tool.script or run.step.repeated:
        return summed(summaries)
    return summaries[-1] if summaries else None


def end_of(run: RunStep, status: int | None, *, open_ended: bool) -> RunEnd | None:
    """Return how a run ended; None where it did not run."""
    step, summary = run.step, run.summary
    if step.ends == {SKIPPED}:
        return None
    if open_ended or step.background:
        return RunEnd.OPEN
    if SKIPPED in step.ends:
        if summary is None:
            return end_of_skipped(run)
        return summary.end
    if step.ends == {OK}:
        idle = run.tool.nothing or (summary is None and run.absent)
        return RunEnd.NOTHING if idle else summary.end if summary is not None else RunEnd.PASSED
    if step.ends == {FAILED}:
        return end_of_failed(run, status)
    if summary is not None:
        return summary.end
    if status is None or (step.limited and status == 124):
        return RunEnd.OPEN
    return RunEnd.MASKED


def end_of_skipped(run: RunStep) -> RunEnd | None:
    """Return the end of a run that may have been skipped, and says nothing of itself."""
    if run.tool.chatty and run.step.seen:
        return None
    return RunEnd.FAILED if run.step.ends == {FAILED, SKIPPED} else RunEnd.MASKED


def end_of_failed(run: RunStep, status: int | None) -> RunEnd:
    """Return the end of a run that did not end well: it failed, was cut off, or had nothing to run."""
    if run.summary is not None and run.summary.end is RunEnd.NOTHING:
        return RunEnd.NOTHING
    if run.summary is None and (status in NOT_FOUND or run.absent):
        return RunEnd.NOTHING
    if status in CUT_OFF and (status != 124 or run.step.limited) and run.summary is None:
        return RunEnd.OPEN
    return RunEnd.NOTHING if status == 5 and run.tool.name == "pytest" else RunEnd.FAILED


def distrust_later_words(runs: list[RunStep], flow: Flow) -> None:
    """Drop good summaries that what was printed later may have forged; a bad one still counts."""
    for run in runs:
        if run.summary is not None and run.summary.end is RunEnd.PASSED and spoken_after(run.step, flow.steps):
            # Where the exit status says that it ended well, its own figures are the first ones.
            run.summary = run.first if run.step.ends == {OK} else None
