"""What a workspace's check reaches, which runs what an agent wrote: the files to be checked, the machine's tools."""

import asyncio
import os
import socket
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mama_bot.app.configuration import read_configuration
from mama_bot.app.host_checks import host_checks
from mama_bot.config import CheckInstall, WorkspaceCheck
from mama_bot.confinement.processes import alive
from mama_bot.enforcement.host_checks import CheckEnding, Result
from mama_bot.enforcement.host_checks.sentences import why
from mama_bot.repositories.changes import GitChanges
from mama_bot.wording import Language
from tests.end_to_end.team import write_configuration
from tests.enforcement.scope.test_scope_guard import git, write
from tests.marks import needs_landlock

pytestmark = needs_landlock


class SystemClock:
    """The real time."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()


class Service:
    """A service's checks on a small repository."""

    def __init__(self, root: Path, port: int, **sandbox: object) -> None:
        self.root, self.work = root, root / "work"
        self.work.mkdir()
        write(self.work, "file.txt", "checked\n")
        git(self.work, "init", "-q", "-b", "main")
        git(self.work, "add", "-A")
        git(self.work, "commit", "-q", "-m", "first")
        file = write_configuration(root, web={"port": port}, sandbox=sandbox)
        (root / "secrets.env").write_text("DISCORD_TOKEN=swordfish\n", encoding="utf-8")
        environment = {"PATH": os.environ["PATH"], "HOME": str(root / "user"), "MAMA_WEB__KEY": "k" * 40}
        self.configuration = read_configuration(file, environment=environment)
        self.configuration.directory.mkdir(parents=True)
        (self.configuration.directory / "mama-bot.sqlite").write_text("the database", encoding="utf-8")
        (root / "user/.ssh").mkdir(parents=True)
        (root / "user/.ssh/id").write_text("a key", encoding="utf-8")

    async def run(self, script: str, install: CheckInstall | None = None) -> Result:
        changes = GitChanges(workspace_of=lambda _: self.work, indexes=self.root / "indexes")
        checks = host_checks(self.configuration, changes, SystemClock())
        check = WorkspaceCheck(name="tests", argv=("sh", "-c", script), install=install)
        (result,) = await checks.run(self.work, (check,), base="")
        return result


@pytest.fixture
def port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture
def service(tmp_path: Path, port: int) -> Service:
    return Service(tmp_path, port)


async def test_it_works_on_the_files_that_it_checks_with_the_tools_of_the_machine(service: Service) -> None:
    script = f'cat file.txt && echo new > made.txt && echo x > "$TMPDIR/x" && echo y > ~/y && "{sys.executable}" -V'
    result = await service.run(script)
    assert result.ended is CheckEnding.PASSED, result.output
    assert result.output.startswith("checked\n")
    assert not (service.work / "made.txt").exists()


async def test_it_reads_the_packages_that_were_installed_for_it_and_changes_none(service: Service) -> None:
    script = "mkdir packages && cp file.txt packages/one && cat ../../../mama-bot.sqlite; exit 0"
    install = CheckInstall(argv=("sh", "-c", script), files=("file.txt",), makes=("packages",))
    spoil = "echo spoilt > packages/one || rm $(readlink packages/one) || chmod 777 $(readlink packages/one)"
    spoilt = await service.run(f"cat packages/one; {spoil}", install)
    assert spoilt.ended is CheckEnding.FAILED
    assert spoilt.output.startswith("checked\n")
    assert (await service.run("cat packages/one", install)).output == "checked\n"
    (kept,) = (service.configuration.own_directory / "check_packages").glob("*/tree")
    assert [path.name for path in kept.iterdir() if path.is_file()] == ["file.txt"]
    assert (await service.run(f"ls {kept.parent.parent}; cat {service.configuration.secrets_file}")).exit_status


async def test_it_reads_nothing_of_the_service_s(service: Service) -> None:
    hidden = [
        service.configuration.directory / "mama-bot.sqlite",
        service.configuration.secrets_file,
        service.root / "user/.ssh/id",
        Path(f"/proc/{os.getpid()}/environ"),
    ]
    result = await service.run(f"cat {' '.join(str(path) for path in hidden)}; env; exit 0")
    assert result.output.count("Permission denied") == len(hidden), result.output
    assert not any(word in result.output for word in ("swordfish", "the database", "a key", "MAMA_WEB"))


async def test_it_writes_nowhere_else_and_signals_nobody(service: Service) -> None:
    outside = service.root / "outside.txt"
    result = await service.run(f"echo x > {outside}; echo x >> {service.work}/file.txt; kill -0 {os.getpid()}; exit 0")
    assert not outside.exists()
    assert (service.work / "file.txt").read_text(encoding="utf-8") == "checked\n"
    assert "not permitted" in result.output


async def test_it_reaches_no_port_of_the_service(service: Service, port: int) -> None:
    connecting = f"import socket; socket.create_connection(('127.0.0.1', {port}), timeout=5)"
    result = await service.run(f'"{sys.executable}" -c "{connecting}"')
    assert result.ended is CheckEnding.FAILED
    assert "PermissionError" in result.output


async def test_what_it_leaves_in_another_session_and_without_an_environment_ends_with_it(service: Service) -> None:
    stray = "env -i setsid sh -c 'echo $$ > stray.pid; exec sleep 300' > /dev/null 2>&1 &"
    result = await service.run(f"{stray} until [ -s stray.pid ]; do sleep 0.1; done; cat stray.pid")
    assert result.ended is CheckEnding.PASSED
    assert not alive(int(result.output))


@pytest.mark.parametrize(("language", "said"), [(Language.ENGLISH, "allowed 8"), (Language.KOREAN, "허용 8")])
async def test_one_that_starts_too_many_processes_is_ended_and_that_is_said(
    tmp_path: Path, port: int, language: Language, said: str
) -> None:
    service = Service(tmp_path, port, limits={"processes": 8})
    result = await service.run("for number in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 300 & done; sleep 300")
    assert result.ended is CheckEnding.OUTGREW
    assert "sandbox.limits.processes" in why(result, language)
    assert said in why(result, language)


async def test_a_path_of_the_settings_is_open_to_it(tmp_path: Path, port: int) -> None:
    cache = tmp_path / "user" / "cache"
    service = Service(tmp_path, port, writable=[str(cache)])
    cache.mkdir()
    result = await service.run(f"echo kept > {cache}/entry")
    assert result.ended is CheckEnding.PASSED, result.output
    assert await asyncio.to_thread((cache / "entry").read_text) == "kept\n"
