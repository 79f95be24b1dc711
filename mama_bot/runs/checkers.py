"""What type checkers, linters, formatters, builds and git print at their end."""

from collections.abc import Mapping

from mama_bot.model import Counts, RunEnd
from mama_bot.runs.formats import Reader, Summary
from mama_bot.runs.output import Output
from mama_bot.text.patterns import Match, compiled

CLEAN = Summary(end=RunEnd.PASSED)


def last_line(bad: str, good: str, *, needles: tuple[str, ...], nothing: str = "") -> Reader:
    """Return the reader of a tool whose last line of a kind decides; a group in `bad` is the number of errors.

    Where it prints `nothing`, it found no file to look at.
    """
    bad_line, good_line = compiled(bad, ignore_case=False), compiled(good, ignore_case=False)

    def read(output: Output) -> list[Summary]:
        for line in output.last_with(*needles):
            if (match := bad_line.search(line)) is not None:
                return [Summary(end=RunEnd.FAILED, counts=Counts(errors=_figure(match)))]
            if good_line.search(line):
                return [Summary(end=RunEnd.NOTHING) if nothing and output.has(nothing) else CLEAN]
        return []

    return read


def _figure(match: Match) -> int | None:
    try:
        text = match.group(1)
    except IndexError:
        return None
    return int(text) if text and text.isdigit() else None


def any_line(bad: str, *, needles: tuple[str, ...]) -> Reader:
    """Return the reader of a tool that prints one line for each problem, and nothing at its end."""
    pattern = compiled(bad, ignore_case=False)

    def read(output: Output) -> list[Summary]:
        count = sum(1 for line in output.last_with(*needles) if pattern.search(line))
        return [Summary(end=RunEnd.FAILED, counts=Counts(errors=count))] if count else []

    return read


CARGO_BUILD = last_line(
    r"^error: could not compile|^error(?:\[E\d+\])?: ",
    r"^\s*Finished ",
    needles=("could not compile", "Finished ", "error"),
)

CHECKERS: Mapping[str, Reader] = {
    "mypy": last_line(r"^Found (\d+) errors? in ", r"^Success: no issues found in ", needles=("Found ", "Success: ")),
    "pyright": last_line(r"^([1-9]\d*) errors?, ", r"^0 errors, ", needles=(" error",)),
    "tsc": any_line(r"error TS\d+: ", needles=("error TS",)),
    "ruff": last_line(  # `Found 3 errors.`, `Found 3 errors (2 fixed, 1 remaining).`
        r"^Found (?:\d+ errors? \(\d+ fixed, )?([1-9]\d*) (?:errors?\.|remaining\))",
        r"^All checks passed!$|^Found \d+ errors? \(\d+ fixed, 0 remaining\)",
        needles=("All checks passed!", "Found "),
        nothing="No Python files found under",
    ),
    "ruff format": last_line(
        r"^(?:(\d+) files? would be reformatted|Would reformat: |error: )",
        r"^\d+ files? (?:already formatted|left unchanged|reformatted)",
        needles=("reformat", "already formatted", "left unchanged", "error: "),
    ),
    "black": last_line(
        r"^Oh no! |^(\d+) files? would be reformatted|^error: cannot format",
        r"^All done! |^\d+ files? (?:reformatted|left unchanged|would be left unchanged)",
        needles=("Oh no!", "reformat", "All done!", "left unchanged", "cannot format"),
    ),
    "prettier": last_line(
        r"^\[warn\] Code style issues|^Code style issues|^\[error\] ",
        r"^All matched files use Prettier",
        needles=("Code style issues", "All matched files", "[error]"),
    ),
    "isort": any_line(r"^ERROR: .* Imports are incorrectly sorted", needles=("ERROR: ",)),
    "cargo fmt": any_line(r"^Diff in ", needles=("Diff in ",)),
    "flake8": any_line(r"^\S+?:\d+:\d+: [A-Z]+\d+ ", needles=(": ",)),
    "eslint": last_line(  # `✖ 3 problems (2 errors, 1 warning)`; a clean run prints nothing
        r"^✖ \d+ problems? \(([1-9]\d*) errors?, \d+ warnings?\)",
        r"^✖ \d+ problems? \(0 errors?, \d+ warnings?\)",
        needles=("✖ ",),
    ),
    "cargo build": CARGO_BUILD,
    "clippy": CARGO_BUILD,
    "golangci-lint": last_line(r"^([1-9]\d*) issues", r"^0 issues", needles=(" issues",)),
    "go vet": any_line(r"^(?:vet: )?\S+\.go:\d+(?::\d+)?: ", needles=(".go:",)),
    "go build": any_line(r"^\S+\.go:\d+(?::\d+)?: ", needles=(".go:",)),
    "biome": last_line(r"^Found (\d+) errors?\.", r"^Checked \d+ files? in ", needles=("Found ", "Checked ")),
    "vite build": last_line(r"error during build", r"✓ built in ", needles=("error during build", "built in ")),
    "webpack": last_line(
        r"compiled with (\d+) error", r"compiled (?:successfully|with \d+ warning)", needles=("compiled ",)
    ),
    "gcc": any_line(r"^\S+?:\d+(?::\d+)?: (?:fatal )?error: ", needles=(" error: ",)),
    "javac": any_line(r"\.java:\d+: error: ", needles=(" error: ",)),
    "make": any_line(r"^g?make(?:\[\d+\])?: \*\*\* ", needles=("*** ",)),
    "gradle": last_line(r"^BUILD FAILED", r"^BUILD SUCCESSFUL", needles=("BUILD ",)),
    "maven": last_line(r"\bBUILD FAILURE", r"\bBUILD SUCCESS", needles=("BUILD ",)),
    "dotnet build": last_line(r"^Build FAILED|: error [A-Z]+\d+: ", r"^Build succeeded", needles=("Build ", "error ")),
    "python -m build": last_line(
        r"^ERROR |^error: ", r"^Successfully built ", needles=("ERROR ", "Successfully built")
    ),
}
