"""A rejection that goes on in the agent's turn against asking the agent again: `python -m benchmarks.in_turn`.

The whole service with the real CLI and the scripted model, which answers at once: what is measured is what lies around
the model. Each message is the second of its conversation, in a warm process; it is answered with praise and then, when
that was sent back, with a clean reply. Sizes are those of the conversation in the requests (`messages`, as JSON): the
scripted model counts no tokens, four characters of English are about one.
"""

import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

from mama_bot.demo.model_script import ModelReply, ModelRequest
from mama_bot.log import LogFormat, LogLevel, configure_logs
from tests.end_to_end.team import Team, running_team

CLEAN = "`src/auth.py:42` compares tokens with `==`; `hmac.compare_digest` avoids the timing leak."
PRAISE = "What an excellent question! This is truly brilliant work, absolutely outstanding."
SAMPLES = 25


@dataclass
class Model:
    """Praises when asked to be judged, and takes it back when that is sent back; keeps the sizes of the requests."""

    sizes: list[int] = field(default_factory=list)

    def __call__(self, request: ModelRequest) -> ModelReply:
        self.sizes.append(len(json.dumps(request.messages, ensure_ascii=False)))
        told = request.last_user_text
        praises = "review" in told and "[SENT BACK" not in told
        return ModelReply(text=PRAISE if praises else CLEAN, pieces=1)


@dataclass(frozen=True)
class Sample:
    milliseconds: float
    requests: int
    sent: int
    added: int


async def posted(team: Team, channel: str, count: int) -> None:
    while len(team.replies(channel)) < count:
        await asyncio.sleep(0.0002)


async def sample(team: Team, model: Model, channel: str, text: str) -> Sample:
    """One message in a conversation of its own, whose process is warm."""
    await team.say("How does it work?", channel=channel)
    await posted(team, channel, 1)
    model.sizes.clear()
    await team.say(text, channel=channel)
    started = time.perf_counter()
    await posted(team, channel, 2)
    elapsed = (time.perf_counter() - started) * 1000
    return Sample(elapsed, len(model.sizes), sum(model.sizes), model.sizes[-1] - model.sizes[0])


async def main() -> None:
    configure_logs(style=LogFormat.JSON, level=LogLevel.ERROR, redact=str)
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, n={SAMPLES} each, alternating", flush=True)
    ways = {"in the turn": 2, "asked again": 0}
    taken: dict[str, list[Sample]] = {}
    with tempfile.TemporaryDirectory() as name:
        async with AsyncExitStack() as services:
            running = []
            for way, retries in ways.items():
                model = Model()
                service = running_team(Path(name) / str(retries), script=model, claude={"in_turn_retries": retries})
                running.append((way, model, await services.enter_async_context(service)))
            for number in range(SAMPLES):
                for kind, text in (("rejected once", "Please review it."), ("clean at once", "How now?")):
                    for way, model, team in running:
                        got = await sample(team, model, f"{kind[:2]}{number}", text)
                        taken.setdefault(f"{kind}, {way}", []).append(got)
    for row, samples in taken.items():
        times = [one.milliseconds for one in samples]
        print(
            f"{row:28} p50 {statistics.median(times):6.1f} ms (from {min(times):.1f} to {max(times):.1f})   "
            f"{statistics.median(one.requests for one in samples):.0f} requests   "
            f"{statistics.median(one.sent for one in samples):7.0f} characters sent, "
            f"the last {statistics.median(one.added for one in samples):5.0f} more than the first"
        )


if __name__ == "__main__":
    asyncio.run(main())
