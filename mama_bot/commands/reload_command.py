"""`mama-bot reload`: the settings are looked at here, and the service that runs is asked to read them."""

import os
import signal

from mama_bot.app.configuration import Configuration, stored_places
from mama_bot.app.instance import owner_of
from mama_bot.commands import sentences as says
from mama_bot.errors import ConfigurationError
from mama_bot.wording import Said


def ask_to_reload(configuration: Configuration) -> Said:
    """Ask the service of a configuration that is in order to read it again; raises ConfigurationError without one."""
    for place in stored_places(configuration):
        owner = owner_of(place.directory)
        if owner is not None:
            os.kill(owner, signal.SIGHUP)
            return says.ASKED_TO_RELOAD.of(pid=owner)
    raise ConfigurationError(problem=says.NOTHING_RUNS)
