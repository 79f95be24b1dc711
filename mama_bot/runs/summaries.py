"""What test tools print at their end."""

import json
from collections.abc import Mapping

from mama_bot.model import Counts, RunEnd
from mama_bot.runs.formats import LineEach, Reader, Summary, judged, summed
from mama_bot.runs.output import Output
from mama_bot.shell.tokens import word_set
from mama_bot.text.patterns import compiled

NUMBERED = compiled(r"(\d+) ([a-z]+(?: [a-z]+)?)")
PYTEST = compiled(
    r"^=* ?((?:\d+ [a-z]+|no tests ran|no tests collected|\d+(?:/\d+)? tests? collected)"
    r"(?: \(\d+ deselected\))?(?:, \d+ [a-z]+)*) in \d[\d.]*s(?: \([\d:, a-z]+\))?(?: =+)?$",
)
PYTEST_WORDS = ("passed", "failed", "error", "skipped", "no tests", "collected", "deselected", "xfailed", "xpassed")
PYTEST_KNOWN = word_set("passed failed error errors skipped deselected xfailed xpassed warning warnings rerun")
DESELECTED = compiled(r"(\d+) deselected")
COLLECTED = compiled(r"^(?:=+ )?(?:no tests collected|(\d+)(?:/\d+)? tests? collected)")


def pytest(output: Output) -> list[Summary]:
    """`=== 1 failed, 2 passed, 1 skipped in 0.12s ===`, with `-q` without the lines."""
    found: list[Summary] = []
    for line in output.last_with(" in "):
        if not any(word in line for word in PYTEST_WORDS):
            continue
        match = PYTEST.match(line.strip())
        if match is not None:
            found.append(_pytest_line(match.group(1)))
    found.reverse()
    return found


def _pytest_line(text: str) -> Summary:
    if "collected" in text:
        deselected = DESELECTED.search(text)
        return Summary(
            end=RunEnd.NOTHING,
            counts=Counts(collected=_leading(text), deselected=int(deselected.group(1)) if deselected else None),
        )
    figures: dict[str, int] = {}
    for word in text.split(", "):
        number, _, name = word.partition(" ")
        if number.isdigit():
            figures[name.removesuffix("s") if name in {"errors", "warnings"} else name] = int(number)
    if not figures or set(figures) <= {"deselected", "warning"}:
        return Summary(end=RunEnd.NOTHING, counts=Counts(passed=0, deselected=figures.get("deselected")))
    found = judged(
        passed=figures.get("passed", 0),
        failed=figures.get("failed", 0),
        errors=figures.get("error", 0),
        skipped=figures.get("skipped"),
        deselected=figures.get("deselected"),
    )
    if found.end is RunEnd.NOTHING and (figures.get("xfailed") or figures.get("xpassed")):
        return Summary(end=RunEnd.PASSED, counts=found.counts)
    return found


def _leading(text: str) -> int:
    digits = text.split(" ", 1)[0].split("/", maxsplit=1)[0]
    return int(digits) if digits.isdigit() else 0


RAN = compiled(r"^Ran (\d+) tests? in \d")
UNITTEST_END = compiled(r"^(OK|FAILED|NO TESTS RAN)(?: \((.*)\))?$", ignore_case=False)
PAIR = compiled(r"([a-z ]+)=(\d+)")


def unittest(output: Output) -> list[Summary]:
    """`Ran 3 tests in 0.001s`, and the last `OK` or `FAILED (failures=1)` after it."""
    found: list[Summary] = []
    outcome: tuple[str, str] | None = None
    if "Ran " not in output.text:
        return found
    for line in reversed(output.end):
        if line.startswith(("OK", "FAILED", "NO TESTS RAN")):
            match = UNITTEST_END.match(line)
            if match is not None and outcome is None:
                outcome = (match.group(1), match.group(2) or "")
        elif line.startswith("Ran ") and outcome is not None and (ran := RAN.match(line)) is not None:
            found.append(_unittest_end(int(ran.group(1)), *outcome))
            outcome = None
    found.reverse()
    return found


def _unittest_end(ran: int, word: str, detail: str) -> Summary:
    figures = {match.group(1).strip(): int(match.group(2)) for match in PAIR.finditer(detail)}
    failed = figures.get("failures", 0) + figures.get("unexpected successes", 0)
    errors, skipped = figures.get("errors", 0), figures.get("skipped")
    passed = max(0, ran - failed - errors - (skipped or 0) - figures.get("expected failures", 0))
    if word == "FAILED" and not failed and not errors:
        failed = 1
    return judged(passed=passed, failed=failed, errors=errors, skipped=skipped)


JEST_TESTS = compiled(r"^Tests:\s+(.*?\b(\d+) total)", ignore_case=False)
JEST_SUITES = compiled(r"^Test Suites:\s+(.*)", ignore_case=False)


def jest(output: Output) -> list[Summary]:
    """`Tests:  1 failed, 2 passed, 3 total`; a suite that could not run at all is an error."""
    found: list[Summary] = []
    lines = list(output.last_with("Tests:", "Test Suites:"))
    lines.reverse()
    suites: dict[str, int] = {}
    for line in lines:
        if (match := JEST_SUITES.match(line)) is not None:
            suites = _numbers(match.group(1))
        elif (match := JEST_TESTS.match(line)) is not None:
            figures = _numbers(match.group(1))
            failed = figures.get("failed", 0)
            errors = suites.get("failed", 0) if not failed else 0
            skipped = figures.get("skipped", 0) + figures.get("todo", 0)
            found.append(judged(passed=figures.get("passed", 0), failed=failed, errors=errors, skipped=skipped or None))
    if not found and (output.has("No tests found")):
        found.append(Summary(end=RunEnd.NOTHING))
    return found


def _numbers(text: str) -> dict[str, int]:
    return {match.group(2): int(match.group(1)) for match in NUMBERED.finditer(text)}


VITEST = compiled(r"^\s*(Test Files|Tests|Errors)\s{2}(.*?)(?:\((\d+)\))?$", ignore_case=False)


def vitest(output: Output) -> list[Summary]:
    """`Tests  1 failed | 2 passed (3)`, `Test Files  1 failed (1)`, `Errors  1 error`."""
    found: list[Summary] = []
    files: dict[str, int] = {}
    lines = list(output.last_with("Test Files ", "Tests ", "Errors "))
    lines.reverse()
    for line in lines:
        match = VITEST.match(line)
        if match is None:
            continue
        figures = _numbers(match.group(2))
        if match.group(1) == "Test Files":
            files = figures
        elif match.group(1) == "Tests":
            failed = figures.get("failed", 0)
            errors = files.get("failed", 0) if not failed else 0
            skipped = figures.get("skipped", 0) + figures.get("todo", 0)
            found.append(judged(passed=figures.get("passed", 0), failed=failed, errors=errors, skipped=skipped or None))
        elif found and figures:
            last = found[-1].counts
            found[-1] = judged(passed=last.passed, failed=last.failed, errors=1, skipped=last.skipped)
    if not found and output.has("No test files found"):
        found.append(Summary(end=RunEnd.NOTHING))
    return found


MOCHA = compiled(r"^\s+(\d+) (passing|pending|failing)(?: \(.*\))?$", ignore_case=False)


def mocha(output: Output) -> list[Summary]:
    """`3 passing (5ms)`, `1 pending`, `1 failing`."""
    found: list[dict[str, int]] = []
    lines = list(output.last_with(" passing", " pending", " failing"))
    lines.reverse()
    for line in lines:
        if (match := MOCHA.match(line)) is None:
            continue
        if match.group(2) == "passing" or not found:
            found.append({})
        found[-1][match.group(2)] = int(match.group(1))
    return [
        judged(passed=one.get("passing", 0), failed=one.get("failing", 0), skipped=one.get("pending")) for one in found
    ]


NODE = LineEach(
    example="# pass 2",  # and `ℹ pass 2` for a terminal
    needles=("# ", "ℹ "),
    line=compiled(r"^(?:#|ℹ) (tests|pass|fail|cancelled|skipped|todo) (\d+)$", ignore_case=False),
    needs=("pass", "fail"),
)


CARGO = compiled(
    r"^test result: (ok|FAILED)\. (\d+) passed; (\d+) failed; (\d+) ignored; (\d+) measured; (\d+) filtered out",
    ignore_case=False,
)


def cargo_test(output: Output) -> list[Summary]:
    """One `test result:` for each binary, added up; what does not compile is an error."""
    found: list[Summary] = []
    for line in output.all_with("test result: "):
        if (match := CARGO.match(line)) is not None:
            passed, failed, ignored, _, filtered = (int(match.group(index)) for index in range(2, 7))
            found.append(
                judged(
                    passed=passed,
                    failed=max(failed, int(match.group(1) == "FAILED")),
                    skipped=ignored,
                    deselected=filtered,
                )
            )
    if output.has("could not compile"):
        found.append(Summary(end=RunEnd.FAILED, counts=Counts(errors=1)))
    one = summed(found)
    return [] if one is None else [one]


NEXTEST = compiled(
    r"^\s*Summary \[.*?\]\s+(\d+)(?:/\d+)? tests? run: (\d+) passed(?: \(.*?\))?(?:, (\d+) failed)?"
    r"(?:, (\d+) timed out)?(?:, (\d+) skipped)?",
    ignore_case=False,
)


def nextest(output: Output) -> list[Summary]:
    """`Summary [ 0.012s] 5 tests run: 4 passed, 1 failed, 2 skipped`."""
    for line in output.last_with("Summary ["):
        if (match := NEXTEST.match(line)) is not None:
            figures = [int(match.group(index) or 0) for index in range(2, 6)]
            return [judged(passed=figures[0], failed=figures[1] + figures[2], skipped=figures[3])]
    return [Summary(end=RunEnd.FAILED, counts=Counts(errors=1))] if output.has("could not compile") else []


GO_PACKAGE = compiled(r"^(ok|FAIL|---|\?|panic:)\s+(\S+)(.*)$", ignore_case=False)


def go_test(output: Output) -> list[Summary]:
    """`ok  pkg  0.01s` and `FAIL  pkg` for each package; with -v or -json each test."""
    if output.has('"Action":"'):
        return _go_json(output)
    packages = {"ok": 0, "FAIL": 0}
    tests = {"PASS": 0, "FAIL": 0, "SKIP": 0}
    empty = 0
    for line in output.all_with("--- "):
        for word in tests:
            tests[word] += line.startswith(f"--- {word}: ")
    for word in ("ok", "FAIL"):
        for line in output.all_with(f"{word}\t" if word == "FAIL" else "ok  \t"):
            if line.startswith(f"{word}\t" if word == "FAIL" else "ok  \t"):
                packages[word] += 1
                empty += "[no tests to run]" in line
    nothing = output.has("[no test files]")
    if not packages["ok"] and not packages["FAIL"]:
        return [Summary(end=RunEnd.NOTHING)] if nothing else []
    verbose = bool(tests["PASS"])
    failed = tests["FAIL"] or (packages["FAIL"] and 1) or 0
    if failed:
        return [
            Summary(
                end=RunEnd.FAILED,
                counts=Counts(
                    passed=tests["PASS"] if verbose else None,
                    failed=tests["FAIL"],
                    errors=None if tests["FAIL"] else packages["FAIL"],
                    skipped=tests["SKIP"] or None,
                ),
            )
        ]
    if empty == packages["ok"]:
        return [Summary(end=RunEnd.NOTHING)]
    counts = Counts(passed=tests["PASS"] if verbose else None, failed=0, skipped=tests["SKIP"] or None)
    return [Summary(end=RunEnd.PASSED, counts=counts)]


def _go_json(output: Output) -> list[Summary]:
    figures = {"pass": 0, "fail": 0, "skip": 0}
    packages = {"pass": 0, "fail": 0, "skip": 0}
    for line in output.all_with('"Action":"'):
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(event, dict) and event.get("Action") in figures:
            (figures if event.get("Test") else packages)[event["Action"]] += 1
    if not any(figures.values()) and not any(packages.values()):
        return []
    errors = packages["fail"] if not figures["fail"] else 0
    return [judged(passed=figures["pass"], failed=figures["fail"], errors=errors, skipped=figures["skip"] or None)]


TESTS: Mapping[str, Reader] = {
    "pytest": pytest,
    "unittest": unittest,
    "jest": jest,
    "vitest": vitest,
    "mocha": mocha,
    "node --test": NODE,
    "cargo test": cargo_test,
    "cargo nextest": nextest,
    "go test": go_test,
}
