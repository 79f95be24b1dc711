"""The service as a process: it runs until it is told to end."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import replace

from mama_bot.app.configuration import Configuration
from mama_bot.app.descriptors import raise_soft_limit, telling_once_a_minute
from mama_bot.app.page_key import with_page_key
from mama_bot.app.private_files import NOT_OTHERS
from mama_bot.app.service import Running, serve
from mama_bot.app.service_parts import only_error
from mama_bot.log import configure_logs

# A thread that reads a long draft gives way to the event loop after so long: Python's own five milliseconds are many.
SWITCH_SECONDS = 0.001


def serve_until_signalled(configuration: Configuration, *, ready: Callable[[Running], None]) -> None:
    """Run the service until SIGTERM or SIGINT: then it drains; a second signal ends it without waiting."""
    configuration = replace(with_page_key(configuration), umask=os.umask(NOT_OTHERS))
    logs = configuration.settings.log
    configure_logs(style=logs.format, level=logs.level, redact=configuration.redactor())
    try:
        asyncio.run(_until_signalled(configuration, ready))
    except BaseExceptionGroup as group:
        raise only_error(group) from None


async def _until_signalled(configuration: Configuration, ready: Callable[[Running], None]) -> None:
    stop, hurry, reload = asyncio.Event(), asyncio.Event(), asyncio.Event()

    def on_signal() -> None:
        (hurry if stop.is_set() else stop).set()

    loop = asyncio.get_running_loop()
    raise_soft_limit()
    sys.setswitchinterval(SWITCH_SECONDS)
    loop.set_exception_handler(telling_once_a_minute(loop.time))
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, on_signal)
    loop.add_signal_handler(signal.SIGHUP, reload.set)
    await serve(configuration, stop=stop, hurry=hurry, reload=reload, ready=ready)
