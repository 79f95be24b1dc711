"""Where agents work."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mama_bot.checkouts.checkouts import Checkouts, slug
from mama_bot.config import RepositoryMode, RepositorySettings, WorkTreeSettings
from mama_bot.errors import RepositoryUnavailable
from mama_bot.model import ConversationKey, Platform, Turn
from mama_bot.testing.memory_checkouts import MemoryCheckoutRecords
from mama_bot.turns.workspaces import Workspaces
from tests.agents.conftest import SystemClock
from tests.people import HERE, persona, turn

OTHER = ConversationKey(Platform("web"), "한국어/../../etc")


def at(key: ConversationKey) -> Turn:
    return replace(turn(), key=key)


Seed = Callable[[Path], Awaitable[None]]


def checkouts(directory: Path, seed: Seed | None = None, **in_place: Path) -> Checkouts:
    return Checkouts(
        directory=directory,
        repositories={
            name: RepositorySettings(source=str(path), mode=RepositoryMode.IN_PLACE) for name, path in in_place.items()
        },
        settings=WorkTreeSettings(),
        records=MemoryCheckoutRecords(),
        clock=SystemClock(),
        new_id=lambda: "0",
        seed=seed,
    )


async def test_own_and_shared_directories_are_kept_apart(tmp_path: Path) -> None:
    places = Workspaces(root=tmp_path, checkouts=checkouts(tmp_path))
    one, two = persona("dev"), persona("rev")
    a, b = persona("a", workspace="team"), persona("b", workspace="team")
    found = [await places.prepare(who, at(key)) for who in (one, two, a) for key in (HERE, OTHER)]
    assert len(set(found)) == 6
    assert all(path.is_dir() and tmp_path in path.parents for path in found)
    assert places.path(a, HERE) == places.path(b, HERE)


async def test_the_scratch_repository_is_seeded_once_and_never_half(tmp_path: Path) -> None:
    seeded: list[bool] = []

    async def seed(directory: Path) -> None:
        assert list(directory.iterdir()) == [], "left over from a seeding that was cut off"
        (directory / "a").touch()
        await asyncio.sleep(0)
        seeded.append(True)
        if len(seeded) == 1:
            raise OSError(28, "No space left on device")

    places = Workspaces(root=tmp_path / "workspaces", checkouts=checkouts(tmp_path, seed))
    member = persona("dev", workspace="team")
    with pytest.raises(RepositoryUnavailable, match="No space left on device"):
        await places.prepare(member, at(HERE))
    assert not places.path(member, HERE).exists()
    async with asyncio.TaskGroup() as group:
        for _ in range(4):
            group.create_task(places.prepare(member, at(HERE)))
    assert len(seeded) == 2
    assert [path.name for path in places.path(member, HERE).iterdir()] == ["a"]


async def test_a_configured_repository_is_used_and_never_made(tmp_path: Path) -> None:
    places = Workspaces(
        root=tmp_path / "root", checkouts=checkouts(tmp_path / "data", app=tmp_path, gone=tmp_path / "gone")
    )
    assert await places.prepare(persona("dev", workspace="app"), at(HERE)) == tmp_path
    with pytest.raises(RepositoryUnavailable, match=r"repositories\.gone\.source"):
        await places.prepare(persona("dev", workspace="gone"), at(HERE))
    assert not (tmp_path / "gone").exists()


TEXTS = st.text(max_size=60)


@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_a_conversation_has_a_safe_name_of_its_own(a: str, b: str, c: str, d: str) -> None:
    one, two = ConversationKey(Platform("web"), a, b), ConversationKey(Platform("web"), c, d)
    assert set(slug(one)) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
    assert slug(one).startswith("web")
    assert (slug(one) == slug(two)) == (one == two)
