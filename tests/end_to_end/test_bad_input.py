"""Bad input and a bad machine: one clear line to whoever can act, nothing lost, no traceback."""

import asyncio
import contextlib
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mama_bot.commands.command_line import run_command
from mama_bot.commands.setup.new_files import SHIPPED
from mama_bot.demo.model_script import ModelReply
from mama_bot.demo.model_server import ModelServer
from tests.end_to_end.service_process import service_process
from tests.end_to_end.team import running_team, write_configuration
from tests.scripted_queue import ScriptedQueue
from tests.waiting import SECONDS

CLEAN = "`a.py` has 3 functions."


async def command(*arguments: str, **variables: str) -> tuple[int | None, str]:
    """Run `mama-bot` to its end; its exit status and all that it printed."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "mama_bot", *arguments),
        env={"PATH": os.environ["PATH"], **variables},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    async with asyncio.timeout(SECONDS):
        output, _ = await process.communicate()
    return process.returncode, output.decode()


def replaced(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


async def refused(file: Path, status: int, *words: str, **variables: str) -> None:
    """`run` ends at once with this status and a line that holds these words."""
    returncode, output = await command("run", "--config", str(file), **variables)
    assert returncode == status, output
    assert "Traceback" not in output
    for word in words:
        assert word in output


async def test_an_unknown_key_is_refused_with_its_line_and_the_nearest_name(tmp_path: Path) -> None:
    file = write_configuration(tmp_path, pool={"sise": 3})
    await refused(file, 2, f"{file}:", "'pool.sise'", "'size'")


async def test_a_wrong_type_is_refused(tmp_path: Path) -> None:
    await refused(write_configuration(tmp_path, pool={"size": "many"}), 2, "pool.size", "'many'")


async def test_broken_front_matter_is_refused_with_the_file(tmp_path: Path) -> None:
    file = write_configuration(tmp_path)
    replaced(tmp_path / "personas" / "lead.md", "tools: [Read]", "toolz: [Read]")
    await refused(file, 2, "lead.md:", "'toolz'", "'tools'")


async def test_a_missing_configuration_is_refused(tmp_path: Path) -> None:
    await refused(tmp_path / "config.yaml", 2, "config.yaml", "--config")


async def test_a_folder_with_neither_a_configuration_nor_a_team_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MAMA_CONFIG", raising=False)
    assert run_command(["check"]) == 2
    assert "config.local.yaml: There is neither this file nor a team (personas/) here." in capsys.readouterr().err
    shutil.copytree(SHIPPED / "personas", tmp_path / "personas")
    assert run_command(["check"]) == 0
    assert "The defaults" in capsys.readouterr().out


async def test_a_taken_port_is_refused_with_the_setting(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        await refused(write_configuration(tmp_path, web={"port": port}), 1, str(port), "MAMA_WEB__PORT")


async def test_a_key_that_is_too_short_is_refused(tmp_path: Path) -> None:
    await refused(write_configuration(tmp_path), 2, "web.key: it is too short", MAMA_WEB__KEY="secret")


async def test_a_database_that_is_none_is_refused(tmp_path: Path) -> None:
    directory = tmp_path / "data" / "scripted"
    directory.mkdir(parents=True)
    (directory / "mama-bot.sqlite").write_bytes(b"not a database, but long enough to look like a file" * 50)
    await refused(write_configuration(tmp_path), 1, "mama-bot.sqlite", "not a")


async def test_a_data_directory_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("", encoding="utf-8")
    await refused(write_configuration(tmp_path), 2, "MAMA_DATA_DIRECTORY")


async def test_a_locked_database_refuses_the_start_with_a_line(tmp_path: Path) -> None:
    file = write_configuration(tmp_path)
    directory = tmp_path / "data" / "scripted"
    directory.mkdir(parents=True)
    connection = sqlite3.connect(directory / "mama-bot.sqlite")
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("BEGIN EXCLUSIVE")
        await refused(file, 1, "mama-bot.sqlite", "locked")
    finally:
        connection.close()


async def test_doctor_says_what_to_do_and_check_starts_nothing(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        file = write_configuration(
            tmp_path, web={"port": taken.getsockname()[1]}, claude={"cli_path": str(tmp_path / "claude")}
        )
        status, output = await command("doctor", "--config", str(file))
    assert status == 1
    assert "PROBLEM claude CLI" in output
    assert "PROBLEM port of the page" in output
    assert "2 problems found." in output
    assert not (tmp_path / "data").exists()
    status, output = await command("check", "--config", str(file))
    assert (status, "3 personas" in output) == (0, True)
    assert not (tmp_path / "data").exists()


async def test_a_message_that_cannot_be_taken_is_refused_with_a_sentence(tmp_path: Path) -> None:
    refused = {"": "empty", " \n\t": "empty", "가" * 200_000: "100,000", "x" * 204_800: "100,000"}
    async with running_team(tmp_path, script=ScriptedQueue()) as team, team.client() as client:
        url = "/api/conversations/one/messages"
        answers = [await client.post(url, json={"id": "m", "text": text}) for text in refused]
        state = await team.store.history.queue()
    assert [answer.status_code for answer in answers] == [422] * len(refused)
    assert all(word in answer.text for word, answer in zip(refused.values(), answers, strict=True))
    assert state.waiting + state.running == 0


@pytest.mark.cli
async def test_an_odd_message_is_answered(tmp_path: Path) -> None:
    odd = ("👍", "half \ud83d of a pair", "@develper hello", "nul \x00", "/clear")
    async with running_team(tmp_path, script=lambda _: ModelReply(text=CLEAN)) as team:
        for text in odd:
            await team.settled(await team.say(text))
    assert [reply.text for reply in team.replies()] == [CLEAN] * len(odd)
    assert ["@develper" in notice.text for notice in team.notices()] == [True]


@pytest.mark.cli
async def test_a_login_that_is_missing_is_said_with_what_to_do(tmp_path: Path) -> None:
    async with running_team(tmp_path, claude={"source": "real"}, environment={"HOME": str(tmp_path)}) as team:
        await team.settled(await team.say("Hello"))
    (notice,) = team.notices()
    assert "ANTHROPIC_API_KEY" in notice.text


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 4 MB."""
    directory = tmp_path / "small"
    directory.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(directory)], check=False)
    if mounted.returncode != 0:
        pytest.skip("mounting a tmpfs needs root")
    try:
        yield directory
    finally:
        subprocess.run(["umount", "--lazy", str(directory)], check=True)


def fill(file: Path) -> None:
    """Write until the file system is full."""
    with file.open("wb", buffering=0) as zeros, contextlib.suppress(OSError):
        while True:
            zeros.write(b"\0" * 4096)


@pytest.mark.cli
async def test_on_a_full_disk_messages_are_refused_and_later_taken_and_none_is_lost(
    tmp_path: Path, small_disk: Path
) -> None:
    script = ScriptedQueue()
    script.stick(ModelReply(text=CLEAN))
    file = write_configuration(tmp_path, claude={"source": "real"})
    async with ModelServer(script=script) as server:
        environment = {
            "ANTHROPIC_BASE_URL": server.url,
            "ANTHROPIC_API_KEY": "test",
            "MAMA_STORE__URL": f"sqlite:///{small_disk}/mama-bot.sqlite",
        }
        async with service_process(file, environment) as service:
            assert (await service.say("one", message="m1")).status_code == 202
            await service.replies(1)
            filler = small_disk / "filler"
            fill(filler)
            answer = await service.say("two " * 4000, message="m2")
            assert answer.status_code == 503
            assert "full" in answer.text
            filler.unlink()
            assert (await service.say("two", message="m2")).status_code == 202
            replies = await service.replies(2)
            assert await service.terminate() == 0
    assert [reply["text"] for reply in replies] == [CLEAN, CLEAN]
