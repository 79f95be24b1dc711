"""What another service delivers to a hook, and what comes of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from mama_bot.model.ids import MessageId


@dataclass(frozen=True, slots=True, kw_only=True)
class HookDelivery:
    """One delivery as it came over the network: nothing of it is known to be true; names of headers are lower case."""

    hook: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)


class Unwanted(StrEnum):
    """Why a delivery that is who it says it is leads to nothing."""

    EVENT = "event"
    BRANCH = "branch"
    SENDER = "sender"
    PAUSED = "paused"


class HookRefusal(StrEnum):
    """Why a delivery is not taken."""

    UNKNOWN = "unknown"
    UNPROVEN = "unproven"
    NO_JSON = "no_json"
    TOO_OFTEN = "too_often"
    NO_ROOM = "no_room"
    STOPPING = "stopping"


@dataclass(frozen=True, slots=True, kw_only=True)
class HookStored:
    """The delivery is a message that waits for the team."""

    message_id: MessageId


@dataclass(frozen=True, slots=True, kw_only=True)
class HookRepeated:
    """It was taken before, so nothing was done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HookIgnored:
    """Nobody asked for deliveries like this one."""

    why: Unwanted


@dataclass(frozen=True, slots=True, kw_only=True)
class HookRefused:
    """It was not taken; `retry_seconds`: when it may be sent again (0: that is no use)."""

    why: HookRefusal
    retry_seconds: int = 0


HookOutcome = HookStored | HookRepeated | HookIgnored | HookRefused
