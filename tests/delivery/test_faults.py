"""Whatever fails and whenever the service dies, every part is posted, in order, and never twice without a label."""

import asyncio
import tempfile
from pathlib import Path
from typing import Literal

from hypothesis import given, settings
from hypothesis import strategies as st

from mama_bot.delivery import Delivery
from mama_bot.errors import DeliveryFailed, DeliveryUnknown
from mama_bot.metrics import Metrics
from mama_bot.model import Part, Post
from tests.delivery.platform import FAILED, UNKNOWN, WEB, FakeTime, Wall, a_life, name, notice
from tests.people import HERE

Fault = Literal["fine", "failed", "slow", "unknown", "lost", "dies_before", "dies_after"]
FAULTS: tuple[Fault, ...] = ("fine", "failed", "slow", "unknown", "lost", "dies_before", "dies_after")
LEAVES_A_DOUBT = {"unknown", "dies_before", "dies_after", "lost"}


class FateWall(Wall):
    """A platform on which each call goes as was drawn, and well when nothing is left."""

    def __init__(self, faults: list[Fault], *, blind: bool) -> None:
        super().__init__()
        self.faults = faults
        self.blind = blind
        self.dead: asyncio.Event = asyncio.Event()

    async def post(self, post: Post, part: Part, *, repeated: bool = False) -> str:
        fault = self.faults.pop(0) if self.faults else "fine"
        if fault == "failed":
            raise FAILED
        if fault == "slow":
            raise DeliveryFailed(platform="web", reason="slow down", retry_after_seconds=30)
        if fault == "lost":
            raise UNKNOWN
        if fault != "dies_before":
            platform_id = await super().post(post, part, repeated=repeated)
        if fault == "unknown":
            raise DeliveryUnknown(platform="web", reason="cut off")
        if fault in ("dies_before", "dies_after"):
            self.dead.set()
            await asyncio.Future()
        return platform_id


@settings(max_examples=40, deadline=None)
@given(
    faults=st.lists(st.sampled_from(FAULTS), max_size=9),
    texts=st.lists(st.sampled_from(["one", "one two", "one two three"]), min_size=1, max_size=3),
    blind=st.booleans(),
)
async def test_every_part_is_posted_in_order_and_never_twice_without_a_label(
    faults: list[Fault], texts: list[str], blind: bool
) -> None:
    doubts = sum(fault in LEAVES_A_DOUBT for fault in faults)
    wall, time = FateWall(list(faults), blind=blind), FakeTime()
    posts = [notice("abc"[index], text=text) for index, text in enumerate(texts)]
    with tempfile.TemporaryDirectory() as directory:
        async with a_life(Path(directory) / "store.sqlite", time) as store:
            for post in posts:
                await store.outbox.add(post)
            while await store.outbox.pending(HERE):
                wall.dead = asyncio.Event()
                wall.busy.clear()
                await live(
                    Delivery(
                        gateways={WEB: wall},
                        outbox=store.outbox,
                        bell=store.post_bell,
                        metrics=Metrics(),
                        clock=time,
                        sleep=time.sleep,
                    ),
                    wall,
                )
            entries = (await store.history.view(HERE, 10)).posts
    parts = [name(post, part) for post in posts for part in wall.parts(post)]
    if all(entry.posted_at for entry in entries):
        assert list(dict.fromkeys(wall.posted)) == parts
    else:  # only after so many labelled repeats that the platform must have it
        assert blind
        assert doubts > 5
    repeats = len(wall.posted) - len(set(wall.posted))
    assert len(wall.labelled) >= repeats
    assert wall.labelled == [] or blind
    assert repeats <= doubts


async def live(delivery: Delivery, wall: FateWall) -> None:
    """One life of the service: until it dies, or nothing is left for now."""
    async with asyncio.TaskGroup() as group:
        flushing = group.create_task(delivery.flush(HERE))
        dying = group.create_task(wall.dead.wait())
        await asyncio.wait({flushing, dying}, return_when=asyncio.FIRST_COMPLETED)
        flushing.cancel()
        dying.cancel()
