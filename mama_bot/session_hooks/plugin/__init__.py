"""A plugin of Claude's CLI, which carries the relay; the hooks of the other CLIs call the same script."""
