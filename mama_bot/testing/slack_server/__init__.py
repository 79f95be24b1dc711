"""A Slack of our own on the loopback address: Web API, files, response URLs and Socket Mode, for the real clients.

It knows the wire only, no SDK; tests play people and the weather by the methods of `SlackServer`.
"""

from mama_bot.testing.slack_server.faults import Fault
from mama_bot.testing.slack_server.server import Said, SlackServer, slack_server
from mama_bot.testing.slack_server.sockets import Envelope
from mama_bot.testing.slack_server.workspace import Channel, Refused, SlackApp, Workspace, escaped

__all__ = [
    "Channel",
    "Envelope",
    "Fault",
    "Refused",
    "Said",
    "SlackApp",
    "SlackServer",
    "Workspace",
    "escaped",
    "slack_server",
]
