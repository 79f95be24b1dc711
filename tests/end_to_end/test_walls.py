"""What an agent reaches in a running service, with the real CLI: servers of its own, and nothing of the service's."""

import sys
from pathlib import Path

import pytest

from mama_bot.confinement import landlock, seccomp
from mama_bot.demo.model_script import ModelReply, ToolUse
from tests.end_to_end.team import running_team
from tests.scripted_queue import ScriptedQueue

pytestmark = [
    pytest.mark.cli,
    pytest.mark.skipif(
        landlock.version() < landlock.PORTS_SINCE or not seccomp.knows_this_machine(),
        reason="this kernel confines no TCP",
    ),
]

ASK = """
import socket, sys, threading
def asked(port, protocol=0):
    try:
        client = socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol)
        client.settimeout(10)
        client.connect(("127.0.0.1", port))
        client.send(b"GET /healthz HTTP/1.0\\r\\n\\r\\n")
        return client.recv(100).decode()
    except OSError as error:
        return type(error).__name__ + " " + str(error.errno)
server = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=lambda: server.accept()[0].send(b"a server of my own"), daemon=True).start()
print("own:", asked(server.getsockname()[1]))
print("page:", asked(int(sys.argv[1])))
print("page by Multipath TCP:", asked(int(sys.argv[1]), 262))
"""


async def test_an_agent_reaches_a_server_of_its_own_and_not_the_page(tmp_path: Path) -> None:
    model = ScriptedQueue()
    async with running_team(
        tmp_path,
        script=model,
        router={"default_persona": "developer"},
        environment={"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"},
    ) as team:
        port = team.running.url.rstrip("/").rpartition(":")[2]
        command = f"python3 - {port} <<'END'\n{ASK}\nEND"
        calls = (ToolUse(name="Bash", arguments={"command": command, "description": "asks"}),)
        model.push(
            ModelReply(tool_calls=calls), ModelReply(text="One of three answered: a server of the script's own.")
        )
        exchange = await team.settled(await team.say("포트를 살펴봐 주세요"))
    (run,) = exchange.turns[0].attempts[-1].draft.record.runs
    assert run.output_head.splitlines()[:3] == [
        "own: a server of my own",
        "page: PermissionError 13",
        "page by Multipath TCP: OSError 93",
    ]
