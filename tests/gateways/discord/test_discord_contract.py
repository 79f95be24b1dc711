"""Discord keeps what every gateway promises."""

from tests.gateways.contract import ChatContract
from tests.gateways.stuck_posts import StuckPostContract


class TestDiscord(ChatContract, StuckPostContract):
    pass
