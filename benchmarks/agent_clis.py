"""Each CLI in the service beside the bare one, start, turn and memory: `python -m benchmarks.agent_clis [NAME ...]`.

Both are the real CLI with the same settings and a scripted model that answers at once. In the service a message comes
in through a gateway and its reply is posted, with the walls, the rules and the chain; bare, the CLI is started by hand
and asked over its own protocol. Conversations begin on both sides by turns, so that both bear the same load, and the
warm turns of the last one alternate. Memory is the proportional share (PSS) of all processes of one conversation.
Compare within one run. Without names it takes all four.
"""

import asyncio
import json
import os
import signal
import statistics
import sys
import tempfile
import time
from asyncio import subprocess
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from mama_bot.agents.acp_agents import CLIS
from mama_bot.agents.acp_clis import CliSetup
from mama_bot.agents.homes import make_home
from mama_bot.agents.login import bundled_cli
from mama_bot.demo.model_script import ModelReply
from mama_bot.demo.model_server import ModelServer
from mama_bot.log import LogFormat, LogLevel, configure_logs
from tests.agents.conftest import KEY
from tests.agents.model_apis import ModelApis, ModelStep, model_apis
from tests.end_to_end.team import Team, running_team
from tests.end_to_end.test_other_agents import CODEX, GEMINI, OPENCODE, OtherCli, team_of
from tests.session_hooks.cli_sessions import PROGRAMS
from tests.waiting import SECONDS

SAYS = "`a.py` has 3 lines."
STARTS = 3
TURNS = 15
OTHERS = {cli.name: cli for cli in (GEMINI, OPENCODE, CODEX)}
QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
}


class Side(Protocol):
    """One of the two: begins conversations, and asks in the last one."""

    async def begin(self) -> None: ...
    async def ask(self) -> None: ...
    def megabytes(self) -> float: ...


@dataclass
class InService:
    """A team whose developer is the CLI."""

    team: Team
    directory: Path
    began: int = 0
    asked: int = 0

    async def begin(self) -> None:
        self.began, self.asked = self.began + 1, 0
        await self.ask()

    async def ask(self) -> None:
        channel = f"c{self.began}"
        self.asked += 1
        await self.team.say("How many lines has a.py?", channel=channel)
        async with asyncio.timeout(SECONDS):
            while len(self.team.replies(channel)) < self.asked:
                await asyncio.sleep(0.0005)

    def megabytes(self) -> float:
        return shared_megabytes(self.directory) / self.began


@dataclass
class Bare:
    """The CLI alone; `start` is how the next process is started: each has a home of its own (OpenCode: and a port)."""

    start: Callable[[int], tuple[Sequence[str], Mapping[str, str]]]
    directory: Path
    is_acp: bool
    processes: list[subprocess.Process] = field(default_factory=list)
    session: str = ""

    async def begin(self) -> None:
        command, environment = self.start(len(self.processes))
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=self.directory,
            env={**environment, "HOME": f"{self.directory}/home"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            limit=2**24,
            start_new_session=True,
        )
        self.processes.append(process)
        if self.is_acp:
            able = {"fs": {"readTextFile": False, "writeTextFile": False}, "terminal": False}
            await self._request("initialize", {"protocolVersion": 1, "clientCapabilities": able})
            given = {"cwd": str(self.directory), "mcpServers": []}
            self.session = (await self._request("session/new", given))["result"]["sessionId"]
        await self.ask()

    async def ask(self) -> None:
        words = "How many lines has a.py?"
        if self.is_acp:
            blocks = [{"type": "text", "text": words}]
            await self._request("session/prompt", {"sessionId": self.session, "prompt": blocks})
        else:
            message = {"type": "user", "message": {"role": "user", "content": words}, "parent_tool_use_id": None}
            await self._written(message, lambda told: told.get("type") == "result")

    async def _request(self, method: str, given: Mapping[str, Any]) -> dict[str, Any]:
        message = {"jsonrpc": "2.0", "id": method, "method": method, "params": given}
        return await self._written(message, lambda told: told.get("id") == method and "method" not in told)

    async def _written(self, message: Mapping[str, Any], is_answer: Any) -> dict[str, Any]:
        process = self.processes[-1]
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(message).encode() + b"\n")
        async with asyncio.timeout(SECONDS):
            while line := await process.stdout.readline():
                with suppress(ValueError):
                    if isinstance(told := json.loads(line), dict) and is_answer(told):
                        return told
        raise RuntimeError("it ended without an answer")

    def megabytes(self) -> float:
        return shared_megabytes(self.directory) / len(self.processes)


def shared_megabytes(directory: Path) -> float:
    """The proportional memory of all processes whose home lies in the directory."""
    total = 0
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if f"HOME={directory}/".encode() in (process / "environ").read_bytes():
                text = (process / "smaps_rollup").read_text(encoding="ascii")
                total += int(text.partition("\nPss:")[2].split()[0])
    return total / 1024


@asynccontextmanager
async def bare_acp(cli: OtherCli, directory: Path, apis: ModelApis) -> AsyncIterator[Bare]:
    """The CLI with the settings that a session lays out for it, without the service around it."""
    about = CLIS[cli.name]
    environment = {
        "PATH": f"{PROGRAMS}:{os.environ['PATH']}",
        "GEMINI_API_KEY": "scripted",
        "OPENAI_API_KEY": "scripted",
        "GOOGLE_GEMINI_BASE_URL": apis.url,
        "OPENAI_BASE_URL": f"{apis.url}/v1",
    }

    def start(number: int) -> tuple[Sequence[str], Mapping[str, str]]:
        setup = CliSetup(
            home=make_home(directory / "state", directory / "run", KEY, f"bare-{number}"),
            prompt="You are developer.",
            model=cli.model,
            tools=("Bash", "Read", "Write"),
            read_only=False,
            environment=environment,
            home_of_person=directory,
            hook_socket=directory / "nobody",
        )
        begun = about.start(setup)
        variables = {"PATH": environment["PATH"], **begun.variables}
        return (str(PROGRAMS / about.program), *begun.arguments), variables

    async with ended(Bare(start, directory, is_acp=True)) as bare:
        yield bare


@asynccontextmanager
async def ended(bare: Bare) -> AsyncIterator[Bare]:
    """It, with its processes ended at the end: the first one of the Gemini CLI obeys no signal but the last."""
    try:
        yield bare
    finally:
        for process in bare.processes:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()


@asynccontextmanager
async def sides(name: str, directory: Path) -> AsyncIterator[tuple[Side, Side]]:
    """Both sides of one CLI."""
    served, alone = directory / "served", directory / "bare"
    for place in (served, alone, alone / "home"):
        place.mkdir()
    async with AsyncExitStack() as stack:
        if name in OTHERS:
            steps = [ModelStep(text=SAYS)] * 200
            apis = await stack.enter_async_context(model_apis(directory, *steps))
            team = await stack.enter_async_context(team_of(served, OTHERS[name], apis))
            bare = await stack.enter_async_context(bare_acp(OTHERS[name], alone, apis))
        else:
            says = lambda _: ModelReply(text=SAYS, pieces=1)  # noqa: E731
            server = await stack.enter_async_context(ModelServer(script=says))
            settings: dict[str, Any] = {"personas": {"developer": "workspace: own"}}
            team = await stack.enter_async_context(
                running_team(served, script=says, router={"default_persona": "developer"}, **settings)
            )
            command = (str(bundled_cli()), "-p", "--input-format", "stream-json", "--output-format", "stream-json")
            where = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "scripted"}
            where |= {"CLAUDE_CONFIG_DIR": str(alone / "home"), "PATH": os.environ["PATH"], **QUIET}
            words = ("--verbose", "--setting-sources", "", "--model", "claude-opus-4-5", "--tools", "Bash,Read,Write")
            begun = ((*command, *words), where)
            bare = await stack.enter_async_context(ended(Bare(lambda _: begun, alone, is_acp=False)))
        yield InService(team, served), bare


async def timed(what: Any) -> float:
    started = time.perf_counter()
    await what
    return time.perf_counter() - started


async def measured(name: str) -> str:
    """The line of a CLI."""
    with tempfile.TemporaryDirectory() as place:
        async with sides(name, Path(place)) as both:
            starts: list[list[float]] = [[], []]
            turns: list[list[float]] = [[], []]
            for _ in range(STARTS):
                for number, side in enumerate(both):
                    starts[number].append(await timed(side.begin()))
            for _ in range(TURNS):
                for number, side in enumerate(both):
                    turns[number].append(await timed(side.ask()))
            memory = [side.megabytes() for side in both]
    (first, bare_first), (warm, bare_warm) = (list(map(statistics.median, each)) for each in (starts, turns))
    return (
        f"{name:9} first reply {first:5.2f} s, bare {bare_first:5.2f} ({first / bare_first:4.1f} x)   "
        f"warm turn {warm * 1000:5.0f} ms, bare {bare_warm * 1000:5.0f} ({warm / bare_warm:4.1f} x), "
        f"least {min(turns[0]) * 1000:.0f} and {min(turns[1]) * 1000:.0f}   "
        f"memory {memory[0]:4.0f} MB, bare {memory[1]:4.0f} ({memory[0] / memory[1]:4.2f} x)"
    )


async def main() -> None:
    configure_logs(style=LogFormat.JSON, level=LogLevel.ERROR, redact=str)
    load = os.getloadavg()[0]
    print(f"{os.cpu_count()} cores, load {load:.0f}, {STARTS} starts and {TURNS} warm turns of each", flush=True)
    for name in sys.argv[1:] or ("claude", *OTHERS):
        print(await measured(name), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
