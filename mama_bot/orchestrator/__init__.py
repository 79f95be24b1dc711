"""Turns and exchanges: who is asked what, in which order, and what becomes of the answer."""

from mama_bot.orchestrator.exchange import Orchestrator
from mama_bot.orchestrator.outgoing import Outgoing
from mama_bot.orchestrator.reviewing import Reviewing
from mama_bot.orchestrator.turn_runner import TurnRunner
from mama_bot.orchestrator.workspaces import Workspaces

__all__ = ["Orchestrator", "Outgoing", "Reviewing", "TurnRunner", "Workspaces"]
