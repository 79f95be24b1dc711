"""`mama-bot doctor`: what is set and hardly meant stands out."""

import pytest

from tests.commands.places import Place


@pytest.fixture
def open_place(place: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setenv("MAMA_WEB__HOST", "0.0.0.0")
    monkeypatch.setenv("MAMA_WEB__ENABLED", "true")
    return place


def test_a_page_that_others_reach_is_a_note_beside_what_is_in_order(open_place: Place) -> None:
    lines = open_place.run("doctor").output.splitlines()
    (noted,) = [line for line in lines if "web.host is 0.0.0.0" in line]
    assert noted.startswith("note    settings: ")
    assert "over HTTP that others can read" in noted
    assert any(line.startswith("ok      configuration: ") for line in lines)
