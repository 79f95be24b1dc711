"""Whose words an output is: the result of a run stands in its own output or log, and nowhere else."""

from collections.abc import Iterator
from functools import lru_cache

from mama_bot.model import Run
from mama_bot.runs.own_output import OwnLines
from mama_bot.runs.programs import recognise
from mama_bot.runs.shadowed_programs import is_stood_in_for
from mama_bot.runs.told_runs import script_name
from mama_bot.shell.exit_states import ShellStep
from mama_bot.shell.flow import Flow, joined_path
from mama_bot.shell.tokens import word_set
from mama_bot.shell.wrappers import program
from mama_bot.text.patterns import compiled

READERS = frozenset(("cat", "tail", "head", "less", "more", "grep", "egrep", "fgrep", "rg", "tac", "nl"))
FILTERS = READERS | {"sort", "uniq", "tee", "wc", "column", "strings"}
PATTERNED = frozenset(("grep", "egrep", "fgrep", "rg"))
VALUED = frozenset(("-n", "-c", "-A", "-B", "-C", "-m", "-e", "-f"))
# They print nothing, or nothing that could pass for a result.
QUIET = word_set(
    "cd pushd popd sleep true : false exit set export unset kill wait date mkdir pwd rm touch cp mv ls ps pgrep "
    "pkill jobs echo printf source_env test [ [[ git which nproc ulimit trap read local return break continue "
    "chmod npm pip pnpm yarn make cmake docker uv poetry"
)
# They act on a file that they name, or say a word: none of them runs it.
LOOKERS = (READERS | QUIET | FILTERS | {"sed", "awk", "vim", "vi", "nano", "find", "file", "stat", "diff", "type"}) - {
    *("npm", "pip", "pnpm", "yarn", "make", "cmake", "docker", "uv", "poetry"),
}
STARTERS = word_set(
    "nox tox pre-commit hatch uv poetry pdm docker bazel nx turbo lerna rake gradle gradlew mvn mvnw dotnet cmake "
    "ninja bundle composer mix sbt npx invoke inv just task act cargo go swift xcodebuild earthly dagger rye"
)
GIT_PRINTS = frozenset(("show", "log", "cat-file", "grep", "diff", "blame", "notes"))
REPORTS = frozenset(
    ("--outputfile", "--junitxml", "--junit-xml", "--json-report-file", "--output-file", "--report", "--resultsfile")
)
# Where a tool leaves its reports unasked, in each of its modules.
BELOW = "/**/"
REPORTS_IN = {
    "maven": ("target/surefire-reports", "target/failsafe-reports"),
    "gradle": ("build/test-results", "build/reports/tests"),
}
LITERAL = compiled(r"\d|\becho\b", groups=False)
PLAIN_SED = compiled(r"^(?:\d+|\$)?(?:,(?:\d+|\$))?[pq]$", groups=False)


@lru_cache(maxsize=256)
def flow_of(command: str, directory: str) -> Flow:
    """The parts of a command, read once."""
    return Flow(command, directory)


def logs_in(command: str, directory: str, run: Run) -> frozenset[str]:
    """The files that took the output of a run; none where its command may write other words there as well."""
    flow = flow_of(command, directory)
    mine = _steps_of(flow, run)
    logs: set[str] = set()
    for step in flow.steps:
        if not step.argv:
            continue
        taken = {joined_path(step.directory, one) for one in (step.log, *_targets(step)) if one and "$" not in one}
        if any(step is one for one in mine):
            logs |= taken | {joined_path(step.directory, one) for one in _reports(step)}
            logs |= {f"{step.directory}{BELOW}{one}/" for one in REPORTS_IN.get(run.tool, ())}
        elif _writes_other_words(step):
            logs -= taken
    return frozenset(one for one in logs if not one.startswith("/dev/"))


def own_text(command: str, directory: str, run: Run, output: str) -> str:
    """What of a call's output may be the words of a run of it; "" where other programs of it print as well."""
    flow = flow_of(command, directory)
    mine = next(iter(_steps_of(flow, run)), None)
    if mine is None or is_stood_in_for(mine, command):
        return ""
    logs = logs_in(command, directory, run)
    shown = mine.seen
    for step in flow.steps:
        if not step.argv or recognise(step.argv) is not None:
            continue
        if not step.seen and step.pipeline != mine.pipeline:
            continue
        kind = _reads(step, logs)
        if kind is False:
            return ""
        shown = shown or kind is True or (step.pipeline == mine.pipeline and program(step.argv[0]) in PATTERNED)
    return said_by_others(flow, output) if shown else ""


def log_text(command: str, directory: str, logs: frozenset[str], output: str) -> str:
    """What a call shows of some logs; "" where it shows anything else, or none of them."""
    flow = flow_of(command, directory)
    if not flow.understood:
        return ""
    shown = False
    for step in flow.steps:
        if not step.argv:
            continue
        kind = _reads(step, logs)
        if kind is False:
            return ""
        shown = shown or kind is True
    return said_by_others(flow, output) if shown else ""


def script_text(command: str, directory: str, output: str) -> str:
    """What a command prints that runs a script of the project or a runner of tasks; "" for all others."""
    flow = flow_of(command, directory)
    shown = False
    for step in flow.steps:
        if not step.argv or not step.seen:
            continue
        if recognise(step.argv) is not None or script_name(step.argv) or program(step.argv[0]) in STARTERS:
            shown = True
        elif _reads(step, frozenset()) is False:
            return ""
    return said_by_others(flow, output) if shown else ""


def git_text(command: str, directory: str, output: str) -> str:
    """What git itself says in a call; "" where anything else prints as well."""
    flow = flow_of(command, directory)
    shown = False
    for step in flow.steps:
        if not step.argv or not step.seen:
            continue
        if program(step.argv[0]) == "git":
            shown = True
        elif _reads(step, frozenset()) is False:
            return ""
    return said_by_others(flow, output) if shown else ""


@lru_cache(maxsize=512)
def doings(command: str) -> tuple[str, ...]:
    """The programs of a command that do more than look, each with its words."""
    steps = (step for step in flow_of(command, "").steps if step.argv)
    return tuple(" ".join(step.argv)[:1_000] for step in steps if program(step.argv[0]) not in LOOKERS)


def said_by_others(flow: Flow, output: str) -> str:
    """An output without the lines that the command itself says."""
    own = OwnLines(flow.steps)
    return "\n".join(line for line in output.split("\n") if not own.holds(line))


def _targets(step: ShellStep) -> Iterator[str]:
    for redirect in step.redirects:
        if redirect.writes and redirect.descriptor in {"", "1", "&"}:
            yield redirect.target


def _writes_other_words(step: ShellStep) -> bool:
    """Whether a step that is not the run writes what is no result into the file that it writes."""
    name = program(step.argv[0])
    if name in READERS:
        return bool(_files(step))
    return name not in FILTERS and name not in {"echo", "printf"} and recognise(step.argv) is None


def _reports(step: ShellStep) -> Iterator[str]:
    """The files that a run was told to write its report to."""
    for word, following in zip(step.argv, (*step.argv[1:], ""), strict=True):
        option, equals, value = word.partition("=")
        if option.lower() in REPORTS:
            yield value if equals else following


def _steps_of(flow: Flow, run: Run) -> list[ShellStep]:
    """The steps that a run is: by their words, else by their kind."""
    steps = [step for step in flow.steps if step.argv]
    same = [step for step in steps if " ".join(step.argv)[:1_000] == run.command]
    return same or [step for step in steps if (tool := recognise(step.argv)) is not None and tool.kind is run.kind]


def _files(step: ShellStep) -> list[str]:
    """The files that a reader names."""
    name = program(step.argv[0])
    found: list[str] = []
    words = iter(step.argv[1:])
    pattern = name in PATTERNED
    for word in words:
        if word.startswith("-") and word != "-":
            if word in VALUED:
                pattern = pattern and word != "-e"
                next(words, None)
        elif pattern:
            pattern = False
        elif not word.isdigit():
            found.append(word)
    found.extend(redirect.target for redirect in step.redirects if redirect.operator == "<")
    return found


def _reads(step: ShellStep, logs: frozenset[str]) -> bool | None:
    """Whether a step shows a log; False: it may print other words; None: neither."""
    name = program(step.argv[0])
    if name == "sed":
        plain = [word for word in step.argv[1:] if word not in {"-n", "-e", "-E"}]
        if not plain or PLAIN_SED.match(plain[0]) is None:
            return False
        files = plain[1:]
    elif name == "jq":
        plain = [word for word in step.argv[1:] if not word.startswith("-")]
        if "-n" in step.argv or not plain or LITERAL.search(plain[0]) is not None:
            return False
        files = plain[1:]
    elif name in FILTERS:
        if any(redirect.operator.startswith("<<") for redirect in step.redirects):
            return False
        files = [] if name == "tee" else _files(step)
    elif name == "git":
        return False if any(word in GIT_PRINTS for word in step.argv[1:4]) else None
    else:
        return None if name in QUIET else False
    if not files:
        return None
    return all(is_log(joined_path(step.directory, one), logs) for one in files)


def may_be_log(path: str, logs: frozenset[str]) -> bool:
    """Whether a file that was written, named from the workspace or in full, may be one of some logs."""
    if path.startswith("/") or not path:
        return is_log(path, logs)
    return any(
        f"/{one.partition(BELOW)[2]}" in f"/{path}" if BELOW in one else f"/{one}".endswith(f"/{path}") for one in logs
    )


def is_log(path: str, logs: frozenset[str]) -> bool:
    """Whether a file is one of some logs, or lies in a directory of reports among them."""
    if path in logs:
        return True
    for one in logs:
        beginning, below, directory = one.partition(BELOW)
        inside = path.startswith(f"{beginning}/") if beginning else not path.startswith("/")
        if below and inside and f"/{directory}" in path and ".." not in path:
            return True
    return False
