"""Whatever an agent writes, the platform takes it as it was rendered."""

from hypothesis import given, settings
from hypothesis import strategies as st

from mama_bot.gateways.chat.markdown.posts import parts_of, short_message
from mama_bot.gateways.telegram.dialect import DIALECT
from mama_bot.model import ConversationKey, Notice, NoticeKind, Platform, PostId
from tests.platforms.telegram_server.markup import CAPTION_UNITS, TEXT_UNITS, read_text, units

MARKS = ("**", "*", "_", "~~", "`", "```\n", "```py\n", "# ", "> ", "- ", "1. ", "\n", "\n\n", "    ", "\\", "||", "!")
LINKS = ("[", "](http://a.b?c&d)", "](tg://x)", "![x](y)", "<a href=", '"', "'", "@everyone")
TAGS = ("<b>", "</i>", "<", "&lt;", "&", "| a | b |\n|--|--|\n| c | d |\n")
LONG = ("안녕", "👩‍💻", "🙂" * 700, "word " * 900, "\u202e", "\x00", "\ud83d", "x" * 5000)
PIECES = st.sampled_from((*MARKS, *LINKS, *TAGS, *LONG))
TEXTS = st.lists(st.one_of(PIECES, st.text(max_size=12)), max_size=25).map("".join)
KEY = ConversationKey(Platform("telegram"), "1")


@settings(max_examples=150)
@given(TEXTS)
def test_every_part_is_taken(text: str) -> None:
    parts = parts_of(Notice(id=PostId("n"), key=KEY, notice=NoticeKind.STOPPED, text=text), DIALECT)
    assert [part.index for part in parts] == list(range(len(parts)))
    for part in parts:
        caption = part.file is not None
        limit = CAPTION_UNITS if caption else TEXT_UNITS
        shown = read_text(part.text, "HTML", limit=limit, caption=caption)
        assert units(shown.text) <= limit
        assert len(shown.entities) <= 100


@settings(max_examples=80)
@given(TEXTS)
def test_every_line_of_the_service_is_taken(text: str) -> None:
    html, plain = short_message(text, DIALECT)
    assert read_text(html, "HTML").text
    assert plain.strip()
