"""A team of coding agents in chat, whose every reply is judged by code before it is recorded or posted."""

__version__ = "0.1.0"
