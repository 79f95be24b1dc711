"""A post in the HTML that Telegram reads."""

from collections.abc import Sequence

from mama_bot.gateways.chat.markdown.characters import utf16_units
from mama_bot.gateways.chat.markdown.dialect import Dialect
from mama_bot.gateways.chat.markdown.tree import BOLD, ITALIC, STRIKE

# Telegram takes 4,096 units of what is shown; the rest is for what the gateway adds.
LIMIT = 3960

# It takes 100 entities; and of raw HTML nobody says how much, so that three times the limit must do.
_ENTITY_COST = 40
_RAW_SHARE = 3
_MAX_LANGUAGE = 20
_LANGUAGE = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_+-.#")
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})


class TelegramDialect(Dialect):
    """The few tags that Telegram knows."""

    limit = LIMIT
    marks = {  # noqa: RUF012 - never changed
        BOLD: ("<b>", "</b>"),
        ITALIC: ("<i>", "</i>"),
        STRIKE: ("<s>", "</s>"),
    }
    plain_code = True
    quote_cost = _ENTITY_COST
    quoted_cost = 0

    def escape(self, text: str, hazards: str) -> str:
        """Return the characters of HTML escaped."""
        return text.translate(_ESCAPES)

    def code(self, text: str) -> str:
        """Return a span."""
        return f"<code>{text.translate(_ESCAPES)}</code>"

    def fence(self, lines: Sequence[str], language: str) -> str:
        """Return a block, with the class of its language."""
        name = language.lower()
        code = "\n".join(lines)
        if name and len(name) <= _MAX_LANGUAGE and _LANGUAGE.issuperset(name):
            return f'<pre><code class="language-{name}">{code}</code></pre>'
        return f"<pre>{code}</pre>"

    def fenced(self, line: str) -> str:
        """Return a line, escaped."""
        return line.translate(_ESCAPES)

    def quote(self, lines: Sequence[str]) -> str:
        """Return one quote; Telegram nests none."""
        return f"<blockquote>{chr(10).join(lines)}</blockquote>"

    def link(self, label: str, words: str, href: str) -> str:
        """Return a link; a bare address becomes one by itself."""
        if words == href:
            return words.translate(_ESCAPES)
        return f'<a href="{href.translate(_ESCAPES)}">{label}</a>'

    def accepts(self, href: str, words: str) -> bool:
        """Return whether it is a web or mail address, or a tg: address that names nobody (no hidden mentions)."""
        if href.startswith("tg://"):
            return not href.lower().startswith("tg://user")
        return href.startswith(("http://", "https://", "mailto:"))

    def cost(self, markup: str, plain: str) -> int:
        """Return UTF-16 units of what is shown, or what the raw HTML or the number of entities takes of it."""
        tags = markup.count("</")
        return max(utf16_units(plain), -(-len(markup) // _RAW_SHARE), tags * _ENTITY_COST)


DIALECT = TelegramDialect()
