"""Waiting for what is sure to come."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

# What nothing takes but what never comes, on however busy a machine.
SECONDS = 180.0

T = TypeVar("T")


async def until(look: Callable[[], T | None]) -> T:
    """What `look` finds, as soon as it finds something."""
    async with asyncio.timeout(SECONDS):
        while not (found := look()):
            await asyncio.sleep(0.01)
    return found


async def until_stored(look: Callable[[], Awaitable[T | None]]) -> T:
    """What `look` finds in a store: what a platform shows may not be written down yet."""
    async with asyncio.timeout(SECONDS):
        while not (found := await look()):
            await asyncio.sleep(0.01)
    return found


def files_named(directory: Path, name: str) -> list[Path]:
    """Files of a name below a directory in which others make and remove directories meanwhile."""
    return [Path(place, name) for place, _, files in os.walk(directory) if name in files]
