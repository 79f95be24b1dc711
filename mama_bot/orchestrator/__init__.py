"""Turns and exchanges: who is asked what, in which order, and what becomes of the answer."""

from mama_bot.orchestrator.exchange import Orchestrator
from mama_bot.orchestrator.files.outgoing import Outgoing
from mama_bot.review.rounds import Reviewing
from mama_bot.turns.turn_runner import TurnRunner
from mama_bot.turns.workspaces import Workspaces

__all__ = ["Orchestrator", "Outgoing", "Reviewing", "TurnRunner", "Workspaces"]
