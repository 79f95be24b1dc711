"""Where the tools of who only looks leave what they make: outside of the workspace, and empty whenever it is asked.

What an earlier run left there would decide what the next one shows: the code that is looked at runs here too, and
may set the times of its files back.
"""

import os
import shutil
from itertools import count
from pathlib import Path

HOME = "home"
ATTEMPTS = 5  # of moving in what is laid out, where somebody is faster
# Gradle takes no variables for them; these files are read before any build.
GRADLE = {
    "init.d/build-directory.gradle": """\
allprojects { project ->
    project.layout.buildDirectory.set(new File('@/gradle' + project.path.replace(':', '/')))
}
""",
    "gradle.properties": "org.gradle.projectcachedir=@/gradle-cache\n",
}


def lay_out(build: Path) -> None:
    """Empty the directory, which stays the same one, and lay out what tools look for in it; raises OSError.

    A process that an agent left may write there meanwhile: what is laid out is made beside it, where no agent writes,
    and moved in, so that no link leads the service elsewhere.
    """
    build.mkdir(parents=True, exist_ok=True, mode=0o700)
    making = build.with_name(f"{build.name}.making")
    shutil.rmtree(making, ignore_errors=True)
    for name, text in GRADLE.items():
        file = making / ".gradle" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.replace("@", str(build)), encoding="utf-8")
    for attempt in range(ATTEMPTS):
        clear(build)
        try:
            making.rename(build / HOME)
        except OSError:
            if attempt == ATTEMPTS - 1:
                raise
        else:
            return


def clear(build: Path) -> None:
    """Remove all that lies in the directory; what a tool made so that it cannot be removed gets another name."""
    entries = tuple(os.scandir(build))
    taken = {entry.name for entry in entries}
    for entry in entries:
        if not entry.is_dir(follow_symlinks=False):
            Path(entry.path).unlink(missing_ok=True)
            continue
        shutil.rmtree(entry.path, ignore_errors=True)
        if os.path.lexists(entry.path):
            name = next(name for number in count() if (name := f"left-{number}") not in taken)
            taken.add(name)
            Path(entry.path).rename(build / name)
