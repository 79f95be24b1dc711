"""From the branch of a conversation to a pull request, and what becomes of it back into the thread."""
