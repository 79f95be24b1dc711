"""Test tools by name, and how to read what each prints at its end: its own format, with an example beside it."""

from collections.abc import Mapping

from mama_bot.runs.formats import FirstOf, Headed, LineEach, OneLine, Reader
from mama_bot.runs.summaries import (
    read_cargo_test,
    read_ctest,
    read_go_test,
    read_gradle,
    read_maven,
    read_nextest,
    read_pytest,
    read_tap,
    read_unittest,
)
from mama_bot.text.patterns import compiled

SUITES: Mapping[str, Reader] = {
    "pytest": read_pytest,
    "unittest": read_unittest,
    "jest": Headed(
        example="Tests:       1 failed, 2 passed, 3 total",
        needles=("Tests:", "Test Suites:"),
        line=compiled(r"^(Tests|Test Suites):\s+(.*?\b\d+ total)", ignore_case=False),
        nothing="No tests found",
    ),
    "vitest": Headed(
        example="      Tests  1 failed | 2 passed (3)",
        needles=("Test Files ", "Tests ", "Errors "),
        line=compiled(r"^\s*(Test Files|Tests|Errors)\s{2}(.*?)(?:\(\d+\))?$", ignore_case=False),
        nothing="No test files found",
    ),
    "mocha": LineEach(
        example="  3 passing (5ms)",
        needles=(" passing", " pending", " failing"),
        line=compiled(r"^\s+(\d+) (passing|pending|failing)(?: \(.*\))?$", ignore_case=False),
        begins="passing",
    ),
    "node --test": LineEach(
        example="# pass 2",  # and `ℹ pass 2` for a terminal
        needles=("# ", "ℹ "),
        line=compiled(r"^\s*(?:#|ℹ) (tests|pass|fail|cancelled|skipped|todo) (\d+)$", ignore_case=False),
        needs=("pass", "fail"),
    ),
    "cargo test": read_cargo_test,
    "cargo nextest": read_nextest,
    "go test": read_go_test,
    "ava": LineEach(
        example="  2 tests passed",
        needles=(" passed", " failed", " skipped", "uncaught", "unhandled"),
        line=compiled(r"^\s*(\d+) (?:tests?|uncaught|unhandled) (passed|failed|skipped|exception|rejection)s?$"),
        nothing="Couldn’t find any files to test",
        counts_passed=False,
    ),
    "playwright": LineEach(
        example="  3 passed (4.2s)",
        needles=(" passed", " failed", " skipped", " flaky", " did not run", " interrupted"),
        line=compiled(
            r"^\s*(\d+) (passed|failed|flaky|skipped|did not run|interrupted)(?: \([\d.]+(?:ms|s|m|h)\))?$",
            ignore_case=False,
        ),
        nothing="Error: No tests found",
    ),
    "gradle": read_gradle,
    "maven": read_maven,
    "dotnet test": FirstOf(
        (
            OneLine(  # for each assembly
                example="Passed!  - Failed:     0, Passed:     5, Skipped:     0, Total:     5",
                needles=("!  - Failed:",),
                line=compiled(
                    r"^(?:Passed|Failed|Skipped)!\s+- Failed:\s+(\d+), Passed:\s+(\d+), Skipped:\s+(\d+), Total:\s+\d+",
                    ignore_case=False,
                ),
                groups=("failed", "passed", "skipped"),
                total=True,
            ),
            LineEach(
                example="     Passed: 5",
                needles=("Total tests:", "Passed:", "Failed:", "Skipped:"),
                line=compiled(r"^\s*(Total tests|Passed|Failed|Skipped): (\d+)$", ignore_case=False),
                needs=("total tests",),
                nothing="No test is available",
            ),
        )
    ),
    "rspec": OneLine(
        example="5 examples, 1 failure, 1 pending",
        needles=(" example",),
        line=compiled(
            r"^(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?(?:, (\d+) errors? occurred outside of examples)?$"
        ),
        groups=("ran", "failed", "skipped", "outside"),
        each=True,
    ),
    "phpunit": OneLine(
        example="Tests: 5, Assertions: 7, Failures: 1.",  # and `OK (5 tests, 7 assertions)`
        needles=("OK (", "Tests: ", "No tests executed!"),
        line=compiled(
            r"^OK \((\d+) tests?, \d+ assertions?\)$"
            r"|^Tests: (\d+), Assertions: \d+((?:, [A-Z][A-Za-z ]+: \d+)*)\.$",
            ignore_case=False,
        ),
        groups=("ran", "ran", "words"),
        nothing="No tests executed!",
    ),
    "ctest": read_ctest,
    "bats": FirstOf(
        (
            OneLine(
                example="5 tests, 1 failure, 1 skipped",
                needles=(" failure",),
                line=compiled(r"^(\d+) tests?, (\d+) failures?(?:, (\d+) skipped)?", ignore_case=False),
                groups=("ran", "failed", "skipped"),
            ),
            read_tap,
        )
    ),
    "deno test": OneLine(
        example="ok | 5 passed | 0 failed (12ms)",
        needles=(" passed",),
        line=compiled(
            r"^(?:ok|FAILED) \| (\d+) passed(?: \(\d+ steps?\))? \| (\d+) failed(?: \(\d+ steps?\))?"
            r"(?: \| (\d+) ignored)?(?:.*?\| (\d+) filtered out)?",
            ignore_case=False,
        ),
        groups=("passed", "failed", "skipped", "deselected"),
    ),
    "bun test": LineEach(
        example=" 5 pass",
        needles=(" pass", " fail", " skip", " todo"),
        line=compiled(r"^\s*(\d+) (pass|fail|skip|todo)$", ignore_case=False),
        needs=("pass",),
        beside="Ran ",  # `Ran 6 tests across 1 files.`
        nothing="No tests found!",
    ),
    "mix test": OneLine(
        example="5 tests, 1 failure, 1 skipped",
        needles=(" failure",),
        line=compiled(
            r"^(?:\d+ doctests?, )?(?:\d+ propert(?:y|ies), )?(\d+) tests?, (\d+) failures?"
            r"(?:, (\d+) (?:skipped|excluded))?"
        ),
        groups=("ran", "failed", "skipped"),
    ),
    "rails test": OneLine(
        example="5 runs, 7 assertions, 1 failures, 0 errors, 0 skips",
        needles=(" assertions, ",),
        line=compiled(r"^(\d+) runs?, \d+ assertions?, (\d+) failures?, (\d+) errors?, (\d+) skips?"),
        groups=("ran", "failed", "errors", "skipped"),
    ),
    "swift test": OneLine(  # the last one covers all
        example="Executed 5 tests, with 1 failure (0 unexpected) in 0.1 seconds",
        needles=("Executed ",),
        line=compiled(
            r"^\s*Executed (\d+) tests?, with (?:(\d+) tests? skipped and )?(\d+) failures? \(\d+ unexpected\)"
        ),
        groups=("ran", "skipped", "failed"),
    ),
    "junit": FirstOf(
        (
            LineEach(
                example="[         7 tests successful      ]",
                needles=("tests successful", "tests failed", "tests skipped", "tests found"),
                line=compiled(r"^\s*\[\s*(\d+) tests (successful|failed|skipped|aborted|found)\s*\]$"),
                needs=("successful",),
            ),
            OneLine(  # version 4 ends with this, or with the line below
                example="OK (7 tests)",
                needles=("OK (",),
                line=compiled(r"^OK \((\d+) tests?\)$"),
                groups=("passed",),
            ),
            OneLine(
                example="Tests run: 7,  Failures: 2",
                needles=("Tests run: ",),
                line=compiled(r"^Tests run: (\d+),\s+Failures: (\d+)\s*$"),
                groups=("ran", "failed"),
            ),
        )
    ),
}
# Those whose lines are their own: a script whose tool nobody knows is read with these. The others would be mistaken
# for each other.
OWN_LINES = (
    *("pytest", "unittest", "jest", "vitest", "mocha", "node --test", "cargo test", "cargo nextest", "go test"),
    *("ava", "maven", "dotnet test", "rspec", "phpunit", "ctest", "deno test", "rails test", "playwright", "junit"),
)
