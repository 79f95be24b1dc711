"""The service's own checks: a clean work tree, a command in it, and what came out."""

from mama_bot.enforcement.host_checks.checks import MARK_VARIABLE, RUN_VARIABLE, HostChecks, Tell, sweep
from mama_bot.enforcement.host_checks.installations import Installations
from mama_bot.enforcement.host_checks.results import CheckEnding, CheckNotRun, CheckPlace, Result

__all__ = [
    "MARK_VARIABLE",
    "RUN_VARIABLE",
    "CheckEnding",
    "CheckNotRun",
    "CheckPlace",
    "HostChecks",
    "Installations",
    "Result",
    "Tell",
    "sweep",
]
