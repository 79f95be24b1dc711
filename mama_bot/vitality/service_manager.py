"""What the service tells systemd about itself (sd_notify): ready, alive, about to stop, and what is wrong."""

import socket
from collections.abc import Mapping, Sequence

import structlog

from mama_bot.model import Trouble
from mama_bot.wording import Language

ADDRESS = "NOTIFY_SOCKET"
MOST_CHARACTERS = 500

log = structlog.get_logger(__name__)


class ServiceManager:
    """Sends notifications to where `NOTIFY_SOCKET` of an environment says; without one it does nothing.

    No notification waits or raises: whoever watches over the service misses it, and acts.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        address = environment.get(ADDRESS, "")
        self._address = f"\0{address[1:]}" if address.startswith("@") else address

    def ready(self) -> None:
        """Tell that the service has started, or has taken new settings."""
        self._send("READY=1", "STATUS=ready")

    def stopping(self) -> None:
        """Tell that the service finishes what runs and ends."""
        self._send("STOPPING=1", "STATUS=draining")

    def beat(self, troubles: Sequence[Trouble]) -> None:
        """Tell that the service is alive, and what is wrong with it."""
        wrong = "; ".join(" ".join(trouble.sentence.to(Language.ENGLISH).split()) for trouble in troubles)
        self._send("WATCHDOG=1", f"STATUS={(wrong or 'ready')[:MOST_CHARACTERS]}")

    def _send(self, *lines: str) -> None:
        if not self._address:
            return
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sender:
                sender.setblocking(False)
                sender.sendto("\n".join(lines).encode(), self._address)
        except OSError as error:
            log.warning("service_manager_not_told", reason=error.strerror or str(error))
