"""What is durable: inbox, turns, shared context and outbox, on SQLite or PostgreSQL."""

from mama_bot.store.store import Store, open_store, sqlite_url

__all__ = ["Store", "open_store", "sqlite_url"]
