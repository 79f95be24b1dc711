"""Exchanges: who is asked what, in which order, and what becomes of the answer."""

from mama_bot.orchestrator.exchange import Orchestrator
from mama_bot.orchestrator.team import Current, Team

__all__ = ["Current", "Orchestrator", "Team"]
