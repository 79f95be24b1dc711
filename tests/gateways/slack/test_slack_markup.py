import pytest
from hypothesis import given
from hypothesis import strategies as st

from mama_bot.gateways.slack.markup import mentioned, typed, without_mention
from mama_bot.gateways.slack.wire import Written, event_of
from tests.platforms.slack_server import escaped


def plain(text: str) -> str:
    return typed(text, people={"U1": "bob"}, personas={"U2": "reviewer"}, emoji={"wave": "👋"})


@given(st.text())
def test_whatever_a_person_types_is_read_back(text: str) -> None:
    assert typed(escaped(text), people={}, personas={}, emoji={}) == text


@given(st.text(alphabet="<>@#!|U12:/.a &;\n"))
def test_any_markup_is_read(text: str) -> None:
    assert isinstance(plain(text), str)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<@U1> and <@U1|robert>", "bob and bob"),
        ("<@U2>: look", "@reviewer: look"),
        ("<@U9>", "U9"),
        ("<#C1|general> <#C1|> <#C1>", "#general #C1 #C1"),
        ("<http://example.com|example.com>", "example.com"),
        ("<https://example.com/a?b=c&amp;d=e>", "https://example.com/a?b=c&d=e"),
        ("<mailto:a@b.example|a@b.example>", "a@b.example"),
        ("<https://example.com|the page>", "[the page](https://example.com)"),
        ("<!here> <!channel> <!subteam^S1|@ops> <!date^1^{date}|today>", "@here @channel @ops today"),
        (":wave: :wave::skin-tone-2: :unknown:", "👋 👋 :unknown:"),
        ("a &lt;b&gt; &amp;amp; c", "a <b> &amp; c"),
        ("&lt;@U1&gt;", "<@U1>"),
    ],
)
def test_markup_becomes_what_was_typed(text: str, expected: str) -> None:
    assert plain(text) == expected


def test_the_mention_goes_with_the_space_behind_it() -> None:
    assert without_mention("<@U1>  \n fix it, <@U1|bot> please", "U1") == "fix it, please"
    assert mentioned("<@U1> <@U2|x> <@U1> &lt;@U3&gt;") == ("U1", "U2")


def test_emoji_come_from_the_rich_text() -> None:
    blocks = [
        {
            "type": "rich_text",
            "elements": [
                {"type": "rich_text_section", "elements": [{"type": "emoji", "name": "wave", "unicode": "1f44b-1f3fb"}]}
            ],
        }
    ]
    event = {
        "type": "message",
        "channel": "D1",
        "ts": "1.0",
        "user": "U1",
        "text": ":wave::skin-tone-2:",
        "blocks": blocks,
    }
    message = event_of({"type": "event_callback", "team_id": "T1", "event": event})
    assert isinstance(message, Written)
    assert message.direct
    assert typed(message.text, people={}, personas={}, emoji=message.emoji) == "👋🏻"


def test_a_message_that_was_passed_on_is_read_as_a_quotation() -> None:
    shared = [{"is_share": True, "text": "line one\nline &lt;two&gt;"}, {"title": "a preview", "text": "of a link"}]
    event = {"type": "message", "channel": "D1", "ts": "1.0", "user": "U1", "text": "see", "attachments": shared}
    message = event_of({"type": "event_callback", "team_id": "T1", "event": event})
    assert isinstance(message, Written)
    assert plain(message.text) == "see\n> line one\n> line <two>"


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["type", "event", "message", "channel", "ts", "subtype", "user", "actions", "command", "files"]
                ),
                inner
                | st.sampled_from(["message", "message_changed", "message_deleted", "block_actions", "app_mention"]),
                max_size=6,
            )
        ),
        max_leaves=30,
    )
)
def test_no_payload_is_too_strange_to_be_read(payload: object) -> None:
    if isinstance(payload, dict):
        event_of(payload)
