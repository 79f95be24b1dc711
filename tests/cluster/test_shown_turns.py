"""What is shown of a turn ends with it, also where nobody heard of its end."""

import asyncio

from mama_bot.cluster import ShownTurns
from mama_bot.errors import StoreUnavailable
from mama_bot.model import Progress, Turn, TurnFinished, TurnStarted, TurnState
from tests.store.making import START, TickingClock, message, turn
from tests.waiting import until

FIRST, SECOND, THIRD = (turn(message(number)) for number in (1, 2, 3))


async def test_the_end_of_a_turn_that_nobody_heard_of_is_looked_for_and_shown_once() -> None:
    shown, looked, states = list[Progress](), list[str](), dict[str, TurnState]()

    async def show(progress: Progress) -> None:
        shown.append(progress)

    async def ended(shown_turn: Turn) -> TurnState | None:
        looked.append(shown_turn.id)
        if len(looked) == 1:
            raise StoreUnavailable(url="store", reason="it is away", remedy="Wait.")
        return states.get(shown_turn.id)

    turns = ShownTurns(show=show, ended=ended, clock=TickingClock(), look_seconds=0.01)
    for each in (FIRST, SECOND, THIRD):
        await turns.show(TurnStarted(turn=each, at=START))
    await turns.show(TurnFinished(turn=THIRD, state=TurnState.ANSWERED, at=START))
    async with asyncio.TaskGroup() as group:
        task = group.create_task(turns.run())
        await until(lambda: len(looked) >= 5)
        assert len(shown) == 4
        states[FIRST.id] = TurnState.STOPPED
        await until(lambda: len(shown) >= 5)
        before = len(looked)
        await until(lambda: len(looked) >= before + 2)
        task.cancel()
    assert [(each.turn, each.state) for each in shown if isinstance(each, TurnFinished)] == [
        (THIRD, TurnState.ANSWERED),
        (FIRST, TurnState.STOPPED),
    ]
    assert THIRD.id not in looked
    assert set(looked[before:]) == {SECOND.id}
