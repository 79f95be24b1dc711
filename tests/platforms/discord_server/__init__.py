"""A small Discord on loopback (REST v10, gateway v10, files), for real clients: `async with DiscordServer()`."""

from tests.platforms.discord_server.server import DiscordServer
from tests.platforms.discord_server.shapes import File, Shown

__all__ = ["DiscordServer", "File", "Shown"]
