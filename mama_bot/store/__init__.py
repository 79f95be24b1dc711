"""What is durable: inbox, turns, shared context and outbox, on SQLite or PostgreSQL."""
