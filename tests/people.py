"""The team, the people and the messages of the core's tests."""

from collections.abc import Mapping
from datetime import UTC, datetime

from mama_bot.model import (
    AgentPersona,
    Audience,
    Author,
    AuthorKind,
    ConversationKey,
    InboundMessage,
    MessageId,
    Platform,
    Turn,
    TurnId,
    TurnKind,
)

START = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
HERE = ConversationKey(Platform("web"), "general")
PERSON = Author(id="u1", name="김민수")


def persona(
    name: str,
    display_name: str = "",
    *,
    delegates_to: tuple[str, ...] = (),
    keywords: tuple[str, ...] = (),
    workspace: str = "own",
) -> AgentPersona:
    return AgentPersona(
        name=name,
        display_name=display_name or name.title(),
        prompt=f"You are {name}.",
        delegates_to=delegates_to,
        keywords=keywords,
        workspace=workspace,
    )


def team(*members: AgentPersona) -> Mapping[str, AgentPersona]:
    return {member.name: member for member in members}


def agent(name: str) -> Author:
    return Author(id=name, name=name.title(), kind=AuthorKind.AGENT)


def message(text: str, *, number: int = 1, key: ConversationKey = HERE) -> InboundMessage:
    return InboundMessage(id=MessageId(f"m{number}"), key=key, author=PERSON, text=text, received_at=START)


def turn(name: str = "lead", *, asker: Author = PERSON, kind: TurnKind = TurnKind.REQUEST, prompt: str = "") -> Turn:
    return Turn(
        id=TurnId("m1.0"),
        message_id=MessageId("m1"),
        key=HERE,
        persona=name,
        kind=kind,
        audience=Audience.PERSON,
        asker=asker,
        prompt=prompt,
    )
