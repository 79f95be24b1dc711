"""The short form of `benchmarks.chaos`: the whole service on all platforms at once, under faults of every kind."""

import os
from pathlib import Path

import pytest

from benchmarks.chaos.run import run

pytestmark = pytest.mark.cli

FAULTS = int(os.environ.get("FAULTS", "10"))


async def test_under_faults_of_every_kind_nothing_is_lost_doubled_disordered_or_left_over(tmp_path: Path) -> None:
    outcome = await run(tmp_path, faults=FAULTS, seed=int(os.environ.get("FAULT_SEED", "8")))
    assert outcome.bad == 0, "\n".join(outcome.lines())
    assert sum(tally.answered for tally in outcome.tallies) > FAULTS // 2
