"""One turn: its place in an exchange, its prompt, its attempts, and how it ends."""
