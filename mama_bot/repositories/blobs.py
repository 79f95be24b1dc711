"""What files held in git trees, read by the ids of their contents."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from mama_bot.repositories.confined import reach_of
from mama_bot.repositories.git import environment, git_failure, run_git

NOTHING = frozenset("0")  # the id of what is not there


async def contents(
    directory: Path, ids: Sequence[str], *, variables: Mapping[str, str], seconds: float
) -> dict[str, bytes]:
    """Return what each id holds, those left out that hold nothing; raises GitFailed."""
    asked = [name for name in dict.fromkeys(ids) if not set(name) <= NOTHING]
    if not asked:
        return {}
    status, output, errors = await run_git(
        directory,
        *("cat-file", "--batch"),
        variables=environment(()) | dict(variables),
        seconds=seconds,
        given="".join(f"{name}\n" for name in asked).encode(),
        reach=await asyncio.to_thread(reach_of, directory, variables),
    )
    if status:
        raise git_failure(directory, "cat-file", status, errors)
    return _read(output, asked)


def _read(output: bytes, asked: Sequence[str]) -> dict[str, bytes]:
    held, at = {}, 0
    for name in asked:
        head, _, _ = output[at:].partition(b"\n")
        at += len(head) + 1
        words = head.decode(errors="replace").split(" ")
        if len(words) != 3:  # "missing"
            continue
        size = int(words[2])
        held[name] = output[at : at + size]
        at += size + 1
    return held
