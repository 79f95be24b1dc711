"""A database of zero bytes is not begun anew unsaid where conversations left something beside it."""

from pathlib import Path

import pytest

from mama_bot.app.emptied_database import refuse_emptied
from mama_bot.errors import StoreUnavailable


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mama-bot.sqlite"
    path.touch()
    return path


@pytest.mark.parametrize("beside", ["agents", "uploads"])
def test_an_empty_file_beside_a_full_directory_is_refused_and_left(file: Path, beside: str) -> None:
    (file.parent / beside / "some").mkdir(parents=True)
    with pytest.raises(StoreUnavailable, match=rf"empty, although .*{beside} holds.*mama-bot restore"):
        refuse_emptied(file)
    assert file.stat().st_size == 0


def test_a_first_start_that_was_cut_off_may_be_made_again(file: Path) -> None:
    (file.parent / "agents").mkdir()
    refuse_emptied(file)


def test_a_file_with_content_or_none_at_all_is_as_it_was(file: Path) -> None:
    (file.parent / "agents" / "some").mkdir(parents=True)
    log = file.with_name(f"{file.name}-wal")
    log.write_bytes(b"what is not yet in the file")
    refuse_emptied(file)
    log.unlink()
    file.write_bytes(b"SQLite format 3")
    refuse_emptied(file)
    file.unlink()
    refuse_emptied(file)
