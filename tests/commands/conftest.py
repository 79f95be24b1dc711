"""A place to run commands in."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from tests.commands.places import Place
from tests.end_to_end.team import write_configuration


@pytest.fixture
def place(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    monkeypatch.delenv("MAMA_CONFIG", raising=False)
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield Place(write_configuration(tmp_path), capsys)
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()
