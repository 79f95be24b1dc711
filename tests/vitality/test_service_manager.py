"""What systemd is told: ready, alive with what is wrong, about to stop; and nothing where nobody listens."""

import socket
from pathlib import Path

from mama_bot.model import Trouble, TroubleKind
from mama_bot.vitality.service_manager import MOST_CHARACTERS, ServiceManager
from mama_bot.wording import Said

TROUBLE = Trouble(kind=TroubleKind.DISK, sentence=Said("Nearly\nfull. " * 100, "거의 찼습니다."))


def test_each_state_is_told_in_the_words_of_sd_notify(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(tmp_path / "notify"))
        manager = ServiceManager({"NOTIFY_SOCKET": str(tmp_path / "notify")})
        manager.ready()
        manager.beat(())
        manager.beat([TROUBLE])
        manager.stopping()
        told = [listener.recv(4096).decode().split("\n") for _ in range(4)]
    assert told[:2] == [["READY=1", "STATUS=ready"], ["WATCHDOG=1", "STATUS=ready"]]
    assert told[2] == ["WATCHDOG=1", f"STATUS={('Nearly full. ' * 100)[:MOST_CHARACTERS]}"]
    assert told[3] == ["STOPPING=1", "STATUS=draining"]


def test_without_a_socket_and_with_one_that_is_gone_nothing_happens(tmp_path: Path) -> None:
    for environment in ({}, {"NOTIFY_SOCKET": str(tmp_path / "nowhere")}, {"NOTIFY_SOCKET": "@mama-bot/nowhere"}):
        ServiceManager(environment).beat([TROUBLE])
