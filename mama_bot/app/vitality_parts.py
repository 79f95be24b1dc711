"""What looks after the service, put together from its parts."""

from collections.abc import Callable, Mapping, Sequence

import structlog

from mama_bot.app.configuration import Configuration
from mama_bot.app.readiness import lacking_here
from mama_bot.budgets.budgets import Budgets
from mama_bot.config import ServiceRole
from mama_bot.errors import StoreUnavailable
from mama_bot.intake.owner_lines import OwnerAlarms
from mama_bot.model import Hearing, Platform, Trouble, TroubleKind
from mama_bot.protocols import Clock
from mama_bot.store import Store
from mama_bot.vitality import Watchdog
from mama_bot.vitality.sentences import BUDGET_SPENT
from mama_bot.vitality.service_manager import ServiceManager
from mama_bot.vitality.signs import Sign, disk_sign, hearing_sign, lacking_sign, store_sign
from mama_bot.wording import Said

ALARMS = Platform("alarms")  # beside the state of gateways
ALIVE = "alive"  # touched after each look, for whoever looks after a process that serves no page

log = structlog.get_logger(__name__)


def watchdog_of(
    configuration: Configuration,
    store: Store,
    hearing: Callable[[], Mapping[Platform, Hearing]],
    alarms: OwnerAlarms,
    manager: ServiceManager,
    clock: Clock,
    further: Sequence[Sign],
) -> Watchdog:
    """Return what tells owners, systemd and the page how the service is."""
    settings = configuration.settings.alarms

    def alarm(occasion: str, sentence: Said) -> None:
        if settings.enabled:
            alarms.put(occasion, sentence)

    def left(kind: TroubleKind, subject: str) -> bool:
        of_platform = kind in (TroubleKind.DEAF, TroubleKind.BEHIND)
        return of_platform and bool(store.nodes.id) and Platform(subject) not in hearing()

    return Watchdog(
        signs=(
            hearing_sign(hearing),
            store_sign(store.probe),
            disk_sign(configuration.directory, least_megabytes=settings.free_disk_megabytes),
            lacking_sign(lacking_here(configuration)),
            *further,
        ),
        told=store.gateway_state(Platform(f"{ALARMS}.{store.nodes.id}") if store.nodes.id else ALARMS),
        common=store.gateway_state(ALARMS) if store.nodes.id else None,
        alarm=alarm,
        patience={
            TroubleKind.DEAF: settings.deaf_seconds,
            TroubleKind.BEHIND: settings.deaf_seconds,
            TroubleKind.STORE: settings.unwritable_seconds,
        },
        clock=clock,
        every_seconds=settings.look_seconds,
        well_seconds=settings.well_seconds,
        beat=_beat(configuration, manager),
        left=left,
    )


def _beat(configuration: Configuration, manager: ServiceManager) -> Callable[[Sequence[Trouble]], None]:
    """Return what says after each look that the process lives: to systemd, and for a node by the age of a file."""
    if configuration.role is ServiceRole.ALL:
        return manager.beat
    alive = configuration.own_directory / ALIVE

    def beat(troubles: Sequence[Trouble]) -> None:
        manager.beat(troubles)
        try:
            alive.touch()
        except OSError as error:
            log.warning("not_said_to_be_alive", reason=error.strerror)

    return beat


def budget_sign(budgets: Budgets) -> Sign:
    """Return the sign that tells whether a cap of the whole service is reached."""
    shown = list[Trouble]()

    async def look() -> list[Trouble]:
        try:
            spent = await budgets.spent_for_the_day()
        except StoreUnavailable:  # another sign tells that, and the cap is where it was
            return [*shown]
        shown[:] = [
            Trouble(
                kind=TroubleKind.BUDGET,
                subject=error.balance.unit.value,
                sentence=BUDGET_SPENT.of(reason=error.sentence),
                stops_work=False,  # whoever writes is answered with a line, and no restart would help
            )
            for error in spent
        ]
        return [*shown]

    return look
