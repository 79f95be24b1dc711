"""What a turn is told of the calls of others."""

from dataclasses import replace
from datetime import timedelta

from mama_bot.model import (
    Attempt,
    Cleared,
    Draft,
    FileFate,
    FileTouch,
    Judgement,
    StoredTurn,
    ToolRecord,
    ToolRun,
    Turn,
    TurnKind,
    TurnState,
)
from mama_bot.tool_names import with_kind
from mama_bot.turns.ledger import MOST_TOLD
from mama_bot.turns.new_turns import results_turn, review_turn, rework_turn, told_calls
from mama_bot.turns.schedule import ReportResults
from tests.people import START, persona, turn

WORK = turn("developer")
REVIEW = review_turn(WORK, persona("reviewer"), "developer", "look")


def call(number: int, agent: str = "") -> ToolRun:
    at = START + timedelta(seconds=number)
    touched = (FileTouch(path="a.py", fate=FileFate.CHANGED),)
    return with_kind(ToolRun(id=f"c{number}", tool="Edit", arguments="{}", started_at=at, agent=agent, touched=touched))


def stored(one: Turn, *numbers: int) -> StoredTurn:
    """A turn with one draft and what was done up to it; none without numbers."""
    record = ToolRecord(runs=tuple(call(number) for number in numbers))
    draft = Draft(turn_id=one.id, attempt=0, text="x", record=record)
    judgement = Judgement(turn_id=one.id, attempt=0, text_sha256="", outcome=Cleared())
    attempts = (Attempt(draft=draft, judgement=judgement, at=START),) if numbers else ()
    return StoredTurn(turn=one, state=TurnState.ANSWERED, created_at=START, attempts=attempts)


def ids(calls: tuple[ToolRun, ...]) -> list[str]:
    return [one.id for one in calls]


def test_what_came_to_no_draft_after_one_that_was_sent_back_is_told_too_and_nothing_twice() -> None:
    dead = replace(WORK, undrafted=ToolRecord(runs=(call(2), call(3))))
    assert ids(told_calls([stored(dead, 1, 2)])) == ["c1", "c2", "c3"]
    assert ids(told_calls([stored(dead)])) == ["c2", "c3"]
    assert ids(told_calls([stored(dead, 1), stored(dead, 1)])) == ["c1", "c2", "c3"]


def test_a_rework_knows_what_the_work_and_its_results_were_told() -> None:
    told = replace(WORK, kind=TurnKind.RESULTS, told=(call(1, "lead"), call(2, "lead")))
    done = [stored(WORK, 3), stored(told, 4)]
    first = rework_turn(REVIEW, WORK, "mend", done=done)
    assert ids(first.told) == ["c1", "c2", "c3", "c4"]
    assert ids(rework_turn(REVIEW, told, "mend").told) == ["c1", "c2"]
    again = rework_turn(REVIEW, WORK, "mend", done=[*done, stored(first, 5)])
    assert ids(again.told) == ["c1", "c2", "c3", "c4", "c5"]
    assert [one.agent for one in again.told] == ["lead", "lead", "developer", "developer", "developer"]


def test_the_results_of_a_rework_know_what_it_was_told() -> None:
    rework = replace(rework_turn(REVIEW, WORK, "mend"), told=(call(1, "lead"),))
    made = results_turn(ReportResults(asking=rework, settled=()), turns=[stored(rework, 2)])
    assert ids(made.told) == ["c1", "c2"]


def test_of_very_many_calls_the_last_are_told() -> None:
    told = replace(WORK, told=tuple(call(number, "lead") for number in range(MOST_TOLD)))
    made = rework_turn(REVIEW, told, "mend", done=[stored(WORK, MOST_TOLD, MOST_TOLD + 1)])
    assert ids(made.told) == [f"c{number}" for number in range(2, MOST_TOLD + 2)]
