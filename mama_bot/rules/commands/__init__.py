"""What does a command line run, as rules read it? Every program in it, however it is wrapped, quoted or nested."""

from mama_bot.rules.commands.command_reader import read_command
from mama_bot.rules.commands.read_programs import CommandReading, Program, files_named

__all__ = ["CommandReading", "Program", "files_named", "read_command"]
