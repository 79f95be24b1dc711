"""What is said of command lines that no check and no deed tells of: what ran, and what of it failed."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mama_bot.facts import sentences as says
from mama_bot.facts.check_words import TOOL
from mama_bot.model import CommandFact, Facts, RunKind
from mama_bot.text.patterns import compiled
from mama_bot.wording import Language

MOST = 3
SUBCOMMAND = compiled(r"[a-z][a-z-]{1,18}", ignore_case=False, groups=False)  # kubectl apply


class ToldCommands(NamedTuple):
    """What is said of command lines of the turn, and whether it is that they failed."""

    text: str
    failed: bool


def told_commands(facts: Facts, language: Language) -> Iterator[ToldCommands]:
    """Yield the last command that failed and ran no better since, the last that crashed, and what else ran."""
    commands = _untold(facts)
    broken = [place for place, command in enumerate(commands) if command.failed or command.erred]
    still = [place for place in broken if not _ran_better(commands[place], commands[place + 1 :])]
    if still:
        command = commands[still[-1]]
        words = says.COMMAND_FAILED if command.failed else says.COMMAND_ERRED
        names = _shown(command.failed or command.programs)
        yield ToldCommands(words.to(language, programs=names), failed=True)
    others = [name for place, command in enumerate(commands) if place not in broken for name in command.programs]
    if others:
        yield ToldCommands(says.COMMANDS_RAN.to(language, programs=_shown(others)), failed=False)


def only_looked(facts: Facts) -> bool:
    """Return whether it is sure that the turn did nothing but look."""
    own = [command for command in facts.commands if not command.witness.age]
    if any(command.programs for command in own) or facts.opaque or facts.unknown or facts.wrote or facts.dropped:
        return False
    checks = [check.witness for check in facts.checks if check.kind is not RunKind.DIFF]
    acted = [*checks, *(file.witness for file in facts.files), *(deed.witness for deed in facts.deeds)]
    return facts.recorded and not facts.background and all(witness.age for witness in acted)


def _untold(facts: Facts) -> list[CommandFact]:
    """Return the command lines of this turn that did more than look, but for what a check or a deed tells."""
    witnesses = [*(check.witness for check in facts.checks), *(deed.witness for deed in facts.deeds)]
    told = {witness.call_id for witness in witnesses if not witness.age}
    own = (command for command in facts.commands if command.programs and not command.witness.age)
    return [command for command in own if command.witness.call_id not in told]


def _ran_better(command: CommandFact, later: Sequence[CommandFact]) -> bool:
    """Return whether a program of a command that failed ran again and did not fail."""
    programs = {name.partition(" ")[0] for name in command.failed or command.programs}
    return any(
        not (other.failed or other.erred) and any(name.partition(" ")[0] in programs for name in other.programs)
        for other in later
    )


def _shown(programs: Sequence[str]) -> str:
    """Return the names of programs as they may stand in the line, with the word that says what they do."""
    split = (name.partition(" ") for name in programs)
    names = [f"{name} {word}" if SUBCOMMAND.fullmatch(word) else name for name, _, word in split]
    names = [name for name in dict.fromkeys(names) if TOOL.fullmatch(name)] or ["…"]
    return ", ".join(names[:MOST] + ["…"] * (len(names) > MOST))
