"""The page as one of its nodes posts on it: all of them show what is posted."""

from collections.abc import Mapping, Sequence

from mama_bot.model import (
    ConversationKey,
    Hearing,
    MessageStanding,
    Notice,
    PagePosted,
    Part,
    Platform,
    Post,
    Progress,
)
from mama_bot.protocols import Gateway, Inlet, NodeEvents


class PublishedPage:
    """The `Gateway` of the page for the node that posts there: every node that serves the page shows each post."""

    def __init__(self, page: Gateway, events: NodeEvents) -> None:
        self._page = page
        self._events = events

    @property
    def platform(self) -> Platform:
        """That of the page."""
        return self._page.platform

    async def run(self, inlet: Inlet) -> None:
        """Run the page."""
        await self._page.run(inlet)

    def hearing(self) -> Hearing:
        """See `Gateway.hearing`."""
        return self._page.hearing()

    def parts(self, post: Post) -> Sequence[Part]:
        """See `Gateway.parts`."""
        return self._page.parts(post)

    async def post(self, post: Post, part: Part, *, repeated: bool = False) -> str:
        """Tell the nodes; the history has the post already, so this cannot fail."""
        self._events.publish(PagePosted(key=post.key, post_id=post.id))
        return post.id

    async def find(self, post: Post, part: Part) -> str | None:
        """See `Gateway.find`."""
        return await self._page.find(post, part)

    async def settle(self, question: Notice, answer: Notice, platform_id: str) -> bool:
        """Tell the nodes of the answer: their pages show it where the question stands."""
        self._events.publish(PagePosted(key=answer.key, post_id=answer.id))
        return True

    async def offer(self, post: Post, ids: Mapping[int, str], *, undone: bool) -> None:
        """See `Gateway.offer`: each page reads from what was posted what was undone."""

    async def show(self, progress: Progress) -> None:
        """See `Gateway.show`."""
        await self._page.show(progress)

    async def mark(self, standing: MessageStanding) -> None:
        """See `Gateway.mark`."""
        await self._page.mark(standing)

    async def direct(self, person: str) -> ConversationKey | None:
        """See `Gateway.direct`."""
        return await self._page.direct(person)
