"""Each format of a test tool reads the example that stands beside it."""

import pytest

from mama_bot.model import RunEnd
from mama_bot.runs.formats import FORMATS as PLAIN
from mama_bot.runs.formats import FirstOf, Headed, LineEach, OneLine
from mama_bot.runs.output import Output
from mama_bot.runs.suites import OWN_LINES, SUITES

FORMATS = {
    f"{name} {place}": form
    for name, reader in PLAIN.items()
    for place, form in enumerate(reader.readers if isinstance(reader, FirstOf) else (reader,))
    if isinstance(form, LineEach | OneLine | Headed)
}


@pytest.mark.parametrize("form", FORMATS.values(), ids=FORMATS)
def test_a_format_reads_its_own_example(form: LineEach | OneLine | Headed) -> None:
    assert form.line.match(form.example) is not None
    assert any(needle in form.example for needle in form.needles)


@pytest.mark.parametrize("form", FORMATS.values(), ids=FORMATS)
def test_no_format_reads_another_tools_words(form: LineEach | OneLine | Headed) -> None:
    assert form(Output("All is well.\n모두 통과했습니다.\n")) == []


def test_a_script_is_read_with_tools_that_are_known() -> None:
    assert set(OWN_LINES) <= set(SUITES)


def test_figures_of_one_line_are_added_up() -> None:
    (summary,) = SUITES["ctest"](Output("67% tests passed, 1 tests failed out of 3"))
    assert (summary.end, summary.counts.passed, summary.counts.failed) == (RunEnd.FAILED, 2, 1)


@pytest.mark.parametrize(
    ("tool", "output", "ends"),
    [
        (
            "jest",
            "Test Suites: 1 failed, 1 passed, 2 total\nTests:       2 passed, 2 total",
            [(RunEnd.FAILED, 2, 0, 1)],
        ),
        ("jest", "Test Suites: 1 failed, 1 total\nTests: 1 failed, 2 todo, 3 total", [(RunEnd.FAILED, 0, 1, None)]),
        ("jest", "No tests found, exiting with code 1", [(RunEnd.NOTHING, None, None, None)]),
        ("vitest", " Test Files  1 failed (1)\n      Tests  no tests", [(RunEnd.FAILED, 0, 0, 1)]),
        ("vitest", "      Tests  1 failed | 2 passed (3)\n     Errors  1 error", [(RunEnd.FAILED, 2, 1, 1)]),
        ("vitest", "      Tests  1 expected fail | 2 passed (3)", [(RunEnd.PASSED, 2, 0, None)]),
        (
            "mocha",
            "  3 passing (5ms)\n  1 failing\n  2 passing (1s)",
            [(RunEnd.FAILED, 3, 1, None), (RunEnd.PASSED, 2, 0, None)],
        ),
        ("phpunit", "Tests: 5, Assertions: 7, Errors: 1, Failures: 1, Risky: 1.", [(RunEnd.FAILED, 3, 1, 1)]),
        ("phpunit", "Tests: 5, Assertions: 7.\nOK (2 tests, 2 assertions)", [(RunEnd.PASSED, 2, 0, None)]),
        ("dotnet test", "Total tests: 5\n     Passed: 4\n     Failed: 1", [(RunEnd.FAILED, 4, 1, None)]),
        ("dotnet test", "     Passed: 4", []),
        ("bun test", " 5 pass\n 0 fail", []),
        ("bun test", " 5 pass\n 0 fail\nRan 5 tests across 1 files.", [(RunEnd.PASSED, 5, 0, None)]),
    ],
)
def test_what_a_tool_says_in_several_lines(
    tool: str, output: str, ends: list[tuple[RunEnd, int | None, int | None, int | None]]
) -> None:
    summaries = SUITES[tool](Output(output))
    assert [(each.end, each.counts.passed, each.counts.failed, each.counts.errors) for each in summaries] == ends
