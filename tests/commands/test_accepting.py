"""`mama-bot reports accept`: a report is settled only when that achieves something."""

import os
from dataclasses import replace

import pytest

from mama_bot.model import Audience, Finding, StageVerdict
from tests.commands.places import Place
from tests.commands.test_reports import ENTRIES, TURN, approval, held, praise, reported, states, written

AGENT = replace(TURN, audience=Audience.AGENT)
FLATTERY = "What an excellent question! This is truly brilliant work, absolutely outstanding."


def found(*texts: str) -> list[StageVerdict]:
    return [held(decision=praise(*(Finding(kind="praise", text=text, start=0, end=0) for text in texts)))]


def test_a_report_whose_text_would_still_not_pass_stays_open(place: Place) -> None:
    reported(place, found("What an excellent question!"), text=FLATTERY, turn=AGENT)
    content = written(place)
    told = place.run("reports", "accept", "1")
    assert (told.status, "stays open" in told.complaint, "Traceback" in told.complaint) == (2, True, False)
    assert "does not pass response_validator yet" in told.complaint
    assert (written(place), states(place)) == (content, ["open"])


def test_a_phrase_that_helps_partly_is_written_and_what_is_left_is_said(place: Place) -> None:
    reported(place, found(FLATTERY), text=FLATTERY, turn=AGENT)
    told = place.run("reports", "accept", "1", "--phrase", "excellent question")
    assert (told.status, told.complaint) == (0, "")
    assert "does not pass response_validator yet" in told.output
    assert states(place) == ["accepted"]


def test_a_phrase_that_is_not_in_the_text_or_does_not_help_changes_nothing(place: Place) -> None:
    text = f"{FLATTERY} The parser in a.py has 3 functions and 2 bugs."
    reported(place, found(FLATTERY), text=text, turn=AGENT)
    content = written(place)
    told = place.run("reports", "accept", "1", "--phrase", "perfect hash")
    assert (told.status, "does not occur in the text of report 1" in told.complaint) == (2, True)
    told = place.run("reports", "accept", "1", "--phrase", "3 functions")
    assert (told.status, "stays open" in told.complaint) == (2, True)
    assert (written(place), states(place)) == (content, ["open"])


def test_the_text_is_judged_with_the_words_of_the_configuration(place: Place) -> None:
    text = "Alles paletti und durchgewunken im dritten Anlauf."
    reported(place, [held("review_gate", approval(text, text))], text=text)
    content = place.file.read_text(encoding="utf-8")
    words = "enforcement:\n  words:\n    approval: ['alles paletti']\n"
    place.file.write_text(content.replace("enforcement:\n", words, 1), encoding="utf-8")
    told = place.run("reports", "accept", "1", "--phrase", "paletti")
    assert (told.status, "does not pass review_gate yet" in told.complaint) == (2, True)
    assert place.run("reports", "accept", "1").status == 0


def test_a_dry_run_says_what_would_be_written_and_writes_nothing(place: Place) -> None:
    reported(place)
    content = written(place)
    told = place.run("reports", "accept", "1", "--dry-run")
    assert (told.status, told.complaint) == (0, "")
    for words in (*ENTRIES, "What an **excellent** question!", "would pass response_validator", "Nothing was written"):
        assert words in told.output
    assert (written(place), states(place)) == (content, ["open"])


@pytest.mark.parametrize("kind", ["directory", "dangling", "loop", "pipe"])
def test_an_accepted_file_that_is_no_file_is_told_and_not_passed_over(place: Place, kind: str) -> None:
    place.accepted.parent.mkdir()
    match kind:
        case "directory":
            place.accepted.mkdir()
        case "dangling":
            place.accepted.symlink_to("nowhere.yaml")
        case "loop":
            place.accepted.symlink_to(place.accepted.name)
        case _:
            os.mkfifo(place.accepted)
    told = place.run("check")
    assert (told.status, "Traceback" in told.complaint) == (2, False)
    assert f"{place.accepted}: This is no regular file." in told.complaint
