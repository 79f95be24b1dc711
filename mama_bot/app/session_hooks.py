"""The socket for hooks of other sessions, put together."""

from mama_bot.app.agent_backends import rule_guard_of
from mama_bot.app.configuration import Configuration
from mama_bot.metrics import Metrics
from mama_bot.protocols import RuleStates
from mama_bot.rules.breakers import RuleBreakers
from mama_bot.session_hooks.failure_modes import write_failure_modes
from mama_bot.session_hooks.hook_socket import HookSocket
from mama_bot.session_hooks.plugin.relay import SOCKET


def hook_socket_of(
    configuration: Configuration, states: RuleStates, metrics: Metrics, breakers: RuleBreakers
) -> HookSocket:
    """Return the socket of this service, with what holds while it is away left for the relay."""
    write_failure_modes(configuration.own_directory, configuration.terminal_rules)
    rules = rule_guard_of(configuration, states, metrics, breakers)
    return HookSocket(path=configuration.own_directory / SOCKET, guard=rules, watch=rules)
