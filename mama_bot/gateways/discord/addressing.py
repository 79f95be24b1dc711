"""Whether a message is for the team, and what it says; pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import re2

from mama_bot.gateways.discord.wire import DiscordMessage

_CODE = re2.compile(r"(?s)```.*?```|``.*?``|`[^`\n]*`")
_MARK = re2.compile(r"<(?:@!?(\d{1,20})|@&(\d{1,20})|#(\d{1,20})|a?:(\w{1,40}):\d{1,20}|/([^:<>\n]{1,64}):\d{1,20})>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who the team is here: the bot, the roles that are its own, personas by their own bots and by roles."""

    bot: str
    application: str = ""
    bot_roles: frozenset[str] = frozenset()
    persona_bots: Mapping[str, str] = field(default_factory=dict)
    persona_roles: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """What ids are called."""

    role: Callable[[str], str]
    channel: Callable[[str], str]


def is_ours(message: DiscordMessage, identity: Identity, webhooks: frozenset[str] | set[str]) -> bool:
    """Return whether the bot, a persona's bot or a webhook of ours wrote it."""
    if message.webhook:
        by_us = identity.application and message.application == identity.application
        return message.webhook in webhooks or bool(by_us)
    return message.author.id == identity.bot or message.author.id in identity.persona_bots


def mentions_us(message: DiscordMessage, identity: Identity) -> bool:
    """Return whether the bot, its role, or a persona by its bot or role is mentioned."""
    people = {identity.bot, *identity.persona_bots}
    roles = {*identity.bot_roles, *identity.persona_roles}
    if people & set(message.mentions) or roles & set(message.role_mentions):
        return True
    return any(
        (mark[1] in people) or (mark[2] in roles) for piece in _prose(message.text) for mark in _MARK.finditer(piece)
    )


def answers_us(message: DiscordMessage, identity: Identity, webhooks: frozenset[str] | set[str]) -> bool:
    """Return whether it is a reply to a post of ours."""
    return message.answered is not None and is_ours(message.answered, identity, webhooks)


def addressed_text(message: DiscordMessage, identity: Identity, names: Names) -> str:
    """Drop the bot's mention (and the space behind it), other marks by their names; code as it is."""
    text, taken = message.text, []
    position = 0
    for code in _CODE.finditer(text):
        taken += [_plain(text[position : code.start()], message, identity, names), code[0]]
        position = code.end()
    taken.append(_plain(text[position:], message, identity, names))
    return "".join(taken)


def _prose(text: str) -> list[str]:
    pieces, position = [], 0
    for code in _CODE.finditer(text):
        pieces.append(text[position : code.start()])
        position = code.end()
    return [*pieces, text[position:]]


def _plain(text: str, message: DiscordMessage, identity: Identity, names: Names) -> str:
    taken, position = [], 0
    for mark in _MARK.finditer(text):
        if mark.start() < position:
            continue
        taken.append(text[position : mark.start()])
        position = mark.end()
        person, role = mark[1], mark[2]
        if person == identity.bot or role in identity.bot_roles:
            position += len(text[position:]) - len(text[position:].lstrip())
            continue
        taken.append(_name(mark, message, identity, names))
    return "".join((*taken, text[position:]))


def _name(mark: "re2._Match[str]", message: DiscordMessage, identity: Identity, names: Names) -> str:
    person, role, channel, emoji, command = mark.groups()
    if person:
        persona = identity.persona_bots.get(person)
        return f"@{persona}" if persona else _quiet(message.mentions.get(person, "")) or mark[0]
    if role:
        persona = identity.persona_roles.get(role)
        return f"@{persona}" if persona else _quiet(names.role(role)) or mark[0]
    if channel:
        name = names.channel(channel)
        return f"#{name}" if name else mark[0]
    return f":{emoji}:" if emoji else f"/{command}"


def _quiet(name: str) -> str:
    """Return a name in which the router sees no persona."""
    return name.replace("@", "")
