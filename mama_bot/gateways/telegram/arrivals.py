"""What becomes of an update: a message, an edit, a command, a pressed button; told back where it could not be taken."""

from collections.abc import Collection, Sequence

import structlog
from telegram.error import TelegramError

from mama_bot.config import Threads
from mama_bot.errors import AccessRefused, MamaBotError, MessageRefused, QueueFull, StoreUnavailable
from mama_bot.gateways.telegram.accounts import Account, Accounts
from mama_bot.gateways.telegram.attachments import Attachments, unreadable
from mama_bot.gateways.telegram.places import Places
from mama_bot.gateways.telegram.presses import Presses
from mama_bot.gateways.telegram.reading import Heard, KnownBot, heard
from mama_bot.gateways.telegram.speech import Place, Speech
from mama_bot.gateways.telegram.updates import MemberChange, Message, Update, User
from mama_bot.metrics import Metrics
from mama_bot.model import (
    Author,
    AuthorKind,
    Command,
    CommandName,
    ConversationKey,
    InboundMessage,
    MessageId,
    Origin,
    Platform,
)
from mama_bot.protocols import Clock, Inlet
from mama_bot.recent import Recent
from mama_bot.wording import Language, Said, language_of

log = structlog.get_logger(__name__)

TELEGRAM = Platform("telegram")
_REMEMBERED = 4000
_TOPIC_CHARACTERS = 60
_UNREADABLE = (
    "A message here could not be read; the log of the service tells why. Please write it again.\n"
    "메시지를 읽지 못했습니다. 다시 써 주세요."
)


class Arrivals:
    """Takes the updates of all bots of the gateway."""

    def __init__(
        self,
        *,
        inlet: Inlet,
        accounts: Accounts,
        places: Places,
        speech: Speech,
        attachments: Attachments,
        presses: Presses,
        clock: Clock,
        metrics: Metrics,
        threads: Threads,
        channels: Collection[str],
    ) -> None:
        self._inlet = inlet
        self._accounts = accounts
        self._places = places
        self._speech = speech
        self._attachments = attachments
        self._presses = presses
        self._clock = clock
        self._metrics = metrics
        self._threads = threads
        self._channels = channels
        self._claims: Recent[tuple[int, int, int], Account] = Recent(_REMEMBERED)

    async def take(self, account: Account, updates: Sequence[Update]) -> None:
        """Work on an update, or on those of an album; raises StoreUnavailable when it has to come again."""
        first = updates[0]
        if (query := first.callback_query) is not None:
            message = None if query.message is None else self._placed(query.message)
            origin = Origin() if message is None else self._origin(message)
            await self._presses.take(self._inlet, account, query.model_copy(update={"message": message}), origin)
        elif first.message is not None:
            await self._message(account, [self._placed(one.message) for one in updates if one.message is not None])
        elif first.edited_message is not None:
            await self._edit(account, self._placed(first.edited_message))
        elif first.my_chat_member is not None:
            self._member(account, first.my_chat_member)

    async def give_up(self, account: Account, chat: int) -> None:
        """Tell a chat that something of it could not be read."""
        await self._speech.tell(account, Place(chat=chat), _UNREADABLE)

    async def _message(self, account: Account, messages: Sequence[Message]) -> None:
        message = messages[0]
        if message.migrate_to_chat_id:
            await self._places.move(message.chat.id, message.migrate_to_chat_id)
        elif message.migrate_from_chat_id:
            await self._places.move(message.migrate_from_chat_id, message.chat.id)
        if message.chat.type == "supergroup":
            self._places.note_supergroup(message.chat.id)
        said = self._heard(account, messages)
        if said is None or not self._claim(account, message, said):
            return
        author = _author(message)
        if said.command is not None and not message.photo and message.document is None:
            await self._command(account, message, author, said.command)
            return
        try:
            thread = await self._thread(account, message, author, said)
            inbound, left_out = await self._inbound(account, messages, author, said, thread)
            if inbound is None or await self._inlet.deliver(inbound):
                await self._tell_left_out(account, message, left_out, thread)
            await self._places.take_part(message.chat.id, int(thread) if thread.isdecimal() else 0)
        except (MessageRefused, QueueFull) as error:
            await self._refused(account, message, error, language_of(said.text))

    async def _edit(self, account: Account, message: Message) -> None:
        said = self._heard(account, [message])
        if said is None or said.command is not None or not self._claim(account, message, said):
            return
        topic = await self._places.task_topic(message.chat.id, message.message_id)
        thread = str(topic) if topic else self._plain_thread(account, message)
        try:
            inbound, _ = await self._inbound(account, [message], _author(message), said, thread)
            if inbound is not None:
                await self._inlet.revise(inbound)
        except AccessRefused:
            return  # a stranger's message was told of when it came
        except (MessageRefused, QueueFull) as error:
            await self._refused(account, message, error, language_of(said.text))

    async def _command(
        self, account: Account, message: Message, author: Author, command: tuple[CommandName, str]
    ) -> None:
        name, argument = command
        language = language_of(argument) if argument else _named_language(message)
        about = message.reply_to_message
        ours = about is not None and about.sender is not None and self._accounts.ours(about.sender.id)
        try:
            answer = await self._inlet.command(
                Command(
                    name=name,
                    key=self.key(account, message),
                    author=author,
                    origin=self._origin(message),
                    argument=argument,
                    platform_id=str(about.message_id) if about is not None and ours else "",
                    language=language,
                )
            )
        except AccessRefused as error:
            await self._refused(account, message, error, language)
        else:
            await self._speech.tell(account, _place(message), answer.text)

    def key(self, account: Account, message: Message) -> ConversationKey:
        """The conversation that a message stands in."""
        return ConversationKey(TELEGRAM, str(message.chat.id), self._plain_thread(account, message))

    def _origin(self, message: Message) -> Origin:
        """Where a message stands; a group that became a supergroup stays the one that is listed."""
        ids = (str(one) for one in (message.chat.id, *self._places.former(message.chat.id)))
        listed = next((one for one in ids if one in self._channels), str(message.chat.id))
        return Origin(channel=listed, direct=message.chat.private)

    def _placed(self, message: Message) -> Message:
        """The message with the mark of its topic, which not every server sets, where the topic is a known one."""
        known = message.chat.is_forum and self._places.takes_part(message.chat.id, message.message_thread_id)
        return message.model_copy(update={"is_topic_message": True}) if known else message

    def _plain_thread(self, account: Account, message: Message) -> str:
        if message.chat.private and account.persona:
            return account.persona
        return str(message.topic) if message.topic else ""

    def _heard(self, account: Account, messages: Sequence[Message]) -> Heard | None:
        """What was said to us, by somebody else; in an album any picture may bear the words."""
        message = next((one for one in messages if one.words), messages[0])
        if message.is_automatic_forward or (message.sender is None and message.sender_chat is None):
            return None
        if message.sender is not None and self._accounts.ours(message.sender.id):
            return None
        if not message.words and not any(one.photo or one.document or any(unreadable(one)) for one in messages):
            return None  # the platform tells of members, pins and topics by messages, too
        part = self._places.takes_part(message.chat.id, message.topic)
        known = self._accounts.known()
        seen_by: KnownBot = account.known
        return heard(message, known, seen_by, takes_part=part)

    def _claim(self, account: Account, message: Message, said: Heard) -> bool:
        """Whether this bot is the one that takes a message which several of ours see."""
        if message.chat.private:
            return True
        if message.chat.type == "group":  # each bot has message numbers of its own there
            return said.target == account.id
        name = (message.chat.id, message.message_id, message.edit_date)
        owner = self._claims.setdefault(name, account)
        return owner is account

    async def _thread(self, account: Account, message: Message, author: Author, said: Heard) -> str:
        """Where the conversation is held: where it was asked, or in a topic that is opened for it, once."""
        here = self._plain_thread(account, message)
        if self._threads is not Threads.TASK or not message.chat.is_forum or message.topic:
            return here
        topic = await self._places.task_topic(message.chat.id, message.message_id)
        if topic is None:
            await self._admit(account, message, author)
            topic = await self._open_topic(account, message, said.text)
            await self._places.open_task(message.chat.id, message.message_id, topic)
        return str(topic) if topic else here

    async def _admit(self, account: Account, message: Message, author: Author) -> None:
        """Ask whether somebody is served, before topics are opened or files fetched for them; raises AccessRefused."""
        asking = InboundMessage(
            id=MessageId(f"{TELEGRAM}:{message.chat.id}:{message.message_id}"),
            key=self.key(account, message),
            author=author,
            text=message.words,
            received_at=self._clock.now(),
            origin=self._origin(message),
        )
        await self._inlet.admit(asking)

    async def _open_topic(self, account: Account, message: Message, text: str) -> int:
        """A new topic; 0 where the bot may open none."""
        words = " ".join(text.split()) or "…"
        name = words if len(words) <= _TOPIC_CHARACTERS else f"{words[: _TOPIC_CHARACTERS - 1]}…"
        try:
            made = await account.client.create_forum_topic(message.chat.id, name)
        except TelegramError as error:
            self._metrics.count("topics_not_opened", platform="telegram")
            log.warning("topic_not_opened", chat=message.chat.id, reason=str(error))
            return 0
        internal = str(message.chat.id).removeprefix("-100")
        link = f"https://t.me/c/{internal}/{made.message_thread_id}"
        await self._speech.tell(account, _place(message), f"→ [{name.translate(_NO_BRACKETS)}]({link})")
        return made.message_thread_id

    async def _inbound(
        self, account: Account, messages: Sequence[Message], author: Author, said: Heard, thread: str
    ) -> tuple[InboundMessage | None, Sequence[Said]]:
        """The message with its files, and what of it is left out; None when that is all of it."""
        message = messages[0]
        message_id = _id_of(account, message)
        if any(one.photo or one.document or any(unreadable(one)) for one in messages):
            await self._admit(account, message, author)
        fetched = await self._attachments.fetch(account, messages, message_id)
        if fetched.left_out and not fetched.kept and not any(one.words for one in messages):
            return None, fetched.left_out
        inbound = InboundMessage(
            id=MessageId(message_id),
            key=ConversationKey(TELEGRAM, str(message.chat.id), thread),
            author=author,
            text=said.text,
            received_at=self._clock.now(),
            attachments=fetched.kept,
            origin=self._origin(message),
        )
        return inbound, fetched.left_out

    async def _tell_left_out(self, account: Account, message: Message, left_out: Sequence[Said], thread: str) -> None:
        if not left_out:
            return
        written = language_of(message.words)
        language = _named_language(message) if written == Language.ENGLISH else written
        text = "\n".join(sentence.to(language) for sentence in left_out)
        topic = int(thread) if thread.isdecimal() else 0
        await self._speech.tell(
            account, _place(message) if topic == message.topic else Place(message.chat.id, topic), text
        )

    async def _refused(self, account: Account, message: Message, error: MamaBotError, language: Language) -> None:
        """Say why a message was not taken; a stranger is told what they may know, which may be nothing."""
        if isinstance(error, StoreUnavailable):
            raise error
        text = error.to(language)
        self._metrics.count("messages_turned_away", platform="telegram", reason=type(error).__name__)
        log.info("message_turned_away", chat=message.chat.id, reason=str(error), told=bool(text))
        if text:
            await self._speech.tell(account, _place(message), text)

    def _member(self, account: Account, change: MemberChange) -> None:
        status = change.new_chat_member.get("status")
        if status not in _STANDINGS:
            status = "other"
        self._metrics.count("membership_changes", platform="telegram", status=status)
        log.info("telegram_membership", bot=account.username, chat=change.chat.id, status=status)


_STANDINGS = ("creator", "administrator", "member", "restricted", "left", "kicked")
_NO_BRACKETS = str.maketrans({"[": "(", "]": ")", "\\": "/"})


def _id_of(account: Account, message: Message) -> str:
    """The same for all bots where they share message numbers, else with the number of the bot."""
    shared = not account.persona or message.chat.type not in {"private", "group"}
    return f"telegram:{'' if shared else f'{account.id}:'}{message.chat.id}:{message.message_id}"


def _author(message: Message) -> Author:
    """Who wrote; whoever writes in the name of a group or channel is known by that alone."""
    if message.sender_chat is not None:
        return Author(id=str(message.sender_chat.id), name=message.sender_chat.title or str(message.sender_chat.id))
    sender = message.sender or User(id=0)
    kind = AuthorKind.BOT if sender.is_bot else AuthorKind.PERSON
    return Author(id=str(sender.id), name=sender.full_name, kind=kind)


def _named_language(message: Message) -> Language:
    """Return the language that the platform names for whoever wrote."""
    return Language.ENGLISH if message.sender is None else message.sender.language


def _place(message: Message) -> Place:
    return Place(message.chat.id, message.topic, message.message_id)
