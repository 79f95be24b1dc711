"""What docs/architecture.md names is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
QUESTIONS = TEXT.partition("## Where is …?")[2].partition("\n## ")[0]
PLACES = sorted(set(re.findall(r"`([\w/]+\.py)`", QUESTIONS)))


def test_a_strangers_questions_are_answered_with_places() -> None:
    assert len(PLACES) > 8


@pytest.mark.parametrize("place", PLACES)
def test_each_place_of_an_answer_is_there(place: str) -> None:
    assert (ROOT / "mama_bot" / place).is_file()
