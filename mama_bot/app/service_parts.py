"""Small parts of the service that `service` puts together."""

import random
import uuid
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from mama_bot.app.configuration import Configuration
from mama_bot.app.provisions import own_ways
from mama_bot.app.set_up import SetUpCommands
from mama_bot.checkouts import Checkouts
from mama_bot.checkouts.upkeep import CheckoutUpkeep
from mama_bot.config import AccessSettings
from mama_bot.errors import MamaBotError
from mama_bot.intake.pairing_requests import PairingRequests
from mama_bot.metrics import Metrics
from mama_bot.model import InboundMessage, Platform, Progress
from mama_bot.protocols import CheckoutRecords, Clock, Gateway, Outbox, Pairings
from mama_bot.store import Store


def pairing_requests(
    access: Callable[[], Mapping[Platform, AccessSettings]],
    pairings: Pairings,
    gateways: Mapping[Platform, Gateway],
    outbox: Outbox,
    clock: Clock,
    metrics: Metrics,
) -> PairingRequests:
    """Return what answers unknown people, with codes that nobody can guess."""
    return PairingRequests(
        pairings=pairings,
        settings=access,
        gateways=gateways,
        outbox=outbox,
        clock=clock,
        metrics=metrics,
        chance=random.SystemRandom(),
    )


def checkouts_of(
    configuration: Configuration,
    records: CheckoutRecords,
    clock: Clock,
    seed: Callable[[Path], Awaitable[None]] | None = None,
) -> Checkouts:
    """Return what gives conversations their repositories and work trees."""
    settings = configuration.settings
    return Checkouts(
        directory=configuration.directory,
        repositories=settings.repositories,
        settings=settings.work_trees,
        default=settings.default_repository,
        records=records,
        clock=clock,
        new_id=lambda: uuid.uuid4().hex[:8],
        seed=seed,
        set_up=SetUpCommands(configuration).run,
        ways=own_ways(configuration),
    )


def upkeep_of(configuration: Configuration, checkouts: Checkouts, store: Store, clock: Clock) -> CheckoutUpkeep:
    """Return what looks after work trees while nobody waits."""
    return CheckoutUpkeep(
        checkouts=checkouts,
        records=store.checkouts,
        runs=store.stops.runs,
        keep_days=configuration.settings.work_trees.keep_days,
        clock=clock,
    )


def shown_by(gateways: Mapping[Platform, Gateway]) -> Callable[[Progress], Awaitable[None]]:
    """Return what shows progress on the platform of its turn."""

    async def show(progress: Progress) -> None:
        gateway = gateways.get(progress.turn.key.platform)
        if gateway is not None:
            await gateway.show(progress)

    return show


async def waiting_in_line(_message: InboundMessage) -> bool:
    """Return False: a message waits until somebody tells the agent at work of it."""
    return False


def only_error(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return what to tell the person: the one error of ours in a group, or the group as it is."""
    matching = group.subgroup(MamaBotError)
    while matching is not None:
        first = matching.exceptions[0]
        if not isinstance(first, BaseExceptionGroup):
            return first
        matching = first
    return group


async def demo_repository(directory: Path) -> None:
    """Make the repository that the demonstration works in."""
    from mama_bot.demo import repository  # here: who has an account needs no demo

    await repository.seed(directory)
