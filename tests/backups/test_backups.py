"""A backup holds all that a service keeps, as it stands while it is in use, and is put back whole or not at all."""

import io
import json
import tarfile
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mama_bot.backups.archive import Backup, write_backup
from mama_bot.backups.due_backups import BackupSchedule, backup_name
from mama_bot.backups.restoration import restore_backup
from mama_bot.config import QueueSettings
from mama_bot.errors import ConfigurationError, StoreUnavailable
from mama_bot.store import open_store, sqlite_url
from mama_bot.store.database_copies import KNOWN_SCHEMA, check_database, copy_database
from tests.intake.admitting import SetClock
from tests.store.making import TickingClock, message

AT = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
NAME = "mama-bot.sqlite"


def backed_up(data: Path, target: Path, *, databases_only: bool = False, leave_out: Sequence[Path] = ()) -> Backup:
    return write_backup(
        data,
        target,
        database_name=NAME,
        copy_database=copy_database,
        at=AT,
        release="1",
        databases_only=databases_only,
        leave_out=leave_out,
    )


def restored(file: Path, data: Path, *, replace: bool = False, known_schema: int = KNOWN_SCHEMA) -> Path | None:
    return restore_backup(
        file,
        data,
        database_name=NAME,
        check_database=check_database,
        known_schema=known_schema,
        at=AT,
        replace=replace,
    )


def files_below(directory: Path) -> dict[str, str]:
    """Each file but the database, with what it holds; links with where they lead."""
    return {
        str(path.relative_to(directory)): f"-> {path.readlink()}" if path.is_symlink() else path.read_text()
        for path in directory.rglob("*")
        if path.is_symlink() or (path.is_file() and NAME not in path.name)
    }


async def test_what_is_stored_while_the_service_runs_is_in_it_and_comes_back(tmp_path: Path) -> None:
    data, file = tmp_path / "data", tmp_path / "kept" / "backup.tar.gz"
    work = data / "real" / "workspaces" / "app"
    (data / "backups").mkdir(parents=True)
    (data / "backups" / "old.tar.gz").write_text("old")
    (work / "empty").mkdir(parents=True)
    (work / "Cargo.lock").write_text("locked")
    (work / "app.sqlite").write_text("the project's own")
    (work / "run.sh").write_text("#!/bin/sh\n")
    (work / "run.sh").chmod(0o755)
    (work / "python").symlink_to("/usr/bin/python3")
    (data / "real" / "mama-bot.lock").write_text("7")
    async with open_store(sqlite_url(data / "real" / NAME), clock=TickingClock(), queue=QueueSettings()) as store:
        await store.inbox.accept(message(1, "환율을 찾아 줘"))
        made = backed_up(data, file, leave_out=[data / "backups"])
        await store.inbox.accept(message(2))
    assert (made.databases, made.unread, file.stat().st_mode & 0o777) == (1, (), 0o600)
    assert [path.name for path in file.parent.iterdir()] == [file.name]
    elsewhere = tmp_path / "elsewhere"
    assert restored(file, elsewhere) is None
    assert files_below(elsewhere) == {
        "real/workspaces/app/Cargo.lock": "locked",
        "real/workspaces/app/app.sqlite": "the project's own",
        "real/workspaces/app/run.sh": "#!/bin/sh\n",
        "real/workspaces/app/python": "-> /usr/bin/python3",
    }
    there = elsewhere / "real" / "workspaces" / "app"
    assert (there / "run.sh").stat().st_mode & 0o777 == 0o755
    assert (there / "empty").is_dir()
    url = sqlite_url(elsewhere / "real" / NAME)
    async with open_store(url, clock=TickingClock(), queue=QueueSettings()) as store:
        view = await store.history.view(message(1).key, 10)
        assert [kept.text for kept in view.messages] == ["환율을 찾아 줘"]
        assert await store.inbox.unfinished(message(1).key, message(1).id)


async def stored(directory: Path, number: int) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    async with open_store(sqlite_url(directory / NAME), clock=TickingClock(), queue=QueueSettings()) as store:
        await store.inbox.accept(message(number))


async def test_what_is_there_is_replaced_only_when_that_is_said_and_is_put_aside(tmp_path: Path) -> None:
    data, file = tmp_path / "data", tmp_path / "backup.tar.gz"
    await stored(data / "real", 1)
    backed_up(data, file, databases_only=True)
    await stored(data / "real", 2)
    with pytest.raises(ConfigurationError, match="--replace"):
        restored(file, data)
    aside = restored(file, data, replace=True)
    assert aside is not None
    assert {path.name for path in data.iterdir()} == {"real", aside.name}
    for place, numbers in ((data / "real", [1]), (aside / "real", [1, 2])):
        async with open_store(sqlite_url(place / NAME), clock=TickingClock(), queue=QueueSettings()) as store:
            view = await store.history.view(message(1).key, 10)
            assert [kept.id for kept in view.messages] == [f"m{number}" for number in numbers]


async def test_a_backup_within_the_data_directory_does_not_hold_the_one_before_it(tmp_path: Path) -> None:
    data = tmp_path / "data"
    await stored(data / "real", 1)
    for _ in range(2):
        backed_up(data, data / "backup.tar.gz")
    with tarfile.open(data / "backup.tar.gz") as archive:
        assert [name for name in archive.getnames() if "backup" in name] == []


def archive_of(target: Path, members: Sequence[tuple[tarfile.TarInfo, bytes]], schema: int = 1) -> Path:
    manifest = json.dumps({"format": 1, "release": "1", "at": "", "schema": schema}).encode()
    with tarfile.open(target, "w:gz") as archive:
        for entry, content in [(tarfile.TarInfo("manifest.json"), manifest), *members]:
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return target


def link(name: str, target: str) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname = tarfile.SYMTYPE, target
    return entry


async def test_what_is_no_whole_backup_changes_nothing(tmp_path: Path) -> None:
    data, whole = tmp_path / "data", tmp_path / "backup.tar.gz"
    await stored(data / "real", 1)
    backed_up(data, whole)
    before = files_below(data)
    flipped = tmp_path / "flipped.tar.gz"
    content = bytearray(whole.read_bytes())
    content[-5] ^= 1  # of the checksum: all that was packed is read without a word
    flipped.write_bytes(content)
    torn = tmp_path / "torn.tar.gz"
    torn.write_bytes(bytes(content[:200]) + b"\xff" * 40 + bytes(content[240:]))
    cut_off, other = tmp_path / "cut.tar.gz", tmp_path / "other.tar.gz"
    cut_off.write_bytes(whole.read_bytes()[:-400])
    other.write_bytes(b"no archive")
    outside = [
        archive_of(tmp_path / "up.tar.gz", [(tarfile.TarInfo("data/../../stolen"), b"x")]),
        archive_of(tmp_path / "absolute.tar.gz", [(tarfile.TarInfo("/tmp/stolen"), b"x")]),
        archive_of(tmp_path / "pipe.tar.gz", [(_fifo("data/pipe"), b"")]),
        archive_of(tmp_path / "links.tar.gz", [(link("data/a", str(tmp_path)), b""), (link("data/a/b", "x"), b"")]),
    ]
    for file in (flipped, torn, cut_off, other, *outside):
        with pytest.raises(ConfigurationError, match="no backup of mama-bot"):
            restored(file, data, replace=True)
    with pytest.raises(ConfigurationError, match="update first"):
        restored(whole, data, replace=True, known_schema=KNOWN_SCHEMA - 1)
    damaged = archive_of(tmp_path / "damaged.tar.gz", [(tarfile.TarInfo(f"data/real/{NAME}"), b"torn" * 500)])
    with pytest.raises(StoreUnavailable, match="not a SQLite database"):
        restored(damaged, data, replace=True)
    assert files_below(data) == before
    assert {path.name for path in data.iterdir()} == {"real"}
    assert not (tmp_path / "stolen").exists()
    assert not (tmp_path / "b").is_symlink()


def _fifo(name: str) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type = tarfile.FIFOTYPE
    return entry


async def test_a_damaged_database_and_a_full_disk_leave_no_backup(tmp_path: Path) -> None:
    data, target = tmp_path / "data", tmp_path / "backup.tar.gz"
    with pytest.raises(ConfigurationError, match="nothing to back up"):
        backed_up(data, target)
    (data / "real").mkdir(parents=True)
    (data / "real" / NAME).write_bytes(b"torn" * 500)
    with pytest.raises(StoreUnavailable, match="not a SQLite database"):
        backed_up(data, target)
    (data / "real" / NAME).unlink()
    await stored(data / "real", 1)
    with pytest.raises(ConfigurationError, match="No space left"):
        backed_up(data, _full(tmp_path))
    assert {path.name for path in tmp_path.iterdir()} <= {"data", "full"}


def _full(tmp_path: Path) -> Path:
    """A file in whose place the draft cannot be written: each byte meets a full device."""
    folder = tmp_path / "full"
    folder.mkdir()
    (folder / ".backup.tar.gz.part").symlink_to("/dev/full")
    return folder / "backup.tar.gz"


async def test_backups_are_made_when_they_are_due_and_the_oldest_go(tmp_path: Path) -> None:
    clock, made = SetClock(), list[str]()
    failing = False

    def write(target: Path, at: datetime) -> Backup:
        if failing:
            raise ConfigurationError(problem="The disk is full.")
        target.write_text(at.isoformat())
        made.append(target.name)
        return Backup(file=target, files=0, databases=1)

    schedule = BackupSchedule(directory=tmp_path, every=timedelta(hours=24), keep=2, write=write, clock=clock)
    await schedule.look()
    clock.seconds = 23 * 3600
    await schedule.look()
    assert len(made) == 1
    for day in (1, 2, 3):
        clock.seconds = day * 24 * 3600
        await schedule.look()
    assert [path.name for path in sorted(tmp_path.iterdir())] == made[-2:]
    assert (len(made), made[-1]) == (4, backup_name(clock.now()))
    clock.seconds += 24 * 3600
    failing = True
    await schedule.look()
    assert "disk is full" in str(schedule.failure)
    failing = False
    await schedule.look()
    assert (schedule.failure, len(made)) == (None, 5)
    clock.seconds -= 10 * 24 * 3600  # set back: the newest are of the future
    await schedule.look()
    assert len(made) == 6
    assert made[-1] in {path.name for path in tmp_path.iterdir()}
