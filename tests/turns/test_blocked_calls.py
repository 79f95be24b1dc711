"""A turn gets no further try after so many calls that rules blocked; that is asked only where one would follow."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from mama_bot.config import EnforcementSettings
from mama_bot.metrics import Metrics
from mama_bot.model import AgentStops, Block, Cleared, SentBack, SessionId, Withheld
from mama_bot.turns.blocked_calls import BlockedCalls
from tests.enforcement import examples
from tests.enforcement.test_chain import BLOCK, Blocking, chain, scripted
from tests.rules.making import Records, rules_of
from tests.rules.test_breakers import House
from tests.rules.test_rule_guard import call
from tests.rules.test_rule_guard import turn as tool_turn

BAD = "match: Bash\nwhen: command.text == 'bad'\ndecision: block\nmessage: No."
AT_STOP = "name: stay\nevent: stop\ndecision: block\nmessage: Go on."


async def test_a_call_that_several_rules_block_counts_once_and_what_is_no_call_never(tmp_path: Path) -> None:
    house = House(rules_of(tmp_path, f"name: one\n{BAD}", f"name: two\n{BAD}", AT_STOP), tmp_path, Records())
    turn, metrics = examples.turn(), Metrics()
    at = replace(tool_turn(tmp_path), key=turn.key)
    blocked = BlockedCalls(reports=house.breakers, most=2, metrics=metrics)
    for too_many in (False, True):
        assert isinstance(await house.guard.at(AgentStops(), at), Block)
        house.now += timedelta(seconds=1)
        assert isinstance(await house.guard.decide(call("Bash", command="bad"), at), Block)
        assert blocked.are_too_many(turn, SessionId("one"), since=house.now - timedelta(1)) is too_many
        house.now += timedelta(seconds=1)
    assert not blocked.are_too_many(turn, SessionId("another"), since=house.now - timedelta(1))
    assert not blocked.are_too_many(turn, SessionId("one"), since=house.now)


@pytest.mark.parametrize("most", [None, 0], ids=["retries left", "none anyway"])
async def test_whether_there_is_a_further_try_is_asked_only_where_one_would_follow(most: int | None) -> None:
    asked: list[None] = []

    def last() -> bool:
        asked.append(None)
        return True

    settings, draft, turn = EnforcementSettings(), examples.draft("Done."), examples.turn()
    passes = await chain(settings=settings).judge(draft, turn, last=last)
    assert (type(passes.outcome), asked) == (Cleared, [])
    rejecting = chain(*scripted(BLOCK), stage_settings=Blocking(most=most))
    assert isinstance((await rejecting.judge(draft, turn)).outcome, Withheld if most == 0 else SentBack)
    assert isinstance((await rejecting.judge(draft, turn, last=last)).outcome, Withheld)
    assert len(asked) == (0 if most == 0 else 1)
