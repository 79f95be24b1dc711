"""What further test tools print at their end: each format is that of the tool itself."""

from collections.abc import Mapping

from mama_bot.model import Counts, RunEnd
from mama_bot.runs.formats import LineEach, OneLine, Reader, Summary, judged, number_of, summed
from mama_bot.runs.output import Output
from mama_bot.text.patterns import compiled

AVA = LineEach(
    example="2 tests passed",
    needles=(" passed", " failed", " skipped", "uncaught", "unhandled"),
    line=compiled(r"^(\d+) (?:tests?|uncaught|unhandled) (passed|failed|skipped|exception|rejection)s?$"),
    nothing="Couldn’t find any files to test",
    counts_passed=False,
)
PLAYWRIGHT = LineEach(
    example="3 passed (4.2s)",
    needles=(" passed", " failed", " skipped", " flaky", " did not run", " interrupted"),
    line=compiled(
        r"^(\d+) (passed|failed|flaky|skipped|did not run|interrupted)(?: \([\d.]+(?:ms|s|m|h)\))?$", ignore_case=False
    ),
    nothing="Error: No tests found",
)
GRADLE = compiled(r"^(\d+) tests? completed(?:, (\d+) failed)?(?:, (\d+) skipped)?", ignore_case=False)


GRADLE_TEST = compiled(r"^\S.* > .+ (PASSED|FAILED|SKIPPED)$", ignore_case=False)


def gradle(output: Output) -> list[Summary]:
    """`5 tests completed, 1 failed` (printed only for failures), `BUILD SUCCESSFUL in 2s`, `> Task :test NO-SOURCE`.

    A build that logs its tests prints one line for each: `ShopTest > pays() PASSED`.
    """
    figures: list[Summary] = []
    for line in output.all_with(" completed"):
        if (match := GRADLE.match(line)) is not None:
            done, failed, skipped = (number_of(match.group(index)) for index in (1, 2, 3))
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


RSPEC = OneLine(
    example="5 examples, 1 failure, 1 pending",
    needles=(" example",),
    line=compiled(
        r"^(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?(?:, (\d+) errors? occurred outside of examples)?$"
    ),
    groups=("ran", "failed", "skipped", "outside"),
    each=True,
)


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


CTEST = OneLine(
    example="67% tests passed, 1 tests failed out of 3",
    needles=("% tests passed", "No tests were found"),
    line=compiled(r"^\d+% tests passed, (\d+) tests? failed out of (\d+)", ignore_case=False),
    groups=("failed", "ran"),
    nothing="No tests were found",
)
BATS = OneLine(
    example="5 tests, 1 failure, 1 skipped",
    needles=(" failure",),
    line=compiled(r"^(\d+) tests?, (\d+) failures?(?:, (\d+) skipped)?", ignore_case=False),
    groups=("ran", "failed", "skipped"),
)
PLAN = compiled(r"^1\.\.(\d+)$")


def bats(output: Output) -> list[Summary]:
    """Return what bats says: `5 tests, 1 failure`, or as TAP `ok 1 name`, `not ok 2 name`, with the plan `1..2`."""
    return BATS(output) or tap(output)


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


DENO = OneLine(
    example="ok | 5 passed | 0 failed (12ms)",
    needles=(" passed",),
    line=compiled(
        r"^(?:ok|FAILED) \| (\d+) passed(?: \(\d+ steps?\))? \| (\d+) failed(?: \(\d+ steps?\))?"
        r"(?: \| (\d+) ignored)?(?:.*?\| (\d+) filtered out)?",
        ignore_case=False,
    ),
    groups=("passed", "failed", "skipped", "deselected"),
)
BUN = LineEach(
    example="5 pass",
    needles=(" pass", " fail", " skip", " todo"),
    line=compiled(r"^(\d+) (pass|fail|skip|todo)$", ignore_case=False),
    needs=("pass",),
)
MIX = OneLine(
    example="5 tests, 1 failure, 1 skipped",
    needles=(" failure",),
    line=compiled(
        r"^(?:\d+ doctests?, )?(?:\d+ propert(?:y|ies), )?(\d+) tests?, (\d+) failures?"
        r"(?:, (\d+) (?:skipped|excluded))?"
    ),
    groups=("ran", "failed", "skipped"),
)
MINITEST = OneLine(
    example="5 runs, 7 assertions, 1 failures, 0 errors, 0 skips",
    needles=(" assertions, ",),
    line=compiled(r"^(\d+) runs?, \d+ assertions?, (\d+) failures?, (\d+) errors?, (\d+) skips?"),
    groups=("ran", "failed", "errors", "skipped"),
)
SWIFT = OneLine(  # the last one covers all
    example="Executed 5 tests, with 1 failure (0 unexpected) in 0.1 seconds",
    needles=("Executed ",),
    line=compiled(
        r"^\s*Executed (\d+) tests?, with (?:(\d+) tests? skipped and )?(\d+) failures? \((\d+) unexpected\)"
    ),
    groups=("ran", "skipped", "failed"),
)
JUNIT_PLATFORM = LineEach(
    example="[ 7 tests successful ]",
    needles=("tests successful", "tests failed", "tests skipped", "tests found"),
    line=compiled(r"^\[\s*(\d+) tests (successful|failed|skipped|aborted|found)\s*\]$"),
    needs=("successful",),
)
JUNIT = OneLine(
    example="Tests run: 7,  Failures: 2",
    needles=("Tests run: ",),
    line=compiled(r"^Tests run: (\d+),\s+Failures: (\d+)(?:, Errors: (\d+))?(?:, Skipped: (\d+))?\s*$"),
    groups=("ran", "failed", "errors", "skipped"),
)
JUNIT_OK = OneLine(
    example="OK (7 tests)", needles=("OK (",), line=compiled(r"^OK \((\d+) tests?\)$"), groups=("passed",)
)


def bun(output: Output) -> list[Summary]:
    """Return what bun says, which ends with `Ran 6 tests across 1 files.`"""
    return BUN(output) if output.has("Ran ") else []


def junit(output: Output) -> list[Summary]:
    """Return what the platform says, else what version 4 says: it ends with `OK (7 tests)` or `Tests run: 7, ...`"""
    return JUNIT_PLATFORM(output) or JUNIT_OK(output) or JUNIT(output)


SUITES: Mapping[str, Reader] = {
    "ava": AVA,
    "playwright": PLAYWRIGHT,
    "gradle": gradle,
    "maven": maven,
    "dotnet test": dotnet,
    "rspec": RSPEC,
    "phpunit": phpunit,
    "ctest": CTEST,
    "bats": bats,
    "deno test": DENO,
    "bun test": bun,
    "mix test": MIX,
    "rails test": MINITEST,
    "swift test": SWIFT,
    "junit": junit,
}
# Those whose lines are their own: a script whose tool nobody knows is read with these. The others would be mistaken
# for each other.
OWN_LINES = ("ava", "maven", "dotnet test", "rspec", "phpunit", "ctest", "deno test", "rails test", "playwright")
