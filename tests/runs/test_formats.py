"""Each format of a test tool reads the example that stands beside it."""

import pytest

from mama_bot.model import RunEnd
from mama_bot.runs import suites, summaries
from mama_bot.runs.formats import LineEach, OneLine
from mama_bot.runs.output import Output

FORMATS = {
    name: form
    for module in (suites, summaries)
    for name, form in vars(module).items()
    if isinstance(form, LineEach | OneLine)
}


@pytest.mark.parametrize("form", FORMATS.values(), ids=FORMATS)
def test_a_format_reads_its_own_example(form: LineEach | OneLine) -> None:
    assert form.line.match(form.example) is not None
    assert any(needle in form.example for needle in form.needles)


@pytest.mark.parametrize("form", FORMATS.values(), ids=FORMATS)
def test_no_format_reads_another_tools_words(form: LineEach | OneLine) -> None:
    assert form(Output("All is well.\n모두 통과했습니다.\n")) == []


def test_figures_of_one_line_are_added_up() -> None:
    (summary,) = suites.CTEST(Output(suites.CTEST.example))
    assert (summary.end, summary.counts.passed, summary.counts.failed) == (RunEnd.FAILED, 2, 1)
