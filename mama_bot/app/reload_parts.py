"""The reload of this service: what takes new settings up, put together."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

from mama_bot.app.configuration import Configuration
from mama_bot.app.followers import LivePersonas
from mama_bot.app.reload import Reload
from mama_bot.config import BudgetSettings
from mama_bot.enforcement import read_word_lists
from mama_bot.intake.owner_lines import OwnerAlarms
from mama_bot.metrics import Metrics
from mama_bot.orchestrator import Current, Team
from mama_bot.protocols import Clock


def living(configuration: Configuration) -> tuple[Configuration, LivePersonas]:
    """Return a configuration for parts that are to see the personas of each reload, and what is to be replaced then."""
    personas = LivePersonas(configuration.personas)
    return replace(configuration, personas=personas), personas


class TeamAtWork:
    """The team by which exchanges go, made anew of each configuration that is taken."""

    def __init__(self, configuration: Configuration, personas: LivePersonas) -> None:
        self._configuration = configuration
        self._personas = personas
        self._make: Callable[[Configuration], Team] | None = None
        self._current: Current[Team] | None = None

    def begin(self, make: Callable[[Configuration], Team]) -> Current[Team]:
        """Return the first team; `make` raises ConfigurationError for what cannot be used."""
        self._make = make
        self._current = Current(make(replace(self._configuration, personas=self._personas.value)))
        return self._current

    def budgets(self) -> BudgetSettings:
        """Return the caps that are in force."""
        return self._configuration.settings.budgets if self._current is None else self._current.value.budgets

    async def take(self, configuration: Configuration) -> None:
        """Put a configuration in force: all of it, or nothing where it raises ConfigurationError."""
        assert self._make is not None
        assert self._current is not None
        team = await asyncio.to_thread(self._make, configuration)
        await asyncio.to_thread(read_word_lists, configuration.settings.enforcement)
        # From here on nothing waits: no exchange begins between two parts.
        self._personas.value = dict(configuration.personas)
        self._current.value = team
        configuration.followers.tell(configuration)


def reload_of(
    configuration: Configuration,
    team: TeamAtWork,
    alarms: OwnerAlarms,
    clock: Clock,
    metrics: Metrics,
    show: Callable[[], None],
) -> Reload:
    """Return what reads the settings again."""
    return Reload(
        configuration=replace(configuration, personas=dict(configuration.personas)),
        take=team.take,
        tell=alarms.put,
        clock=clock,
        metrics=metrics,
        look_seconds=configuration.settings.reload.look_seconds,
        show=show,
    )
