"""A gateway under test with a person on its platform, and what is posted there."""

from abc import ABC, abstractmethod

from mama_bot.errors import (
    DeliveryUnknown,
)
from mama_bot.metrics import Metrics
from mama_bot.model import (
    Audience,
    Author,
    Cleared,
    CommandName,
    ConversationKey,
    Judgement,
    MessageId,
    MessageStanding,
    Notice,
    NoticeKind,
    Part,
    Post,
    PostId,
    Reply,
    StandingState,
    Turn,
    TurnId,
    TurnKind,
    question_reference,
    text_hash,
)
from mama_bot.protocols import Gateway
from mama_bot.testing.memory_core import MemoryInlet
from mama_bot.wording import Language
from tests.platforms.pickiness import Pickiness


class GatewayUnderTest(ABC):
    """A running gateway, and a way to play a person on its platform, who is served and talks to the bot."""

    gateway: Gateway
    inlet: MemoryInlet

    @abstractmethod
    async def say(self, text: str, *, message_id: str) -> bool:
        """The person writes; True when the platform was told that the message is stored."""

    @abstractmethod
    def conversation(self) -> ConversationKey:
        """Where `say` writes, and where posts go."""

    @abstractmethod
    async def command(self, name: CommandName, argument: str = "") -> str:
        """The person gives a command; returns what they are shown as an answer."""

    def id_of(self, message_id: str) -> str:
        """The id that the core sees of the message that `say` was given this id for."""
        return message_id


class ChatUnderTest(GatewayUnderTest):
    """A gateway to a platform on which messages can be edited, buttons pressed and connections cut."""

    metrics: Metrics

    @property
    @abstractmethod
    def pickiness(self) -> Pickiness:
        """What the platform never takes."""

    def outcomes(self, metric: str = "chat_messages") -> dict[str, int]:
        """How often something was counted on this platform, by its outcome."""
        counted = [(dict(labels), count) for (name, labels), count in self.metrics.snapshot().items() if name == metric]
        return {labels["outcome"]: count for labels, count in counted if labels["platform"] == self.gateway.platform}

    @abstractmethod
    async def edit(self, message_id: str, text: str) -> None:
        """The person edits a message."""

    @abstractmethod
    async def delete(self, message_id: str) -> None:
        """The person deletes a message."""

    @abstractmethod
    async def attach(self, name: str, media_type: str, content: bytes, *, message_id: str) -> None:
        """The person sends a file with the words "see this"."""

    @abstractmethod
    async def press(self, name: CommandName, platform_id: str) -> str:
        """The person presses a button of the bot's message; returns what they are shown as an answer."""

    @abstractmethod
    async def press_offered(self, label: str) -> str:
        """The person presses what the last answer offers by these words; returns what they are shown then."""

    @abstractmethod
    def buttons(self, platform_id: str) -> list[str]:
        """What the buttons of a message of the bot carry."""

    @abstractmethod
    def shown(self) -> list[str]:
        """What the conversation holds of the bot, in order, as a reader sees it."""

    @abstractmethod
    def reactions(self, message_id: str) -> int:
        """How many reactions of the bot a message of the person has."""

    @abstractmethod
    async def cut(self) -> None:
        """The connection breaks; the platform is reachable again at once."""

    @abstractmethod
    async def say_as_bot(self, text: str) -> None:
        """Another bot writes to this one."""

    @abstractmethod
    def refuse_next(self, status: int) -> None:
        """The platform refuses the next message of the bot with an HTTP status."""


def standing(
    chat: ChatUnderTest, state: StandingState, *, ahead: int = 0, language: Language = Language.ENGLISH
) -> MessageStanding:
    """How the message m1 stands."""
    message_id = MessageId(chat.id_of("m1"))
    return MessageStanding(
        message_id=message_id, key=chat.conversation(), state=state, ahead=ahead, language=language, words="hello"
    )


async def found(gateway: Gateway, post: Post, part: Part) -> str | None:
    """What the gateway finds; None also where the platform does not let it look."""
    try:
        return await gateway.find(post, part)
    except DeliveryUnknown:
        return None


def a_turn(key: ConversationKey) -> Turn:
    return Turn(
        id=TurnId("t1"),
        message_id=MessageId("m1"),
        key=key,
        persona="developer",
        kind=TurnKind.REQUEST,
        audience=Audience.PERSON,
        asker=Author(id="p", name="Person"),
        prompt="hello",
    )


def a_question(key: ConversationKey, *, text: str = "**#3** Run this?\n\n```sh\nmake deploy\n```") -> Notice:
    return Notice(
        id=PostId("question.3"),
        key=key,
        notice=NoticeKind.QUESTION,
        text=text,
        approval=question_reference(3),
        ending="Answer within 10 min.",
    )


def an_answer(question: Notice, text: str = "#3: approved by Kim.") -> Notice:
    return Notice(
        id=PostId(f"{question.id}.approved"),
        key=question.key,
        notice=NoticeKind.ANSWERED,
        text=text,
        settles=question.id,
    )


def a_post(key: ConversationKey, kind: str, *, text: str = "All 3 tests pass. 끝.") -> Post:
    if kind == "notice":
        return Notice(id=PostId("p1"), key=key, notice=NoticeKind.STOPPED, text="Stopped.")
    judgement = Judgement(turn_id=TurnId("t1"), attempt=0, text_sha256=text_hash(text), outcome=Cleared())
    return Reply(
        id=PostId("p1"),
        turn_id=TurnId("t1"),
        key=key,
        persona="developer",
        display_name="Developer",
        text=text,
        judgement=judgement,
    )
