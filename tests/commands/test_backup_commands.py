"""`mama-bot backup` and `restore`: nothing is written over unasked, and what is looked for is said."""

from pathlib import Path

import pytest

from mama_bot.store import Store
from tests.commands.places import Place


async def nothing(store: Store) -> None:
    """Leave an empty database behind."""


def test_a_file_that_is_there_is_written_over_only_where_that_is_said(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.left_behind(nothing)
    file = tmp_path / "kept.tar.gz"
    file.write_text("mine", encoding="utf-8")
    refused = place.run("backup", str(file))
    assert (refused.status, "is there already" in refused.complaint, file.read_text()) == (2, True, "mine")
    monkeypatch.setenv("LC_ALL", "ko_KR.UTF-8")
    assert "--replace로 덮어쓰세요" in place.run("backup", str(file)).complaint
    assert place.run("backup", str(file), "--replace").status == 0
    assert file.read_bytes()[:2] == b"\x1f\x8b"


def test_a_backup_that_is_not_there_is_named_with_those_that_are(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.left_behind(nothing)
    told = place.run("restore", "/nosuch")
    assert told.status == 2
    assert "There is no file /nosuch. Nor is there a backup in" in told.complaint
    assert place.run("backup").status == 0
    (kept,) = (place.file.parent / "data" / "backups").glob("*.tar.gz")
    assert f"data/backups: {kept.name}" in place.run("restore", "/nosuch").complaint
    monkeypatch.setenv("LC_ALL", "ko_KR.UTF-8")
    assert "있는 백업" in place.run("restore", "/nosuch").complaint
