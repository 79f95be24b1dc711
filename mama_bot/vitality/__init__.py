"""Whether the service is well: it can hear, write and work; and who is told when it is not."""

from mama_bot.vitality.watchdog import Watchdog

__all__ = ["Watchdog"]
