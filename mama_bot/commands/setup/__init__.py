"""Setting up: questions, files, and what the platforms are told about the bot."""
