"""The state that gateways keep over restarts."""

from collections.abc import Mapping

from mama_bot.model import Platform, well_formed
from mama_bot.store.connection import Connection, Statement
from mama_bot.store.database import Database

_GET = Statement("SELECT value FROM gateway_state WHERE platform = :platform AND name = :name")
_PUT = Statement(
    """
    INSERT INTO gateway_state (platform, name, value) VALUES (:platform, :name, :value)
    ON CONFLICT (platform, name) DO UPDATE SET value = excluded.value
    """
)
_DROP = Statement("DELETE FROM gateway_state WHERE platform = :platform AND name = :name")
_ENTRIES = Statement(
    """
    SELECT name, value FROM gateway_state
    WHERE platform = :platform AND substr(name, 1, :length) = :prefix ORDER BY name
    """
)


class StoredGatewayState:
    """The `GatewayState` of one platform in the database."""

    def __init__(self, *, database: Database, platform: Platform) -> None:
        self._database = database
        self._platform = platform

    async def get(self, name: str) -> str | None:
        facts = {"platform": self._platform, "name": name}
        value: str | None = await self._database.read(lambda connection: connection.execute(_GET, facts).scalar())
        return value

    async def put(self, values: Mapping[str, str]) -> None:
        rows = [{"platform": self._platform, "name": name, "value": well_formed(values[name])} for name in values]

        def write(connection: Connection) -> None:
            for row in rows:
                connection.execute(_PUT, row)

        await self._database.write(write)

    async def drop(self, *names: str) -> None:

        def write(connection: Connection) -> None:
            for name in names:
                connection.execute(_DROP, {"platform": self._platform, "name": name})

        await self._database.write(write)

    async def entries(self, prefix: str) -> Mapping[str, str]:
        facts = {"platform": self._platform, "prefix": prefix, "length": len(prefix)}
        return await self._database.read(
            lambda connection: {row.name: row.value for row in connection.execute(_ENTRIES, facts)}
        )
