"""Where the tools of who only looks leave what they make: outside of the workspace, and empty whenever it is asked.

What an earlier run left there would decide what the next one shows: the code that is looked at runs here too, and
may set the times of its files back.
"""

import os
import shlex
import shutil
from collections.abc import Mapping
from itertools import count
from pathlib import Path

# Gradle takes no variable for it; a file in this place is read before any build.
GRADLE_FILE = "home/.gradle/init.d/build-directory.gradle"
GRADLE = """\
allprojects { project ->
    project.buildDir = new File({build}, "gradle" + project.path.replace(":", "/"))
}
"""
GRADLE_CACHE = "org.gradle.projectcachedir"


def build_variables(build: Path) -> Mapping[str, str]:
    """Return what makes tools write below `build` instead of into the tree that they look at, or into a home."""
    return {
        "HOME": str(build / "home"),
        # It also keeps Python from compiled files that lie beside the sources, and might be of others.
        "PYTHONPYCACHEPREFIX": str(build / "python"),
        "PYTEST_ADDOPTS": f"-o cache_dir={shlex.quote(str(build / 'pytest'))}",
        "HYPOTHESIS_STORAGE_DIRECTORY": str(build / "hypothesis"),
        "COVERAGE_FILE": str(build / "coverage"),
        "MYPY_CACHE_DIR": str(build / "mypy"),
        "RUFF_CACHE_DIR": str(build / "ruff"),
        "TOX_WORK_DIR": str(build / "tox"),
        "UV_PROJECT_ENVIRONMENT": str(build / "uv"),
        "CARGO_TARGET_DIR": str(build / "cargo"),
        "GRADLE_OPTS": f"-D{GRADLE_CACHE}={build / 'gradle-cache'}",
    }


def lay_out(build: Path) -> None:
    """Empty the directory, which stays the same one, and lay out what tools look for in it; raises OSError."""
    build.mkdir(parents=True, exist_ok=True, mode=0o700)
    clear(build)
    gradle = build / GRADLE_FILE
    gradle.parent.mkdir(parents=True)
    gradle.write_text(GRADLE.replace("{build}", f'"{build}"'), encoding="utf-8")


def clear(build: Path) -> None:
    """Remove all that lies in the directory; what a tool made so that it cannot be removed gets another name."""
    entries = tuple(os.scandir(build))
    taken = {entry.name for entry in entries}
    for entry in entries:
        if not entry.is_dir(follow_symlinks=False):
            Path(entry.path).unlink()
            continue
        shutil.rmtree(entry.path, ignore_errors=True)
        if Path(entry.path).exists():
            name = next(name for number in count() if (name := f"left-{number}") not in taken)
            taken.add(name)
            Path(entry.path).rename(build / name)
