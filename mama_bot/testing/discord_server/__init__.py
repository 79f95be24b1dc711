"""A small Discord on loopback (REST v10, gateway v10, files), for real clients: `async with DiscordServer()`."""

from mama_bot.testing.discord_server.server import DiscordServer
from mama_bot.testing.discord_server.shapes import File, Shown

__all__ = ["DiscordServer", "File", "Shown"]
