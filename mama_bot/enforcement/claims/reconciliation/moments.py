"""Runs and edits with their moments, and which edit may change what which run says."""

from dataclasses import dataclass

from mama_bot.enforcement.claims.reconciliation.calls import command_of, output_of
from mama_bot.enforcement.claims.reconciliation.figures import knows_figures
from mama_bot.enforcement.claims.reconciliation.results import own_text
from mama_bot.enforcement.claims.reconciliation.trips import Moment
from mama_bot.facts.places import SETTINGS, is_below, is_code, joined, same_file
from mama_bot.model import FileFate, FileTouch, Run, RunEnd, RunKind, ToolRun
from mama_bot.text.patterns import compiled

FORMATTERS = frozenset((RunKind.FORMAT, RunKind.LINT))


CHECKS = frozenset((RunKind.FORMAT, RunKind.LINT, RunKind.TYPES))


LINTERS = ("ruff", "eslint", "biome", "flake8", "stylelint")


UNCHANGED = ("left unchanged", "no changes", "0 fixed", "All matched files use Prettier", "No fixes applied")


WRITTEN_BY_PRETTIER = compiled(r"(?m:^(\S+) \d+(?:\.\d+)?m?s( \(unchanged\))?$)")


SUCCEEDED = compiled(
    r"\bbuilt in\b|\bBUILD SUCCESS|\b[Bb]uild (?:succeeded|complete|successful)|\b[Ss]uccessfully\b"
    r"|Compiled successfully|\bBuilt target\b|\bFinished\b|All checks passed|[Aa]ll tests passed|no issues found"
    r"|\b0 errors\b|\b0 problems\b"
    r"|All matched files use|left unchanged|already formatted|100% tests passed",
    groups=False,
)


TESTS_SUCCEEDED = compiled(r"[Aa]ll (?:\d+ )?tests passed|100% tests passed|\b0 failed\b", groups=False)


WENT_WRONG = compiled(
    r"\b[1-9]\d* (?:errors?|failed|failures?|problems?)\b|\bFAIL(?:ED|URE)?\b|\berror(?:\[|:| TS)|\bError:"
    r"|Traceback|✗|✖"
    r"|✘|ould (?:be )?reformat",
    groups=False,
)


TEST_FILE = compiled(
    r"(?:^|/)(?:test_[^/]*|[^/]*[._-](?:test|spec)\.\w+|[^/]*_test\.\w+|[^/]*Tests?\.\w+)$",
    groups=False,
    ignore_case=False,
)


CHANGED = compiled(r"reformatted|\bfixed\b|formatted [1-9]|\bapplied\b", groups=False)


@dataclass(frozen=True, slots=True)
class RunAt:
    """A run with its moment, its place and whose it is."""

    run: Run
    call: ToolRun
    at: Moment
    place: str
    own: bool


@dataclass(frozen=True, slots=True)
class EditAt:
    """A file that was written or removed ("": nobody knows which), and when."""

    path: str
    fate: FileFate
    call: ToolRun
    at: Moment
    own: bool

    @property
    def formats(self) -> bool:
        """Whether a formatter wrote it."""
        ran = self.call.ran
        return self.at[1] < len(ran) and ran[self.at[1]].kind is RunKind.FORMAT


def place_of(run: Run) -> str:
    """The directory of a run, or where all that it selects lies, outside of the workspace."""
    directory = joined("", run.directory)
    outside = [joined(directory, one) for one in run.selected if one.startswith(("../", "/"))]
    if outside and len(outside) == len(run.selected) and not any(is_below(one, "") for one in outside):
        return outside[0]
    return directory


def shows_success(run: Run, call: ToolRun) -> bool:
    """Whether the output of a run whose exit status is lost says that it went well."""
    if run.end is not RunEnd.MASKED or knows_figures(run.counts):
        return False
    output = output_of(call)
    signs = TESTS_SUCCEEDED if run.kind is RunKind.TESTS else SUCCEEDED
    if signs.search(output) is None or WENT_WRONG.search(output) is not None:
        return False
    return signs.search(own_text(command_of(call), call.working_directory, run, output)) is not None


def concerns(edit: EditAt, run: RunAt) -> bool:
    """Whether an edit in the project of a run may change what the run says."""
    kind, selected = run.run.kind, run.run.selected
    if kind in FORMATTERS and edit.fate is FileFate.DELETED:
        return False  # what is gone has no findings
    chosen = [one for one in selected if not one.startswith("-")]
    if not chosen or len(chosen) != len(selected) or any("$" in one or "*" in one for one in chosen):
        return True
    if kind in CHECKS:
        return edit.path.lower().endswith(SETTINGS) or any(
            is_below(edit.path, joined(run.place, one)) for one in chosen
        )
    if kind is not RunKind.TESTS or TEST_FILE.search(edit.path) is None:
        return True
    # Another test file changes nothing for the tests that were chosen by file.
    files = [one.partition("::")[0] for one in chosen]
    if not all(TEST_FILE.search(one) is not None for one in files):
        return True
    return any(same_file(one.removeprefix("./"), edit.path) for one in files)


def left_alone(call: ToolRun, touch: FileTouch) -> bool:
    """Whether a formatter, of which nobody knows what it wrote, says that it wrote nothing, or no code."""
    if touch.after >= len(call.ran) or call.ran[touch.after].kind not in FORMATTERS:
        return False
    output = output_of(call)
    written = list(WRITTEN_BY_PRETTIER.finditer(output))
    if written:
        return all(match.group(2) or not is_code(match.group(1)) for match in written)
    if call.ran[touch.after].tool.startswith(LINTERS) and call.ran[touch.after].kind is RunKind.LINT:
        return "All checks passed" in output and CHANGED.search(output) is None
    return any(sign in output for sign in UNCHANGED) and CHANGED.search(output) is None
