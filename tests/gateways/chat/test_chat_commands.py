"""Commands as text and as buttons."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mama_bot.gateways.chat.command_forms import (
    asked_command,
    button_value,
    buttons_under,
    parse_button,
    parse_command,
)
from mama_bot.model import (
    BUTTONS_ONLY,
    DESCRIPTIONS,
    CommandName,
    ConversationKey,
    Notice,
    NoticeKind,
    Platform,
    PostId,
)
from mama_bot.wording import Language


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/status", (CommandName.STATUS, "")),
        ("  /usage 30 ", (CommandName.USAGE, "30")),
        ("/report@team_bot 칭찬이 아닙니다\nno praise", (CommandName.REPORT, "칭찬이 아닙니다\nno praise")),
        ("/approve 3", (CommandName.APPROVE, "3")),
        ("/상태", (CommandName.STATUS, "")),
        ("/사용량 30", (CommandName.USAGE, "30")),
        ("/병합 그래도", (CommandName.MERGE, "그래도")),
        ("/배포 해 줘", None),
        ("/always 3", None),
        ("/statusx", None),
        ("status", None),
        ("/", None),
        ("please /stop", None),
        ("/etc/passwd is wrong", None),
        ("/agents/x", None),
    ],
)
def test_a_text_is_a_command_or_not(text: str, expected: object) -> None:
    assert parse_command(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/status", (CommandName.STATUS, "")),
        ("/stauts", (CommandName.HELP, "/stauts")),
        ("/usgae 30", None),  # the intake knows the team, and says which is meant
        ("/reviewer changes", None),
        ("/weather", (CommandName.HELP, "/weather")),
        ("/상태창", (CommandName.HELP, "/상태창")),
        ("/etc is full, clean it up", None),
        ("/etc/passwd is wrong", None),
        ("/ 가", None),
        ("stauts", None),
    ],
)
def test_a_word_alone_that_is_no_command_asks_for_help_with_it(text: str, expected: object) -> None:
    assert asked_command(text) == expected


@given(st.sampled_from(CommandName), st.text("ABCDEFGH-23:", max_size=40))
def test_a_button_says_again_what_it_was_made_of(name: CommandName, argument: str) -> None:
    value = button_value(name, argument)
    assert parse_button(value) == (name, argument)
    assert len(value.encode()) <= 64


@given(st.text())
def test_any_text_can_be_asked(text: str) -> None:
    parse_command(text)
    assert parse_button(f"x{text}") is None


def test_every_command_is_described_in_every_language() -> None:
    assert set(DESCRIPTIONS) == set(CommandName) - BUTTONS_ONLY
    texts = [about.to(language) for about in DESCRIPTIONS.values() for language in Language]
    assert 0 < min(map(len, texts)) <= max(map(len, texts)) <= 100


def test_a_question_of_a_rule_may_be_answered_for_good_and_a_request_to_be_served_not() -> None:
    asked = Notice(
        id=PostId("q"),
        key=ConversationKey(Platform("memory"), "general"),
        notice=NoticeKind.QUESTION,
        text="",
        approval="tool-3",
    )
    values = [button.value for button in buttons_under(asked)]
    assert values == ["mama:approve:tool-3", "mama:deny:tool-3", "mama:always:tool-3"]
    assert [parse_button(value) for value in values][-1] == (CommandName.ALWAYS, "tool-3")
    pairing = replace(asked, notice=NoticeKind.PAIRING)
    assert CommandName.ALWAYS not in {button.name for button in buttons_under(pairing)}
