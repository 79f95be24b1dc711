"""A Slack of our own on the loopback address: Web API, files, response URLs and Socket Mode, for the real clients.

It knows the wire only, no SDK; tests play people and the weather by the methods of `SlackServer`.
"""

from tests.platforms.slack_server.faults import Fault
from tests.platforms.slack_server.server import Said, SlackServer, slack_server
from tests.platforms.slack_server.sockets import Envelope
from tests.platforms.slack_server.workspace import Channel, Refused, SlackApp, Workspace, escaped

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
