"""Several nodes as one service: what each tells the others, and what it does with what they tell."""

from mama_bot.cluster.event_listener import EventListener
from mama_bot.cluster.relayed_commands import RelayedCommands
from mama_bot.cluster.shown_turns import ShownTurns
from mama_bot.cluster.told_progress import progress_event

__all__ = ["EventListener", "RelayedCommands", "ShownTurns", "progress_event"]
