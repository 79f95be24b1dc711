"""The repository of the demonstration: a small shop with tests, before and after a refactoring."""

import asyncio
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

GIT_SECONDS = 30.0
_SUFFIX = ".txt"  # the example's Python files are data of this package, not part of its code


def before() -> dict[str, str]:
    """Return the repository as the agents find it: path -> text."""
    return _read(files("mama_bot.demo") / "shop" / "before")


def after() -> dict[str, str]:
    """Return the files that the refactoring writes: path -> text."""
    return _read(files("mama_bot.demo") / "shop" / "after")


async def seed(directory: Path) -> None:
    """Write the repository into an empty directory and commit it."""
    for path, text in {**before(), "tests/__init__.py": "", ".gitignore": "__pycache__/\n"}.items():
        target = directory / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    await _git(directory, "init", "--quiet", "--initial-branch=main")
    await _git(directory, "add", "--all")
    author = ("-c", "user.name=mama-bot", "-c", "user.email=mama-bot@localhost", "-c", "commit.gpgsign=false")
    await _git(directory, *author, "commit", "--quiet", "--message", "A small shop")


def _read(root: Traversable) -> dict[str, str]:
    texts: dict[str, str] = {}
    for entry in root.iterdir():
        if entry.is_dir():
            texts |= {f"{entry.name}/{path}": text for path, text in _read(entry).items()}
        else:
            texts[entry.name.removesuffix(_SUFFIX)] = entry.read_text(encoding="utf-8")
    return texts


async def _git(directory: Path, *arguments: str) -> None:
    process = await asyncio.create_subprocess_exec("git", "-C", str(directory), *arguments)
    async with asyncio.timeout(GIT_SECONDS):
        if await process.wait() != 0:
            raise OSError(f"git {arguments[0]} failed in {directory}")
