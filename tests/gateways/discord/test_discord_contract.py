"""Discord keeps what every gateway promises."""

from tests.gateways.contract import ChatContract


class TestDiscord(ChatContract):
    pass
