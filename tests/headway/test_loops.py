"""Pairs that keep each other busy, and what is work."""

from dataclasses import replace
from datetime import timedelta

import pytest

from mama_bot.headway.loops import AtHand, chain_before, is_idle_pair, is_idle_with
from mama_bot.headway.work_marks import figures_in, marks_of_calls
from mama_bot.model import (
    Audience,
    Author,
    AuthorKind,
    ConversationKey,
    ConversationView,
    Delegation,
    DelegationForm,
    InboundMessage,
    MessageId,
    Platform,
    StoredTurn,
    Turn,
    TurnId,
    TurnKind,
    TurnState,
)
from tests.headway.making import START, attempt, ran

HERE = ConversationKey(Platform("memory"), "general")
NOTHING = AtHand(turn=TurnId("later"))


def asked(number: int, sender: str, recipient: str, task: str, answer: str, *commands: str) -> StoredTurn:
    """A delegation with its answer."""
    name = f"m.{number}"
    delegation = Delegation(sender=sender, recipient=recipient, task=task, form=DelegationForm.DIRECTIVE)
    turn = Turn(
        id=TurnId(name),
        message_id=MessageId("m"),
        key=HERE,
        persona=recipient,
        kind=TurnKind.DELEGATION,
        audience=Audience.AGENT,
        asker=Author(id=sender, name=sender, kind=AuthorKind.AGENT),
        prompt=task,
        delegation=delegation,
    )
    runs = [ran(command, minute=number) for command in commands]
    at = START + timedelta(minutes=number)
    return StoredTurn(
        turn=turn, state=TurnState.ANSWERED, created_at=at, asked=0, attempts=(attempt(answer, runs, turn=name),)
    )


def test_two_rounds_of_words_alone_are_idle_and_a_third_begins_none() -> None:
    rounds = [
        asked(1, "lead", "developer", "Confirm that you are ready", "Confirmed, standing by."),
        asked(2, "developer", "lead", "알겠다고 확인해 주세요", "확인했습니다."),
    ]
    assert is_idle_pair(rounds, "lead", "developer", NOTHING, rounds=2)
    assert not is_idle_pair(rounds[:1], "lead", "developer", NOTHING, rounds=2)
    assert not is_idle_pair(rounds, "lead", "reviewer", NOTHING, rounds=2)
    assert not is_idle_pair(rounds, "lead", "developer", NOTHING, rounds=0)


def test_parts_that_are_still_open_are_no_rounds_and_those_that_led_to_the_turn_at_hand_are() -> None:
    done = asked(1, "lead", "developer", "Confirm", "Confirmed.")
    parts = [replace(asked(number, "lead", "developer", "A part", ""), state=TurnState.RUNNING) for number in (2, 3)]
    assert not is_idle_pair(parts, "lead", "developer", NOTHING, rounds=2)
    assert not is_idle_pair([done, *parts], "lead", "developer", NOTHING, rounds=2)
    below = replace(parts[1], turn=replace(parts[1].turn, parent=done.turn.id, persona="reviewer", delegation=None))
    assert not is_idle_pair([done, parts[0], below], "lead", "developer", NOTHING, rounds=1)
    assert is_idle_pair([done, parts[0]], "lead", "developer", AtHand(turn=parts[0].turn.id), rounds=2)


@pytest.mark.parametrize(
    "last",
    [
        asked(2, "lead", "developer", "And now?", "Done.", "ls"),
        asked(2, "lead", "developer", "And now?", "It takes 42 rows."),
        asked(2, "lead", "developer", "표의 행 수는 42개여야 합니다", "확인했습니다."),
    ],
)
def test_a_new_call_or_figure_is_progress(last: StoredTurn) -> None:
    first = asked(1, "lead", "developer", "Confirm", "Confirmed.")
    assert not is_idle_pair([first, last], "lead", "developer", NOTHING, rounds=2)


def test_the_same_call_again_and_what_was_done_before_are_none() -> None:
    rounds = [asked(number, "lead", "developer", "Look", "It is there.", "ls") for number in (1, 2, 3)]
    assert is_idle_pair(rounds, "lead", "developer", NOTHING, rounds=2)
    early = AtHand(turn=TurnId("m.0"), runs=(ran("cat a.py", minute=0),))
    late = AtHand(turn=TurnId("m.0"), runs=(ran("cat a.py", minute=3),))
    assert is_idle_pair(rounds, "lead", "developer", early, rounds=2)
    assert not is_idle_pair(rounds, "lead", "developer", late, rounds=2)


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("3 failed in 0.2 s (round 4, a.py:12), 95%", {"3", "95"}),
        ("2026-11-23 10:15, commit 4f2a, v2, #12", set()),
        ("12개 중 3개 실패, 0.4초, 4번째 시도", {"12", "3"}),
        ("1,234 rows in attempt 5", {"1,234"}),
    ],
)
def test_a_figure_is_no_time_no_place_and_counts_nothing_off(text: str, figures: set[str]) -> None:
    assert figures_in(text) == figures


def test_a_check_that_fails_less_is_progress_and_one_that_took_longer_is_not() -> None:
    first = marks_of_calls([ran("pytest", "3 failed in 0.21s", failed=3)])
    slower = marks_of_calls([ran("pytest", "3 failed in 0.45s", failed=3)])
    better = marks_of_calls([ran("pytest", "1 failed in 0.21s", failed=1)])
    assert not slower.beyond(first).any
    assert better.beyond(first).solid


def said(number: int, author: str, kind: AuthorKind, text: str = "Thanks, acknowledged!") -> InboundMessage:
    return InboundMessage(
        id=MessageId(f"b{number}"),
        key=HERE,
        author=Author(id=author, name=author, kind=kind),
        text=text,
        received_at=START + timedelta(minutes=number),
    )


def test_a_chain_is_of_bots_and_hooks_since_a_person_wrote_and_within_its_time() -> None:
    messages = (
        said(1, "other", AuthorKind.BOT),
        said(2, "kim", AuthorKind.PERSON),
        said(3, "other", AuthorKind.BOT),
        said(4, "nightly", AuthorKind.SCHEDULE),
        said(30, "ci", AuthorKind.HOOK),
    )
    view = ConversationView(key=HERE, messages=messages)
    now = START + timedelta(minutes=31)
    last = said(31, "other", AuthorKind.BOT)
    assert [message.id for message in chain_before(view, last, now, 3_600)] == ["b3", "b30"]
    assert [message.id for message in chain_before(view, last, now, 120)] == ["b30"]


def test_what_waits_behind_a_message_is_not_of_its_chain_and_a_person_there_ends_none() -> None:
    burst = tuple(said(number, "ci", AuthorKind.HOOK) for number in range(1, 5))
    view = ConversationView(key=HERE, messages=(*burst, said(5, "kim", AuthorKind.PERSON)))
    now = START + timedelta(minutes=6)
    assert [len(chain_before(view, message, now, 3_600)) for message in burst] == [0, 1, 2, 3]


def test_a_bot_with_which_nothing_new_comes_is_idle_until_a_person_writes() -> None:
    bot = [said(number, "other", AuthorKind.BOT) for number in (1, 2, 3)]
    view = ConversationView(key=HERE, messages=tuple(bot))
    assert is_idle_with(view, bot[2], rounds=2)
    assert not is_idle_with(view, bot[1], rounds=2)
    news = said(3, "other", AuthorKind.BOT, "Build failed with 17 errors")
    assert not is_idle_with(ConversationView(key=HERE, messages=(*bot[:2], news)), news, rounds=2)
    between = (*bot[:2], said(2, "kim", AuthorKind.PERSON, "Go on"), bot[2])
    assert not is_idle_with(ConversationView(key=HERE, messages=between), bot[2], rounds=2)
