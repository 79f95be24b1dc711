"""What is done about work trees while nobody waits keeps nobody waiting."""

import asyncio
import os
import shutil
from pathlib import Path

import pytest

from mama_bot.checkouts.upkeep import CheckoutUpkeep
from mama_bot.checkouts.work_places import remove_files
from mama_bot.config import WorkTreeSettings
from mama_bot.model import ConversationKey
from tests.agents.conftest import SystemClock
from tests.checkouts.making import Life, make_source
from tests.waiting import until

# A removal that takes as long as a file is not there.
SLOW_RM = '#!/bin/sh\nuntil [ -e "$RELEASED" ]; do sleep 0.05; done\nexec {rm} "$@"\n'


async def nobody(_key: ConversationKey) -> bool:
    return False


async def test_spares_are_made_while_a_large_work_tree_is_being_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    released, commands = tmp_path / "released", tmp_path / "commands"
    commands.mkdir()
    (commands / "rm").write_text(SLOW_RM.format(rm=shutil.which("rm")))
    (commands / "rm").chmod(0o755)
    life = Life(tmp_path, make_source(tmp_path), settings=WorkTreeSettings(spares=1))
    trees = tmp_path / "data" / "work_trees"
    (trees / "half" / "app").mkdir(parents=True)
    checkouts = life.begun()
    upkeep = CheckoutUpkeep(checkouts=checkouts, records=life.records, runs=nobody, keep_days=14, clock=SystemClock())
    monkeypatch.setenv("RELEASED", str(released))
    monkeypatch.setenv("PATH", f"{commands}:{os.environ['PATH']}")
    async with asyncio.TaskGroup() as group:
        running = group.create_task(upkeep.run())
        await until(lambda: [*trees.glob("*/ready")])
        assert [place.name for place in trees.glob("half*")] == ["half.0.away"]
        released.touch()
        await until(lambda: not [*trees.glob("half*")])
        running.cancel()
    assert len([*trees.glob("*/ready")]) == 1


async def test_what_nobody_may_write_is_removed_too(tmp_path: Path) -> None:
    shut = tmp_path / "tree" / "shut"
    shut.mkdir(parents=True)
    (shut / "file").touch()
    shut.chmod(0o500)
    await remove_files(tmp_path / "tree")
    assert not (tmp_path / "tree").exists()


async def test_what_is_removed_goes_behind_whoever_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands = tmp_path / "commands"
    commands.mkdir()
    (commands / "rm").write_text('#!/bin/sh\nnice > "$TOLD"\n')
    (commands / "rm").chmod(0o755)
    monkeypatch.setenv("TOLD", str(tmp_path / "told"))
    monkeypatch.setenv("PATH", f"{commands}:{os.environ['PATH']}")
    await remove_files(tmp_path / "tree")
    assert int((tmp_path / "told").read_text()) >= os.nice(0) + 10
