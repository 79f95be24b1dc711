"""Runs understood: what a tool call ran and how it ended, from its words and its output, never from an agent's word."""

from mama_bot.enforcement.runs.reader import RunReader
from mama_bot.enforcement.runs.shell import Redirect, SimpleCommand, commands_of

__all__ = ["Redirect", "RunReader", "SimpleCommand", "commands_of"]
