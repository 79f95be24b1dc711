"""A service that runs out of descriptors says so once a minute, and has as many as it may have."""

import asyncio
import resource
import subprocess
import sys

from structlog.testing import capture_logs

from mama_bot.app.descriptors import OUT_OF_DESCRIPTORS, telling_once_a_minute

PROGRAM = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))
from mama_bot.app.descriptors import raise_soft_limit
print(raise_soft_limit(), resource.getrlimit(resource.RLIMIT_NOFILE)[0])
"""


def raised(soft: int, hard: int) -> list[int]:
    program = PROGRAM.format(soft=soft, hard=hard)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return [int(word) for word in done.stdout.split()]


def test_the_soft_limit_goes_up_to_the_hard_one_and_never_down() -> None:
    assert raised(256, 1024) == [1024, 1024]
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard == resource.RLIM_INFINITY or hard > 10_000:
        assert raised(256, 10_000) == [8192, 8192]
        assert raised(9_000, 10_000) == [9_000, 9_000]


async def test_a_repeated_failure_is_logged_once_a_minute_and_another_one_always() -> None:
    seconds = [0.0]
    tell = telling_once_a_minute(lambda: seconds[0])
    loop = asyncio.get_running_loop()
    with capture_logs() as logs:
        for moment in (0.0, 0.1, 59.0, 60.0, 61.0):
            seconds[0] = moment
            tell(loop, {"message": OUT_OF_DESCRIPTORS, "exception": OSError(24, "Too many open files")})
    assert [line["event"] for line in logs] == ["connections_not_accepted"] * 2
    assert "Too many open files" in logs[0]["reason"]
