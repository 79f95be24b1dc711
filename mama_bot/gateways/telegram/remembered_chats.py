"""What the gateway remembers of chats over restarts: moved groups, topics it is part of, the topic of each task."""

from mama_bot.protocols import GatewayState

_HIGHEST_SUPERGROUP = -1_000_000_000_000
_MOVED, _TOPIC, _TASK = "moved/", "topic/", "task/"


class RememberedChats:
    """Reads once, then writes through; every write raises StoreUnavailable."""

    def __init__(self, state: GatewayState) -> None:
        self._state = state
        self._moved: dict[int, int] = {}
        self._topics: set[str] = set()
        self._supergroups: set[int] = set()

    async def load(self) -> None:
        """Read what was remembered."""
        moved = await self._state.entries(_MOVED)
        self._moved = {int(name.removeprefix(_MOVED)): int(value) for name, value in moved.items()}
        self._topics = {name.removeprefix(_TOPIC) for name in await self._state.entries(_TOPIC)}

    def current(self, chat: int) -> int:
        """Return the id that a chat has now."""
        for _ in range(len(self._moved) + 1):
            if chat not in self._moved:
                break
            chat = self._moved[chat]
        return chat

    def note_supergroup(self, chat: int) -> None:
        """Note a supergroup; on the platform itself its id says so."""
        if chat > _HIGHEST_SUPERGROUP:
            self._supergroups.add(chat)

    def counts_for_all(self, chat: int) -> bool:
        """Return whether all bots see the same message numbers: in supergroups, not in plain groups."""
        return chat <= _HIGHEST_SUPERGROUP or chat in self._supergroups

    def former(self, chat: int) -> list[int]:
        """Return the ids that a chat had before."""
        return [old for old in self._moved if old != chat and self.current(old) == chat]

    async def move(self, old: int, new: int) -> None:
        """Remember that a group became a supergroup."""
        if old == new or self._moved.get(old) == new or self.current(new) == old:
            return
        self._moved[old] = new
        await self._state.put({f"{_MOVED}{old}": str(new)})

    def takes_part(self, chat: int, topic: int) -> bool:
        """Return whether the bot was spoken to in this topic before."""
        return bool(topic) and f"{chat}/{topic}" in self._topics

    async def take_part(self, chat: int, topic: int) -> None:
        """Remember that it was."""
        name = f"{chat}/{topic}"
        if topic and name not in self._topics:
            await self._state.put({f"{_TOPIC}{name}": "1"})
            self._topics.add(name)

    async def task_topic(self, chat: int, message: int) -> int | None:
        """Return the topic that was opened for a message; 0 where none could be, None when it was not tried."""
        value = await self._state.get(f"{_TASK}{chat}/{message}")
        return int(value) if value is not None else None

    async def open_task(self, chat: int, message: int, topic: int) -> None:
        """Remember the topic of a message, so that the same message always belongs to the same conversation."""
        values = {f"{_TASK}{chat}/{message}": str(topic)}
        if topic:
            values[f"{_TOPIC}{chat}/{topic}"] = "1"
        await self._state.put(values)
        if topic:
            self._topics.add(f"{chat}/{topic}")
