"""What the facts of a conversation are."""
