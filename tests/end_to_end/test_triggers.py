"""What asks without a person, in a whole service with the real CLI and a scripted model."""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest
from mama_bot.model import AuthorKind, MessageId, Platform
from tests.end_to_end.team import Team, running_team
from tests.waiting import SECONDS, until

REPLY = "`a.py:3` has 3 functions."
NIGHTLY: dict[str, Any] = {
    "cron": "0 3 * * *",
    "channel": "memory/general",
    "persona": "developer",
    "prompt": "How many functions has a.py? Ask nobody, not even @reviewer.",
}


async def asked_at(team: Team, until_moment: datetime) -> None:
    """As if the schedule was looked at last at a moment."""
    state = team.store.gateway_state(Platform("triggers"))
    async with asyncio.timeout(SECONDS):
        while await state.get("schedule/nightly") is None:
            await asyncio.sleep(0.01)
    kept = {"line": "0 3 * * * UTC", "until": until_moment.isoformat(), "message": ""}
    await state.put({"schedule/nightly": json.dumps(kept)})


@pytest.mark.cli
async def test_a_run_that_was_missed_while_the_service_was_down_is_asked_judged_and_posted(tmp_path: Path) -> None:
    requests: list[ModelRequest] = []

    def script(request: ModelRequest) -> ModelReply:
        requests.append(request)
        return ModelReply(text="Excellent, brilliant, amazing work!" if len(requests) == 1 else REPLY)

    async with running_team(tmp_path, script=script, schedules={"nightly": NIGHTLY}) as team:
        await asked_at(team, datetime.now(UTC) - timedelta(days=2))
    async with running_team(tmp_path, script=script, schedules={"nightly": NIGHTLY}) as team:
        await until(team.replies)
        (message_id,) = {MessageId(str(post.answers)) for post in team.replies()}
        exchange = await team.settled(message_id)
        entries = await team.context()
    assert exchange.message.author.kind is AuthorKind.SCHEDULE
    assert [stored.turn.persona for stored in exchange.turns] == ["developer"]
    assert [post.text for post in team.replies()] == [REPLY]
    assert "was due 2 times since" in team.notices()[0].text
    assert team.posts().index(team.notices()[0]) == 0, "the line stands before the reply"
    assert len(requests) == 2, "the first draft was sent back: a schedule is judged like everybody"
    assert "schedule nightly writes:" in requests[0].last_user_text
    assert [entry.author.kind for entry in entries] == [AuthorKind.SCHEDULE, AuthorKind.AGENT]
