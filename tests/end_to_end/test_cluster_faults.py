"""The short form of `benchmarks.cluster`: nodes on PostgreSQL under kills, pauses and a restart of their database."""

import os
from pathlib import Path

from benchmarks.cluster.kills import run

FAULTS = int(os.environ.get("NODE_FAULTS", "8"))


async def test_nothing_is_lost_doubled_or_out_of_order_where_nodes_die_and_come_back(tmp_path: Path) -> None:
    outcome = await run(tmp_path, faults=FAULTS, seed=int(os.environ.get("FAULT_SEED", "4")))
    assert outcome.bad == 0, "\n".join(outcome.lines())
    assert sum(outcome.faults.values()) >= FAULTS
    assert all(each.answered for each in outcome.tallies)
