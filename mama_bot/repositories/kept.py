"""The index that is kept of a repository between turns, and the objects that only this index knows."""

import shutil
import time
from collections.abc import Sequence
from pathlib import Path

MOST_INDEXES = 200
# A baseline is compared with for as long as its turn runs; its objects are kept for one to two of these.
GENERATION_SECONDS = 24 * 3600.0


def make_git_directory(kept: Path, object_format: str) -> Path:
    """Return a git directory of our own for a kept index: with no settings, excludes, attributes, filters or hooks.

    What the repository says about any of these, agents may have written.
    """
    kept.with_suffix(".lock").unlink(missing_ok=True)  # of a git that was killed: whoever gets here holds our own lock
    directory = kept.with_suffix(".git")
    if not (directory / "HEAD").exists():
        for name in ("refs", "objects", "info"):
            (directory / name).mkdir(parents=True, exist_ok=True)
        version = "0" if object_format == "sha1" else f"1\n[extensions]\n\tobjectformat = {object_format}"
        settings = f"[core]\n\tbare = false\n\trepositoryformatversion = {version}\n"
        (directory / "config").write_text(settings, encoding="utf-8")
        (directory / "HEAD").write_text("ref: refs/heads/none\n", encoding="utf-8")
    return directory


def made_from(kept: Path) -> tuple[str, bool]:
    """Return the tree that a kept index was begun with, and whether there is an index at all."""
    mark = kept.with_suffix(".from")
    return mark.read_text(encoding="utf-8") if mark.exists() else "", kept.exists()


def note_made_from(kept: Path, tree: str) -> None:
    """Note the tree that a kept index was begun with."""
    kept.with_suffix(".from").write_text(tree, encoding="utf-8")


def file_mark(file: Path) -> str:
    """Return a value that changes whenever a file is written anew; "" without a file."""
    try:
        stat = file.stat()
    except FileNotFoundError:
        return ""
    return f"{stat.st_mtime_ns} {stat.st_size} {stat.st_ino}"


def make_room(kept: Path) -> None:
    """Make the directory of indexes; when it is full, the least recently used index is removed."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    if kept.exists():
        return
    files = (file for file in kept.parent.iterdir() if not file.suffix)
    others = sorted(files, key=lambda file: file.stat().st_mtime)
    for file in others[: max(0, len(others) - MOST_INDEXES + 1)]:
        for path in (file, file.with_suffix(".from")):
            path.unlink(missing_ok=True)
        for directory in (objects_of(file), earlier_objects_of(file), file.with_suffix(".git")):
            shutil.rmtree(directory, ignore_errors=True)


def objects_of(kept: Path) -> Path:
    """Return where the objects are that only a kept index knows."""
    return kept.with_suffix(".objects")


def earlier_objects_of(kept: Path) -> Path:
    """Return where the objects of the previous generation are."""
    return kept.with_suffix(".earlier")


def fresh_objects(kept: Path) -> None:
    """Prepare the directory of objects: leftovers of a killed git are removed, each day a new generation begins.

    With a new generation the index begins anew too, so that nothing in it is stored in the previous generation alone.
    """
    objects, earlier = objects_of(kept), earlier_objects_of(kept)
    begun = objects / "begun"
    if begun.exists() and time.time() - begun.stat().st_mtime > GENERATION_SECONDS:
        shutil.rmtree(earlier, ignore_errors=True)
        objects.rename(earlier)
    if not begun.exists():
        (objects / "pack").mkdir(parents=True, exist_ok=True)
        kept.unlink(missing_ok=True)
        begun.touch()
    for left in (*objects.glob("tmp_*"), *objects.glob("*/tmp_*")):
        left.unlink(missing_ok=True)


def places_of_objects(kept: Path, theirs: Sequence[Path], *, all_: bool = False) -> dict[str, str]:
    """Return the variables by which git writes objects beside a kept index and reads the repository's too.

    With `all_` it also reads the objects of the previous generation.
    """
    read = (*theirs, earlier_objects_of(kept)) if all_ else theirs
    return {
        "GIT_OBJECT_DIRECTORY": str(objects_of(kept)),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": ":".join(quoted_directory(str(place)) for place in read),
    }


def quoted_directory(place: str) -> str:
    """Return a path as git expects it in a list of object directories."""
    escaped = place.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"' if any(sign in place for sign in ':"\n') else place
