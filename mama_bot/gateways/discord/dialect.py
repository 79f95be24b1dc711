"""A post in Discord's own markup."""

from collections.abc import Sequence

from mama_bot.gateways.chat.markdown.characters import ZERO_WIDTH_SPACE, utf16_units
from mama_bot.gateways.chat.markdown.dialect import Dialect, write
from mama_bot.gateways.chat.markdown.tree import BOLD, CODE, ITALIC, STRIKE, Line, StyledRun

# Discord takes 2,000; the rest is for what the gateway adds.
LIMIT = 1850

_MAX_LANGUAGE = 20
_LANGUAGE = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_+-.#")
_DEEPEST_HEADING = 3
_ESCAPES = str.maketrans({character: f"\\{character}" for character in "\\*_~`|"})
_BRACKETS = str.maketrans({"[": "\\[", "]": "\\]"})


class DiscordDialect(Dialect):
    """Markdown as Discord reads it."""

    limit = LIMIT
    marks = {BOLD: ("**", "**"), ITALIC: ("*", "*"), STRIKE: ("~~", "~~")}  # noqa: RUF012 - never changed

    label_hazards = "[]"

    def escape(self, text: str, hazards: str) -> str:
        """Backslashes before all that Discord could take for markup."""
        escaped = text.translate(_ESCAPES)
        if hazards:
            escaped = escaped.translate(_BRACKETS)
        # <t:0>, <:name:0>, </name:0>: what looks like a tag of Discord's.
        if "<" in escaped:
            escaped = escaped.replace("<", "\\<")
        return escaped.replace("://", ":\\//") if "://" in escaped else escaped

    def style(self, text: str, style: int) -> int:
        """Return all styles; of code with a mark in it code alone, since the mark would end a style around it."""
        return CODE if style & CODE and ("*" in text or "~" in text) else style

    def code(self, text: str) -> str:
        """Return a span with as many backticks as its words need."""
        if "`" not in text:
            return f"`{text}`"
        return f"``{_apart(text)}``"

    def fence(self, lines: Sequence[str], language: str) -> str:
        """Return a fence with its language, where Discord may know it."""
        name = language.lower()
        known = name if len(name) <= _MAX_LANGUAGE and _LANGUAGE.issuperset(name) else ""
        return f"```{known}\n{chr(10).join(lines)}\n```"

    def fenced(self, line: str) -> str:
        """Return a line that does not end the fence."""
        return line.replace("``", f"`{ZERO_WIDTH_SPACE}`").replace("``", f"`{ZERO_WIDTH_SPACE}`")

    def quote(self, lines: Sequence[str]) -> str:
        """Return the lines, each with a bracket before it."""
        return "\n".join([f"> {line}" for line in lines])

    def link(self, label: str, words: str, href: str) -> str:
        """Return a masked link, where Discord masks it."""
        address = href.replace("(", "%28").replace(")", "%29")
        if words == href:
            return f"<{href}>"
        if "[" in words or "]" in words:
            label = self.escape(words, "[]")  # in code they could not be escaped
        return f"[{label}]({address})"

    def accepts(self, href: str, words: str) -> bool:
        """Return whether it is a web address: Discord shows one as a label with its brackets."""
        if "://" in words and words != href:
            return False
        return href.startswith(("http://", "https://")) and not _ends_link(href)

    def cost(self, markup: str, plain: str) -> int:
        """Return UTF-16 units of the markup."""
        return utf16_units(markup)

    def hazards(self, runs: tuple[StyledRun, ...]) -> str:
        """Brackets, where two of them could be a link."""
        return "[]" if "](" in "".join([run.text for run in runs]) else ""

    def joint(self, before: str, after: str) -> str:
        """Keeps alike marks apart."""
        return ZERO_WIDTH_SPACE if before == after and before in "*~`" else ""

    def guard(self, markup: str) -> str:
        """Return a line that is no list, quote or heading by accident."""
        if markup[:1] in {"#", "-", "+", ">"}:
            return f"\\{markup}"
        digits = len(markup) - len(markup.lstrip("0123456789"))
        if digits and markup[digits : digits + 1] in {".", ")"}:
            return f"{markup[:digits]}\\{markup[digits:]}"
        return markup

    def heading(self, runs: tuple[StyledRun, ...], level: int) -> str:
        """Discord's own, down to the third level."""
        if level > _DEEPEST_HEADING:
            return super().heading(runs, level)
        return f"{'#' * level} {write(self, runs)}"

    def subdued(self, runs: tuple[StyledRun, ...]) -> str:
        """Return Discord's own small print, which no agent's words become: see `guard`."""
        return f"-# {write(self, runs)}"

    def prefix(self, line: Line) -> str:
        """Discord's own bullets, where a line begins with one."""
        return f"{line.indent}- " if line.marker == "•" and not line.indent.strip() else line.prefix


def _apart(text: str) -> str:
    """Code with backticks that neither meet each other nor the ones around it."""
    while "``" in text:
        text = text.replace("``", f"`{ZERO_WIDTH_SPACE}`")
    begin = ZERO_WIDTH_SPACE if text.startswith("`") else ""
    end = ZERO_WIDTH_SPACE if text.endswith("`") else ""
    return f"{begin}{text}{end}"


def _ends_link(href: str) -> bool:
    return any(character.isspace() or character in '<>"' for character in href)


DIALECT = DiscordDialect()
