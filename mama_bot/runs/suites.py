"""Test tools and checkers by name, and how to read what each prints at its end."""

from collections.abc import Mapping
from types import MappingProxyType

from mama_bot.runs.formats import FORMATS, FirstOf, Reader
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

SUITES: Mapping[str, Reader] = MappingProxyType(
    {
        "pytest": read_pytest,
        "unittest": read_unittest,
        "cargo test": read_cargo_test,
        "cargo nextest": read_nextest,
        "go test": read_go_test,
        "gradle": read_gradle,
        "maven": read_maven,
        "ctest": read_ctest,
        **{name: reader for name, reader in FORMATS.items() if not name.endswith((" lines", " modules"))},
        "bats": FirstOf((FORMATS["bats"], read_tap)),
    }
)
# Those whose lines are their own: a script whose tool nobody knows is read with these. The others would be mistaken
# for each other.
OWN_LINES = (
    *("pytest", "unittest", "jest", "vitest", "mocha", "node --test", "cargo test", "cargo nextest", "go test"),
    *("ava", "maven", "dotnet test", "rspec", "phpunit", "ctest", "deno test", "rails test", "playwright", "junit"),
)
