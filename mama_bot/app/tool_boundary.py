"""Where the tools of agents stop to look for settings: the folder above the data directory is no part of their work.

Some tools look for settings in every folder above the one they work in. Above the data directory lies what is none of
theirs: a clone of mama-bot, a home. What they find there they would obey, or fail over where it is hidden from them.
"""

import shlex
from collections.abc import Callable, Mapping
from pathlib import Path

import structlog

log = structlog.get_logger(__name__)

# Settings of a repository's own come first. The cache is each agent's own: nobody writes here.
BOUNDARY: Mapping[str, str] = {
    "pytest.ini": "[pytest]\ncache_dir = ${TMPDIR}/pytest_cache\n",
    "ruff.toml": 'cache-dir = "${TMPDIR}/ruff_cache"\n',
}


_SETTINGS = ("pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg", "setup.py")


def told_tools(directory: Path) -> Callable[[Path], Mapping[str, str]]:
    """Return the function that says what the tools of whoever works in a workspace are told, where it is needed.

    Pytest, which finds the boundary, begins in the workspace all the same: the folders between are closed to agents.
    """
    above = _has_settings_above(directory)

    def variables(workspace: Path) -> Mapping[str, str]:
        if not above or directory.absolute() not in workspace.absolute().parents:
            return {"PYTEST_ADDOPTS": ""}
        place = shlex.quote(str(workspace.absolute()))
        return {"PYTEST_ADDOPTS": f"--rootdir={place} --confcutdir={place}"}

    return variables


def boundary_files(directory: Path) -> tuple[Path, ...]:
    """Return the files that every agent of a service reads, which end the search of its tools."""
    return tuple(directory.absolute() / name for name in BOUNDARY if _is_needed(name, directory))


def _is_needed(name: str, directory: Path) -> bool:
    # Pytest begins where it finds settings, and may not look into the data directory: without need it is to find none.
    return name != "pytest.ini" or _has_settings_above(directory)


def _has_settings_above(directory: Path) -> bool:
    return any((parent / name).exists() for parent in directory.absolute().parents for name in _SETTINGS)


def keep_boundary(directory: Path) -> None:
    """Write the boundary where it is missing or another one; what cannot be written is logged."""
    for name, text in BOUNDARY.items():
        file = directory / name
        try:
            if not _is_needed(name, directory):
                file.unlink(missing_ok=True)
            elif not file.is_file() or file.read_text(encoding="utf-8", errors="replace") != text:
                file.write_text(text, encoding="utf-8")
        except OSError as error:
            log.warning("no_tool_boundary", file=str(file), reason=error.strerror or str(error))
