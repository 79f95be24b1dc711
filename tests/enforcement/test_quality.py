"""How well the labelled messages are judged, on both halves.

The test half was only ever measured; nothing was mended after looking at it. Do not look at it. The project's goal for
reviews, F1 0.97, holds on the development half; the test half has 0.965 (benchmarks/judgement.md), and must not fall.
"""

import pytest

from benchmarks.judgement import judged, read_messages, tally

FLOORS = [
    ("development", "flattery", 0.97),
    ("development", "review", 0.97),
    ("test", "flattery", 0.95),
    ("test", "review", 0.96),
]
FALSE_ALARMS = 0.01


@pytest.mark.parametrize(("half", "question", "least"), FLOORS)
def test_judgement_does_not_get_worse(half: str, question: str, least: float) -> None:
    messages = read_messages(half)
    tallied = tally(messages, judged(messages), question, "language")["all"]
    assert tallied.f1 >= least, f"F1 {tallied.f1:.3f}"
    assert tallied.false_alarm_rate <= FALSE_ALARMS, (
        f"{tallied.false_alarms} of {tallied.false_alarms + tallied.passes}"
    )


def test_no_message_is_in_both_halves() -> None:
    development, test = ({message["text"] for message in read_messages(half)} for half in ("development", "test"))
    assert len(development) + len(test) >= 400
    assert not development & test


@pytest.mark.parametrize("half", ["development", "test"])
def test_the_labels_are_whole_and_half_of_the_messages_pass(half: str) -> None:
    messages = read_messages(half)
    assert len({message["id"] for message in messages}) == len(messages)
    for message in messages:
        assert set(message["expected"]) >= {"flattery", "review"}, message["id"]
        assert set(message["expected"].values()) <= {"pass", "reject", True, False}, message["id"]
        assert message["language"] in {"en", "ko", "mixed"}, message["id"]
    passing = sum(message["expected"]["flattery"] == message["expected"]["review"] == "pass" for message in messages)
    assert 0.4 < passing / len(messages) < 0.7
