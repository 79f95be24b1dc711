"""`mama-bot turns`: what was given up, and asking for it again; also while the service runs."""

import argparse
import json
from collections.abc import Iterator, Sequence

from mama_bot.app.configuration import Configuration
from mama_bot.app.system_clock import SystemClock
from mama_bot.commands import sentences as says
from mama_bot.commands.kept_store import existing, opened
from mama_bot.commands.terminal_text import terminal_text
from mama_bot.errors import ConfigurationError
from mama_bot.intake.resumption import asked_again
from mama_bot.model import DeadLetter, InboundMessage, LetterKind, Repeat, StoredTurn
from mama_bot.store import Store
from mama_bot.wording import Language, Said, one_line

REASON_CHARACTERS = 160
KINDS = {LetterKind.ANSWER: says.NO_ANSWER, LetterKind.POST: says.NOT_POSTED}


async def turns_answer(configuration: Configuration, options: argparse.Namespace, language: Language) -> Sequence[str]:
    """Return what a use of the command says; raises ConfigurationError, StoreUnavailable."""
    action, number = options.action, options.number
    if action == "list":
        if number is not None:
            raise ConfigurationError(problem=says.SHOW_LETTER)
        return await _listed(configuration, as_json=options.json, language=language)
    if number is None:
        raise ConfigurationError(problem=says.NEEDS_LETTER.of(action=action))
    async with existing(configuration) as store:
        letter = await store.letters.letter(number)
        if letter is None:
            raise ConfigurationError(problem=says.NO_SUCH_LETTER.of(number=number))
        match action:
            case "retry":
                return [(await _retried(store, letter)).to(language)]
            case "drop":
                await store.letters.drop(letter.post_id)
                return [says.LETTER_DROPPED.to(language)]
            case _:
                return await _shown(store, letter, as_json=options.json, language=language)


async def _listed(configuration: Configuration, *, as_json: bool, language: Language) -> Sequence[str]:
    async with opened(configuration) as store:
        letters = [] if store is None else await store.letters.all()
    if as_json:
        return [json.dumps([_plain(letter) for letter in letters], ensure_ascii=False, indent=2)]
    if not letters:
        return [says.NO_LETTERS.to(language)]
    return [*(_line(letter, language) for letter in letters), says.LETTERS_HELP.to(language)]


async def _shown(store: Store, letter: DeadLetter, *, as_json: bool, language: Language) -> Sequence[str]:
    message = await store.letters.message(letter)
    turns = (await store.turns.load(message.id)).turns if message is not None else ()
    if as_json:
        text = message.text if message is not None else None
        return [json.dumps({**_plain(letter), "text": text}, ensure_ascii=False, indent=2)]
    return [*_letter_lines(letter, message, turns, language)]


async def _retried(store: Store, letter: DeadLetter) -> Said:
    """Ask the same again, or have it posted again; a running service finds it by itself."""
    if letter.kind is LetterKind.POST:
        await store.letters.revive(letter.post_id)
        return says.POSTED_AGAIN
    if letter.message_id is None or await store.letters.message(letter) is None:
        raise ConfigurationError(problem=says.MESSAGE_GONE)
    exchange = await store.turns.load(letter.message_id)
    repeat = Repeat(of=exchange.message.id)
    await store.inbox.accept(asked_again(exchange, exchange.request.text, repeat, SystemClock().now()))
    return says.ASKED_AGAIN


def _line(letter: DeadLetter, language: Language) -> str:
    reason = one_line(terminal_text(letter.reason))[:REASON_CHARACTERS]
    when = letter.at.astimezone().strftime("%Y-%m-%d %H:%M")
    return f"{letter.number:>6}  {when}  {letter.key}  {KINDS[letter.kind].to(language)}  {reason}"


def _letter_lines(
    letter: DeadLetter, message: InboundMessage | None, turns: Sequence[StoredTurn], language: Language
) -> Iterator[str]:
    yield _line(letter, language)
    if message is not None:
        yield f"{message.author.name} ({message.key.platform}/{message.author.id}):"
        yield from (f"  {line}" for line in terminal_text(message.text).splitlines())
    for stored in turns:
        attempts = says.ATTEMPTS.to(language, count=len(stored.attempts))
        yield f"  {stored.turn.id}  {stored.turn.persona}  {stored.state.value}  {attempts}"


def _plain(letter: DeadLetter) -> dict[str, object]:
    return {
        "number": letter.number,
        "kind": letter.kind.value,
        "conversation": str(letter.key),
        "at": letter.at.isoformat(),
        "reason": letter.reason,
        "post": letter.post_id,
        "message": letter.message_id,
    }
