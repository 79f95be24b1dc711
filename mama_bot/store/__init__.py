"""What is durable: inbox, turns, shared context and outbox, on SQLite or PostgreSQL."""

from mama_bot.store.store import Store, open_store, sqlite_url
from mama_bot.store.takeover import take_over

__all__ = ["Store", "open_store", "sqlite_url", "take_over"]
