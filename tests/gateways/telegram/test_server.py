"""The server of our own refuses what the real one refuses, in the same words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.platforms.telegram_server import TelegramServer
from tests.platforms.telegram_server.markup import read_text
from tests.platforms.telegram_server.wire import ApiError

REFUSED = [
    ("HTML", "<b>bold", 'Can\'t find end tag corresponding to start tag "b"'),
    ("HTML", "a < b", "Unsupported start tag"),
    ("HTML", "<h1>x</h1>", 'Unsupported start tag "h1" at byte offset 0'),
    ("HTML", "가<b>x</i>", 'Unmatched end tag at byte offset 7, expected "</b>", found "</i>"'),
    ("HTML", "x</b>", "Unexpected end tag at byte offset 1"),
    ("MarkdownV2", "1. first", "Character '.' is reserved and must be escaped with the preceding '\\'"),
    ("MarkdownV2", "*bold", "Can't find end of Bold entity at byte offset 0"),
    ("MarkdownV2", "가 `x", "Can't find end of Code entity at byte offset 4"),
    ("MarkdownV2", "[x](http://a", "Can't find end of a URL"),
    ("MarkdownV2", "```\nx", "Can't find end of Pre entity"),
]
TAKEN = [
    ("HTML", "<b>bold</b> &amp; <i>x</i> &nbsp; a > b", "bold & x &nbsp; a > b"),
    ("HTML", '<pre><code class="language-py">x &lt; y</code></pre>', "x < y"),
    ("HTML", '<a href="http://a?b&amp;c">link</a>', "link"),
    ("MarkdownV2", "*bold _both_* 1\\. `a.b*` [x](http://a\\)b)", "bold both 1. a.b* x"),
    ("MarkdownV2", "```py\na = {1}\n```", "a = {1}"),
    ("MarkdownV2", "||secret|| ~gone~ __under__", "secret gone under"),
    ("", "1. *as* it <is>", "1. *as* it <is>"),
]


@pytest.mark.parametrize(("mode", "text", "reason"), REFUSED)
def test_markup_that_cannot_be_read_is_refused(mode: str, text: str, reason: str) -> None:
    with pytest.raises(ApiError) as caught:
        read_text(text, mode)
    assert caught.value.status == 400
    assert caught.value.description.startswith("Bad Request: can't parse entities: ")
    assert reason in caught.value.description


@pytest.mark.parametrize(("mode", "text", "plain"), TAKEN)
def test_markup_that_can_be_read_is_taken(mode: str, text: str, plain: str) -> None:
    assert read_text(text, mode).text == plain


def test_entities_count_in_utf16_units() -> None:
    assert read_text("👩‍💻 <b>x🙂</b>", "HTML").entities == [{"type": "bold", "offset": 6, "length": 3}]


def test_limits_are_those_of_what_is_shown() -> None:
    assert len(read_text(f"<b>{'x' * 4096}</b>", "HTML").text) == 4096
    for text in ("🙂" * 2049, "x" * 4097):
        with pytest.raises(ApiError, match="message is too long"):
            read_text(text, "HTML")
    for text in ("", " \n ", "<b> </b>"):
        with pytest.raises(ApiError, match="message text is empty"):
            read_text(text, "HTML")


@given(st.text(alphabet=st.characters(codec="utf-8"), min_size=1))
def test_escaped_text_is_always_taken(text: str) -> None:
    escaped = "".join(f"\\{one}" if one in r"_*[]()~`>#+-=|{}.!\\" else one for one in text)
    html = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    if text.strip():
        assert read_text(escaped, "MarkdownV2").text == read_text(html, "HTML").text == text.strip()


async def test_a_bot_sees_what_privacy_mode_lets_it_see() -> None:
    async with TelegramServer() as server:
        private, open_, admin, gone = (
            server.add_bot(f"{number}:A", f"bot{number}_bot", privacy=number != 2) for number in range(1, 5)
        )
        chat = server.add_group(-1001, private, open_, gone, admins=[admin])
        server.kick(chat, gone)
        person = server.add_person(7, "Alice")
        for text in ("hello", "@bot1_bot hello", "/start", "/start@bot2_bot"):
            server.say(person, text, chat=chat)
        assert [bot.queue.waiting for bot in (private, open_, admin, gone)] == [2, 4, 4, 0]
