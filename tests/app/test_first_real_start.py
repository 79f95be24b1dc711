"""Pairings and conversations outlive the step to a real model; no agent reads what the script said."""

import itertools
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import pytest

from mama_bot.app.configuration import DATABASE_NAME
from mama_bot.errors import StoreUnavailable
from mama_bot.model import AgentPersona, Platform
from mama_bot.store import take_over
from mama_bot.testing.scripted_agent import ScriptedAgentBackend, ScriptedReply
from tests.end_to_end.team import running_team

REAL = {"ANTHROPIC_API_KEY": "sk-ant-api03-none"}
SLACK = Platform("slack")


def script(persona: AgentPersona, prompt: str, history: Sequence[str]) -> ScriptedReply:
    """Say how much of what was said before the prompt holds."""
    return ScriptedReply(text=f"`a.py:3` has {prompt.count('zebra')} stripes; prompt {len(history) + 1}.")


async def test_who_was_paired_and_what_was_said_is_there_with_a_real_model(tmp_path: Path) -> None:
    auto = {"source": "auto"}
    backends = {"claude": ScriptedAgentBackend(script=script)}
    async with running_team(tmp_path, backends=backends, environment={"HOME": str(tmp_path)}, claude=auto) as team:
        await team.settled(await team.say("Tell of the zebra"))
        await team.store.pairings.ask(SLACK, "U1", "Kim", code="ABCD-2345")
        await team.store.pairings.settle("ABCD-2345", approve=True, by="Owner")
        before = await team.store.history.view(team.replies()[0].key, 10)
    real = tmp_path / "data" / "real" / DATABASE_NAME
    assert not real.exists()
    environment = {"HOME": str(tmp_path), **REAL}
    async with running_team(tmp_path, backends=backends, environment=environment, claude=auto) as team:
        assert await team.store.pairings.is_paired(SLACK, "U1")
        key = before.key
        view = await team.store.history.view(key, 10)
        assert [message.text for message in view.messages] == ["Tell of the zebra"]
        assert [entry.post for entry in view.posts] == [entry.post for entry in before.posts]
        team.numbers = itertools.count(100)
        await team.settled(await team.say("And now?"))
        assert team.replies()[-1].text == "`a.py:3` has 0 stripes; prompt 1."
    # What was said since stays, whatever the scripted one holds.
    async with running_team(tmp_path, backends=backends, environment=environment, claude=auto) as team:
        assert len((await team.store.history.view(before.key, 10)).messages) == 2


def test_what_cannot_be_taken_over_is_a_sentence_and_leaves_nothing(tmp_path: Path) -> None:
    source, target = tmp_path / "scripted.sqlite", tmp_path / "real.sqlite"
    source.write_bytes(b"no database" * 1000)
    with pytest.raises(StoreUnavailable, match="not a database"):
        take_over(source, target)
    with pytest.raises(StoreUnavailable, match="unable to open"):
        take_over(tmp_path / "nowhere", target)
    assert {path.name for path in tmp_path.iterdir()} == {"scripted.sqlite"}


def test_the_other_database_stays_as_it_is(tmp_path: Path) -> None:
    source, target = tmp_path / "scripted.sqlite", tmp_path / "real.sqlite"
    with sqlite3.connect(source) as made:
        made.execute("CREATE TABLE sessions (session_id TEXT)")
        made.execute("INSERT INTO sessions VALUES ('s1')")
    made.close()
    take_over(source, target)
    for file, count in ((source, 1), (target, 0)):
        with sqlite3.connect(file) as opened:
            assert opened.execute("SELECT count(*) FROM sessions").fetchone() == (count,)
        opened.close()
