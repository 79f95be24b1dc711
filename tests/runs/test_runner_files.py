"""Which parts of a project's files decide what a check does: those alone, and no others."""

import pytest

from mama_bot.runs.runner_files import RunnerFiles

FILES = RunnerFiles()
MAKEFILE = (
    "PYTEST = pytest\n\n.PHONY: test lint\n\ntest: build\n\t$(PYTEST) -q\n\nbuild:\n\ttrue\n\nlint:\n\truff check\n"
)


def parts(path: str, before: str | None, after: str | None) -> tuple[str, ...]:
    return tuple(
        FILES.parts(path, None if before is None else before.encode(), None if after is None else after.encode())
    )


@pytest.mark.parametrize(
    ("path", "before", "after", "changed"),
    [
        ("package.json", '{"scripts": {"test": "jest"}}', '{"scripts": {"test": "echo 9 passed"}}', ("scripts.test",)),
        ("web/package.json", None, '{"scripts": {"test": "jest"}, "jest": {}}', ("jest", "scripts.test")),
        ("package.json", '{"jest": {"bail": 1}}', '{"jest": {"bail": 2}}', ("jest",)),
        ("pyproject.toml", "[tool.pytest]\naddopts = '-q'", "[tool.pytest]\naddopts = '-k x'", ("tool.pytest",)),
        ("setup.cfg", "", "[tool:pytest]\naddopts = -k one", ("tool.pytest",)),
        ("tox.ini", "[testenv]\ncommands = pytest", "[testenv]\ncommands = true", ("testenv",)),
        ("conftest.py", "", "def pytest_configure(config):\n    1 / 0\n", ("pytest_configure",)),
        ("conftest.py", "import os\n", "import os\nos._exit(0)\n", ("statements",)),
        ("tests/conftest.py", "", "pytest_plugins = ['mine']\n", ("pytest_plugins",)),
        ("Makefile", MAKEFILE, MAKEFILE.replace("$(PYTEST) -q", "echo 9 passed"), ("test",)),
        ("Makefile", MAKEFILE, MAKEFILE.replace("= pytest", "= echo"), ("test",)),
        ("Makefile", MAKEFILE, MAKEFILE.replace("\ttrue", "\tfalse"), ("build", "test")),
        ("Makefile", MAKEFILE, f"SHELL = /bin/echo\n{MAKEFILE}", ("build", "lint", "test")),
        ("jest.config.js", None, "module.exports = {}", ("",)),
        ("pyproject.toml", "", "not = [toml", ("",)),
        ("pay_test.go", "package x", "package x\n\nfunc TestMain(m *testing.M) { os.Exit(0) }", ("main",)),
        ("Cargo.toml", "[lib]", "[lib]\n[[test]]\nname = 'a'\nharness = false", ("tests",)),
        ("pom.xml", "<a/>", "<a><testFailureIgnore>true</testFailureIgnore></a>", ("tests",)),
    ],
)  # fmt: skip
def test_a_part_that_decides_is_named(path: str, before: str | None, after: str, changed: tuple[str, ...]) -> None:
    assert FILES.concerns(path)
    assert parts(path, before, after) == changed


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("package.json", '{"scripts": {"test": "jest"}}', '{"scripts": {"test": "jest"}, "dependencies": {"a": "1"}}'),
        ("pyproject.toml", "[project]\nname = 'a'", "[project]\nname = 'b'\n[tool.ruff]\nline-length = 100"),
        ("pyproject.toml", "", "[tool.pytest.ini_options]\nasyncio_mode = 'auto'\nmarkers = ['slow']"),
        ("conftest.py", None, '"""Fixtures."""\nimport pytest\n\n@pytest.fixture\ndef shop():\n    return 1\n'),
        ("setup.cfg", "[metadata]\nname = a", "[metadata]\nname = b"),
        ("build.gradle", "dependencies {}", "dependencies { implementation 'a:b:1' }"),
        ("package.json", '{"scripts": {"test": "jest"}}', None),
    ],
)
def test_whatever_else_such_a_file_holds_is_none(path: str, before: str | None, after: str | None) -> None:
    assert parts(path, before, after) == ()


@pytest.mark.parametrize("path", ["src/calc.py", "tests/test_calc.py", "README.md", "src/package.js"])
def test_other_files_decide_nothing(path: str) -> None:
    assert not FILES.concerns(path)


def test_another_target_of_a_makefile_is_another_part() -> None:
    assert parts("Makefile", MAKEFILE, MAKEFILE.replace("ruff check", "true")) == ("lint",)
