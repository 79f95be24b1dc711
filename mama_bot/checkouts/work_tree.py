"""Make a work tree that borrows its objects from a store, and put it on the branch of a conversation."""

import asyncio
from pathlib import Path

from mama_bot.checkouts.own_git import OwnGit
from mama_bot.checkouts.planted import alternates_of, refuse_planted
from mama_bot.checkouts.repository_store import Base, RepositoryStore
from mama_bot.repositories.git import FILTERS, GitFailed

BRANCH_PREFIX = "mama/"
WORKERS = "4"  # who write files beside each other: it is the disk and the kernel that one of them waits for
# Who made a commit that nobody else made.
AUTHOR = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "mama-bot"), ("EMAIL", "mama-bot@mama-bot.invalid"))
}


async def make_work_tree(git: OwnGit, store: RepositoryStore, tree: Path, base: Base) -> None:
    """Check a commit out into a new directory, a repository of its own: nobody else's branches, hooks or objects.

    Raises GitFailed, OSError.
    """
    await asyncio.to_thread(tree.mkdir, parents=True)
    own = of_tree(tree)
    new = ("init", "--quiet", "--template=", f"--object-format={await store.object_format()}", "--initial-branch=none")
    await git.output(tree, *new, variables=own)
    references = await store.references()
    await asyncio.to_thread(_write, tree / ".git", alternates_of(store.objects), references, base)
    for name, value in (
        ("gc.auto", "0"),
        ("checkout.workers", WORKERS),
        ("remote.origin.url", store.settings.source),
        ("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"),
        ("push.default", "current"),
    ):
        await git.output(tree, "config", name, value, variables=own)
    await git.output(tree, "checkout", "--quiet", "--force", "--detach", base.commit, variables=own)


async def move_to(git: OwnGit, store: RepositoryStore, tree: Path, base: Base) -> None:
    """Check another commit out in a work tree that nobody works in; raises GitFailed, OSError.

    What ran in the tree since it was made may have configured it: nothing of that runs, and what leads elsewhere is
    refused.
    """
    await asyncio.to_thread(refuse_planted, tree, store.objects)
    own = of_tree(tree)
    now = (await git.output(tree, "rev-parse", "--verify", "HEAD", variables=own)).strip()
    if now != base.commit:
        filters = await filters_of(git, tree)
        move = ("read-tree", "-m", "-u", "--no-recurse-submodules", now, base.commit)
        await git.output(tree, *move, variables=own, filters=filters)
        await git.output(tree, "update-ref", "--no-deref", "HEAD", base.commit, variables=own)


async def begin_branch(git: OwnGit, store: RepositoryStore, tree: Path, branch: str, base: Base) -> None:
    """Put a work tree on a branch that begins where it is; raises GitFailed, OSError."""
    await asyncio.to_thread(refuse_planted, tree, store.objects)
    own = of_tree(tree)
    await git.output(tree, "update-ref", f"refs/heads/{branch}", base.commit, variables=own)
    await git.output(tree, "symbolic-ref", "HEAD", f"refs/heads/{branch}", variables=own)


async def refresh_remote(store: RepositoryStore, tree: Path, base: Base) -> None:
    """Let a work tree that was made earlier know the branches of the source as they are now; raises GitFailed."""
    await asyncio.to_thread(refuse_planted, tree, store.objects)
    references = await store.references()
    await asyncio.to_thread(_write_references, tree / ".git", references, base)


async def filters_of(git: OwnGit, tree: Path) -> tuple[str, ...]:
    """Return the names of the filters that a work tree configures, so that they can be kept from running."""
    asked = ("config", "--null", "--name-only", "--get-regexp", FILTERS)
    try:
        listed = await git.output(tree, *asked, variables=of_tree(tree))
    except GitFailed:  # none: git answers that with a status of its own
        return ()
    return tuple(dict.fromkeys(name for name in listed.split("\x00") if name))


def of_tree(tree: Path) -> dict[str, str]:
    """Return the variables that make git take a work tree for what it is, whatever is configured there."""
    return {"GIT_DIR": str(tree / ".git"), "GIT_WORK_TREE": str(tree)}


def _write(directory: Path, alternates: bytes, references: str, base: Base) -> None:
    information = directory / "objects" / "info"
    information.mkdir(parents=True, exist_ok=True)
    (information / "alternates").write_bytes(alternates)
    _write_references(directory, references, base)


def _write_references(directory: Path, references: str, base: Base) -> None:
    """Write the branches of the source into one file: thousands of them would be thousands of files."""
    lines = {}
    for line in references.splitlines():
        commit, _, name = line.partition(" ")
        place = name.replace("refs/heads/", "refs/remotes/origin/", 1) if name.startswith("refs/heads/") else name
        lines[place] = f"{commit} {place}\n"
    (directory / "packed-refs").unlink(missing_ok=True)  # what else links to that file is not to change
    (directory / "packed-refs").write_text("".join(lines[place] for place in sorted(lines)), encoding="utf-8")
    head = directory / "refs" / "remotes" / "origin" / "HEAD"
    head.parent.mkdir(parents=True, exist_ok=True)
    head.unlink(missing_ok=True)
    head.write_text(f"ref: refs/remotes/origin/{base.branch}\n", encoding="utf-8")


async def new_repository(git: OwnGit, directory: Path, *, commit: bool = True) -> None:
    """Make a repository of a directory, with a first commit that holds nothing; raises GitFailed."""
    own = of_tree(directory)
    await git.output(directory, "init", "--quiet", "--template=", "--initial-branch=main", variables=own)
    await git.output(directory, "config", "gc.auto", "0", variables=own)
    if commit:
        first = ("commit", "--quiet", "--allow-empty", "--message", "Begin")
        await git.output(directory, *first, variables=own | AUTHOR)
