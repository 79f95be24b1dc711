"""The command line: what a person at a terminal asks of the service, also while it runs."""
