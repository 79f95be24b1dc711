"""What a sender is told of what its delegates made."""

from mama_bot.model import BroughtHow, WorkBrought
from mama_bot.turns.heard import brought_line


def test_of_work_that_stays_where_it_was_made_the_sender_is_told_the_place_and_that_a_person_is_told() -> None:
    line = brought_line(WorkBrought(how=BroughtHow.STAYS, files=("work-trees/app/0002/tree",)))
    assert "work-trees/app/0002/tree" in line
    assert "A person is told" in line


def test_of_work_that_is_lost_the_sender_is_told_that_it_is() -> None:
    line = brought_line(WorkBrought(how=BroughtHow.LOST, files=("work-trees/app/0002/tree",)))
    assert "work-trees/app/0002/tree" in line
    assert "lost" in line
