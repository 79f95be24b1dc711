"""The files of a project that decide what a check does: manifests, settings of runners, plugins, and their parts."""

import ast
import configparser
import json
import posixpath
import tomllib
from collections.abc import Callable, Mapping, Sequence
from itertools import islice

from mama_bot.shell.tokens import word_set
from mama_bot.text.patterns import compiled

WHOLE = ""  # the name of the part that is all of a file
NAMED_SECTIONS = {"pytest": "tool.pytest", "tool:pytest": "tool.pytest"}
# Settings of pytest that change no outcome.
HARMLESS = word_set(
    "asyncio_mode asyncio_default_fixture_loop_scope markers minversion required_plugins filterwarnings cache_dir "
    "console_output_style junit_family timeout log_cli log_cli_level log_level log_format log_file"
)
PLUGINS = frozenset({"pytest_plugins", "collect_ignore", "collect_ignore_glob"})
TASKS = ("poe", "taskipy", "pdm", "hatch", "tox", "rye", "poetry")
RULE = compiled(r"([^\s:#=][^:#=]*?)\s*::?(?:[^=]|$)(.*)", ignore_case=False)
ASSIGNMENT = compiled(r"(?:export\s+|override\s+)?([\w.-]+)\s*(?:[:?+!]|::)?=", ignore_case=False)
# In a file of a build tool that holds much else.
TELLING = compiled(
    r"(?i)ignoreFailures|testFailureIgnore|skipTests|maven\.test\.skip|surefire|failsafe|\btest\b.*enabled"
)

GO_MAIN = "func TestMain("

# They decide what any recipe does, and no recipe names them.
ALWAYS_USED = frozenset({"SHELL", ".SHELLFLAGS", "MAKEFLAGS", "PATH", "PYTHONPATH", "NODE_PATH", "BASH_ENV", "ENV"})

MOST_PARTS = 50
MOST_CHARACTERS = 100
MOST_TARGETS = 300
MOST_STEPS = 200

Parts = Mapping[str, str]


class RunnerFiles:
    """Knows which files decide what checks do, and by which of their parts."""

    def concerns(self, path: str) -> bool:
        """Return whether a file may decide what a check does."""
        return _reader(path) is not None

    def parts(self, path: str, before: bytes | None, after: bytes | None) -> Sequence[str]:
        """Return the deciding parts that differ between two contents of a file (None: it was not there)."""
        reader = _reader(path)
        if reader is None or after is None:
            return ()
        old, new = _read(reader, before), _read(reader, after)
        if old is None or new is None:
            return (WHOLE,)
        differing = (
            name[:MOST_CHARACTERS] for name in sorted(old.keys() | new.keys()) if old.get(name) != new.get(name)
        )
        return tuple(islice(differing, MOST_PARTS))


def _read(reader: Callable[[str], Parts], content: bytes | None) -> Parts | None:
    """Return the deciding parts of a content; None where it cannot be read."""
    if content is None:
        return {}
    try:
        return reader(content.decode("utf-8"))
    except (ValueError, SyntaxError, RecursionError, MemoryError, configparser.Error):
        return None


def _reader(path: str) -> Callable[[str], Parts] | None:
    name = posixpath.basename(path)
    if name.partition(".")[0] == "Makefile" or name in {"makefile", "GNUmakefile"} or name.endswith(".mk"):
        return _make
    if (known := READERS.get(name)) is not None:
        return known
    if name.endswith("_test.go"):
        return _go_tests
    if name == "config.toml" and posixpath.basename(posixpath.dirname(path)) == ".cargo":
        return _whole
    return _whole if any(name.startswith(start) for start in STARTS) else None


def _whole(text: str) -> Parts:
    return {WHOLE: text}


def _package(text: str) -> Parts:
    """Read the scripts of a package.json, and the settings of runners that stand in it."""
    manifest = json.loads(text)
    if not isinstance(manifest, dict):
        return {}
    scripts = manifest.get("scripts")
    parts = {f"scripts.{name}": str(script) for name, script in (scripts.items() if isinstance(scripts, dict) else ())}
    runners = ("jest", "mocha", "ava", "vitest", "nyc", "c8")
    return parts | {name: json.dumps(manifest[name], sort_keys=True) for name in runners if name in manifest}


def _toml(text: str) -> Parts:
    tools = tomllib.loads(text).get("tool")
    if not isinstance(tools, dict):
        return {}
    parts = {f"tool.{name}": json.dumps(tools[name], sort_keys=True, default=str) for name in TASKS if name in tools}
    pytest = tools.get("pytest")
    options = pytest.get("ini_options", pytest) if isinstance(pytest, dict) else None
    if isinstance(options, dict) and (deciding := {name: options[name] for name in options if name not in HARMLESS}):
        parts["tool.pytest"] = json.dumps(deciding, sort_keys=True, default=str)
    return parts


def _sections(text: str) -> Parts:
    """Read the settings of pytest, and of environments, in a file of sections."""
    parser = configparser.RawConfigParser(strict=False, delimiters=("=", ":"))
    parser.read_string(text)
    parts = {}
    for section in parser.sections():
        options = {name: value for name, value in parser.items(section) if name not in HARMLESS}
        if options and (section in NAMED_SECTIONS or section.startswith("testenv") or section == "tox"):
            parts[NAMED_SECTIONS.get(section, section)] = json.dumps(options, sort_keys=True)
    return parts


def _conftest(text: str) -> Parts:
    """Read the hooks of a conftest.py: fixtures and helpers are part of the tests."""
    parts = {}
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) and statement.name.startswith("pytest_"):
            parts[statement.name] = ast.dump(statement)
        elif isinstance(statement, ast.Assign):
            names = {target.id for target in statement.targets if isinstance(target, ast.Name)}
            parts |= {name: ast.dump(statement) for name in names & PLUGINS}
        elif isinstance(statement, ast.Expr | ast.If | ast.Try | ast.For | ast.While | ast.With):
            parts["statements"] = parts.get("statements", "") + ast.dump(statement)
    return {name: text for name, text in parts.items() if name != "statements" or "Call(" in text}


def _make(text: str) -> Parts:
    """Read each target of a Makefile with all that it leads to: recipes, prerequisites, variables."""
    rules: dict[str, list[str]] = {}
    needs: dict[str, list[str]] = {}
    variables: dict[str, str] = {}
    current: list[str] = []
    for line in text.splitlines():
        if line.startswith("\t"):
            for target in current:
                rules[target].append(line.strip())
        elif (assigned := ASSIGNMENT.match(line)) is not None:
            variables[assigned.group(1)] = line.strip()
            current = []
        elif (rule := RULE.match(line)) is not None:
            current = [target for target in rule.group(1).split() if target != ".PHONY"]
            for target in current:
                rules.setdefault(target, [])
                needs.setdefault(target, []).extend(line.partition(":")[2].split())
    return {target: _expanded(target, rules, needs, variables) for target in [*rules][:MOST_TARGETS]}


def _expanded(
    target: str, rules: Mapping[str, list[str]], needs: Mapping[str, list[str]], variables: Mapping[str, str]
) -> str:
    seen: dict[str, None] = {}
    waiting = [target]
    while waiting and len(seen) < MOST_STEPS:
        name = waiting.pop()
        if name not in seen and name in rules:
            seen[name] = None
            waiting += needs[name]
    lines = [line for name in seen for line in (f"{name}:", *rules[name])]
    text = "\n".join(lines)
    used = [
        line for name, line in variables.items() if name in ALWAYS_USED or f"({name})" in text or f"{{{name}}}" in text
    ]
    return "\n".join([*lines, *sorted(used)])


def _go_tests(text: str) -> Parts:
    """Read the function by which a package's tests take over how they are run, and whether they are."""
    start = text.find(GO_MAIN)
    return {"main": text[start:]} if start >= 0 else {}


def _cargo(text: str) -> Parts:
    """Read the targets that do without Rust's own runner of tests."""
    manifest = tomllib.loads(text)
    targets = [*manifest.get("test", ()), *manifest.get("bench", ()), manifest.get("lib", {}), *manifest.get("bin", ())]
    own = [
        target
        for target in targets
        if isinstance(target, dict) and not (target.get("harness", True) and target.get("test", True))
    ]
    return {"tests": json.dumps(own, sort_keys=True, default=str)} if own else {}


def _telling_lines(text: str) -> Parts:
    lines = [line.strip() for line in text.splitlines() if TELLING.search(line) is not None]
    return {"tests": "\n".join(lines)} if lines else {}


READERS: Mapping[str, Callable[[str], Parts]] = {
    "package.json": _package,
    "pyproject.toml": _toml,
    "setup.cfg": _sections,
    "tox.ini": _sections,
    "conftest.py": _conftest,
    "Cargo.toml": _cargo,
    **dict.fromkeys(("build.gradle", "build.gradle.kts", "pom.xml"), _telling_lines),
    **dict.fromkeys(("pytest.ini", ".pytest.ini"), _sections),
    **dict.fromkeys(
        word_set(
            "noxfile.py justfile Justfile .justfile Taskfile.yml Taskfile.yaml Rakefile tasks.py .rspec nextest.toml "
            "phpunit.xml phpunit.xml.dist deno.json composer.json sitecustomize.py usercustomize.py"
        ),
        _whole,
    ),
}
STARTS = (
    *("jest.config.", "vitest.config.", "vitest.workspace.", ".mocharc.", "karma.conf.", "playwright.config."),
    *("cypress.config.", "ava.config."),
)
