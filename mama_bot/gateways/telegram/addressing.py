"""Whether a message is for us, and what it says to whom; pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mama_bot.gateways.chat.command_forms import asked_command, parse_command
from mama_bot.gateways.telegram.updates import Entity, TelegramMessage
from mama_bot.model import CommandName

_COMMAND = re.compile(r"/(?P<name>[A-Za-z0-9_]{1,32})(?:@(?P<bot>[A-Za-z0-9_]{1,64}))?(?=\s|$)")
_MENTION = re.compile(r"(?<![\w@])@[A-Za-z0-9_]{3,64}(?![\w@])")
_LITERAL = frozenset({"code", "pre", "url", "text_link", "email"})  # what looks like a mention there is none
_SPACE = re.compile(r"\s*")


@dataclass(frozen=True, slots=True)
class KnownBot:
    """A bot of ours; `persona` is "" for the one that speaks for the whole team."""

    id: int
    username: str
    persona: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What somebody said to us; `target` is the bot that is to hear it where several see the message."""

    text: str
    target: int
    command: tuple[CommandName, str] | None = None


@dataclass(frozen=True, slots=True)
class _Mention:
    start: int
    end: int
    bot: KnownBot


def heard(message: TelegramMessage, bots: Sequence[KnownBot], seen_by: KnownBot, *, takes_part: bool) -> Heard | None:
    """Return what a message says to us; None when it is not for us.

    `takes_part`: the bot is part of the talk, so that everything in it is for it. Text is as it was written, but for
    the mention of the bot with the white space behind it; a persona's own bot becomes "@persona" at the head.
    """
    mentions = _mentions(message, bots)
    first = _COMMAND.match(message.words)
    named = first["bot"].lower() if first and first["bot"] else ""
    called = next((bot for bot in bots if bot.username.lower() == named), None) if named else None
    if named and called is None:
        return None
    targets = list(dict.fromkeys(mention.bot for mention in mentions))
    if not targets:
        other = called or _answered(message, bots)
        targets = [other] if other is not None else []
    main = next((bot for bot in bots if not bot.persona), seen_by)
    if message.chat.private:
        targets = [seen_by, *(bot for bot in targets if bot.persona and bot != seen_by)]
    text = _without_mentions(message.words, mentions, targets)
    command = _command(text)
    if command is None and targets:
        command = asked_command(text)
    if not targets:
        if first is not None and command is None:
            return None  # a command of some other bot
        if command is None and not takes_part:
            return None
        targets = [main]
    if command is None and targets[0].persona:
        text = f"@{targets[0].persona} {text}"
    return Heard(text=text, target=targets[0].id, command=command)


def _command(text: str) -> tuple[CommandName, str] | None:
    match = _COMMAND.match(text)
    if match is None:
        return None
    name = match["name"].lower()
    if name == "start":
        return CommandName.HELP, ""  # the payload of a link to the bot is none of ours
    return parse_command(f"/{name}{text[match.end() :]}")


def _answered(message: TelegramMessage, bots: Sequence[KnownBot]) -> KnownBot | None:
    """The bot whose message is answered; in a topic that a bot opened, every message seems to answer its opening."""
    replied = message.reply_to_message
    if replied is None or replied.sender is None or replied.forum_topic_created is not None:
        return None
    sender = replied.sender.id
    return next((bot for bot in bots if bot.id == sender), None)


def _mentions(message: TelegramMessage, bots: Sequence[KnownBot]) -> list[_Mention]:
    names = {f"@{bot.username.lower()}": bot for bot in bots if bot.username}
    ids = {bot.id: bot for bot in bots}
    text, mentions, other = message.words, list[_Mention](), list[tuple[int, int]]()
    places = _places(text, message.marks)
    for entity in sorted(message.marks, key=lambda entity: entity.offset):
        start, end = places.get(entity.offset, -1), places.get(entity.offset + entity.length, -1)
        if start < 0 or end <= start or (mentions and start < mentions[-1].end):
            continue
        bot = names.get(text[start:end].lower()) if entity.type == "mention" else None
        if entity.type == "text_mention" and entity.user is not None:
            bot = ids.get(entity.user.id)
        if bot is not None:
            mentions.append(_Mention(start, end, bot))
        elif entity.type in _LITERAL:
            other.append((start, end))
    return mentions or _unmarked(text, names, other)


def _unmarked(text: str, names: Mapping[str, KnownBot], literal: Sequence[tuple[int, int]]) -> list[_Mention]:
    """Mentions by the look of them, for messages that were bridged without their entities, or with wrong places."""
    matches = _MENTION.finditer(text) if "@" in text else ()
    return [
        _Mention(*match.span(), names[match[0].lower()])
        for match in matches
        if match[0].lower() in names and not any(start < match.end() and match.start() < end for start, end in literal)
    ]


def _places(text: str, marks: Sequence[Entity]) -> dict[int, int]:
    """Return where the UTF-16 places that entities name are in the text; one within a character is not there."""
    if text.isascii():
        return {at: at for mark in marks for at in (mark.offset, mark.offset + mark.length) if 0 <= at <= len(text)}
    wanted = {at for mark in marks for at in (mark.offset, mark.offset + mark.length)}
    places, units = {0: 0} if 0 in wanted else {}, 0
    for index, character in enumerate(text, 1):
        units += 2 if character > "\uffff" else 1
        if units in wanted:
            places[units] = index
    return places


def _without_mentions(text: str, mentions: Sequence[_Mention], targets: Sequence[KnownBot]) -> str:
    """The text without the first mention of our main bot and of whom it is for; other personas by their names."""
    cut = set[int]()
    pieces, at = list[str](), 0
    for mention in mentions:
        pieces.append(text[at : mention.start])
        at = mention.end
        if mention.bot.id not in cut and (not mention.bot.persona or mention.bot == targets[0]):
            cut.add(mention.bot.id)
            space = _SPACE.match(text, at)
            at = space.end() if space is not None else at
        else:
            pieces.append(f"@{mention.bot.persona}" if mention.bot.persona else text[mention.start : mention.end])
    return "".join((*pieces, text[at:]))
