"""A place to run commands in."""

from tests.commands.conftest import place

__all__ = ["place"]
