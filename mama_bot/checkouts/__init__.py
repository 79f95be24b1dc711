"""Where a conversation works: which repository, in which work tree, and how nothing of it is ever lost."""

from mama_bot.checkouts.checkouts import Checkouts

__all__ = ["Checkouts"]
