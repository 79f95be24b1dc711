"""Where files and runs lie, as their paths alone tell: nothing is looked up on a disk."""

import posixpath
from functools import lru_cache

# Directories that belong to the project above them: a run there is a run of that project.
STRUCTURE = frozenset(
    (
        *("src", "lib", "app", "pkg", "cmd", "internal", "main", "test", "tests", "spec", "specs", "e2e", "it"),
        *("__tests__", "testing", "integration", "unit", "build", "_build", "target", "dist", "out", "bin", "scripts"),
        *("tools", "docs", "doc", "bench", "benches", "benchmarks", "examples", ".github", "config", "ci", "include"),
    )
)
DOCUMENTS = frozenset((".md", ".mdx", ".rst", ".adoc", ".txt", ".log", ".lock", ".png", ".svg", ".jpg", ".gif", ".pdf"))
DOCUMENT_NAMES = frozenset(
    (
        *("changelog", "readme", "license", "licence", "authors", "contributing", "codeowners", "notice", "todo"),
        *("package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "go.sum", ".gitignore"),
        *(".gitattributes", ".editorconfig", ".coverage", "coverage.xml", "junit.xml", "report.xml", ".ds_store"),
    )
)
CODE_TEXTS = frozenset(("cmakelists.txt", "requirements.txt", "constraints.txt", "requirements-dev.txt"))
MADE_DIRECTORIES = frozenset(
    (
        *("node_modules", "__pycache__", ".git", ".github", "htmlcov", ".pytest_cache", ".mypy_cache", ".ruff_cache"),
        *(".venv", "venv", ".tox", ".nox", ".next", ".turbo", ".cache", "playwright-report", "test-results", ".eggs"),
    )
)
TOP_DIRECTORIES = frozenset(("docs", "doc", "coverage", "target", "reports", "logs", "tmp", "dist", "_build", "build"))
SETTINGS = (".json", ".toml", ".yaml", ".yml", ".cfg", ".ini", "makefile", "dockerfile", ".config.js", ".config.ts")
SCRATCH = ("/tmp/", "/var/tmp/", "/dev/")  # noqa: S108 - names that are compared, nothing is written there


@lru_cache(maxsize=8192)
def joined(base: str, path: str) -> str:
    """Return a path from `base`, in one spelling; "" is the workspace."""
    whole = posixpath.normpath(posixpath.join(base, path.replace("\\", "/")))
    return "" if whole == "." else whole


def is_below(path: str, directory: str) -> bool:
    """Return whether a path is a directory's own or lies in it; everything lies in a directory without a name."""
    if not directory:
        return not path.startswith(("/", "../"))
    return path == directory or path.startswith(directory if directory.endswith("/") else f"{directory}/")


@lru_cache(maxsize=8192)
def is_code(path: str) -> bool:
    """Return whether a change of this file may change what a check says: it is no document, lock file or output."""
    parts = path.lower().split("/")
    name = parts[-1]
    if name in CODE_TEXTS:
        return True
    stem, ending = posixpath.splitext(name)
    if name in DOCUMENT_NAMES or ending in DOCUMENTS or (stem in DOCUMENT_NAMES and not ending):
        return False
    # `build/` at the top holds what was built, `src/build/` code that builds.
    return MADE_DIRECTORIES.isdisjoint(parts[:-1]) and (len(parts) == 1 or parts[0] not in TOP_DIRECTORIES)


def may_hold_tests(path: str) -> bool:
    """Return whether a file may hold tests, as its path says."""
    return any(sign in path.lower() for sign in ("test", "spec"))


def is_scratch(path: str) -> bool:
    """Return whether a file lies where only notes and trials are kept, outside the workspace."""
    return f"{path}/".startswith(SCRATCH)


@lru_cache(maxsize=8192)
def belongs(path: str, directory: str) -> bool:
    """Return whether a file belongs to the project that a run in `directory` is a run of."""
    if is_below(path, directory):
        return True
    if path.startswith("/") != directory.startswith("/"):
        return False
    if not directory:
        return False
    if "/" not in path and path.lower().endswith(SETTINGS):
        return not directory.startswith("/")
    ours, theirs = directory.split("/"), path.split("/")
    shared = 0
    while shared < min(len(ours), len(theirs)) and ours[shared] == theirs[shared]:
        shared += 1
    return shared < len(ours) and (ours[shared].lower() in STRUCTURE or ours[shared].startswith("cmake-build"))


def same_file(named: str, path: str) -> bool:
    """Return whether a name that a text gives a file is that of a path: one of them is the end of the other."""
    name, known = named.lower(), path.lower()
    return name == known or known.endswith(f"/{name}") or name.endswith(f"/{known}")


def named_path(name: str) -> str:
    """Return a file's name as a text writes it, without what stands around it."""
    plain = name.strip().strip("`'\"“”‘’()[]<>,;").replace("\\", "/")
    for lead in ("./", "~/", "a/", "b/") if plain.startswith(("./", "~/")) else ():
        plain = plain.removeprefix(lead)
    return plain.rstrip("/.,:")
