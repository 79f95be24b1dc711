"""Calls whose words do not tell what they ran: after one, nobody can say that a check was not run."""

from functools import lru_cache

from mama_bot.facts.command_lines import LOOKERS
from mama_bot.model import RunKind, ToolKind, ToolRun
from mama_bot.runs.programs import recognise
from mama_bot.shell.exit_states import ShellStep
from mama_bot.shell.flow import Flow
from mama_bot.shell.tokens import word_set
from mama_bot.shell.wrappers import RUNNERS, program

UNKNOWN_KINDS = frozenset((ToolKind.OTHER, ToolKind.OUTPUT))
# They run no check of their own, whatever their arguments are.
QUIET = LOOKERS | word_set(
    "git cp mv rm mkdir rmdir touch ln chmod chown tee sed awk find rg ag fd sort uniq less more tree export unset "
    "alias local declare umask trap wait date env kill ps lsof curl wget tar unzip zip gzip gunzip pip pip3 gh "
    "code vim nano source . patch rsync scp dirs hash mktemp bc expr yes column base64 xxd ss netstat free uptime"
)
# Words with which some of them do.
BUSY = {
    "find": word_set("-exec -execdir -ok -okdir"),
    "fd": word_set("-x -X --exec --exec-batch"),
    "gh": word_set("run workflow checks"),
    "git": word_set("bisect am cherry-pick revert rebase"),
}
# What a build or a check by these may hold tests too.
GATHERING = word_set(
    "make gmake just task rake ninja cmake bazel gradle gradlew mvn mvnw npm pnpm yarn bun npx tox nox pre-commit dune "
    "zig stack cabal meson scons ant sbt msbuild invoke inv nx turbo moon poe hatch"
)


def is_unknown(call: ToolRun) -> bool:
    """Return whether a call may have run a check that its record does not tell."""
    if call.kind is ToolKind.SHELL:
        # What a script printed may have told that it ran tests; else its name alone tells nothing.
        return runs_unknown(call.command) and not any(run.kind is RunKind.TESTS for run in call.ran)
    return call.kind in UNKNOWN_KINDS


def is_opaque(call: ToolRun) -> bool:
    """Return whether nobody can tell what a call did: it told of no run, and may have been anything."""
    if call.kind is ToolKind.SHELL:
        return not (call.ran or call.touched) and runs_unknown(call.command)
    return call.kind in UNKNOWN_KINDS or call.kind is ToolKind.TASK


@lru_cache(maxsize=2048)
def runs_unknown(command: str) -> bool:
    """Return whether a command line runs anything that may hold checks which are not read."""
    flow = Flow(command, "/")
    return not flow.understood or any(not is_known_step(step) for step in flow.steps)


def is_known_step(step: ShellStep) -> bool:
    """Return whether a program is one that runs no check, or one whose checks are read."""
    argv, written = step.argv, step.written
    name = program(argv[0]) if argv else ""
    if name in QUIET and program(written[0]) not in RUNNERS:  # `hatch run test` runs what the project calls so
        return BUSY.get(name, frozenset()).isdisjoint(argv)
    tool = recognise(argv) if name else None
    if tool is None:
        return not name
    return not tool.script and (tool.kind is RunKind.TESTS or name not in GATHERING)
