"""Messages from Discord that break something on their way in: read again, and none of the later ones with them."""

from pathlib import Path

import pytest

from mama_bot.model import InboundMessage
from mama_bot.testing.memory_core import MemoryInlet
from tests.gateways.discord.stage import DiscordUnderTest, connected
from tests.platforms.discord_server import DiscordServer
from tests.waiting import until


def texts(under_test: DiscordUnderTest) -> list[str]:
    return [message.text for message in under_test.inlet.delivered]


class _Failing(MemoryInlet):
    """An inlet that breaks at messages of a text, so many times."""

    def __init__(self, text: str, times: int) -> None:
        super().__init__()
        self.text, self.times = text, times

    async def deliver(self, message: InboundMessage) -> bool:
        if message.text == self.text and self.times:
            self.times -= 1
            raise ZeroDivisionError
        return await super().deliver(message)


@pytest.mark.parametrize(("times", "taken"), [(1, ["one", "bad", "good"]), (1000, ["one", "good"])])
async def test_a_missed_message_that_breaks_something_takes_none_of_the_later_ones_with_it(
    server: DiscordServer, tmp_path: Path, times: int, taken: list[str]
) -> None:
    async with connected(server, tmp_path, inlet=_Failing("bad", times)) as under_test:
        await under_test.say("one", message_id="m1")
        for text in ("bad", "good"):
            await server.say(f"<@{server.bot}> {text}", told=False)
        await server.invalidate()
        await until(lambda: "good" in texts(under_test))
        assert texts(under_test) == taken
        told = [text for text in under_test.shown() if "could not be stored" in text]
        assert len(told) == ("bad" not in taken)


async def test_a_message_that_breaks_something_as_it_is_told_is_read_again(
    server: DiscordServer, tmp_path: Path
) -> None:
    async with connected(server, tmp_path, inlet=_Failing("bad", 1)) as under_test:
        for number, text in enumerate(("one", "bad", "good")):
            await under_test.say(text, message_id=f"m{number}")
        await until(lambda: "bad" in texts(under_test))
        assert sorted(texts(under_test)) == ["bad", "good", "one"]
