"""Parts of the service that go by the configuration, and are told of a new one while they run."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, overload

from mama_bot.model import AgentPersona

if TYPE_CHECKING:
    from mama_bot.app.configuration import Configuration


class Followers:
    """What is told of each new configuration, in the order in which it asked for that."""

    def __init__(self) -> None:
        self._told: list[Callable[[Configuration], None]] = []

    def add(self, follow: "Callable[[Configuration], None]") -> None:
        """Tell this one too, from the next configuration on."""
        self._told.append(follow)

    def tell(self, configuration: "Configuration") -> None:
        """Tell all of them; none may fail, or wait."""
        for follow in self._told:
            follow(configuration)


class LivePersonas(Mapping[str, AgentPersona]):
    """The personas by name as they are now: whoever holds it sees those of a new configuration."""

    def __init__(self, personas: Mapping[str, AgentPersona]) -> None:
        self.value = dict(personas)

    def __getitem__(self, name: str) -> AgentPersona:
        return self.value[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.value)

    def __len__(self) -> int:
        return len(self.value)


class DefaultFirst(Sequence[AgentPersona]):
    """The personas as they are now, the one that answers by default at their head."""

    def __init__(self, personas: Mapping[str, AgentPersona], default: Callable[[], str]) -> None:
        self._personas = personas
        self._default = default

    def _all(self) -> tuple[AgentPersona, ...]:
        default = self._personas[self._default()]
        return (default, *(persona for persona in self._personas.values() if persona is not default))

    @overload
    def __getitem__(self, index: int) -> AgentPersona: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[AgentPersona]: ...
    def __getitem__(self, index: int | slice) -> AgentPersona | Sequence[AgentPersona]:
        return self._all()[index]

    def __len__(self) -> int:
        return len(self._personas)
