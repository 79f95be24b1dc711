"""A Bot API server of our own, for tests with the real client: wire-level, in one process, moved by Python calls."""

from tests.platforms.telegram_server.server import Call, Fault, TelegramServer
from tests.platforms.telegram_server.wire import Json, Upload
from tests.platforms.telegram_server.world import GROUP, SUPERGROUP, Bot, Chat, Person

__all__ = ["GROUP", "SUPERGROUP", "Bot", "Call", "Chat", "Fault", "Json", "Person", "TelegramServer", "Upload"]
