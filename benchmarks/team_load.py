"""200 messages in flight over 50 conversations with scripted agents: `python -m benchmarks.team_load`.

Arguments are the number of rounds, and that of the conversations.

In each conversation four messages are said at once, each of which lead hands on to developer and then answers: three
turns. One more conversation gets twenty at once, before all others. Told are, for each round: the most agents that were
at work at once (the pool has ten places), when the first and the last conversation had its first answer (nobody may
starve behind the loud one), whether all replies stand in the order of the messages, and the memory of the process,
without what the gateway in memory and the scripted agents keep of each turn for tests.
"""

import asyncio
import gc
import os
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.start import resident_megabytes
from mama_bot.log import LogFormat, LogLevel, configure_logs
from mama_bot.model import AgentPersona, Reply
from mama_bot.testing.scripted_agent import ScriptedAgentBackend, ScriptedReply
from tests.end_to_end.team import Team, running_team

ROUNDS = 10
CONVERSATIONS = 50
MESSAGES = 4
LOUD = 20
PLACES = 10
SETTINGS: Mapping[str, Any] = {
    "pool": {"size": PLACES},
    "turns": {"concurrency": PLACES, "steer": "on_request"},
    "loops": {"idle_rounds": 0},
    "drift": {"enabled": False},
    "budgets": {"task": {"tokens": None, "seconds": None}},
}


def script(persona: AgentPersona, prompt: str, history: Sequence[str]) -> ScriptedReply:
    """Lead has each file counted by developer, and says what came of it."""
    del history
    name = prompt.rpartition("count ")[2].split("`")[1]
    if persona.name == "lead" and "What came of your delegations" not in prompt:
        return ScriptedReply(text=f"DELEGATE::developer::Say how many lines count `{name}` has", delay_seconds=0.005)
    return ScriptedReply(text=f"`{name}` has 3 lines.", delay_seconds=0.005)


def agents() -> ScriptedAgentBackend:
    """Return agents that remember little, so that what grows is the service."""
    return ScriptedAgentBackend(script=script, remembered=1)


@dataclass(frozen=True, kw_only=True)
class Round:
    """What one round came to; the seconds are those of the first answer in the first and in the last conversation."""

    most_at_work: int
    first: float
    last: float
    seconds: float
    in_order: bool
    loud_left: int

    def __str__(self) -> str:
        return (
            f"{self.most_at_work} at work at most, first answers after {self.first:.1f} to {self.last:.1f} s "
            f"({self.loud_left} of the loud one then unanswered), all after {self.seconds:.1f} s, "
            f"{'in order' if self.in_order else 'OUT OF ORDER'}"
        )


@dataclass
class Answers:
    """What lead answered in each conversation in this round; each post is looked at once."""

    seen: int
    by_name: dict[str, list[str]] = field(default_factory=dict)

    def hear(self, team: Team) -> None:
        """Take in what was posted since."""
        posts = team.gateway.posts
        for post in posts[self.seen :]:
            if isinstance(post, Reply) and post.persona == "lead" and "DELEGATE" not in post.text:
                self.by_name.setdefault(post.key.channel, []).append(post.text.split()[0])
        self.seen = len(posts)

    def of(self, name: str) -> list[str]:
        """Return those of one conversation."""
        return self.by_name.get(name, [])


async def played(team: Team, backend: ScriptedAgentBackend, number: int, conversations: int, loud: int) -> Round:
    """Say all messages of a round, and wait until each is answered."""
    names = [f"c{place}" for place in range(conversations)]
    answers = Answers(seen=len(team.gateway.posts))
    wanted = {name: [f"`{name}-{number}-{each}.py`" for each in range(MESSAGES)] for name in names}
    wanted["loud"] = [f"`loud-{number}-{each}.py`" for each in range(loud)]
    began, first, most, loud_left = time.perf_counter(), dict[str, float](), 0, loud
    for file in wanted["loud"]:
        await team.say(f"count {file}", channel="loud")
    for each in range(MESSAGES):
        for name in names:
            await team.say(f"count {wanted[name][each]}", channel=name)
    while True:
        answers.hear(team)
        most = max(most, sum(not session.usable and not session.closed for session in backend.opened))
        for name in names:
            if name not in first and answers.of(name):
                first[name] = time.perf_counter() - began
                loud_left = loud - len(answers.of("loud"))
        if all(len(answers.of(name)) >= len(files) for name, files in wanted.items()):
            break
        await asyncio.sleep(0.01)
    return Round(
        most_at_work=most,
        first=min(first.values()),
        last=max(first.values()),
        seconds=time.perf_counter() - began,
        in_order=answers.by_name == wanted,
        loud_left=loud_left,
    )


def forget(team: Team, backend: ScriptedAgentBackend) -> None:
    """Drop what the gateway and the agents keep of all that was: those that real ones stand for keep none of it."""
    for kept in (team.gateway.posts, team.gateway.shown, team.gateway.marked):
        kept.clear()
    backend.opened[:] = [session for session in backend.opened if not session.closed]


async def main() -> None:
    """Play the rounds, and print each with the memory after it."""
    configure_logs(style=LogFormat.JSON, level=LogLevel.ERROR, redact=str)
    rounds, conversations = (*map(int, sys.argv[1:3]), *(ROUNDS, CONVERSATIONS)[len(sys.argv) - 1 :])
    posts = 0
    backend = agents()
    with tempfile.TemporaryDirectory() as directory:
        async with running_team(Path(directory), backends={"claude": backend}, **SETTINGS) as team:
            for number in range(rounds):
                told = await played(team, backend, number, conversations, LOUD)
                posts += len(team.gateway.posts)
                forget(team, backend)
                gc.collect()
                megabytes = resident_megabytes(os.getpid())
                sys.stdout.write(f"{number + 1}: {told}; {megabytes:.0f} MB, {posts:,} posts in all\n")
                sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main())
