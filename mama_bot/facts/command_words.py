"""What is said of command lines that no check and no deed tells of: what ran, and what of it failed."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mama_bot.facts import sentences as says
from mama_bot.facts.check_words import TOOL
from mama_bot.facts.command_lines import programs_in
from mama_bot.model import CommandFact, Facts, RunKind
from mama_bot.text.patterns import compiled
from mama_bot.wording import Language, Said

MOST = 3
SUBCOMMAND = compiled(r"[a-z][a-z-]{1,18}", ignore_case=False, groups=False)  # kubectl apply


class ToldCommands(NamedTuple):
    """What is said of command lines of the turn, and whether it is that they failed."""

    text: str
    failed: bool


def told_commands(facts: Facts, language: Language) -> Iterator[ToldCommands]:
    """Yield the last command that failed or crashed and ran no better since, that a compiler warned, and what ran."""
    commands = _untold(facts)
    broken = [command for command in commands if command.failed or command.erred]
    if still := [command for command in broken if not _ran_better(command, facts)]:
        yield ToldCommands(_trouble(still[-1]).to(language, programs=_shown(_culprits(still[-1]))), failed=True)
    if any(command.warned and not _ran_again(command, facts) for command in _own(facts)):
        yield ToldCommands(says.WARNINGS_PRINTED.to(language), failed=False)
    if others := [name for command in commands if command not in broken for name in command.programs]:
        yield ToldCommands(says.COMMANDS_RAN.to(language, programs=_shown(others)), failed=False)


def _culprits(command: CommandFact) -> Sequence[str]:
    return command.failed or command.programs


def _trouble(command: CommandFact) -> Said:
    """Return what is said of a command that failed or crashed: of several programs nobody knows which crashed."""
    if command.failed:
        return says.COMMAND_FAILED
    return says.COMMAND_ERRED if len(command.programs) == 1 else says.ERROR_PRINTED


def only_looked(facts: Facts) -> bool:
    """Return whether it is sure that the turn did nothing but look."""
    if (
        not all(command.looks for command in _own(facts))
        or facts.opaque
        or facts.unknown
        or facts.wrote
        or facts.dropped
    ):
        return False
    checks = [check.witness for check in facts.checks if check.kind is not RunKind.DIFF]
    acted = [*checks, *(file.witness for file in facts.files), *(deed.witness for deed in facts.deeds)]
    return facts.recorded and not facts.background and all(witness.age for witness in acted)


def _own(facts: Facts) -> list[CommandFact]:
    return [command for command in facts.commands if not command.witness.age]


def _ran_again(command: CommandFact, facts: Facts) -> bool:
    """Return whether one of the programs of a command ran again after it."""
    return any(True for _ in _later_runs(command, facts))


def _ran_better(command: CommandFact, facts: Facts) -> bool:
    """Return whether a program of a command that failed ran again and did not fail."""
    return any(not (other.failed or other.erred) for other in _later_runs(command, facts))


def _later_runs(command: CommandFact, facts: Facts) -> Iterator[CommandFact]:
    programs = frozenset(programs_in(command.command))
    commands = _own(facts)
    for other in commands[commands.index(command) + 1 :]:
        if not programs.isdisjoint(programs_in(other.command)):
            yield other


def _untold(facts: Facts) -> list[CommandFact]:
    """Return the command lines of this turn that did more than look, but for what a check or a deed tells."""
    witnesses = [*(check.witness for check in facts.checks), *(deed.witness for deed in facts.deeds)]
    told = {witness.call_id for witness in witnesses if not witness.age}
    own = (command for command in facts.commands if command.programs and not command.witness.age)
    return [command for command in own if command.witness.call_id not in told]


def _shown(programs: Sequence[str]) -> str:
    """Return the names of programs as they may stand in the line, with the word that says what they do."""
    split = (name.partition(" ") for name in programs)
    names = [f"{name} {word}" if SUBCOMMAND.fullmatch(word) else name for name, _, word in split]
    names = [name for name in dict.fromkeys(names) if TOOL.fullmatch(name)] or ["…"]
    return ", ".join(names[:MOST] + ["…"] * (len(names) > MOST))
