"""A repository with one commit."""

from pathlib import Path

import pytest

from tests.repositories.making import made_repository


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return made_repository(tmp_path / "저장소")
