"""What docs/architecture.md names is there, and its map of rooms is the one that is checked."""

import re
import tomllib
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


def test_the_map_of_rooms_is_the_one_that_imports_are_held_to() -> None:
    drawn = TEXT.partition("## Rooms, and who may import whom")[2].split("```")[1]
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    (layers,) = (contract["layers"] for contract in contracts if contract.get("containers") == ["mama_bot"])
    assert [re.findall(r"\w+", layer) for layer in re.sub(r"\(.*?\)", "", drawn).split(">")] == [
        re.findall(r"\w+", layer) for layer in layers
    ]
