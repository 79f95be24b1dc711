"""Asking again: from the beginning, where the agent was cut off, or for a review of what it did."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime

import structlog

from mama_bot.errors import MessageRefused, QueueFull
from mama_bot.intake import sentences as says
from mama_bot.model import (
    Answer,
    Author,
    Command,
    ConversationKey,
    Exchange,
    InboundMessage,
    MessageId,
    Notice,
    NoticeKind,
    Platform,
    Post,
    PostId,
    Repeat,
    Reply,
    StoredTurn,
    TurnKind,
    TurnState,
    repeated_id,
)
from mama_bot.protocols import Clock, ConversationHistory
from mama_bot.wording import Language

log = structlog.get_logger(__name__)

LATEST_MESSAGES = 50
UNANSWERED = frozenset({NoticeKind.FAILED, NoticeKind.WITHHELD, NoticeKind.STOPPED})
CUT_OFF = frozenset({TurnState.FAILED, TurnState.STOPPED})


class Resumption:
    """Queues a message that asks again: by whoever asked, or an owner; once for each message.

    A command without a post is about the latest message of the conversation that was not answered.
    """

    def __init__(
        self,
        *,
        accept: Callable[[InboundMessage], Awaitable[bool]],
        history: ConversationHistory,
        exchange_of: Callable[[MessageId], Awaitable[Exchange]],
        is_owner: Callable[[Platform, Author], bool],
        clock: Clock,
    ) -> None:
        self._accept = accept
        self._history = history
        self._exchange_of = exchange_of
        self._is_owner = is_owner
        self._clock = clock

    async def retry(self, command: Command, post_id: PostId | None, language: Language) -> Answer:
        """Ask the same again, in an exchange of its own."""
        post = await self._post(command, post_id)
        if post is None or post.answers is None:
            return Answer(text=says.NOTHING_TO_RETRY.to(language), done=False)
        exchange = await self._exchange(command.key, post.answers)
        if exchange is None:
            return Answer(text=says.NOTHING_TO_RETRY.to(language), done=False)
        again = self._again(exchange, exchange.request.text, Repeat(of=exchange.message.id))
        return await self._queued(command, exchange, again, says.RETRIED.to(language), language)

    async def go_on(self, command: Command, post_id: PostId | None, language: Language) -> Answer:
        """Let the agent go on in its session, where the turn of a post was cut off."""
        post = await self._post(command, post_id)
        exchange = await self._exchange(command.key, post.answers) if post is not None and post.answers else None
        stored = None if exchange is None else _cut_off(exchange, post)
        if exchange is None or stored is None:
            return Answer(text=says.NOTHING_TO_CONTINUE.to(language), done=False)
        repeat = Repeat(of=exchange.message.id, turn=stored.turn.id)
        again = self._again(exchange, says.GO_ON.to(exchange.message.language), repeat)
        answer = says.CONTINUED.to(language, name=stored.turn.persona)
        return await self._queued(command, exchange, again, answer, language)

    async def review(self, command: Command, post_id: PostId | None, language: Language) -> Answer:
        """Have the work of a reply reviewed, however often and by whoever may speak here: a review changes nothing."""
        stored, exchange = await self._work(command, post_id)
        if stored is None or exchange is None:
            return Answer(text=says.NOTHING_TO_REVIEW.to(language), done=False)
        name, now = stored.turn.persona, self._clock.now()
        again = replace(
            self._again(
                exchange,
                says.REVIEW_ASKED.to(exchange.message.language, name=name),
                Repeat(of=exchange.message.id, turn=stored.turn.id, review=True),
            ),
            id=MessageId(f"{stored.turn.id}.review.{now:%Y%m%d%H%M%S%f}"),
            author=command.author,
            attachments=(),
        )
        try:
            await self._accept(again)
        except (QueueFull, MessageRefused) as error:
            return Answer(text=error.to(language), done=False)
        log.info("review_asked_for", message=again.id, turn=stored.turn.id, by=command.author.id)
        return Answer(text=says.REVIEW_QUEUED.to(language, name=name))

    async def _work(self, command: Command, post_id: PostId | None) -> tuple[StoredTurn | None, Exchange | None]:
        """Return the turn whose work is meant, with its exchange: that of a post, or of the latest reply."""
        if post_id is not None:
            posts: list[Post | None] = [await self._history.posted(command.key, post_id)]
        elif command.platform_id:
            return None, None
        else:
            view = await self._history.view(command.key, LATEST_MESSAGES)
            posts = [entry.post for entry in reversed(view.posts)]
        for post in posts:
            if not isinstance(post, Reply) or post.answers is None:
                continue
            exchange = await self._exchange(command.key, post.answers)
            turns = exchange.turns if exchange is not None else ()
            for stored in turns:
                if stored.turn.id == post.turn_id and stored.turn.kind is not TurnKind.REVIEW:
                    return stored, exchange
        return None, None

    async def _post(self, command: Command, post_id: PostId | None) -> Post | None:
        if post_id is not None:
            return await self._history.posted(command.key, post_id)
        if command.platform_id:
            return None
        view = await self._history.view(command.key, LATEST_MESSAGES)
        posts = (entry.post for entry in reversed(view.posts))
        return next((post for post in posts if isinstance(post, Notice) and post.notice in UNANSWERED), None)

    async def _exchange(self, key: ConversationKey, message_id: MessageId) -> Exchange | None:
        known = await self._history.message(key, message_id)
        return None if known is None else await self._exchange_of(message_id)

    def _again(self, exchange: Exchange, text: str, repeat: Repeat) -> InboundMessage:
        return asked_again(exchange, text, repeat, self._clock.now())

    async def _queued(
        self, command: Command, exchange: Exchange, again: InboundMessage, answer: str, language: Language
    ) -> Answer:
        asker = exchange.message.author
        if command.author.id != asker.id and not self._is_owner(command.key.platform, command.author):
            return Answer(text=says.ASKER_DECIDES.to(language, name=asker.name), done=False)
        try:
            taken = await self._accept(again)
        except (QueueFull, MessageRefused) as error:
            return Answer(text=error.to(language), done=False)
        if not taken:
            return Answer(text=says.ASKED_AGAIN_ALREADY.to(language), done=False)
        log.info("asked_again", message=again.id, of=exchange.message.id, by=command.author.id)
        return Answer(text=answer)


def asked_again(exchange: Exchange, text: str, repeat: Repeat, at: datetime) -> InboundMessage:
    """Return the message that asks for an exchange again, in the words of `text`."""
    message = exchange.request
    return replace(message, id=repeated_id(message.id), text=text, received_at=at, origin=None, repeat=repeat)


def _cut_off(exchange: Exchange, post: Post | None) -> StoredTurn | None:
    """Return the turn that a post is about, as long as it had no say; else the last such turn of the exchange."""
    turn_id = post.turn_id if post is not None else None
    cut_off = [stored for stored in exchange.turns if stored.state in CUT_OFF]
    if turn_id is not None:
        return next((stored for stored in cut_off if stored.turn.id == turn_id), None)
    return next((stored for stored in reversed(cut_off) if stored.asked >= 0), None)
