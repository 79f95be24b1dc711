"""What two that keep each other busy cost until they are stopped, and what they cost where nothing stops them.

    python -m benchmarks.loops [messages]

A bot answers each reply of our agent, and two of our agents ask each other, all of it in words. A night is as many
messages as are given (400): with nothing to stop it the first would go on for ever.
"""

import asyncio
import logging
import sys
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mama_bot.model import AgentPersona, Author, AuthorKind, InboundMessage, MessageId, Notice, Reply
from mama_bot.testing.scripted_agent import ScriptedAgentBackend, ScriptedReply
from tests.end_to_end.team import Team, key, running_team

MESSAGES = 400
QUIET_SECONDS = 20.0
NO_STOP: Mapping[str, Any] = {
    "loops": {"chain_limit": 1_000_000, "cooldown_seconds": 0, "idle_rounds": 0},
    "budgets": {"task": {"tokens": None, "seconds": None}},
    "drift": {"enabled": False},
}
WORDS = ("Acknowledged, the plan stands.", "Understood, the plan stands as it is.", "Yes, nothing of the plan is open.")


def bot_answer(persona: AgentPersona, prompt: str, history: Sequence[str]) -> ScriptedReply:
    """Confirm whatever is said."""
    del persona, prompt
    return ScriptedReply(text=WORDS[len(history) % 3])


def pair_answer(persona: AgentPersona, prompt: str, history: Sequence[str]) -> ScriptedReply:
    """Lead asks developer again, whatever it hears."""
    del prompt
    text = WORDS[len(history) % 3]
    return ScriptedReply(text=f"{text}\n\nDELEGATE::developer::State the plan" if persona.name == "lead" else text)


async def with_bot(messages: int, settings: Mapping[str, Any]) -> tuple[int, int]:
    """Return how many turns and tokens a bot costs that answers every reply."""
    with tempfile.TemporaryDirectory() as directory:
        backend = ScriptedAgentBackend(script=bot_answer)
        async with running_team(Path(directory), backends={"claude": backend}, **settings) as team:
            for number in range(messages):
                answered = len(team.replies())
                await _bot_says(team, number)
                if not await _replied(team, answered):
                    break
            return await _spent(team)


async def with_each_other(settings: Mapping[str, Any]) -> tuple[int, int]:
    """Return how many turns and tokens two agents cost of which one asks the other again and again."""
    with tempfile.TemporaryDirectory() as directory:
        backend = ScriptedAgentBackend(script=pair_answer)
        async with running_team(Path(directory), backends={"claude": backend}, **settings) as team:
            await team.settled(await team.say("State the plan"))
            return await _spent(team)


async def _bot_says(team: Team, number: int) -> None:
    message = InboundMessage(
        id=MessageId(f"bot-{number}"),
        key=key(),
        author=Author(id="other", name="Other", kind=AuthorKind.BOT),
        text="Confirmed, thanks!",
        received_at=datetime.now(UTC),
    )
    await team.gateway.deliver(message)


async def _replied(team: Team, answered: int) -> bool:
    """Return whether one more reply came, rather than a line of the service, or nothing."""
    lines = len([post for post in team.posts() if isinstance(post, Notice)])
    try:
        async with asyncio.timeout(QUIET_SECONDS):
            while True:
                if len([post for post in team.posts() if isinstance(post, Reply)]) > answered:
                    return True
                if len([post for post in team.posts() if isinstance(post, Notice)]) > lines:
                    return False
                await asyncio.sleep(0.005)
    except TimeoutError:
        return False


async def _spent(team: Team) -> tuple[int, int]:
    now = datetime.now(UTC)
    measures = await team.store.measures.measure(since=datetime(2020, 1, 1, tzinfo=UTC), until=now)
    return measures.total.drafts, measures.total.tokens


async def main() -> None:
    """Print both, stopped and not."""
    logging.disable(logging.INFO)
    messages = int(sys.argv[1]) if len(sys.argv) > 1 else MESSAGES
    stopped: Mapping[str, Any] = {"loops": {"cooldown_seconds": 0}}
    for title, settings in (("stopped", stopped), ("not stopped", NO_STOP)):
        turns, tokens = await with_bot(messages, settings)
        sys.stdout.write(f"a bot and an agent, {title}: {turns:,} turns, {tokens:,} tokens of {messages:,} messages\n")
        for budget in (8, 60):
            turns, tokens = await with_each_other({**settings, "turns": {"hop_budget": budget}})
            sys.stdout.write(f"two agents, hop budget {budget}, {title}: {turns:,} turns, {tokens:,} tokens\n")


if __name__ == "__main__":
    asyncio.run(main())
