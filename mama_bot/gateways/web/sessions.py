"""Who is signed in to the page: links that are good once, and cookies for those who came by a link or know the key."""

import asyncio
import hmac
import ipaddress
import re
import socket
from collections.abc import Callable
from hashlib import sha256

import structlog
from starlette.requests import HTTPConnection
from starlette.responses import Response

from mama_bot.config import MIN_KEY_CHARACTERS
from mama_bot.errors import ConfigurationError
from mama_bot.gateways.web.refusals import refusal
from mama_bot.protocols import Clock

log = structlog.get_logger(__name__)

SESSION_SECONDS = 30 * 24 * 3600
LINK_SECONDS = 12 * 3600
ENTRANCE = "/enter"
FAILURE_DELAY_SECONDS = 1.0
MAX_WAITING_FAILURES = 8
ANY_OTHER = ("192.0.2.1", "2001:db8::1")  # addresses of documentation: nobody's
ANY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # noqa: S104 - nothing is bound here


def page_url(host: str, port: int) -> str:
    """Return where a browser of this machine finds a page that listens there."""
    reached = ANY_ADDRESS.get(host, host)
    return f"http://[{reached}]:{port}" if ":" in reached else f"http://{reached}:{port}"


def outward_address(host: str) -> str:
    """Return the address of this machine that others see, of the family of `host`; "" where there is no network."""
    six = ":" in host
    try:  # no packet is sent: the kernel says from which address one would be
        with socket.socket(socket.AF_INET6 if six else socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect((ANY_OTHER[six], 9))
            return str(probe.getsockname()[0])
    except OSError:
        return ""


def url_elsewhere(host: str, port: int, outward: Callable[[str], str] = outward_address) -> str:
    """Return where a browser of another machine finds a page that listens on every address; "" for any other page."""
    address = outward(host) if host in ANY_ADDRESS else ""
    return page_url(address, port) if address and not ipaddress.ip_address(address).is_loopback else ""


def checked_key(key: str) -> str:
    """Return the key of the page without the spaces around it; raises ConfigurationError when it is too short."""
    key = key.strip()
    if len(key) < MIN_KEY_CHARACTERS:
        raise ConfigurationError(
            problem=f"web.key is too short to protect the page: give it at least {MIN_KEY_CHARACTERS} characters."
        )
    return key


class Links:
    """Makes links that open the page once: the service does that, or a command beside it that can read the key."""

    def __init__(self, *, key: str, clock: Clock, new_id: Callable[[], str]) -> None:
        self._secret = _derived(key, "link")
        self._clock = clock
        self._new_id = new_id

    def link(self, url: str) -> str:
        """Return a link to the page at `url`."""
        made = f"{self._clock.now().timestamp():.6f}.{self._new_id()}"
        return f"{url}{ENTRANCE}?with={made}.{_signature(self._secret, made)}"


class Sessions:
    """Signed cookies for the people who came by a link or know the key."""

    def __init__(self, *, key: str, clock: Clock, failure_delay_seconds: float = FAILURE_DELAY_SECONDS) -> None:
        self._key = key.encode("utf-8", "surrogatepass")
        self._secret, self._link_secret = _derived(key, "session"), _derived(key, "link")
        # Browsers keep one jar for all ports of a host: another service there has another cookie.
        self.cookie = f"mama_session_{_derived(key, 'name').hex()[:8]}"
        self._clock = clock
        self._began = clock.now().timestamp()
        self._used: dict[str, float] = {}
        self._failure_delay_seconds = failure_delay_seconds
        self._failing = asyncio.Lock()
        self._waiting_failures = 0

    def issue(self) -> str:
        """Return a new session: when it ends, and a signature."""
        expiry = str(int(self._clock.now().timestamp()) + SESSION_SECONDS)
        return f"{expiry}.{_signature(self._secret, expiry)}"

    def valid(self, session: str) -> bool:
        """Return whether this session is ours and has not ended."""
        expiry, _, signature = session.partition(".")
        if not re.fullmatch(r"[0-9]{1,12}", expiry):
            return False
        return _is_signed(self._secret, expiry, signature) and int(expiry) > self._clock.now().timestamp()

    def signed_in(self, connection: HTTPConnection) -> bool:
        """Return whether a request brings a session along."""
        return self.valid(connection.cookies.get(self.cookie, ""))

    def opens(self, key: str) -> bool:
        """Return whether this is the key; takes as long for every wrong one."""
        return hmac.compare_digest(self._key, key.encode("utf-8", "surrogatepass"))

    def take(self, made: str) -> bool:
        """Return whether this is a link of this life of the service that nobody has used; from now on it is used."""
        signed, _, signature = made.rpartition(".")
        if not _is_signed(self._link_secret, signed, signature):
            return False
        now, since = self._clock.now().timestamp(), float(signed.rpartition(".")[0])
        # What an earlier life's links were used for is not known: none of them opens this one.
        if since < max(self._began, now - LINK_SECONDS) or signed in self._used:
            return False
        self._used = {link: used for link, used in self._used.items() if used > now - LINK_SECONDS} | {signed: since}
        return True

    def give(self, response: Response) -> Response:
        """Return the answer with a new session in it."""
        response.set_cookie(self.cookie, self.issue(), max_age=SESSION_SECONDS, httponly=True, samesite="strict")
        return response

    async def wrong_key(self, connection: HTTPConnection) -> Response:
        """Return the answer to a wrong key, after a while: one after the other, and not too many at once."""
        log.warning("page_key_wrong", client=connection.client.host if connection.client else "unknown")
        if self._waiting_failures >= MAX_WAITING_FAILURES:
            return refusal(429, "too_many_tries", "Too many wrong keys were tried. Wait a little, then try again.")
        self._waiting_failures += 1
        try:
            async with self._failing:
                await asyncio.sleep(self._failure_delay_seconds)
        finally:
            self._waiting_failures -= 1
        return refusal(401, "wrong_key", "This is not the key of this page.")


def _derived(key: str, purpose: str) -> bytes:
    return sha256(f"mama-bot page {purpose}\0".encode() + key.encode("utf-8", "surrogatepass")).digest()


def _signature(secret: bytes, text: str) -> str:
    return hmac.new(secret, text.encode("utf-8", "surrogatepass"), sha256).hexdigest()


def _is_signed(secret: bytes, text: str, signature: str) -> bool:
    return hmac.compare_digest(_signature(secret, text).encode(), signature.encode("utf-8", "replace"))
