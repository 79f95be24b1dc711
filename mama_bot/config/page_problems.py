"""What is wrong about the settings of the page, or hardly meant."""

import ipaddress
from collections.abc import Iterator

from mama_bot.config.document import KeyPath
from mama_bot.config.settings import Settings

MIN_KEY_CHARACTERS = 12


def problems_of_page(settings: Settings) -> Iterator[tuple[KeyPath, str]]:
    """Yield that the key is too short; without one the first start makes it."""
    key = settings.web.key.get_secret_value().strip() if settings.web.key else ""
    if settings.web.enabled and key and len(key) < MIN_KEY_CHARACTERS:
        problem = f"it is too short to protect the page. Give it at least {MIN_KEY_CHARACTERS} characters."
        yield ("web", "key"), problem


def open_page(settings: Settings) -> Iterator[str]:
    """Yield a sentence where others than this machine reach the page."""
    web = settings.web
    if not web.enabled or _is_loopback(web.host):
        return
    own = "your key" if web.key and web.key.get_secret_value().strip() else "a key that the start makes"
    yield (
        f"web.host is {web.host}: whoever reaches this machine's port {web.port} reaches the page, over HTTP that "
        f"others can read, with {own} alone before it. Put TLS in front of it, or leave web.host at 127.0.0.1."
    )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
