"""What the service adds to a turn, and how many messages it answers: `python -m benchmarks.service`.

Everything between a gateway and its post is real (intake, SQLite store, engine, router, orchestrator, chain, outbox);
the gateway is in memory. Three parts: the time added to a turn with an agent that answers at once, the throughput with
that agent, and a warm turn with the real CLI and the scripted model server, beside the bare SDK in the same run.
"""

import asyncio
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from mama_bot.demo.model_script import ModelReply
from mama_bot.log import LogFormat, LogLevel, configure_logs
from mama_bot.model import Reply
from mama_bot.testing.scripted_agent import ScriptedAgentBackend, ScriptedReply
from tests.end_to_end.team import Team, running_team
from tests.scripted_queue import ScriptedQueue

CLEAN = (
    "`src/auth.py:42` compares tokens with `==`; `hmac.compare_digest` avoids the timing leak.\n\n"
    "Nothing was changed yet: line 57 calls it with bytes, and the tests cover only text.\n"
)


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def row(name: str, values: list[float]) -> None:
    print(
        f"{name:44} p50 {statistics.median(values):7.1f} ms   p99 {percentile(values, 0.99):7.1f} ms   n={len(values)}",
        flush=True,
    )


async def answered(team: Team, count: int) -> None:
    while len(team.gateway.posts) < count:
        await asyncio.sleep(0.005)
    assert all(isinstance(post, Reply) for post in team.gateway.posts)


async def turn_times(team: Team, count: int) -> list[float]:
    """From stored to posted, one message after the other, each in the same warm conversation."""
    times = []
    for _ in range(count):
        before = len(team.gateway.posts)
        await team.say("How does `src/auth.py` compare tokens?")
        stored = time.perf_counter()
        while len(team.gateway.posts) == before:
            await asyncio.sleep(0.0002)
        times.append((time.perf_counter() - stored) * 1000)
    return times


async def added(directory: Path, count: int) -> None:
    agent = ScriptedAgentBackend(script=lambda *_: ScriptedReply(text=CLEAN))
    async with running_team(directory / "added", backends={agent.name: agent}) as team:
        await turn_times(team, 20)
        row("added to a turn (stored -> posted)", await turn_times(team, count))


async def throughput(directory: Path, count: int, conversations: int) -> None:
    agent = ScriptedAgentBackend(script=lambda *_: ScriptedReply(text=CLEAN))
    queue = {"limit": 100_000, "per_conversation": 10_000}
    async with running_team(
        directory / f"throughput-{conversations}",
        backends={agent.name: agent},
        queue=queue,
        pool={"size": conversations},
        turns={"concurrency": 16, "drain_seconds": 5},
    ) as team:
        started = time.perf_counter()
        async with asyncio.TaskGroup() as group:
            for channel in range(conversations):
                group.create_task(say_all(team, f"c{channel}", count // conversations))
        stored = time.perf_counter()
        await answered(team, count)
        ended = time.perf_counter()
    print(
        f"{f'throughput, {conversations} conversations':44} {count / (ended - started):7.0f} messages/s "
        f"(stored at {count / (stored - started):.0f}/s, all {count} answered)",
        flush=True,
    )


async def say_all(team: Team, channel: str, count: int) -> None:
    for _ in range(count):
        await team.say("How does `src/auth.py` compare tokens?", channel=channel)


async def warm(directory: Path, count: int, number: int) -> None:
    script = ScriptedQueue()
    script.stick(ModelReply(text=CLEAN, pieces=1))
    async with running_team(directory / f"warm-{number}", script=script) as team:
        await turn_times(team, 3)
        row("warm turn through everything, real CLI", await turn_times(team, count))


async def bare(directory: Path, count: int) -> None:
    """The SDK alone, with the options that matter for its speed the same."""
    from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient

    from mama_bot.demo.model_server import ModelServer

    script = ScriptedQueue()
    script.stick(ModelReply(text=CLEAN, pieces=1))
    async with ModelServer(script=script) as server:
        options = ClaudeAgentOptions(
            system_prompt="You are lead.",
            tools=["Read"],
            setting_sources=[],
            strict_mcp_config=True,
            model="claude-sonnet-4-5",
            cwd=directory,
            env={
                "ANTHROPIC_BASE_URL": server.url,
                "ANTHROPIC_API_KEY": "x",
                "CLAUDE_CONFIG_DIR": str(directory / "config"),
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
            },
        )
        times = []
        async with ClaudeSDKClient(options) as client:
            for number in range(count + 3):
                started = time.perf_counter()
                await client.query("How does `src/auth.py` compare tokens?")
                async for _ in client.receive_response():
                    pass
                if number >= 3:
                    times.append((time.perf_counter() - started) * 1000)
        row("warm turn of the bare SDK", times)


async def main() -> None:
    configure_logs(style=LogFormat.JSON, level=LogLevel.ERROR, redact=str)
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores", flush=True)
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        await added(directory, 300)
        for conversations in (8, 50):
            await throughput(directory, 2000, conversations)
        for number in range(3):
            await bare(directory, 40)
            await warm(directory, 40, number)


if __name__ == "__main__":
    asyncio.run(main())
