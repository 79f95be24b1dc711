"""The settings of what may be spent."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from mama_bot.config.cron_lines import zone_of
from mama_bot.config.document import KeyPath
from mama_bot.config.section import Count, Number, Seconds, Section

Dollars = Annotated[Number, Field(gt=0)]


class Cap(Section):
    """What may be spent in one scope; what is not set has no cap."""

    tokens: Count | None = None
    usd: Dollars | None = None


class TaskCap(Cap):
    """`budgets.task`: what all that one message sets off may take, delegations, reviews and retries included.

    `seconds` are those in which agents work and are judged, not those in which they wait.
    """

    tokens: Count | None = 50_000
    seconds: Seconds | None = 1_800


class BudgetReserve(Section):
    """`budgets.reserve`: what a turn that begins holds of every cap, and by how much more at a time it may go on."""

    tokens: Count = 5_000
    usd: Dollars = 0.25


class BudgetSettings(Section):
    """`budgets`: caps that are held before anybody is asked; those beside task and turn are for one day each.

    A day begins at midnight in `time_zone`. Tokens are those that are written, and read without the model's cache.
    """

    time_zone: str = "UTC"
    task: TaskCap = TaskCap()
    turn: Cap = Cap()
    conversation: Cap = Cap()
    agent: Cap = Cap()
    person: Cap = Cap()
    day: Cap = Cap()
    reserve: BudgetReserve = BudgetReserve()


def problems_of_budgets(settings: BudgetSettings) -> Iterator[tuple[KeyPath, str]]:
    """Yield what is wrong about the budgets, with its key."""
    try:
        zone_of(settings.time_zone)
    except ValueError as error:
        yield ("budgets", "time_zone"), str(error)
