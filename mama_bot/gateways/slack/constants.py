"""What the adapter, the app manifest and the examination of an installation have to agree on."""

from collections.abc import Mapping, Sequence

from mama_bot.model import CommandName, Platform, words

PLATFORM = Platform("slack")
COMMAND = "/mama"
# Slack's own commands of these names cannot be registered by an app: "/mama status" is the way there.
TAKEN_BY_SLACK = frozenset({CommandName.STATUS, CommandName.HELP})
METADATA_TYPE = "mama_bot_post"
CUSTOMIZE = "chat:write.customize"

REQUIRED_SCOPES: Mapping[str, str] = {
    "app_mentions:read": "hear mentions",
    "channels:history": "hear threads in public channels, and find earlier posts again",
    "groups:history": "the same in private channels",
    "im:history": "hear direct messages",
    "mpim:history": "hear messages in group conversations",
    "im:write": "write to a person first",
    "chat:write": "answer",
    "users:read": "show the names of people",
    "files:read": "read files that people send",
    "files:write": "send files",
    "commands": f"take {COMMAND}",
}
# By which scope a bot may list the conversations of a kind that it is in.
LISTED_BY: Mapping[str, str] = {
    "im": "im:read",
    "mpim": "mpim:read",
    "public_channel": "channels:read",
    "private_channel": "groups:read",
}
OPTIONAL_SCOPES: Mapping[str, str] = {
    "im:read": "find a first direct message that was written while the service was away",
    "mpim:read": "the same in group conversations in which nothing was heard before",
    "channels:read": "the same in public channels in which nothing was heard before",
    "groups:read": "the same in private channels in which nothing was heard before",
    "reactions:write": "show with a reaction that a message was seen, until it is answered",
    CUSTOMIZE: "show each persona under its own name and picture; without it each reply begins with the name",
}
BOT_EVENTS: Sequence[str] = words("app_mention message.channels message.groups message.im message.mpim")
