"""Telegram behind the Gateway protocol."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

import structlog

from mama_bot.config import TelegramSettings, Threads
from mama_bot.errors import DeliveryFailed, DeliveryUnknown, StoreUnavailable
from mama_bot.gateways.chat.arrivals import Arrivals
from mama_bot.gateways.chat.attachments import Attachments
from mama_bot.gateways.chat.command_forms import buttons_under
from mama_bot.gateways.chat.dependencies import ChatDependencies
from mama_bot.gateways.chat.markdown.posts import parts_of, settled_part
from mama_bot.gateways.chat.message_files import MEGABYTE
from mama_bot.gateways.chat.progress import ProgressBoard
from mama_bot.gateways.chat.seen import SeenBoard
from mama_bot.gateways.chat.sentences import DUPLICATE, FILE_LEFT_OUT
from mama_bot.gateways.telegram.accounts import TELEGRAM, TelegramAccount, accounts_of, thread_of
from mama_bot.gateways.telegram.arrivals import TelegramArrivals, TelegramInbound
from mama_bot.gateways.telegram.attachments import TROUBLE, telegram_limits
from mama_bot.gateways.telegram.dialect import DIALECT
from mama_bot.gateways.telegram.keyboards import keyboard_of
from mama_bot.gateways.telegram.poller import Poller
from mama_bot.gateways.telegram.posts import CALL_ERRORS, FILE_BYTES, OutgoingMessage, Sender, failure_of
from mama_bot.gateways.telegram.presses import Presses
from mama_bot.gateways.telegram.remembered_chats import RememberedChats
from mama_bot.gateways.telegram.sentences import TOO_LARGE_TO_POST
from mama_bot.gateways.telegram.speech import Speech
from mama_bot.gateways.telegram.surface import TelegramSurface
from mama_bot.gateways.telegram.timings import Timing
from mama_bot.gateways.telegram.transport import TelegramRefused
from mama_bot.model import (
    ConversationKey,
    Hearing,
    MessageId,
    MessageStanding,
    Notice,
    Part,
    Post,
    PostId,
    Progress,
    Reply,
    language_of_post,
    written_id,
)
from mama_bot.protocols import Inlet
from mama_bot.recent import Recent
from mama_bot.wording import language_of

log = structlog.get_logger(__name__)

_REMEMBERED_PARTS = 2000
_ELSEWHERE = frozenset({401, 403, 404})
_NOT_ITS_OWN = _ELSEWHERE | {400}


class TelegramGateway:
    """The bot of the team, and a bot for each persona that has a token; long polling, no webhook."""

    platform = TELEGRAM

    def __init__(
        self, settings: TelegramSettings, dependencies: ChatDependencies, *, timing: Timing | None = None
    ) -> None:
        self._settings = settings
        self._dependencies = dependencies
        self._timing = timing = timing or Timing()
        self._accounts = accounts_of(settings, timing)
        self._chats = RememberedChats(dependencies.state)
        self._sender = Sender(self._chats)
        self._speech = Speech(sender=self._sender, metrics=dependencies.metrics, timing=timing)
        self._pollers = [
            Poller(
                account=account,
                state=dependencies.state,
                clock=dependencies.clock,
                metrics=dependencies.metrics,
                timing=timing,
                poll_seconds=settings.poll_seconds,
            )
            for account in self._accounts.all
        ]
        surface = TelegramSurface(
            accounts=self._accounts,
            sender=self._sender,
            chats=self._chats,
            clock=dependencies.clock,
            timing=timing,
        )
        self._seen = SeenBoard(
            surface=surface,
            state=dependencies.state,
            clock=dependencies.clock,
            metrics=dependencies.metrics,
            platform=TELEGRAM,
            enabled=settings.seen,
            spacing_seconds=timing.between_reactions,
            line_seconds=timing.first_progress,
        )
        self._board = ProgressBoard(
            surface=surface,
            state=dependencies.state,
            clock=dependencies.clock,
            display_names={persona.name: persona.display_name for persona in dependencies.personas},
            enabled=settings.progress,
            seconds=settings.progress_seconds,
            show_sent_back=settings.show_sent_back,
            first_seconds=timing.first_progress,
        )
        self._posted: Recent[tuple[PostId, int], str] = Recent(_REMEMBERED_PARTS)

    async def run(self, inlet: Inlet) -> None:
        """Poll and show progress until cancelled."""
        for account in self._accounts.all:
            await account.client.connect()
        try:
            await self._load()
            inbound = self._inbound(inlet)
            async with asyncio.TaskGroup() as group:
                group.create_task(self._board.run())
                group.create_task(self._seen.run())
                for poller in self._pollers:
                    group.create_task(poller.run(inbound))
        finally:
            for account in self._accounts.all:
                await account.client.disconnect()

    def hearing(self) -> Hearing:
        """Return whether it hears: it does when each of its bots does."""
        states = [poller.hearing() for poller in self._pollers]
        if all(state.ok for state in states):
            since = max((state.since for state in states if state.since), default=None)
            return Hearing(ok=True, since=since, lost=tuple(line for state in states for line in state.lost))
        return Hearing(ok=False, reasons=tuple(reason for state in states if not state.ok for reason in state.reasons))

    def parts(self, post: Post) -> Sequence[Part]:
        """Return the messages that a post is; the first names the persona where the bot is not its own."""
        return parts_of(post, DIALECT, header=isinstance(post, Reply) and self._speaking(post).persona != post.persona)

    async def post(self, post: Post, part: Part, *, repeated: bool = False) -> str:
        """Send a part."""
        message = await self._outgoing(post, part, repeated=repeated)
        account = self._speaking(post)
        try:
            sent = await self._send(account, post, part, message)
        except CALL_ERRORS as error:
            failure = failure_of(error)
            self._dependencies.metrics.count("posts_refused", platform="telegram", kind=type(failure).__name__)
            raise failure from error
        self._posted[post.id, part.index] = str(sent)
        return str(sent)

    async def find(self, post: Post, part: Part) -> str | None:
        """Return what this life posted is known; a chat's past is hidden from bots."""
        known = self._posted.get((post.id, part.index))
        if known is None:
            raise DeliveryUnknown(platform="telegram", reason="bots cannot read what stands in a chat")
        return known

    async def settle(self, question: Notice, answer: Notice, platform_id: str) -> bool:
        """Show what settled a question in the place of its buttons."""
        part = settled_part(question, answer, DIALECT)
        message = OutgoingMessage(chat=self._chat(question), text=part.text, plain=part.plain)
        try:
            await self._sender.edit(self._accounts.of_chat(question.key), int(platform_id), message)
        except CALL_ERRORS as error:
            raise failure_of(error) from error
        return True

    async def offer(self, post: Post, ids: Mapping[int, str], *, undone: bool) -> None:
        """See Gateway.offer; by the bot that posted it, which may be the team's where the persona's own could not."""
        keyboard = keyboard_of(buttons_under(post, undone=undone), language_of_post(post))
        chat, number = self._chat(post), int(ids[max(ids)])
        own, usual = self._speaking(post), self._accounts.of_chat(post.key)
        try:
            try:
                await self._sender.put_below(own, chat, number, keyboard)
            except TelegramRefused as error:
                if own is usual or error.status not in _NOT_ITS_OWN:
                    raise
                await self._sender.put_below(usual, chat, number, keyboard)
        except CALL_ERRORS as error:
            raise failure_of(error) from error

    async def show(self, progress: Progress) -> None:
        """Show that someone is at work."""
        self._board.show(progress)

    async def mark(self, standing: MessageStanding) -> None:
        """Show how a message stands."""
        self._seen.mark(standing)

    async def direct(self, person: str) -> ConversationKey | None:
        """Return the private chat with a person has the person's id."""
        return ConversationKey(TELEGRAM, person)

    def _inbound(self, inlet: Inlet) -> TelegramInbound:
        dependencies = self._dependencies
        metrics = dependencies.metrics
        port = TelegramArrivals(
            accounts=self._accounts,
            chats=self._chats,
            speech=self._speech,
            attachments=Attachments(
                platform=TELEGRAM,
                limits=telegram_limits(self._settings, self._timing),
                uploads=dependencies.uploads,
                metrics=metrics,
                trouble=TROUBLE,
            ),
            metrics=metrics,
            threads=self._settings.threads,
            channels=self._settings.access.channels,
        )
        return TelegramInbound(
            inlet=inlet,
            port=port,
            arrivals=Arrivals(platform=TELEGRAM, port=port, clock=dependencies.clock, metrics=metrics),
            speech=self._speech,
            presses=Presses(speech=self._speech, timing=self._timing, metrics=metrics),
            metrics=metrics,
        )

    async def _load(self) -> None:
        failures = 0
        while True:
            try:
                await self._chats.load()
            except StoreUnavailable as error:
                failures += 1
                log.warning("telegram_waits_for_the_store", reason=str(error))
                await asyncio.sleep(self._timing.pause(failures))
            else:
                return

    def _speaking(self, post: Post) -> TelegramAccount:
        if isinstance(post, Reply):
            return self._accounts.speaking(post.key, post.persona)
        return self._accounts.of_chat(post.key)

    async def _send(self, account: TelegramAccount, post: Post, part: Part, message: OutgoingMessage) -> int:
        """Send by the persona's own bot, or by the team's where that one cannot write."""
        usual = self._accounts.of_chat(post.key)
        if account is usual:
            return await self._sender.send(account, message)
        try:
            return await self._sender.send(account, message)
        except TelegramRefused as error:
            if error.status not in _ELSEWHERE and "chat not found" not in error.description.lower():
                raise
            log.info("persona_bot_cannot_write", bot=account.username, chat=post.key.channel, reason=str(error))
        headed = parts_of(post, DIALECT, header=True)
        if len(headed) == len(self.parts(post)):
            message = replace(message, text=headed[part.index].text, plain=headed[part.index].plain)
        return await self._sender.send(usual, message)

    async def _outgoing(self, post: Post, part: Part, *, repeated: bool) -> OutgoingMessage:
        language = language_of(post.text)
        text, plain, file = part.text, part.plain, part.file
        if file is not None and file.size > FILE_BYTES:
            reason = TOO_LARGE_TO_POST.to(language, most=FILE_BYTES // MEGABYTE)
            line = FILE_LEFT_OUT.to(language, name=file.name, reason=reason)
            text = plain = f"{plain}\n{line}".strip()
            file = None
        if repeated:
            mark = DUPLICATE.to(language)
            text, plain = f"{mark}\n{text}", f"{mark}\n{plain}"
        return OutgoingMessage(
            chat=self._chat(post),
            thread=thread_of(post.key),
            text=text,
            plain=plain,
            reply_to=await self._reply_to(post) if part.index == 0 else 0,
            keyboard=keyboard_of(buttons_under(post), language_of_post(post)) if part.last else None,
            file=file,
            html=file is part.file,
        )

    def _chat(self, post: Post) -> int:
        try:
            return int(post.key.channel)
        except ValueError as error:
            raise DeliveryFailed(
                platform="telegram", reason=f"{post.key.channel!r} is no chat", permanent=True
            ) from error

    async def _reply_to(self, post: Post) -> int:
        """The number of the message that a post answers; 0 where it stands elsewhere, or is another bot's to count."""
        pieces = written_id(post.answers or MessageId("")).split(":")
        if len(pieces) not in {3, 4} or pieces[0] != "telegram" or not pieces[-1].isdecimal():
            return 0
        *_, chat, number = pieces
        account = self._speaking(post)
        counted_by = pieces[1] if len(pieces) == 4 else str(self._accounts.main.id)
        if chat != post.key.channel or (counted_by != str(account.id) and not self._chats.counts_for_all(int(chat))):
            return 0
        if self._settings.threads is Threads.TASK and thread_of(post.key):
            try:
                if await self._chats.task_topic(int(chat), int(number)):
                    return 0  # asked outside the topic that was opened for it
            except StoreUnavailable:
                return 0
        return int(number)
