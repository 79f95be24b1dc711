"""Who may come in and how: access, pairing, messages, and the commands of a chat."""
