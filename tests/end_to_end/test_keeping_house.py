"""A backup made while the team works is put back elsewhere: what waited is answered, in the agent's session."""

import asyncio
from pathlib import Path

import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest
from mama_bot.model import Reply
from tests.commands.places import Place
from tests.end_to_end.team import key, running_team, write_configuration
from tests.waiting import until, until_stored

pytestmark = pytest.mark.cli


async def test_a_backup_of_a_service_at_work_goes_on_where_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here, there, file = tmp_path / "here", tmp_path / "there", tmp_path / "backup.tar.gz"
    seen = list[ModelRequest]()
    late = [3600.0]

    def script(request: ModelRequest) -> ModelReply:
        seen.append(request)
        delay = late[-1] if "second" in request.last_user_text else 0
        return ModelReply(text="`a.py:1` has the figure.", delay_seconds=delay)

    here.mkdir()
    async with running_team(here, script=script) as team:
        await team.settled(await team.say("Find the first figure"))
        await team.say("Find the second figure")
        await until(lambda: any("second" in request.last_user_text for request in seen))
        place = Place(here / "config.yaml", capsys)
        told = await asyncio.to_thread(place.run, "backup", str(file))
        refused = await asyncio.to_thread(place.run, "restore", str(file), "--replace")
    assert (told.status, refused.status) == (0, 2)
    assert "stop it" in refused.complaint
    late.append(0)
    there.mkdir()
    place = Place(write_configuration(there), capsys)
    assert (await asyncio.to_thread(place.run, "restore", str(file))).status == 0
    seen.clear()
    async with running_team(there, script=script) as team:

        async def replies() -> list[str]:
            view = await team.store.history.view(key(), 10)
            return [entry.post.text for entry in view.posts if isinstance(entry.post, Reply)]

        async def both() -> bool:
            return len(await replies()) == 2

        await until_stored(both)
        assert (await replies())[0] == "`a.py:1` has the figure."
    assert any("first figure" in text for text in seen[0].user_texts[:-1])
