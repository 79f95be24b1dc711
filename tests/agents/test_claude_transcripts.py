"""What is kept of a transcript, and how it is laid out where another machine goes on: without secrets, by no link."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from claude_agent_sdk import project_key_for_directory

from mama_bot.agents.claude_transcripts import KeptTranscript, KeptTranscripts, once, told_line
from mama_bot.model import SessionId
from mama_bot.redaction import REDACTED, redactor
from mama_bot.store import Store
from mama_bot.store.sqlite import open_sqlite
from tests.store.exchanges import ROOMY
from tests.store.making import HERE, TickingClock

SECRET = "a secret of this house"
SESSION = SessionId("6f9619ff-8b86-4011-b42d-00cf4fc964ff")
redact = redactor([SECRET])


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    async with open_sqlite(tmp_path / "store.sqlite") as database:
        yield Store(database=database, clock=TickingClock(), queue=ROOMY)


def transcript(store: Store, config: Path, place: str = "here") -> KeptTranscript:
    config.mkdir(exist_ok=True)
    return KeptTranscripts(records=store.transcripts(place), redact=redact).of(HERE, SESSION, config)


def entry(name: str, **more: Any) -> Any:
    return {"type": "user", "uuid": name, "message": {"role": "user", "content": name}, **more}


def file_in(config: Path, workspace: Path) -> Path:
    return config / "projects" / project_key_for_directory(workspace) / f"{SESSION}.jsonl"


def lines_of(file: Path) -> list[Any]:
    return [json.loads(line)["uuid"] for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"type": "text", "text": f"It is {SECRET}."}, {"type": "text", "text": f"It is {REDACTED}."}),
        (
            {"type": "tool_use", "id": SECRET, "name": "Bash", "input": {"id": SECRET, "command": [SECRET]}},
            {"type": "tool_use", "id": SECRET, "name": "Bash", "input": {"id": REDACTED, "command": [REDACTED]}},
        ),
        (
            {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": SECRET}]},
            {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": REDACTED}]},
        ),
        # It is signed: other words under the same signature would be refused.
        (
            {"type": "thinking", "thinking": f"Not {SECRET}.", "signature": "s"},
            {"type": "text", "text": "[not brought to this machine]"},
        ),
        ({"type": "thinking", "thinking": "Well.", "signature": SECRET}, None),
        ({"type": "redacted_thinking", "data": SECRET}, None),
        (
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
            {"type": "text", "text": "[not brought to this machine]"},
        ),
    ],
)
def test_what_is_kept_of_a_line_has_no_secrets_and_no_files(given: dict[str, Any], kept: dict[str, Any] | None) -> None:
    line = told_line({"type": "user", "message": {"content": [given]}, "toolUseResult": {"stdout": SECRET}}, redact)
    assert json.loads(line) == {"type": "user", "message": {"content": [kept or given]}}


def test_a_line_is_one_whatever_it_holds() -> None:
    line = told_line({"type": "user", "text": "a\nb\r\0\ud800\u2028"}, redact)
    assert "\n" not in line
    line.encode()


async def test_what_one_machine_keeps_another_lays_out_where_the_cli_looks(store: Store, tmp_path: Path) -> None:
    here, there = transcript(store, tmp_path / "here"), transcript(store, tmp_path / "there", "there")
    workspace = tmp_path / "work"
    await here.append({"project_key": "p", "session_id": SESSION}, [entry("a"), entry("b", said=SECRET)])
    await here.append({"project_key": "p", "session_id": SESSION}, [entry("b"), entry("c")])
    await here.append({"project_key": "p", "session_id": SESSION, "subpath": "subagents/agent-1"}, [entry("d")])
    await there.bring(workspace)
    file = file_in(tmp_path / "there", workspace)
    assert lines_of(file) == ["a", "b", "c"]
    assert SECRET not in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600
    # What the machine has itself stays: it has all of it, and its secrets.
    own = file_in(tmp_path / "here", workspace)
    own.parent.mkdir(parents=True)
    own.write_text("its own\n")
    await transcript(store, tmp_path / "here").bring(workspace)
    assert own.read_text() == "its own\n"


async def test_what_comes_back_takes_the_place_of_what_an_earlier_life_left(store: Store, tmp_path: Path) -> None:
    config, workspace = tmp_path / "here", tmp_path / "work"
    here, there = transcript(store, config), transcript(store, tmp_path / "there", "there")
    await here.append({"project_key": "p", "session_id": SESSION}, [entry("a")])
    left = config / "projects" / "elsewhere" / f"{SESSION}.jsonl"
    left.parent.mkdir(parents=True)
    left.write_text("")
    await there.append({"project_key": "p", "session_id": SESSION}, [entry("b")])
    await here.bring(workspace)
    assert not left.exists()
    assert lines_of(file_in(config, workspace)) == ["a", "b"]


@pytest.mark.parametrize("linked", ["projects", "project", "file"])
async def test_no_link_that_an_agent_left_leads_anywhere(store: Store, tmp_path: Path, linked: str) -> None:
    here, there = transcript(store, tmp_path / "here"), transcript(store, tmp_path / "there", "there")
    workspace, outside = tmp_path / "work", tmp_path / "outside"
    await here.append({"project_key": "p", "session_id": SESSION}, [entry("a")])
    outside.mkdir()
    (outside / "victim").write_text("as it was")
    file = file_in(tmp_path / "there", workspace)
    match linked:
        case "projects":
            file.parent.parent.symlink_to(outside)
        case "project":
            file.parent.parent.mkdir()
            file.parent.symlink_to(outside)
        case _:
            file.parent.mkdir(parents=True)
            file.symlink_to(outside / "victim")
    await there.bring(workspace)
    assert lines_of(file) == ["a"]
    assert file.resolve().is_relative_to(tmp_path / "there")
    assert [(each.name, each.read_text()) for each in outside.iterdir()] == [("victim", "as it was")]


async def test_of_a_session_that_began_before_it_was_kept_the_whole_file_is(store: Store, tmp_path: Path) -> None:
    config, workspace = tmp_path / "here", tmp_path / "work"
    file = file_in(config, workspace)
    here = transcript(store, config)
    file.parent.mkdir(parents=True)
    file.write_text("".join(f"{json.dumps(entry(name))}\n" for name in "abc"))
    await here.bring(workspace)
    await here.append({"project_key": "p", "session_id": SESSION}, [entry("c"), entry("d")])
    await here.append({"project_key": "p", "session_id": SESSION}, [entry("e")])
    lines = await store.transcripts("there").lines(SESSION)
    assert [json.loads(line)["uuid"] for line in lines] == ["a", "b", "c", "d", "e"]


@pytest.mark.parametrize("odd", ["", "[]", "[" * 5_000, '{"uuid":"half'])
async def test_what_a_life_here_was_cut_off_before_it_kept_is_kept_by_the_next(
    store: Store, tmp_path: Path, odd: str
) -> None:
    config, workspace = tmp_path / "here", tmp_path / "work"
    file = file_in(config, workspace)
    await transcript(store, config).append({"project_key": "p", "session_id": SESSION}, [entry("a")])
    file.parent.mkdir(parents=True)
    file.write_text("".join(f"{json.dumps(entry(name))}\n" for name in "abc") + odd)
    here = transcript(store, config)
    await here.bring(workspace)
    await here.append({"project_key": "p", "session_id": SESSION}, [entry("d")])
    lines = await store.transcripts("there").lines(SESSION)
    assert [json.loads(line)["uuid"] for line in lines] == ["a", "b", "c", "d"]


async def test_what_the_sdk_gives_up_to_keep_is_kept_with_what_follows(store: Store, tmp_path: Path) -> None:
    config, workspace = tmp_path / "here", tmp_path / "work"
    file = file_in(config, workspace)
    file.parent.mkdir(parents=True)
    here = transcript(store, config)
    file.write_text(f"{json.dumps(entry('a'))}\n")
    async with asyncio.TaskGroup() as group:
        given_up = group.create_task(here.append({"project_key": "p", "session_id": SESSION}, [entry("a")]))
        await asyncio.sleep(0)
        given_up.cancel()
    await here.append({"project_key": "p", "session_id": SESSION}, [entry("b")])
    lines = await store.transcripts("there").lines(SESSION)
    assert [json.loads(line)["uuid"] for line in lines] == ["a", "b"]


def test_lines_without_a_name_are_all_kept_and_named_ones_once() -> None:
    lines = ['{"uuid":"a"}', '{"type":"summary"}', '{"type":"summary"}', '{"uuid":"a"}']
    assert once(lines) == lines[:3]
