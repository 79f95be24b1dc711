"""What a person is told of the repository of a conversation: where it is worked in, and what stands there."""

from pathlib import Path

from mama_bot.checkouts.work_tree import of_tree
from mama_bot.model import CheckoutState
from mama_bot.repositories.git import FILTERS, Git, GitFailed

SECONDS = 10.0


async def checkout_state(git: Git, path: Path, base: str) -> CheckoutState | None:
    """Return what git says of a work tree that agents had in hand; None where it says nothing.

    Nothing that is configured there runs. Without a `base` no commits are counted.
    """
    try:
        repository = await git.find(path)
        if repository is None:
            return None
        root = repository.root
        own = of_tree(root) | {"GIT_DIR": str(repository.directory)}
        _, listed, _ = await git.run(root, "config", "--null", "--name-only", "--get-regexp", FILTERS, variables=own)
        filters = tuple(dict.fromkeys(name for name in listed.split("\x00") if name))
        _, branch, _ = await git.run(root, "symbolic-ref", "--quiet", "--short", "HEAD", variables=own)
        asked = ("status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=dirty")
        entries = await git.output(root, *asked, variables=own, filters=filters)
        ahead = "0"
        if base:
            ahead = await git.output(root, "rev-list", "--count", f"{base}..HEAD", variables=own)
    except (GitFailed, OSError):
        return None
    return CheckoutState(
        branch=branch.strip(), ahead=int(ahead), uncommitted=sum(bool(entry) for entry in entries.split("\x00"))
    )
