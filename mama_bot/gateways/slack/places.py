"""Which conversation something belongs to, and what its message is called in the core; pure."""

from mama_bot.config import SlackSettings
from mama_bot.config.platform_settings import Threads
from mama_bot.gateways.slack.constants import PLATFORM
from mama_bot.gateways.slack.wire import Written
from mama_bot.model import ConversationKey, MessageId, Origin

_DIGITS = 6  # of a time stamp, after its point


def key_of_message(message: Written, settings: SlackSettings) -> ConversationKey:
    """In a channel the answers to a mention open its thread (TASK), or stay beside it (KEEP)."""
    alone = message.direct or settings.threads is Threads.KEEP
    return ConversationKey(PLATFORM, message.channel, message.thread or ("" if alone else message.ts))


def id_of(message: Written) -> MessageId:
    """Return the id of a message: the same for the two events of a mention, and for a redelivery."""
    return MessageId(f"{PLATFORM}:{message.team}:{message.channel}:{message.ts}")


def ts_of(message_id: str) -> str:
    """Return the time stamp within such an id; "" for another."""
    platform, _, rest = message_id.partition(":")
    return rest.rpartition(":")[2] if platform == PLATFORM else ""


def mark_of(ts: object) -> int:
    """Return a time stamp as a number, `"1795883658.000002"` as 1795883658000002; 0 for what is none."""
    whole, _, rest = ts.partition(".") if isinstance(ts, str) else ("", "", "")
    return int(whole + rest) if whole.isdecimal() and rest.isdecimal() and len(rest) == _DIGITS else 0


def ts_at(mark: int) -> str:
    """Return the time stamp that a number of `mark_of` stands for."""
    return f"{mark // 10**_DIGITS}.{mark % 10**_DIGITS:0{_DIGITS}}"


def origin_of(team: str, channel: str, *, direct: bool, guest_of: str = "") -> Origin:
    """Return where something came from; Slack tells no groups of people with its events.

    Who comes from another company (Slack Connect) comes from its workspace, wherever they write.
    """
    return Origin(workspace=guest_of or team, channel=channel, direct=direct, guest=guest_of != "")


def is_direct(channel: str) -> bool:
    """Return whether a channel's id is that of a direct conversation."""
    return channel.startswith("D")
