"""How a run ended, from its exit status, what its tool printed, and what was printed after it."""

from collections.abc import Sequence

from mama_bot.model import Counts, RunEnd, RunKind
from mama_bot.runs.formats import TABLES, Summary, summed
from mama_bot.runs.git_commands import GIT_KINDS
from mama_bot.runs.output import Output
from mama_bot.runs.own_output import spoken_after
from mama_bot.runs.scripts import TASK_RUNNERS
from mama_bot.runs.told_runs import RunStep
from mama_bot.shell.exit_states import FAILED, OK, SKIPPED, View
from mama_bot.shell.flow import Flow
from mama_bot.shell.tokens import word_set
from mama_bot.shell.wrappers import program
from mama_bot.text.patterns import compiled

CUT_OFF = frozenset({124, 130, 137, 143})
# The shell found no such program, or one that cannot be run.
NOT_FOUND = frozenset({126, 127})
IDLE = compiled(
    r"(?m:^g?make(?:\[\d+\])?: (?:'[^']*' is up to date\.|Nothing to be done for ))"
    r"|(?m:^> echo [^&;|\n]*$)",
    groups=False,
)

IDLE_TARGET = compiled(r"(?m:^g?make(?:\[\d+\])?: (?:Nothing to be done for )?'([^'\n]*)'(?: is up to date)?\.)")


def is_idle(run: RunStep, output: Output) -> bool:
    """Return whether a script says that it had nothing to do, or was only to run where there is one."""
    if run.tool.name == "pre-commit":
        return output.has("Skipped") and not output.has("Passed") and not output.has("Failed")
    if not run.tool.script:
        return False
    if "--if-present" in run.step.argv and not output.text.strip():
        return True
    return IDLE.search(output.tail) is not None


def note_nothing_to_make(runs: Sequence[RunStep], output: Output) -> None:
    """Let what make had nothing to do for be absent, where it names that target beside what else ran."""
    for match in IDLE_TARGET.finditer(output.tail):
        target = match.group(1)
        for run in runs:
            if run.summary is None and run.step.argv[:1] == ("make",) and target in run.step.argv[1:]:
                run.absent = True


# What runners of tasks print where a task failed: make, pnpm, npm, yarn, bun, just, task, mise.
GAVE_UP = (
    *("make: *** [", "ELIFECYCLE", "npm ERR! code", "npm error code", "error Command failed"),
    *('error: script "', "` failed on line ", "task: Failed to run task", "ERROR task failed", "RUN_FIRST_FAIL"),
)
# They print that sentence wherever a task failed; npm prints nothing.
SIGNING = (TASK_RUNNERS | word_set("pnpm yarn bun")) - word_set("ninja composer nx lerna sbt lein gulp dune ant")
# They print what is wrong, and nothing where nothing is; of git the quiet commands.
SILENT = word_set("tsc flake8 isort gcc javac rustc eslint prettier") | {"go vet", "go build", "cargo fmt", "next lint"}
QUIET = word_set("-s --silent -q --quiet")
LOUD_GIT = ("fatal:", "error:", "rejected]", "CONFLICT")


def gave_up(output: Output) -> bool:
    """Return whether a runner of tasks says that a task failed."""
    return next(output.last_with(*GAVE_UP), None) is not None


def note_giving_up(run: RunStep, output: Output) -> None:
    """Let a script that says itself that it gave up be failed, whatever the last suite in it said."""
    if run.tool.script and gave_up(output):
        counts = run.summary.counts if run.summary is not None else Counts()
        run.summary = Summary(end=RunEnd.FAILED, counts=counts)


def trusted(run: RunStep, summary: Summary | None, output: Output) -> Summary | None:
    """Return what of a summary counts behind the filters of a pipeline: a failure always, success with the end."""
    view = run.step.view
    whole = view is View.BEGINNING and output.text.count("\n") + 1 < run.step.most
    if view in {View.WHOLE, View.END} or whole:
        return summary
    failed = summary is not None and summary.end is RunEnd.FAILED
    return Summary(end=RunEnd.FAILED) if failed else None  # what a filter chose counts nothing


def says_failure(run: RunStep, output: Output) -> bool:
    """Return whether a run whose end is not to be seen printed that something in it failed."""
    mark = FAILURES.get(run.tool.name) if run.step.seen else None
    return mark is not None and any(mark.match(line) for line in output.end)


# The lines of single failures, for where the end is not to be seen.
FAILURES = {name: compiled(line, ignore_case=False) for name, line in TABLES["failures"].items()}


def says_no_failure(run: RunStep, output: Output) -> bool:
    """Return whether a run would have printed that it failed, where it could be seen, and did not."""
    step = run.step
    if not step.seen or step.muted or step.view not in {View.WHOLE, View.END} or step.background or step.limited:
        return False
    name = program(step.argv[0])
    if run.tool.kind in GIT_KINDS and name == "git":
        return not run.tool.chatty and next(output.last_with(*LOUD_GIT), None) is None
    if run.tool.script and name in SIGNING:
        return QUIET.isdisjoint(step.argv) and bool(output.text.strip())
    # Words that are not its own may be errors in another form: only of `tsc` each one has its sign.
    return run.tool.name in SILENT and not run.tool.script and (run.tool.name == "tsc" or not output.text.strip())


def whole_summary(run: RunStep, summaries: list[Summary]) -> Summary | None:
    """Return one run's summary: what a tool printed last; a script and a loop may run several suites."""
    if run.tool.script or run.step.repeated:
        return summed(summaries)
    return summaries[-1] if summaries else None


def end_of(run: RunStep, status: int | None, output: Output, *, open_ended: bool) -> RunEnd | None:
    """Return how a run ended; None where it did not run."""
    step, summary = run.step, run.summary
    if step.ends == {SKIPPED}:
        return None
    if open_ended or step.background or (step.cut and summary is None):
        return RunEnd.OPEN
    if SKIPPED in step.ends:
        return end_of_skipped(run) if summary is None else summary.end
    if step.ends == {OK}:
        return end_of_good(run)
    if step.ends == {FAILED}:
        return end_of_failed(run, status)
    if summary is not None or run.absent:
        return RunEnd.NOTHING if summary is None else summary.end
    if status is None or (step.limited and status == 124):
        return RunEnd.OPEN
    if says_failure(run, output):
        return RunEnd.FAILED
    return RunEnd.PASSED if says_no_failure(run, output) else RunEnd.MASKED


def end_of_good(run: RunStep) -> RunEnd:
    """Return the end of a run that ended well by its status: what it says itself may still be that it failed."""
    if run.tool.nothing or (run.summary is None and run.absent):
        return RunEnd.NOTHING
    if run.summary is None and "--exit-zero" in run.step.argv:
        return RunEnd.MASKED
    if run.summary is None or run.tool.kind is RunKind.COMMIT:
        return RunEnd.PASSED  # with nothing to commit it fails: those are the words of another program
    return run.summary.end


def end_of_skipped(run: RunStep) -> RunEnd | None:
    """Return the end of a run that may have been skipped, and says nothing of itself."""
    if run.tool.chatty and run.step.seen:
        return None
    return RunEnd.FAILED if run.step.ends == {FAILED, SKIPPED} else RunEnd.MASKED


def end_of_failed(run: RunStep, status: int | None) -> RunEnd:
    """Return the end of a run that did not end well: it failed, was cut off, or had nothing to run."""
    if run.summary is not None and run.summary.end is RunEnd.NOTHING:
        return RunEnd.NOTHING
    if run.tool.kind in GIT_KINDS and run.summary is not None:
        return run.summary.end  # the commit is there, whatever came after it
    if run.summary is None and (status in NOT_FOUND or run.absent):
        return RunEnd.NOTHING
    if status in CUT_OFF and (status != 124 or run.step.limited) and run.summary is None:
        return RunEnd.OPEN
    return RunEnd.NOTHING if status == 5 and run.tool.name == "pytest" else RunEnd.FAILED


def distrust_later_words(runs: list[RunStep], flow: Flow) -> None:
    """Drop good summaries that what was printed later may have forged; a bad one still counts."""
    known = {run.index for run in runs if not run.tool.script}
    for run in runs:
        others = [step for index, step in enumerate(flow.steps) if step is run.step or index not in known]
        if run.summary is not None and run.summary.end is RunEnd.PASSED and spoken_after(run.step, others):
            # Where the exit status says that it ended well, its own figures are the first ones.
            run.summary = run.first if run.step.ends == {OK} else None
