"""What asks without a person, as people see it."""

from dataclasses import dataclass
from datetime import datetime

from mama_bot.model.conversations import ConversationKey


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerPause:
    """That an owner lets a trigger rest: who, and since when."""

    by: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleStanding:
    """How a schedule stands: when it runs next (in its own time zone; None: never), and whether its last run works."""

    name: str
    cron: str
    time_zone: str
    key: ConversationKey
    next_at: datetime | None = None
    pause: TriggerPause | None = None
    working: bool = False
