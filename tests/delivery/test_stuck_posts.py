"""One post that never passes holds up no others; a platform that is down altogether is waited for."""

from dataclasses import replace
from pathlib import Path

import pytest

from mama_bot.delivery.departures import told_subject
from mama_bot.errors import DeliveryError
from mama_bot.model import OutgoingFile, Part, Post
from mama_bot.store.store import Store
from tests.delivery.platform import FAILED, UNKNOWN, Desk, FakeTime, Wall, a_life, notice, until
from tests.people import HERE
from tests.waiting import until_stored

REPORT = OutgoingFile(name="report.md", media_type="text/markdown", size=1, content=b"x")


class PickyWall(Wall):
    """A platform that never takes a part with the word "never", nor any file; "report" comes as a file."""

    def __init__(self, error: DeliveryError) -> None:
        super().__init__()
        self.error = error

    def parts(self, post: Post) -> tuple[Part, ...]:
        if told_subject(post) is not None:  # a line is one part
            return (Part(index=0, text=post.text, plain=post.text, last=True),)
        return tuple(replace(part, file=REPORT) if part.text == "report" else part for part in super().parts(post))

    async def post(self, post: Post, part: Part, *, repeated: bool = False) -> str:
        if part.text == "never" or part.file is not None:
            raise self.error
        return await super().post(post, part, repeated=repeated)


@pytest.fixture(params=[FAILED, UNKNOWN])
def picky(request: pytest.FixtureRequest) -> PickyWall:
    return PickyWall(request.param)


async def test_a_post_that_never_passes_is_told_of_and_what_follows_goes_on(
    store: Store, picky: PickyWall, time: FakeTime
) -> None:
    desk = Desk(store, picky, time)
    await store.outbox.add(notice("a", text="this never"))
    await store.outbox.add(notice("b"))
    async with desk.running():
        await until_stored(desk.is_empty)
    assert picky.posted == ["a", "about:0:a", "b"]
    assert picky.labelled == []
    assert time.seconds < 300
    [letter] = await store.letters.all()
    assert letter.post_id == "a"
    await store.letters.revive(letter.post_id)  # and it is told of again, when it is sent again in vain
    time.seconds += 3600
    async with desk.running():
        await until(lambda: "about:1:a" in picky.posted)
    assert picky.posted == ["a", "about:0:a", "b", "about:1:a"]


async def test_a_file_that_never_passes_is_named_in_a_line_instead(
    store: Store, picky: PickyWall, time: FakeTime
) -> None:
    desk = Desk(store, picky, time)
    await store.outbox.add(notice("a", text="see report"))
    await store.outbox.add(notice("b"))
    async with desk.running():
        await until(lambda: "b" in picky.posted)
    assert picky.posted == ["a", "a1", "b"]
    assert "report" in picky.texts[1]
    assert picky.labelled == []
    assert await store.letters.all() == []


async def test_a_line_that_never_had_to_be_posted_is_taken_back(tmp_path: Path, time: FakeTime) -> None:
    wall = Wall()
    async with a_life(tmp_path / "store.sqlite", time) as store:
        desk = Desk(store, wall, time)
        wall.down.add(HERE.channel)
        await desk.notice(notice("a"))
        async with desk.running():
            await until(lambda: time.seconds > 600)
            assert await desk.left() == ["a", "about:0:a"]
        wall.down.clear()
        next_life = Desk(store, wall, time)
        async with next_life.running():
            await until_stored(next_life.is_empty)
        await next_life.delivery.flush(HERE)
        assert wall.posted == ["a"]
        assert await desk.left() == []
