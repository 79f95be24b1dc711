"""What test tools print at their end, where more than a row of a table is needed to read it."""

import json
from collections import Counter
from dataclasses import replace

from mama_bot.model import Counts, RunEnd
from mama_bot.runs.formats import FORMATS, Summary, in_order, number_in, summary_with, summed
from mama_bot.runs.output import Output
from mama_bot.text.patterns import compiled

PYTEST = compiled(
    r"^=* ?((?:\d+ [a-z]+|no tests ran|no tests collected|\d+(?:/\d+)? tests? collected)"
    r"(?: \(\d+ deselected\))?(?:, \d+ [a-z]+)*) in \d[\d.]*s(?: \([\d:, a-z]+\))?(?: =+)?$",
)
PYTEST_WORDS = ("passed", "failed", "error", "skipped", "no tests", "collected", "deselected", "xfailed", "xpassed")
DESELECTED = compiled(r"(\d+) deselected")


def read_pytest(output: Output) -> list[Summary]:
    """Return what pytest says: `=== 1 failed, 2 passed, 1 skipped in 0.12s ===`, with `-q` without the lines."""
    lines = [line.strip() for line in in_order(output, (" in ",)) if any(word in line for word in PYTEST_WORDS)]
    summaries = [_pytest_line(match.group(1)) for line in lines if (match := PYTEST.match(line)) is not None]
    lost = output.has("ERROR: file or directory not found") or output.has("ERROR: not found")
    return [NOT_COMPILED if lost and summary.end is RunEnd.NOTHING else summary for summary in summaries]


def _pytest_line(text: str) -> Summary:
    if "collected" in text:
        collected = number_in(text.partition(" ")[0].partition("/")[0])
        match = DESELECTED.search(text)
        counts = Counts(collected=collected, deselected=number_in(match.group(1)) if match else None)
        return Summary(end=RunEnd.NOTHING, counts=counts)
    figures: dict[str, int] = {}
    for part in text.split(", "):
        number, _, word = part.partition(" ")
        if number.isdigit():
            figures[word.removesuffix("s") if word in {"errors", "warnings"} else word] = int(number)
    if set(figures) <= {"deselected", "warning"}:
        return Summary(end=RunEnd.NOTHING, counts=Counts(passed=0, deselected=figures.get("deselected")))
    summary = summary_with(
        passed=figures.get("passed", 0),
        failed=figures.get("failed", 0),
        errors=figures.get("error", 0),
        skipped=figures.get("skipped"),
        deselected=figures.get("deselected"),
    )
    if summary.end is RunEnd.NOTHING and (figures.get("xfailed") or figures.get("xpassed")):
        return replace(summary, end=RunEnd.PASSED)
    return summary


RAN = compiled(r"^Ran (\d+) tests? in \d")
UNITTEST_END = compiled(r"^(OK|FAILED|NO TESTS RAN)(?: \((.*)\))?$", ignore_case=False)
PAIR = compiled(r"([a-z ]+)=(\d+)")


def read_unittest(output: Output) -> list[Summary]:
    """Return what unittest says: `Ran 3 tests in 0.001s`, and the last `OK` or `FAILED (failures=1)` after it."""
    summaries: list[Summary] = []
    outcome: tuple[str, str] | None = None
    for line in reversed(output.end) if "Ran " in output.text else ():
        if line.startswith(("OK", "FAILED", "NO TESTS RAN")):
            match = UNITTEST_END.match(line)
            if match is not None and outcome is None:
                outcome = (match.group(1), match.group(2) or "")
        elif line.startswith("Ran ") and outcome is not None and (match := RAN.match(line)) is not None:
            summaries.append(_unittest_end(int(match.group(1)), *outcome))
            outcome = None
    return summaries[::-1]


def _unittest_end(ran: int, word: str, detail: str) -> Summary:
    figures = {match.group(1).strip(): int(match.group(2)) for match in PAIR.finditer(detail)}
    failed = figures.get("failures", 0) + figures.get("unexpected successes", 0)
    errors, skipped = figures.get("errors", 0), figures.get("skipped")
    passed = max(0, ran - failed - errors - (skipped or 0) - figures.get("expected failures", 0))
    if word == "FAILED" and not failed and not errors:
        failed = 1
    return summary_with(passed=passed, failed=failed, errors=errors, skipped=skipped)


CARGO = compiled(
    r"^test result: (ok|FAILED)\. (\d+) passed; (\d+) failed; (\d+) ignored; \d+ measured; (\d+) filtered out",
    ignore_case=False,
)
NOT_COMPILED = Summary(end=RunEnd.FAILED, counts=Counts(errors=1))


def read_cargo_test(output: Output) -> list[Summary]:
    """Return the `test result: ok. 2 passed; ...` of each binary, added up; what did not compile is an error."""
    summaries: list[Summary] = []
    for line in output.all_with("test result: "):
        if (match := CARGO.match(line)) is not None:
            passed, failed, ignored, filtered = (int(match.group(index)) for index in range(2, 6))
            failed = max(failed, int(match.group(1) == "FAILED"))
            summaries.append(summary_with(passed=passed, failed=failed, skipped=ignored, deselected=filtered))
    whole = summed([*summaries, NOT_COMPILED] if output.has("could not compile") else summaries)
    return [] if whole is None else [whole]


def read_nextest(output: Output) -> list[Summary]:
    """Return what nextest says: `Summary [ 0.012s] 5 tests run: 4 passed, 1 failed, 2 skipped`."""
    return FORMATS["nextest lines"](output) or ([NOT_COMPILED] if output.has("could not compile") else [])


GO_TEST = compiled(r"^--- (PASS|FAIL|SKIP): ", ignore_case=False)


def read_go_test(output: Output) -> list[Summary]:
    """Return what go says: `ok  pkg  0.01s` and `FAIL  pkg` for each package; with -v or -json each test."""
    if output.has('"Action":"'):
        return _go_json(output)
    tests = Counter(match.group(1) for line in output.all_with("--- ") if (match := GO_TEST.match(line)) is not None)
    good = [line for line in output.all_with("ok  \t") if line.startswith("ok  \t")]
    bad = sum(line.startswith("FAIL\t") for line in output.all_with("FAIL\t"))
    if not good and not bad:
        return [Summary(end=RunEnd.NOTHING)] if output.has("[no test files]") else []
    errors = 0 if tests["FAIL"] else bad
    # Without -v it names no test that passed.
    told = summary_with(
        passed=tests["PASS"] or None, failed=tests["FAIL"], errors=errors, skipped=tests["SKIP"] or None
    )
    if told.end is RunEnd.FAILED:
        return [told]
    if all("[no tests to run]" in line for line in good):
        return [Summary(end=RunEnd.NOTHING)]
    return [replace(told, end=RunEnd.PASSED)]


def _go_json(output: Output) -> list[Summary]:
    tests: Counter[str] = Counter()
    packages: Counter[str] = Counter()
    for line in output.all_with('"Action":"'):
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if not isinstance(event, dict) or event.get("Action") not in ("pass", "fail", "skip"):
            continue
        if "/" not in (test := str(event.get("Test") or "")):  # a part of a test is no test
            (tests if test else packages)[event["Action"]] += 1
    if not tests and not packages:
        return []
    errors = 0 if tests["fail"] else packages["fail"]
    return [summary_with(passed=tests["pass"], failed=tests["fail"], errors=errors, skipped=tests["skip"] or None)]


def read_ctest(output: Output) -> list[Summary]:
    """Return what ctest says: its line of figures, in which those that were skipped count as passed."""
    skipped = sum("***Skipped" in line for line in output.all_with("***Skipped"))
    return [
        replace(summary, counts=replace(counts, passed=counts.passed - skipped, skipped=skipped))
        if skipped and (counts := summary.counts).passed is not None
        else summary
        for summary in FORMATS["ctest lines"](output)
    ]


GRADLE_TEST = compiled(r"^\S.* > .+ (PASSED|FAILED|SKIPPED)$", ignore_case=False)


def read_gradle(output: Output) -> list[Summary]:
    """Return what gradle says: `BUILD SUCCESSFUL in 2s`, with its figures, or `> Task :test NO-SOURCE`.

    A build that logs its tests prints one line for each: `ShopTest > pays() PASSED`.
    """
    modules = FORMATS["gradle modules"](output)
    for line in output.last_with("BUILD SUCCESSFUL", "BUILD FAILED"):
        if line.startswith("BUILD FAILED"):
            return _broken(modules)
        if line.startswith("BUILD SUCCESSFUL"):
            if output.has(":test NO-SOURCE") and not output.has(":test\n"):
                return [Summary(end=RunEnd.NOTHING)]
            return modules or _gradle_tests(output) or [Summary(end=RunEnd.PASSED)]
    return []


def _gradle_tests(output: Output) -> list[Summary]:
    """Return the figures of a build that went well, from the lines of its tests, where it logged any that passed."""
    ends = [match.group(1) for line in output.all_with(" > ") if (match := GRADLE_TEST.match(line)) is not None]
    passed, skipped = ends.count("PASSED"), ends.count("SKIPPED")
    return [summary_with(passed=passed, skipped=skipped or None)] if passed and "FAILED" not in ends else []


def read_maven(output: Output) -> list[Summary]:
    """Return what maven says: the figures of its modules, and `BUILD SUCCESS` or `BUILD FAILURE`."""
    modules = FORMATS["maven modules"](output)
    if output.has("No tests matching pattern") or output.has("No tests were executed!"):
        return [Summary(end=RunEnd.NOTHING)]
    for line in output.last_with("BUILD SUCCESS", "BUILD FAILURE"):
        return _broken(modules) if "BUILD FAILURE" in line else modules or [Summary(end=RunEnd.NOTHING)]
    return modules


def _broken(modules: list[Summary]) -> list[Summary]:
    """Return the figures of a build that failed, whatever they say themselves."""
    return [replace(modules[0], end=RunEnd.FAILED) if modules else Summary(end=RunEnd.FAILED)]


PLAN = compiled(r"^1\.\.(\d+)$")


def read_tap(output: Output) -> list[Summary]:
    """Return what the Test Anything Protocol says: `ok 1 name`, `not ok 2 name`, and the plan `1..2` to be counted."""
    plan = next((match for line in output.all_with("1..") if (match := PLAN.match(line)) is not None), None)
    if plan is None:
        return []
    failed = sum(line.startswith("not ok ") and "# TODO" not in line for line in output.all_with("not ok "))
    lines = [line for line in output.all_with("ok ") if line.startswith("ok ")]
    skipped = sum("# skip" in line.lower() for line in lines)
    missing = max(0, int(plan.group(1)) - failed - len(lines))
    return [summary_with(passed=len(lines) - skipped, failed=failed, errors=missing, skipped=skipped or None)]
