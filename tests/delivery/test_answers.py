"""What settles a question is shown where it was asked, and else posted."""

from dataclasses import replace

import pytest

from mama_bot.errors import DeliveryError
from mama_bot.model import Notice, PostId
from tests.delivery.platform import FAILED, GONE, UNKNOWN, Desk, Wall, notice

QUESTION = notice("q", text="Run this?")
ANSWER = replace(notice("q.approved", text="Approved by hunter2."), settles=PostId("q"))


async def settled(desk: Desk, answer: Notice = ANSWER) -> None:
    await desk.notice(QUESTION)
    await desk.notice(answer)


async def test_an_answer_is_shown_at_the_end_of_its_question_and_is_no_post_of_its_own(wall: Wall, desk: Desk) -> None:
    await settled(desk)
    assert (wall.settled, wall.posted) == ({"at-q1": "Approved by [redacted]."}, ["q", "q1"])
    assert await desk.left() == []


@pytest.mark.parametrize("error", [FAILED, UNKNOWN])
async def test_an_answer_that_cannot_be_shown_now_is_tried_again(wall: Wall, desk: Desk, error: DeliveryError) -> None:
    wall.settling.append(error)
    await settled(desk)
    assert (list(wall.settled), wall.posted) == (["at-q1"], ["q", "q1"])


@pytest.mark.parametrize("refused", [True, False])
async def test_an_answer_that_cannot_be_shown_there_is_posted(wall: Wall, desk: Desk, refused: bool) -> None:
    wall.edits = False
    wall.settling += [GONE] if refused else []
    await settled(desk)
    assert (wall.settled, wall.texts) == ({}, ["Run", "this?", "Approved", "by", "[redacted]."])


async def test_an_answer_to_a_question_that_was_never_posted_is_posted(wall: Wall, desk: Desk) -> None:
    wall.before.append(GONE)
    await settled(desk)
    assert (wall.settled, wall.texts) == ({}, ["Approved", "by", "[redacted]."])
