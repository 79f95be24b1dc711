"""Teams as the service makes them, for the tests of what exchanges go by."""

from mama_bot.app.configuration import Configuration
from mama_bot.app.current_team import team_of
from mama_bot.app.host_checks import host_checks
from mama_bot.app.service_parts import checkouts_of
from mama_bot.metrics import Metrics
from mama_bot.model import Progress
from mama_bot.orchestrator import Team
from mama_bot.repositories.changes import GitChanges
from mama_bot.store import Store
from mama_bot.testing.memory_checkouts import MemoryCheckoutRecords
from mama_bot.turns.workspaces import Workspaces
from tests.agents.conftest import SystemClock


def workspaces_of(configuration: Configuration) -> Workspaces:
    checkouts = checkouts_of(configuration, MemoryCheckoutRecords(), SystemClock())
    return Workspaces(root=configuration.directory / "workspaces", checkouts=checkouts)


async def to_nobody(progress: Progress) -> None:
    del progress


def made_team(configuration: Configuration, store: Store) -> Team:
    workspaces, clock = workspaces_of(configuration), SystemClock()
    changes = GitChanges(
        workspace_of=workspaces.of(configuration.personas),
        indexes=configuration.directory / "indexes",
        own=configuration.directory,
    )
    return team_of(
        configuration,
        changes=changes,
        checks=host_checks(configuration, changes, clock),
        workspaces=workspaces,
        reviews=store.reviews,
        show=to_nobody,
        clock=clock,
        metrics=Metrics(),
    )
