"""A post in Slack's own markup (mrkdwn)."""

from collections.abc import Sequence

from mama_bot.gateways.chat.markdown.characters import ZERO_WIDTH_SPACE, utf16_units
from mama_bot.gateways.chat.markdown.dialect import Dialect
from mama_bot.gateways.chat.markdown.tree import BOLD, CODE, ITALIC, STRIKE, STYLES, StyledRun

# Slack recommends 4,000 and cuts at 40,000; the rest is for what the gateway adds.
LIMIT = 3400

_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_IN_ADDRESS = str.maketrans({"&": "&amp;", "|": "%7C"})
_MARKS = "*_~`"
_OPENING_PUNCTUATION = frozenset("([{\"'")
_CLOSING_PUNCTUATION = frozenset(".,:;!?)]}\"'")
# What is no edge of a word, but cannot be seen.
_WORD_JOINER = "\u2060"
_STYLE_OF = {"*": BOLD, "_": ITALIC, "~": STRIKE, "`": CODE}
_APART = {mark: f"{ZERO_WIDTH_SPACE}{mark}{ZERO_WIDTH_SPACE}" for mark in "*_~"}
_APART["`"] = f"{_WORD_JOINER}`{_WORD_JOINER}"


class SlackDialect(Dialect):
    """mrkdwn, in which a mark counts only at the edge of a word; Slack takes a zero-width space for such an edge."""

    limit = LIMIT
    marks = {BOLD: ("*", "*"), ITALIC: ("_", "_"), STRIKE: ("~", "~")}  # noqa: RUF012 - never changed
    labels = False

    def escape(self, text: str, hazards: str) -> str:
        """Return the three characters of mrkdwn escaped, and its marks taken apart."""
        escaped = text.translate(_ESCAPES)
        return _defused(escaped, hazards) if hazards else escaped

    def style(self, text: str, style: int) -> int:
        """Return the styles that no mark among the words would end: none where they begin or end with such a mark."""
        if style & CODE:
            return style if _can_be_code(text) else 0
        if text[0] in _MARKS or text[-1] in _MARKS:
            return 0
        return sum(mark for mark in STYLES if style & mark and self.marks[mark][0] not in text)

    def code(self, text: str) -> str:
        """Return a span, which cannot hold a backtick: such code is shown as words."""
        if not _can_be_code(text):
            return self.guard(self.escape(text, _MARKS))
        return f"`{text.translate(_ESCAPES)}`"

    def fence(self, lines: Sequence[str], language: str) -> str:
        """Return a fence; mrkdwn knows no languages."""
        return f"```\n{chr(10).join(lines)}\n```"

    def fenced(self, line: str) -> str:
        """Return a line that does not end the fence."""
        while "``" in line:
            line = line.replace("``", f"`{ZERO_WIDTH_SPACE}`")
        return line.translate(_ESCAPES)

    def quote(self, lines: Sequence[str]) -> str:
        """Return the lines, each with a bracket before it."""
        return "\n".join([f"> {line}" for line in lines])

    def link(self, label: str, words: str, href: str) -> str:
        """Return the address, and the words where they differ."""
        address = href.translate(_IN_ADDRESS)
        if words == href:
            return f"<{address}>"
        return f"<{address}|{self.escape(words, '`')}>"

    def accepts(self, href: str, words: str) -> bool:
        """Return whether it is a web or mail address."""
        is_known = href.startswith(("http://", "https://", "mailto:"))
        return is_known and not any(character.isspace() or character in "<>" for character in href)

    def cost(self, markup: str, plain: str) -> int:
        """Return UTF-16 units of the markup."""
        return utf16_units(markup)

    def hazards(self, runs: tuple[StyledRun, ...]) -> str:
        """Return the marks that have a partner in the line; one alone ("~/src") can stay as it is."""
        words = "".join([run.text for run in runs])
        present = [mark for mark in _MARKS if mark in words]
        if not present:
            return ""
        styles = {style for run in runs for style in (*STYLES, CODE) if run.style & style}
        return "".join([mark for mark in present if words.count(mark) > 1 or _STYLE_OF[mark] in styles])

    def joint(self, before: str, after: str) -> str:
        """Return a zero-width space where there is no edge of a word."""
        return "" if before in _OPENING_PUNCTUATION or after in _CLOSING_PUNCTUATION else ZERO_WIDTH_SPACE

    def guard(self, markup: str) -> str:
        """Return a line that is no quote by accident."""
        return f"{ZERO_WIDTH_SPACE}{markup}" if markup.startswith("&gt;") else markup


def _can_be_code(text: str) -> bool:
    return "`" not in text and bool(text.strip())


def _defused(text: str, hazards: str) -> str:
    """Return words whose marks begin no markup: no mark stays at the edge of a word with a letter behind it."""
    made: list[str] = []
    before = ""
    for position, character in enumerate(text):
        if character in hazards:
            after = text[position + 1 : position + 2]
            in_word = before.isascii() and before.isalnum()
            harmless = character != "`" and (in_word or after.isspace())
            made.append(character if harmless else _APART[character])
        else:
            made.append(character)
        before = character
    return "".join(made)


DIALECT = SlackDialect()
