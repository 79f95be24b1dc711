"""What a repository says on its own of how git is to look at it: excludes, attributes, flags, hooks, settings."""

import asyncio
import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from mama_bot.confinement.plain_files import plain_bytes
from mama_bot.model import GitRule, RuleEntry
from mama_bot.repositories.git import Git, GitFailed, Repository
from mama_bot.text.patterns import compiled

MOST_BYTES = 1_000_000
MOST_FILES = 200
# Settings by what they decide; those of identity, branches and colours decide nothing.
SETTINGS = {
    GitRule.EXCLUDES: compiled(r"core\.excludesfile"),
    GitRule.ATTRIBUTES: compiled(r"core\.attributesfile|filter\..*|diff\..*|merge\..*\.driver"),
    GitRule.HOOKS: compiled(r"core\.(?:hookspath|fsmonitor)"),
    GitRule.REMOTES: compiled(r"remote\..*\.(?:push)?url|url\..*"),
    GitRule.SETTINGS: compiled(
        r"core\.(?:worktree|bare|filemode|trustctime|checkstat|symlinks|ignorecase|sparsecheckout.*|splitindex"
        r"|untrackedcache|bigfilethreshold|sshcommand|pager|editor|gitproxy|autocrlf|eol|safecrlf)"
        r"|extensions\..*|include(?:if)?\..*|alias\..*|credential\..*|gpg\..*|protocol\..*|index\..*|feature\..*"
    ),
}
# A remote that is added leads nothing elsewhere; one that leads elsewhere does.
ADDED_REMOTE = compiled(r"remote\..*\.url")
FILES = {
    "info/exclude": GitRule.EXCLUDES,
    "info/attributes": GitRule.ATTRIBUTES,
    "info/grafts": GitRule.REPLACED,
    "objects/info/alternates": GitRule.REPLACED,
}
DIRECTORIES = {"hooks": GitRule.HOOKS, "refs/replace": GitRule.REPLACED}


async def rules_in(git: Git, repository: Repository) -> frozenset[RuleEntry]:
    """Return what a repository says; raises GitFailed or OSError where it cannot be read."""
    files = await asyncio.to_thread(lambda: [*_files(repository)])
    return frozenset([*await _settings(git, repository), *await _flags(git, repository), *files])


async def _settings(git: Git, repository: Repository) -> list[RuleEntry]:
    common = repository.common
    entries = []
    for file in dict.fromkeys((common / "config", repository.directory / "config.worktree")):
        if not file.is_file():
            continue
        asked = ("config", "--file", str(file), "--no-includes", "--null", "--list")
        status, output, errors = await git.run(repository.root, *asked)
        if status:
            raise GitFailed(directory=repository.root, command="config", reason=errors.strip()[-300:])
        for line in output.split("\x00"):
            name, _, value = line.partition("\n")
            for rule, pattern in SETTINGS.items():
                if pattern.fullmatch(name) is not None:
                    entries.append(RuleEntry(rule, name, value, adds=ADDED_REMOTE.fullmatch(name) is not None))
    return entries


async def _flags(git: Git, repository: Repository) -> list[RuleEntry]:
    """Return the files that the repository's own index tells git not to look at."""
    asked = ("ls-files", "-v", "-z")
    output = await git.output(repository.root, *asked, variables=repository.variables)
    hidden = (line for line in output.split("\x00") if line[:1].islower() or line[:1] == "S")
    return [RuleEntry(GitRule.FLAGS, line[2:], line[:1]) for line in hidden]


def _files(repository: Repository) -> Iterator[RuleEntry]:
    common = repository.common
    for name, rule in FILES.items():
        if text := _lines(common / name):
            yield RuleEntry(rule, name, text)
    for name, rule in DIRECTORIES.items():
        yield from (RuleEntry(rule, file.name, _hash(file)) for file in _listed(common / name))
    packed = _read(common / "packed-refs").decode(errors="replace")
    for line in packed.splitlines():
        if " refs/replace/" in line:
            yield RuleEntry(GitRule.REPLACED, line.rpartition("/")[2], line.partition(" ")[0])


def _listed(place: Path) -> list[Path]:
    if place.is_symlink() or not place.is_dir():
        return []
    return [file for file in sorted(place.iterdir())[:MOST_FILES] if file.suffix != ".sample"]


def _lines(file: Path) -> str:
    """Return the hash of a file without its comments; "" where nothing else is in it."""
    lines = [line for line in _read(file).splitlines() if line.strip() and not line.startswith(b"#")]
    return sha256(b"\n".join(lines)).hexdigest()[:16] if lines else ""


def _hash(file: Path) -> str:
    return sha256(_read(file)).hexdigest()[:16]


def _read(file: Path) -> bytes:
    """Return the beginning of a plain file, for a link where it leads too; for anything else what kind of thing it is.

    Nothing of what is not there.
    """
    try:
        leads = os.fsencode(file.readlink()) if file.is_symlink() else b""
        return leads + (plain_bytes(Path(os.path.realpath(file)), MOST_BYTES) or b"")
    except OSError as error:
        return os.fsencode(error.strerror or "unreadable")
