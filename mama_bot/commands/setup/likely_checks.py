"""Which commands probably check a repository, by the files that lie in it."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from mama_bot.config import CheckInstall, WorkspaceCheck

LOOKED_AT = 200_000  # bytes of a file
_NO_TESTS = "no test specified"  # what `npm init` writes
_TARGETS = ("test", "check")
_PYTHON = ("tests/", "test/", "**/conftest.py", "conftest.py", "pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini")
# A root package's own scripts may want the whole repository, which is not there: then they are left out.
_LOCKS = {
    "package-lock.json": ("npm", "npm ci || npm ci --ignore-scripts"),
    "pnpm-lock.yaml": ("pnpm", "pnpm install --frozen-lockfile || pnpm install --frozen-lockfile --ignore-scripts"),
    "yarn.lock": ("yarn", "yarn install --frozen-lockfile"),
}
_NODE_FILES = ("package.json", ".npmrc", ".yarnrc", ".yarnrc.yml", "pnpm-workspace.yaml")
_NODE_TESTS = ("test/", "tests/", "__tests__/", "package.json")
_REQUIREMENTS = (
    *("requirements.txt", "requirements/base.txt", "requirements-dev.txt", "requirements-test.txt"),
    *("dev-requirements.txt", "test-requirements.txt", "requirements/dev.txt", "requirements/test.txt"),
)


def likely_checks(tree: Path) -> tuple[WorkspaceCheck, ...]:
    """Return the checks that a repository probably has; those of its languages, else those of its Makefile."""
    return tuple(_of_languages(tree)) or tuple(_of_makefile(tree))


def _of_languages(tree: Path) -> Iterator[WorkspaceCheck]:
    if _is_python_with_tests(tree):
        yield _pytest(tree)
    if _npm_script(tree):
        yield _node_tests(tree)
    if (tree / "Cargo.toml").is_file():
        yield _check("cargo test", ["cargo", "test", "--quiet"], _there(tree, ("tests/", "Cargo.toml")))
    if (tree / "go.mod").is_file():
        yield _check("go test", ["go", "test", "./..."], ["**/*_test.go"])


def _pytest(tree: Path) -> WorkspaceCheck:
    needed = _there(tree, _REQUIREMENTS)
    if not needed:
        return _check("pytest", ["python3", "-m", "pytest", "-q"], _there(tree, _PYTHON))
    command = f"python3 -m venv .venv && .venv/bin/pip install -q pytest {' '.join(f'-r {name}' for name in needed)}"
    # Lists name other lists.
    files = [*needed, *_there(tree, ("*requirements*.txt", "requirements/", "constraints*.txt"))]
    install = CheckInstall(argv=("sh", "-c", command), files=tuple(dict.fromkeys(files)), makes=(".venv",))
    return _check("pytest", [".venv/bin/python", "-m", "pytest", "-q"], _there(tree, _PYTHON), install)


def _node_tests(tree: Path) -> WorkspaceCheck:
    lock = next((name for name in _LOCKS if (tree / name).is_file()), "")
    program, command = _LOCKS.get(lock, ("npm", ""))
    install = None
    if lock:
        files = (*_there(tree, _NODE_FILES), lock)
        install = CheckInstall(argv=("sh", "-c", command), files=files, makes=("node_modules",))
    return _check(f"{program} test", [program, "test"], _there(tree, _NODE_TESTS), install)


def _of_makefile(tree: Path) -> Iterator[WorkspaceCheck]:
    for name in ("Makefile", "makefile", "GNUmakefile"):
        lines = _text(tree / name).splitlines()
        target = next((each for each in _TARGETS if any(line.startswith(f"{each}:") for line in lines)), "")
        if target:
            yield _check(f"make {target}", ["make", target], [name])
            return


def _is_python_with_tests(tree: Path) -> bool:
    if (tree / "pytest.ini").is_file() or (tree / "conftest.py").is_file():
        return True
    if "pytest" in _text(tree / "pyproject.toml") + _text(tree / "setup.cfg") + _text(tree / "tox.ini"):
        return True
    return any(next((tree / place).glob("test_*.py"), None) for place in (".", "tests", "test"))


def _npm_script(tree: Path) -> str:
    try:
        package = json.loads(_text(tree / "package.json") or "{}")
        script = package["scripts"]["test"]
    except (ValueError, KeyError, TypeError):
        return ""
    return script if isinstance(script, str) and _NO_TESTS not in script else ""


def _there(tree: Path, names: Sequence[str]) -> list[str]:
    return [name for name in names if next(tree.glob(name.rstrip("/")), None) is not None]


def _check(name: str, argv: list[str], from_base: list[str], install: CheckInstall | None = None) -> WorkspaceCheck:
    return WorkspaceCheck(name=name, argv=tuple(argv), from_base=tuple(from_base), install=install)


def _text(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            return opened.read(LOOKED_AT).decode("utf-8", "replace")
    except OSError:
        return ""
