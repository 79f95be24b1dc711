"""What further test tools print at their end: each format is that of the tool itself."""

from collections.abc import Mapping

from mama_bot.model import Counts, RunEnd
from mama_bot.runs.output import Output
from mama_bot.runs.summaries import Reader, Summary, judged, summed
from mama_bot.text.patterns import compiled


def _number(text: str | None) -> int:
    return int(text) if text and text.isdigit() else 0


AVA = compiled(r"^\s+(\d+) (tests? passed|tests? failed|tests? skipped|uncaught exceptions?|unhandled rejections?)$")


def ava(output: Output) -> list[Summary]:
    """`1 test failed`, `2 tests passed`, `1 test skipped`."""
    figures: dict[str, int] = {}
    for line in output.last_with(" passed", " failed", " skipped", "uncaught", "unhandled"):
        if (match := AVA.match(line)) is not None:
            figures.setdefault(match.group(2).split()[-1].rstrip("s"), int(match.group(1)))
    if not figures:
        return [Summary(end=RunEnd.NOTHING)] if output.has("Couldn’t find any files to test") else []
    return [
        judged(
            # With a failure it does not say how many passed.
            passed=figures.get("passed"),
            failed=figures.get("failed", 0),
            errors=figures.get("exception", 0) + figures.get("rejection", 0),
            skipped=figures.get("skipped"),
        )
    ]


PLAYWRIGHT = compiled(
    r"^\s*(\d+) (passed|failed|flaky|skipped|did not run|interrupted)(?: \([\d.]+(?:ms|s|m|h)\))?$", ignore_case=False
)


def playwright(output: Output) -> list[Summary]:
    """`1 failed`, `2 skipped`, `3 passed (4.2s)`, each on a line of its own."""
    figures: dict[str, int] = {}
    for line in output.last_with(" passed", " failed", " skipped", " flaky", " did not run", " interrupted"):
        if (match := PLAYWRIGHT.match(line)) is not None:
            figures.setdefault(match.group(2), int(match.group(1)))
    if not figures:
        return [Summary(end=RunEnd.NOTHING)] if output.has("Error: No tests found") else []
    skipped = figures.get("skipped", 0) + figures.get("did not run", 0)
    return [
        judged(
            passed=figures.get("passed", 0) + figures.get("flaky", 0),
            failed=figures.get("failed", 0) + figures.get("interrupted", 0),
            skipped=skipped or None,
        )
    ]


GRADLE = compiled(r"^(\d+) tests? completed(?:, (\d+) failed)?(?:, (\d+) skipped)?", ignore_case=False)


GRADLE_TEST = compiled(r"^\S.* > .+ (PASSED|FAILED|SKIPPED)$", ignore_case=False)


def gradle(output: Output) -> list[Summary]:
    """`5 tests completed, 1 failed` (printed only for failures), `BUILD SUCCESSFUL in 2s`, `> Task :test NO-SOURCE`.

    A build that logs its tests prints one line for each: `ShopTest > pays() PASSED`.
    """
    figures: list[Summary] = []
    for line in output.all_with(" completed"):
        if (match := GRADLE.match(line)) is not None:
            done, failed, skipped = (_number(match.group(index)) for index in (1, 2, 3))
            figures.append(judged(passed=done - failed - skipped, failed=failed, skipped=skipped or None))
    for line in output.last_with("BUILD SUCCESSFUL", "BUILD FAILED"):
        if line.startswith("BUILD FAILED"):
            one = summed(figures)
            return [Summary(end=RunEnd.FAILED, counts=one.counts if one is not None else Counts())]
        if line.startswith("BUILD SUCCESSFUL"):
            if output.has(":test NO-SOURCE") and not output.has(":test\n"):
                return [Summary(end=RunEnd.NOTHING)]
            return [summed(figures) or _gradle_tests(output) or Summary(end=RunEnd.PASSED)]
    return []


def _gradle_tests(output: Output) -> Summary | None:
    """The figures of a build that went well, from the lines of its tests; None where it logged none that passed."""
    ends = [match.group(1) for line in output.all_with(" > ") if (match := GRADLE_TEST.match(line)) is not None]
    passed, skipped = ends.count("PASSED"), ends.count("SKIPPED")
    if not passed or "FAILED" in ends:
        return None
    return Summary(end=RunEnd.PASSED, counts=Counts(passed=passed, failed=0, skipped=skipped or None))


MAVEN = compiled(
    r"^(?:\[\w+\] )?Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)\s*$", ignore_case=False
)


def maven(output: Output) -> list[Summary]:
    """`Tests run: 5, Failures: 1, Errors: 0, Skipped: 0` once for each module (with a time: one class, not counted)."""
    found: list[Summary] = []
    for line in output.all_with("Tests run: "):
        if (match := MAVEN.match(line)) is not None:
            ran, failed, errors, skipped = (int(match.group(index)) for index in range(1, 5))
            found.append(
                judged(passed=ran - failed - errors - skipped, failed=failed, errors=errors, skipped=skipped or None)
            )
    one = summed(found)
    for line in output.last_with("BUILD SUCCESS", "BUILD FAILURE"):
        if "BUILD FAILURE" in line:
            return [Summary(end=RunEnd.FAILED, counts=one.counts if one is not None else Counts())]
        if one is None:
            return [Summary(end=RunEnd.NOTHING)]
        break
    return [] if one is None else [one]


DOTNET = compiled(
    r"^(?:Passed|Failed|Skipped)!\s+- Failed:\s+(\d+), Passed:\s+(\d+), Skipped:\s+(\d+), Total:\s+(\d+)",
    ignore_case=False,
)
DOTNET_LONG = compiled(r"^\s*(Total tests|Passed|Failed|Skipped): (\d+)$", ignore_case=False)


def dotnet(output: Output) -> list[Summary]:
    """`Passed!  - Failed: 0, Passed: 5, Skipped: 0, Total: 5` for each assembly, or the long form of it."""
    found: list[Summary] = []
    for line in output.all_with("!  - Failed:"):
        if (match := DOTNET.match(line)) is not None:
            failed, passed, skipped, _ = (int(match.group(index)) for index in range(1, 5))
            found.append(judged(passed=passed, failed=failed, skipped=skipped or None))
    if not found:
        figures: dict[str, int] = {}
        for line in output.last_with("Total tests:", "Passed:", "Failed:", "Skipped:"):
            if (match := DOTNET_LONG.match(line)) is not None:
                figures.setdefault(match.group(1), int(match.group(2)))
        if "Total tests" in figures:
            found.append(
                judged(passed=figures.get("Passed", 0), failed=figures.get("Failed", 0), skipped=figures.get("Skipped"))
            )
    if not found and output.has("No test is available"):
        return [Summary(end=RunEnd.NOTHING)]
    one = summed(found)
    return [] if one is None else [one]


RSPEC = compiled(
    r"^(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?(?:, (\d+) errors? occurred outside of examples)?$"
)


def rspec(output: Output) -> list[Summary]:
    """`5 examples, 1 failure, 1 pending`."""
    found: list[Summary] = []
    for line in output.last_with(" example"):
        if (match := RSPEC.match(line)) is not None:
            ran, failed, pending, errors = (_number(match.group(index)) for index in range(1, 5))
            found.append(judged(passed=ran - failed - pending, failed=failed, errors=errors, skipped=pending or None))
    found.reverse()
    return found


PHPUNIT_OK = compiled(r"^OK \((\d+) tests?, \d+ assertions?\)$", ignore_case=False)
PHPUNIT = compiled(r"^Tests: (\d+), Assertions: \d+((?:, [A-Z][A-Za-z ]+: \d+)*)\.$", ignore_case=False)
NAMED = compiled(r"([A-Z][A-Za-z ]+): (\d+)", ignore_case=False)


def phpunit(output: Output) -> list[Summary]:
    """`OK (5 tests, 7 assertions)`, `Tests: 5, Assertions: 7, Failures: 1.`, `No tests executed!`"""
    for line in output.last_with("OK (", "Tests: ", "No tests executed!"):
        if line.startswith("No tests executed!"):
            return [Summary(end=RunEnd.NOTHING)]
        if (match := PHPUNIT_OK.match(line)) is not None:
            return [judged(passed=int(match.group(1)))]
        if (match := PHPUNIT.match(line)) is not None:
            named = {one.group(1): int(one.group(2)) for one in NAMED.finditer(match.group(2))}
            failed, errors = named.get("Failures", 0), named.get("Errors", 0)
            skipped = named.get("Skipped", 0) + named.get("Incomplete", 0)
            passed = int(match.group(1)) - failed - errors - skipped
            return [judged(passed=passed, failed=failed, errors=errors, skipped=skipped or None)]
    return []


CTEST = compiled(r"^\d+% tests passed, (\d+) tests? failed out of (\d+)", ignore_case=False)


def ctest(output: Output) -> list[Summary]:
    """`67% tests passed, 1 tests failed out of 3`, `No tests were found!!!`"""
    for line in output.last_with("% tests passed", "No tests were found"):
        if (match := CTEST.match(line)) is not None:
            failed, total = int(match.group(1)), int(match.group(2))
            return [judged(passed=total - failed, failed=failed)]
        if line.startswith("No tests were found"):
            return [Summary(end=RunEnd.NOTHING)]
    return []


BATS = compiled(r"^(\d+) tests?, (\d+) failures?(?:, (\d+) skipped)?", ignore_case=False)
PLAN = compiled(r"^1\.\.(\d+)$")


def bats(output: Output) -> list[Summary]:
    """`5 tests, 1 failure`, or as TAP: `ok 1 name`, `not ok 2 name`, with the plan `1..2`."""
    for line in output.last_with(" failure"):
        if (match := BATS.match(line)) is not None:
            ran, failed, skipped = (_number(match.group(index)) for index in (1, 2, 3))
            return [judged(passed=ran - failed - skipped, failed=failed, skipped=skipped or None)]
    return tap(output)


def tap(output: Output) -> list[Summary]:
    """The Test Anything Protocol; only a plan that was carried out counts."""
    plan = next((match for line in output.all_with("1..") if (match := PLAN.match(line)) is not None), None)
    if plan is None:
        return []
    failed = sum(1 for line in output.all_with("not ok ") if line.startswith("not ok ") and "# TODO" not in line)
    lines = [line for line in output.all_with("ok ") if line.startswith("ok ")]
    skipped = sum(1 for line in lines if "# skip" in line.lower())
    planned = int(plan.group(1))
    missing = max(0, planned - failed - len(lines))
    return [judged(passed=len(lines) - skipped, failed=failed, errors=missing, skipped=skipped or None)]


DENO = compiled(
    r"^(?:ok|FAILED) \| (\d+) passed(?: \(\d+ steps?\))? \| (\d+) failed(?: \(\d+ steps?\))?"
    r"(?: \| (\d+) ignored)?(?:.*?\| (\d+) filtered out)?",
    ignore_case=False,
)


def deno(output: Output) -> list[Summary]:
    """`ok | 5 passed | 0 failed (12ms)`."""
    for line in output.last_with(" passed"):
        if (match := DENO.match(line)) is not None:
            passed, failed, ignored, filtered = (_number(match.group(index)) for index in range(1, 5))
            return [judged(passed=passed, failed=failed, skipped=ignored or None, deselected=filtered or None)]
    return []


BUN = compiled(r"^\s*(\d+) (pass|fail|skip|todo)$", ignore_case=False)


def bun(output: Output) -> list[Summary]:
    """`5 pass`, `1 fail`, `Ran 6 tests across 1 files.`"""
    figures: dict[str, int] = {}
    for line in output.last_with(" pass", " fail", " skip", " todo"):
        if (match := BUN.match(line)) is not None:
            figures.setdefault(match.group(2), int(match.group(1)))
    if "pass" not in figures or not output.has("Ran "):
        return []
    skipped = figures.get("skip", 0) + figures.get("todo", 0)
    return [judged(passed=figures["pass"], failed=figures.get("fail", 0), skipped=skipped or None)]


MIX = compiled(
    r"^(?:\d+ doctests?, )?(?:\d+ propert(?:y|ies), )?(\d+) tests?, (\d+) failures?(?:, (\d+) (?:skipped|excluded))?"
)


def mix(output: Output) -> list[Summary]:
    """`5 tests, 1 failure, 1 skipped` of ExUnit."""
    for line in output.last_with(" failure"):
        if (match := MIX.match(line)) is not None:
            ran, failed, skipped = (_number(match.group(index)) for index in (1, 2, 3))
            return [judged(passed=ran - failed - skipped, failed=failed, skipped=skipped or None)]
    return []


MINITEST = compiled(r"^(\d+) runs?, \d+ assertions?, (\d+) failures?, (\d+) errors?, (\d+) skips?")


def minitest(output: Output) -> list[Summary]:
    """`5 runs, 7 assertions, 1 failures, 0 errors, 0 skips`."""
    for line in output.last_with(" assertions, "):
        if (match := MINITEST.match(line)) is not None:
            ran, failed, errors, skipped = (int(match.group(index)) for index in range(1, 5))
            return [
                judged(passed=ran - failed - errors - skipped, failed=failed, errors=errors, skipped=skipped or None)
            ]
    return []


SWIFT = compiled(r"^\s*Executed (\d+) tests?, with (?:(\d+) tests? skipped and )?(\d+) failures? \((\d+) unexpected\)")


def swift(output: Output) -> list[Summary]:
    """`Executed 5 tests, with 1 failure (0 unexpected) in 0.1 seconds`: the last one covers all."""
    for line in output.last_with("Executed "):
        if (match := SWIFT.match(line)) is not None:
            ran, skipped, failed = (_number(match.group(index)) for index in (1, 2, 3))
            return [judged(passed=ran - failed - skipped, failed=failed, skipped=skipped or None)]
    return []


JUNIT_RAN = compiled(r"^Tests run: (\d+),\s+Failures: (\d+)(?:, Errors: (\d+))?(?:, Skipped: (\d+))?\s*$")
JUNIT_OK = compiled(r"^OK \((\d+) tests?\)$")
JUNIT_PLATFORM = compiled(r"^\[\s*(\d+) tests (successful|failed|skipped|aborted|found)\s*\]$")


def junit(output: Output) -> list[Summary]:
    """`OK (7 tests)`, `Tests run: 7,  Failures: 2`, `[ 7 tests successful ]`."""
    figures: dict[str, int] = {}
    for line in output.last_with("tests successful", "tests failed", "tests skipped", "tests found"):
        if (match := JUNIT_PLATFORM.match(line.strip())) is not None:
            figures.setdefault(match.group(2), int(match.group(1)))
    if "successful" in figures:
        return [
            judged(
                passed=figures["successful"], failed=figures.get("failed", 0), skipped=figures.get("skipped", 0) or None
            )
        ]
    for line in output.last_with("OK (", "Tests run: "):
        if (match := JUNIT_OK.match(line)) is not None:
            return [judged(passed=int(match.group(1)))]
        if (match := JUNIT_RAN.match(line)) is not None:
            ran, failed, errors, skipped = (_number(match.group(index)) for index in range(1, 5))
            return [
                judged(passed=ran - failed - errors - skipped, failed=failed, errors=errors, skipped=skipped or None)
            ]
    return []


SUITES: Mapping[str, Reader] = {
    "ava": ava,
    "playwright": playwright,
    "gradle": gradle,
    "maven": maven,
    "dotnet test": dotnet,
    "rspec": rspec,
    "phpunit": phpunit,
    "ctest": ctest,
    "bats": bats,
    "deno test": deno,
    "bun test": bun,
    "mix test": mix,
    "rails test": minitest,
    "swift test": swift,
    "junit": junit,
}
# Those whose lines are their own: a script whose tool nobody knows is read with these. The others would be mistaken
# for each other.
OWN_LINES = ("ava", "maven", "dotnet test", "rspec", "phpunit", "ctest", "deno test", "rails test", "playwright")
