"""Rules for sessions that a developer starts in a terminal: relay, socket, translation, settings of the CLI."""
