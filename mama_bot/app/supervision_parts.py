"""What looks after the service while it runs: the caps, the settings and their reload, backups, and the watchdog."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from mama_bot.app.backup_parts import backup_schedule, backup_sign
from mama_bot.app.followers import LivePersonas
from mama_bot.app.foundation import Foundation
from mama_bot.app.platforms import hearing_of
from mama_bot.app.reload import Reload
from mama_bot.app.reload_parts import TeamAtWork, reload_of
from mama_bot.app.service_parts import budgets_of
from mama_bot.app.vitality_parts import budget_sign, watchdog_of
from mama_bot.backups.due_backups import BackupSchedule
from mama_bot.budgets.budgets import Budgets
from mama_bot.gateways.web.gateway import WebGateway
from mama_bot.model import Hearing, Platform
from mama_bot.protocols import Gateway
from mama_bot.vitality import Watchdog
from mama_bot.vitality.service_manager import ServiceManager


@dataclass(frozen=True, slots=True, kw_only=True)
class Supervision:
    """The parts that look after the others; `hearing` tells which gateways hear people."""

    hearing: Callable[[], Mapping[Platform, Hearing]]
    manager: ServiceManager
    backups: BackupSchedule
    at_work: TeamAtWork
    reload: Reload
    budgets: Budgets
    watchdog: Watchdog


def supervision_of(base: Foundation, personas: LivePersonas, shown_on: Mapping[Platform, Gateway]) -> Supervision:
    """Return what looks after a service that shows on these gateways, which may come later."""
    configuration, store, clock, metrics = base.configuration, base.store, base.clock, base.metrics
    hearing = partial(hearing_of, shown_on)
    manager = ServiceManager(configuration.environment)
    backups = backup_schedule(configuration, clock)
    at_work = TeamAtWork(configuration, personas)
    reload = reload_of(configuration, at_work, base.alarms, clock, metrics, partial(_look_again, shown_on))
    budgets = budgets_of(store, at_work.budgets, clock, metrics)
    further = [backup_sign(backups), reload.sign, budget_sign(budgets)]
    return Supervision(
        hearing=hearing,
        manager=manager,
        backups=backups,
        at_work=at_work,
        reload=reload,
        budgets=budgets,
        watchdog=watchdog_of(configuration, store, hearing, base.alarms, manager, clock, further),
    )


def _look_again(shown_on: Mapping[Platform, Gateway]) -> None:
    """Let the open pages read again how the service stands."""
    for gateway in shown_on.values():
        if isinstance(gateway, WebGateway):
            gateway.look_again()
