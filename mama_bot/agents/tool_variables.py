"""The variables with which tools find their own files where an agent's home is not that of whoever installed them."""

from collections.abc import Mapping
from pathlib import Path

# Where a tool that was installed in a home looks for itself by default.
INSTALLED = {"RUSTUP_HOME": ".rustup"}


def home_variables(home: Path, temporary: Path, installed: Path) -> Mapping[str, str]:
    """Return what makes tools take `home` for the home, and find what lies in the home where they are `installed`."""
    places = {name: installed / place for name, place in INSTALLED.items()}
    return {
        **{name: str(place) for name, place in places.items() if place.is_dir()},
        "HOME": str(home),
        "TMPDIR": str(temporary),
        # Compiled files of a run would lie in a work tree as new files, and be committed and merged with the work.
        "PYTHONPYCACHEPREFIX": str(home / ".cache" / "python"),
        # Java, and so Gradle and Maven, takes neither of them from those variables.
        "JAVA_TOOL_OPTIONS": f'"-Duser.home={home}" "-Djava.io.tmpdir={temporary}"',
    }


def build_variables(build: Path, told: Mapping[str, str]) -> Mapping[str, str]:
    """Return what makes tools write below `build`, not into the tree that they look at, beside what they are `told`."""
    return {
        # It also keeps Python from compiled files that lie beside the sources, and might be of others.
        "PYTHONPYCACHEPREFIX": str(build / "python"),
        # Its own cache is not kept, and that it cannot be is no news. To name another place fails where it has none.
        "PYTEST_ADDOPTS": f"{told.get('PYTEST_ADDOPTS', '')} -W ignore::pytest.PytestCacheWarning".strip(),
        "HYPOTHESIS_STORAGE_DIRECTORY": str(build / "hypothesis"),
        "COVERAGE_FILE": str(build / "coverage"),
        "MYPY_CACHE_DIR": str(build / "mypy"),
        "RUFF_CACHE_DIR": str(build / "ruff"),
        "TOX_WORK_DIR": str(build / "tox"),
        "CARGO_TARGET_DIR": str(build / "cargo"),
    }
