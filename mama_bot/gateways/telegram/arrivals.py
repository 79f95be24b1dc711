"""Messages from Telegram as arrivals: what they are, whether they are for the team, and how they are answered."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, replace

import structlog
from telegram.error import TelegramError

from mama_bot.config import Threads
from mama_bot.gateways.chat.arrivals import Arrival, ArrivalPort, Arrivals
from mama_bot.gateways.chat.attachments import Attachments, Fetched
from mama_bot.gateways.chat.command_forms import Button
from mama_bot.gateways.telegram.accounts import TELEGRAM, TelegramAccount, TelegramAccounts
from mama_bot.gateways.telegram.addressing import Heard, heard
from mama_bot.gateways.telegram.attachments import chunks_of, offered_files, unreadable
from mama_bot.gateways.telegram.keyboards import keyboard_of
from mama_bot.gateways.telegram.presses import Presses
from mama_bot.gateways.telegram.remembered_chats import RememberedChats
from mama_bot.gateways.telegram.sentences import UNREADABLE_MESSAGE
from mama_bot.gateways.telegram.speech import Speech, TelegramPlace
from mama_bot.gateways.telegram.updates import MemberChange, TelegramMessage, Update, User
from mama_bot.metrics import Metrics
from mama_bot.model import Author, AuthorKind, Command, ConversationKey, MessageId, Origin
from mama_bot.protocols import Inlet
from mama_bot.recent import Recent
from mama_bot.wording import Language, language_of, one_line

log = structlog.get_logger(__name__)

REMEMBERED = 4000
TOPIC_CHARACTERS = 60
_STANDINGS = ("creator", "administrator", "member", "restricted", "left", "kicked")
_NO_BRACKETS = str.maketrans({"[": "(", "]": ")", "\\": "/"})


@dataclass(frozen=True, slots=True)
class Seen:
    """A message, or those of an album, as one of our bots sees it."""

    account: TelegramAccount
    messages: tuple[TelegramMessage, ...]
    edited: bool = False

    @property
    def first(self) -> TelegramMessage:
        """The message that stands for all of them."""
        return self.messages[0]

    @property
    def worded(self) -> TelegramMessage:
        """The message that bears the words: in an album any picture may."""
        return next((message for message in self.messages if message.words), self.first)

    @property
    def has_files(self) -> bool:
        """Whether there is more than words."""
        return any(message.photo or message.document or unreadable(message) for message in self.messages)


class TelegramArrivals(ArrivalPort[Seen]):
    """Reads, fetches and answers messages of all bots of the gateway."""

    def __init__(
        self,
        *,
        accounts: TelegramAccounts,
        chats: RememberedChats,
        speech: Speech,
        attachments: Attachments,
        metrics: Metrics,
        threads: Threads,
        channels: Collection[str],
    ) -> None:
        self._accounts = accounts
        self._chats = chats
        self._speech = speech
        self._attachments = attachments
        self._metrics = metrics
        self._threads = threads
        self._channels = channels
        self._claims: Recent[tuple[int, int, int], TelegramAccount] = Recent(REMEMBERED)

    def id_of(self, source: Seen) -> MessageId:
        """Return the same id for all bots where they share message numbers, else one with the number of the bot."""
        account, message = source.account, source.first
        shared = not account.persona or message.chat.type not in {"private", "group"}
        counted_by = "" if shared else f"{account.id}:"
        return MessageId(f"{TELEGRAM}:{counted_by}{message.chat.id}:{message.message_id}")

    async def read(self, source: Seen, *, taken: bool) -> Arrival[Seen] | None:
        words = self._heard(source)
        if words is None or not self._claim(source, words):
            return None
        account, message = source.account, source.first
        thread = self._plain_thread(account, message)
        if source.edited and (topic := await self._chats.task_topic(message.chat.id, message.message_id)):
            thread = str(topic)
        sender_language = Language.ENGLISH if message.sender is None else message.sender.language
        return Arrival(
            id=self.id_of(source),
            key=ConversationKey(TELEGRAM, str(message.chat.id), thread),
            author=_author(message),
            origin=self.origin(message),
            text=words.text,
            source=source,
            locale=sender_language,
            has_files=source.has_files,
            wordless=not source.worded.words,
            command=self._command(source, words, sender_language),
        )

    async def fetch(self, arrival: Arrival[Seen]) -> Fetched:
        source = arrival.source
        offered = [file for message in source.messages for file in offered_files(message)]
        fetched = await self._attachments.keep(
            arrival.id, offered, chunks_of(source.account), language=arrival.language
        )
        lines = [line.to(arrival.language) for message in source.messages for line in unreadable(message)]
        for _ in lines:
            self._metrics.count("chat_files_refused", platform=TELEGRAM)
        return replace(fetched, left_out=(*fetched.left_out, *lines))

    async def tell(self, arrival: Arrival[Seen], markdown: str, buttons: Sequence[Button] = ()) -> None:
        """Answer where a message was written, or in the topic that was opened for it."""
        message, thread = arrival.source.first, arrival.key.thread
        topic = int(thread) if thread.isdecimal() else 0
        place = _place(message) if topic == message.topic else TelegramPlace(message.chat.id, topic)
        await self._speech.tell(arrival.source.account, place, markdown, keyboard_of(buttons, arrival.language))

    async def open_thread(self, arrival: Arrival[Seen], admit: Callable[[], Awaitable[None]]) -> ConversationKey:
        """Return where it was asked, or a topic that is opened for it, once."""
        message = arrival.source.first
        if self._threads is not Threads.TASK or not message.chat.is_forum or message.topic:
            return arrival.key
        topic = await self._chats.task_topic(message.chat.id, message.message_id)
        if topic is None:
            await admit()
            topic = await self._open_topic(arrival.source.account, message, arrival.text)
            await self._chats.open_task(message.chat.id, message.message_id, topic)
        return ConversationKey(TELEGRAM, arrival.key.channel, str(topic)) if topic else arrival.key

    async def join(self, arrival: Arrival[Seen]) -> None:
        """Take part in a topic."""
        thread = arrival.key.thread
        await self._chats.take_part(arrival.source.first.chat.id, int(thread) if thread.isdecimal() else 0)

    def origin(self, message: TelegramMessage) -> Origin:
        """Return where a message stands; a group that became a supergroup stays the one that is listed."""
        ids = [str(chat) for chat in (message.chat.id, *self._chats.former(message.chat.id))]
        return Origin(
            channel=next((chat for chat in ids if chat in self._channels), ids[0]), direct=message.chat.private
        )

    def placed(self, message: TelegramMessage) -> TelegramMessage:
        """Return a message with the mark of its topic, which not every server sets, where the topic is a known one."""
        known = message.chat.is_forum and self._chats.takes_part(message.chat.id, message.message_thread_id)
        return message.model_copy(update={"is_topic_message": True}) if known else message

    async def note_chat(self, message: TelegramMessage) -> None:
        """Remember what a message says of its chat; raises StoreUnavailable."""
        if message.migrate_to_chat_id:
            await self._chats.move(message.chat.id, message.migrate_to_chat_id)
        elif message.migrate_from_chat_id:
            await self._chats.move(message.migrate_from_chat_id, message.chat.id)
        if message.chat.type == "supergroup":
            self._chats.note_supergroup(message.chat.id)

    def _heard(self, source: Seen) -> Heard | None:
        """Return what was said to us by somebody else."""
        message = source.worded
        if message.is_automatic_forward or (message.sender is None and message.sender_chat is None):
            return None
        if message.sender is not None and self._accounts.ours(message.sender.id):
            return None
        if not message.words and not source.has_files:
            return None  # the platform tells of members, pins and topics by messages, too
        takes_part = self._chats.takes_part(message.chat.id, message.topic)
        return heard(message, self._accounts.known(), source.account.known, takes_part=takes_part)

    def _claim(self, source: Seen, words: Heard) -> bool:
        """Whether this bot is the one that takes a message which several of ours see."""
        message = source.first
        if message.chat.private:
            return True
        if message.chat.type == "group":  # each bot has message numbers of its own there
            return words.target == source.account.id
        owner = self._claims.setdefault((message.chat.id, message.message_id, message.edit_date), source.account)
        return owner is source.account

    def _command(self, source: Seen, words: Heard, sender_language: Language) -> Command | None:
        account, message = source.account, source.first
        if words.command is None or (not source.edited and (message.photo or message.document is not None)):
            return None
        name, argument = words.command
        about = message.reply_to_message
        ours = about is not None and about.sender is not None and self._accounts.ours(about.sender.id)
        return Command(
            name=name,
            key=ConversationKey(TELEGRAM, str(message.chat.id), self._plain_thread(account, message)),
            author=_author(message),
            origin=self.origin(message),
            argument=argument,
            platform_id=str(about.message_id) if about is not None and ours else "",
            language=language_of(argument, otherwise=sender_language),
        )

    def _plain_thread(self, account: TelegramAccount, message: TelegramMessage) -> str:
        if message.chat.private and account.persona:
            return account.persona
        return str(message.topic) if message.topic else ""

    async def _open_topic(self, account: TelegramAccount, message: TelegramMessage, text: str) -> int:
        """Return a new topic; 0 where the bot may open none."""
        name = one_line(text, TOPIC_CHARACTERS) or "…"
        try:
            topic = await account.client.create_forum_topic(message.chat.id, name)
        except TelegramError as error:
            self._metrics.count("topics_not_opened", platform=TELEGRAM)
            log.warning("topic_not_opened", chat=message.chat.id, reason=str(error))
            return 0
        internal = str(message.chat.id).removeprefix("-100")
        link = f"https://t.me/c/{internal}/{topic.message_thread_id}"
        await self._speech.tell(account, _place(message), f"→ [{name.translate(_NO_BRACKETS)}]({link})")
        return topic.message_thread_id


class TelegramInbound:
    """Brings the updates of all bots to the inlet."""

    def __init__(
        self,
        *,
        inlet: Inlet,
        port: TelegramArrivals,
        arrivals: Arrivals[Seen],
        speech: Speech,
        presses: Presses,
        metrics: Metrics,
    ) -> None:
        self._inlet = inlet
        self._port = port
        self._arrivals = arrivals
        self._speech = speech
        self._presses = presses
        self._metrics = metrics

    async def take(self, account: TelegramAccount, updates: Sequence[Update]) -> None:
        """Work on an update, or on those of an album; raises StoreUnavailable when it has to come again."""
        first = updates[0]
        if (query := first.callback_query) is not None:
            message = None if query.message is None else self._port.placed(query.message)
            origin = Origin() if message is None else self._port.origin(message)
            await self._presses.take(self._inlet, account, query.model_copy(update={"message": message}), origin)
        elif first.message is not None:
            messages = [self._port.placed(update.message) for update in updates if update.message is not None]
            await self._port.note_chat(messages[0])
            await self._arrivals.take(self._inlet, Seen(account, tuple(messages)))
        elif first.edited_message is not None:
            edited = self._port.placed(first.edited_message)
            await self._arrivals.revise(self._inlet, Seen(account, (edited,), edited=True))
        elif first.my_chat_member is not None:
            self._member(account, first.my_chat_member)

    async def give_up(self, account: TelegramAccount, chat: int) -> None:
        """Tell a chat that something of it could not be read, in every language: none is known."""
        text = "\n".join(UNREADABLE_MESSAGE.to(language) for language in Language)
        await self._speech.tell(account, TelegramPlace(chat=chat), text)

    def _member(self, account: TelegramAccount, change: MemberChange) -> None:
        status = change.new_chat_member.get("status")
        if status not in _STANDINGS:
            status = "other"
        self._metrics.count("membership_changes", platform=TELEGRAM, status=status)
        log.info("telegram_membership", bot=account.username, chat=change.chat.id, status=status)


def _author(message: TelegramMessage) -> Author:
    """Return who wrote; whoever writes in the name of a group or channel is known by that alone."""
    if message.sender_chat is not None:
        return Author(id=str(message.sender_chat.id), name=message.sender_chat.title or str(message.sender_chat.id))
    sender = message.sender or User(id=0)
    kind = AuthorKind.BOT if sender.is_bot else AuthorKind.PERSON
    return Author(id=str(sender.id), name=sender.full_name, kind=kind)


def _place(message: TelegramMessage) -> TelegramPlace:
    return TelegramPlace(message.chat.id, message.topic, message.message_id)
