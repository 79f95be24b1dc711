"""A port that says how a node is which serves no page: for whoever starts and looks after its process."""

import asyncio
import socket

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mama_bot.errors import PortTaken
from mama_bot.gateways.web.connections import ConnectionBounds, bounded_config
from mama_bot.gateways.web.health import Health
from mama_bot.gateways.web.json_answers import JsonAnswer
from mama_bot.gateways.web.json_views import Json
from mama_bot.http_server import EmbeddedServer

BACKLOG = 16
_NOT_BEGUN: tuple[int, Json] = (503, {"status": "standing_by"})
_ALIVE: tuple[int, Json] = (200, {"status": "alive"})


class HealthServer:
    """Answers `/healthz`, `/readyz` and `/livez` while `run` runs, without a key and without reasons.

    Before it is told to `begin` the node stands by, or starts: it lives, and neither hears nor works.
    """

    def __init__(self, *, host: str, port: int) -> None:
        self._host = host
        self._port = port
        self._health: Health | None = None
        self.ready = asyncio.Event()

    def begin(self, health: Health) -> None:
        """Tell from now on how the node is."""
        self._health = health

    async def run(self) -> None:
        """Answer until cancelled; raises PortTaken at once when the address cannot be had."""
        try:
            family = socket.getaddrinfo(self._host, self._port, type=socket.SOCK_STREAM)[0][0]
            listener = socket.create_server((self._host, self._port), family=family, backlog=BACKLOG)
        except OSError as error:
            raise PortTaken(host=self._host, port=self._port) from error
        config = bounded_config(self._application(), ConnectionBounds(), backlog=BACKLOG)
        server = EmbeddedServer(config, ready=self.ready, backlog=BACKLOG)
        try:
            await server.serve([listener])
        finally:
            server.stop()
            listener.close()

    def _application(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/healthz", self._hears),
                Route("/readyz", self._works),
                Route("/livez", self._lives),
            ]
        )

    async def _hears(self, _request: Request) -> Response:
        status, view = _NOT_BEGUN if self._health is None else self._health.hears(details=False)
        return JsonAnswer(view, status_code=status)

    async def _works(self, _request: Request) -> Response:
        status, view = _NOT_BEGUN if self._health is None else self._health.works(details=False)
        return JsonAnswer(view, status_code=status)

    async def _lives(self, _request: Request) -> Response:
        status, view = _ALIVE if self._health is None else self._health.lives()
        return JsonAnswer(view, status_code=status)
