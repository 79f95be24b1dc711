"""Each format of a test tool reads the example that stands beside it."""

import pytest

from mama_bot.model import RunEnd
from mama_bot.runs.formats import FirstOf, Headed, LineEach, OneLine, Reader
from mama_bot.runs.output import Output
from mama_bot.runs.suites import OWN_LINES, SUITES
from mama_bot.runs.summaries import GRADLE_MODULES, MAVEN_MODULES

READERS: dict[str, Reader] = {**SUITES, "gradle": GRADLE_MODULES, "maven": MAVEN_MODULES}
FORMATS = {
    f"{name} {place}": form
    for name, reader in READERS.items()
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
