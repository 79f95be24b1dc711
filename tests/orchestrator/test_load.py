"""Many conversations at once, each with delegations, over a small pool: a short form of `benchmarks.team_load`."""

from pathlib import Path

from benchmarks.team_load import PLACES, SETTINGS, agents, played
from tests.end_to_end.team import running_team


async def test_over_a_small_pool_all_are_answered_in_order_and_none_starves_behind_a_loud_one(tmp_path: Path) -> None:
    backend = agents()
    async with running_team(tmp_path, backends={"claude": backend}, **SETTINGS) as team:
        told = await played(team, backend, 0, conversations=12, loud=12)
    assert told.in_order
    assert 1 < told.most_at_work <= PLACES
    assert told.loud_left > 0, "the loud one was not done when each of the others had its first answer"
