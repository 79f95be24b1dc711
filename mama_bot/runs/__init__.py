"""Runs understood: what a tool call ran and how it ended, from its words and its output, never from an agent's word."""

from mama_bot.runs.reader import RunReader

__all__ = ["RunReader"]
