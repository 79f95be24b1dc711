"""What the script reads in the output of its tools, so that it says nothing that no tool printed."""

from collections.abc import Sequence
from dataclasses import dataclass

from mama_bot.demo.model_script import ToolResult
from mama_bot.demo.sentences import FAILED, NO_RESULT_OF_TESTS, NO_TESTS_HERE, OTHER_ENDED, PASSED
from mama_bot.text.patterns import compiled
from mama_bot.wording import Said

RAN = compiled(r"Ran (\d+) tests? in [\d.]+s")  # Ran 8 tests in 0.001s
FAILS = compiled(r"(?m)^(?:FAIL|ERROR): (\w+)")  # FAIL: test_label (tests.test_shop.PricesTest.test_label)
EXIT = compiled(r"^Exit code (\d+)")  # Exit code 1
COFFEE = compiled(r'"coffee": Decimal\("(\d+\.\d\d)"\)')  # "coffee": Decimal("7.25")
CALL = ".quantize("
SHOWN_NAMES = 6
UNITTEST = "python3 -m unittest"
LINE_CHARACTERS = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class TestsRun:
    """How tests ended; `count` is None where `python3 -m unittest` came to no result, and of other runners.

    Without a `command` there are none that the script knows how to run.
    """

    command: str
    count: int | None = None
    status: int = 0
    failing: tuple[str, ...] = ()
    last_line: str = ""

    @property
    def passed(self) -> bool:
        """Whether all tests passed."""
        return bool(self.command) and self.status == 0 and (self.count is not None or self.command != UNITTEST)

    @property
    def told(self) -> Said:
        """The sentence about it."""
        if not self.command:
            return NO_TESTS_HERE
        if self.command != UNITTEST:
            return OTHER_ENDED.of(command=self.command, status=self.status, line=self.last_line)
        if self.count is None:
            return NO_RESULT_OF_TESTS.of(line=self.last_line)
        if self.passed:
            return PASSED.of(count=self.count)
        names = ", ".join(f"`{name}`" for name in self.failing[:SHOWN_NAMES])
        return FAILED.of(status=self.status, count=self.count, failed=len(self.failing), names=names)


def ended_tests(result: ToolResult, command: str) -> TestsRun:
    """Return what the runner printed."""
    ran, exited = RAN.search(result.text), EXIT.search(result.text)
    lines = [line.strip() for line in result.text.splitlines() if line.strip()]
    return TestsRun(
        command=command,
        count=int(ran.group(1)) if ran and command == UNITTEST else None,
        status=int(exited.group(1)) if exited else int(result.is_error),
        failing=tuple(sorted({match.group(1) for match in FAILS.finditer(result.text)})),
        last_line=lines[-1][:LINE_CHARACTERS] if lines else "-",
    )


def files_listed(result: ToolResult) -> tuple[str, ...]:
    """Return the files that Glob, or `git ls-files`, printed, in order; those of git and compiled ones left out."""
    names = (line.strip().removeprefix("./") for line in result.text.splitlines())
    kept = (name for name in names if name and " " not in name and "__pycache__/" not in name)
    return tuple(sorted(name for name in kept if not name.startswith(".git/")))


def named_file(path: str, files: Sequence[str]) -> str:
    """Return the file that a person means: by its path or the end of it; "" when none is."""
    plain = path.removeprefix("./")
    return next((name for name in files if name == plain or name.endswith("/" + plain)), "")


def file_text(result: ToolResult) -> str:
    """Return what Read printed without its numbers of lines; "" when it could not read."""
    if result.is_error:
        return ""
    rows = [line.partition("\t") for line in result.text.split("\n")]
    text = "\n".join(text for number, _, text in rows if number.strip().isdigit())
    return text.rstrip("\n") + "\n"


def calls_by_file(result: ToolResult) -> dict[str, int]:
    """Return how often each file calls `quantize`, as Grep printed it: `shop/cart.py:11: ...`."""
    calls: dict[str, int] = {}
    for line in result.text.splitlines():
        path, _, rest = line.partition(":")
        if CALL in rest:
            name = path.strip().removeprefix("./")
            calls[name] = calls.get(name, 0) + rest.count(CALL)
    return calls


def coffee_prices(text: str) -> tuple[str, ...]:
    """Return the prices of coffee in a text, in order."""
    return tuple(match.group(1) for match in COFFEE.finditer(text))


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What `git status --short && git diff --stat` printed: states by path, and the line of figures."""

    states: tuple[tuple[str, str], ...]
    figures: str

    @property
    def is_of_story(self) -> bool:
        """Whether it is the refactoring: the new module, and no file besides the three."""
        wanted = {("??", "shop/money.py"), ("M", "shop/prices.py"), ("M", "shop/cart.py"), ("M", "shop/report.py")}
        return set(self.states) == wanted

    @property
    def told(self) -> str:
        """Every path with its state."""
        return ", ".join(f"`{state} {path}`" for state, path in self.states)


def changes_shown(result: ToolResult) -> Changes:
    """Return the states of `git status` and the last line of `git diff --stat`."""
    rows = [line.split() for line in result.text.splitlines() if "|" not in line]
    states = tuple((row[0], row[1]) for row in rows if len(row) == 2 and len(row[0]) <= 2)
    return Changes(states=states, figures=figures_line(result))


def figures_line(result: ToolResult) -> str:
    """Return the line "3 files changed, 13 insertions(+)" of a stat, or "0 files changed"."""
    lines = [line.strip() for line in result.text.splitlines() if " changed" in line]
    return lines[-1] if lines else "0 files changed"
