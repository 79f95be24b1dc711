"""The reader of a command line: what it refuses is one sentence, with the nearest name, in the session's language."""

import argparse
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from mama_bot.commands.sentences import (
    ANY_OF,
    MISSING_ARGUMENTS,
    NEAREST,
    NEEDS_VALUE,
    NO_COMMAND,
    OTHER_USE,
    SEE_HELP,
    SURPLUS_ARGUMENT,
    UNKNOWN_COMMAND,
    UNKNOWN_OPTION,
    UNKNOWN_VALUE,
)
from mama_bot.errors import ConfigurationError
from mama_bot.similar_names import most_similar
from mama_bot.wording import Said

MOST_SHOWN = 40


class CommandParser(argparse.ArgumentParser):
    """Parses as argparse does, and raises ConfigurationError where that would print its usage and end the process."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **{**settings, "exit_on_error": False})
        self._below: argparse._SubParsersAction[argparse.ArgumentParser] | None = None

    def add_subparsers(self, **settings: Any) -> Any:
        """Add commands, whose options are known where a wrong one is refused."""
        self._below = super().add_subparsers(**settings)
        return self._below

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Return what the arguments say; raises ConfigurationError with a sentence."""
        given = list(args or ())
        if given and given[0].startswith("-") and not self._takes(given[0]):
            self._refuse_surplus(given[0])  # else what follows it would be called a command that is none
        try:
            options, surplus = self.parse_known_args(given, namespace)
        except argparse.ArgumentError as error:
            reader = self._reader(given)
            raise ConfigurationError(
                problem=OTHER_USE.of(argument=error.argument_name or reader.prog, command=reader.prog)
            ) from None
        if surplus:
            self._reader(given)._refuse_surplus(surplus[0])
        return options

    def _takes(self, option: str) -> bool:
        return any(known.startswith(option.partition("=")[0]) for known in self._option_string_actions)

    def error(self, message: str) -> NoReturn:
        """Raise ConfigurationError for what is missing: the one thing that argparse says here itself."""
        del message
        raise ConfigurationError(problem=self._missing())

    def _missing(self) -> Said:
        if self._below is not None:
            return NO_COMMAND.of(command=self.prog)
        names = [str(action.metavar or action.dest) for action in self._actions if _is_needed(action)]
        return MISSING_ARGUMENTS.of(names=", ".join(names), command=self.prog)

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        if isinstance(action, argparse._SubParsersAction):
            name = next((argument for argument in arg_strings if argument != "--"), "")
            self._check_command(action, name)
        return super()._get_values(action, arg_strings)

    def _check_command(self, action: argparse.Action, name: str) -> None:
        names = tuple(str(choice) for choice in action.choices or ())
        if name not in names:
            problem = UNKNOWN_COMMAND.of(given=name[:MOST_SHOWN], command=self.prog, hint=self._hint(name, names))
            raise ConfigurationError(problem=problem)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Raise ConfigurationError for what is none of the choices."""
        choices = tuple(str(choice) for choice in action.choices or ())
        if choices and str(value) not in choices:
            problem = UNKNOWN_VALUE.of(
                given=str(value)[:MOST_SHOWN], name=_name(action), command=self.prog, hint=self._hint(value, choices)
            )
            raise ConfigurationError(problem=problem)

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        try:
            return super()._get_value(action, arg_string)
        except argparse.ArgumentError:  # a type that says nothing better, such as a number or a language
            choices = tuple(str(choice) for choice in action.choices or ())
            problem = UNKNOWN_VALUE.of(
                given=arg_string[:MOST_SHOWN],
                name=_name(action),
                command=self.prog,
                hint=self._hint(arg_string, choices),
            )
            raise ConfigurationError(problem=problem) from None

    def _match_argument(self, action: argparse.Action, arg_strings_pattern: str) -> int:
        try:
            return super()._match_argument(action, arg_strings_pattern)
        except argparse.ArgumentError:
            problem = NEEDS_VALUE.of(name=_name(action), command=self.prog)
            raise ConfigurationError(problem=problem) from None

    def _reader(self, arguments: Sequence[str]) -> "CommandParser":
        """Return the parser of the command that the arguments name; this one where they name none."""
        below = self._below.choices if self._below is not None else {}
        for number, argument in enumerate(arguments):
            reader = below.get(argument)
            if isinstance(reader, CommandParser):
                return reader._reader(arguments[number + 1 :])
        return self

    def _refuse_surplus(self, argument: str) -> NoReturn:
        if not argument.startswith("-"):
            raise ConfigurationError(problem=SURPLUS_ARGUMENT.of(given=argument[:MOST_SHOWN], command=self.prog))
        name = argument.partition("=")[0]
        known = [option for option in self._option_string_actions if option.startswith("--")]
        problem = UNKNOWN_OPTION.of(given=name[:MOST_SHOWN], command=self.prog, hint=self._hint(name, known))
        raise ConfigurationError(problem=problem)

    def _hint(self, given: object, names: Iterable[str]) -> Said:
        """Return the most similar name as a sentence; all of them, or where to read on, where none is similar."""
        listed = sorted(names)
        similar = most_similar(str(given), listed)
        if similar is not None:
            return NEAREST.of(name=similar)
        return ANY_OF.of(names=", ".join(listed)) if listed else SEE_HELP.of(command=self.prog)


def _is_needed(action: argparse.Action) -> bool:
    return action.required and not action.option_strings


def _name(action: argparse.Action) -> str:
    return action.option_strings[-1] if action.option_strings else str(action.metavar or action.dest)
