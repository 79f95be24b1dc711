"""What a machine lacks that the service cannot do without, or does less without."""

from dataclasses import dataclass
from enum import StrEnum

from mama_bot.wording import Said


class Need(StrEnum):
    """What agents need beside the service itself."""

    GIT = "git"
    CLI = "cli"
    LOGIN = "login"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lack:
    """Something that is missing, and what to do about it; `stops_work`: no message is answered without it."""

    need: Need
    sentence: Said
    stops_work: bool = True
