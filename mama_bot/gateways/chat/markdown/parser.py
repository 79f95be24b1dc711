"""Markdown as blocks; no text is too deep, too long or too strange, and none is lost."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from mama_bot.gateways.chat.markdown.characters import cleaned
from mama_bot.gateways.chat.markdown.inlines import InlineParser
from mama_bot.gateways.chat.markdown.mentions import harmless
from mama_bot.gateways.chat.markdown.text_tables import Cell, table
from mama_bot.gateways.chat.markdown.tree import Block, Code, Line, StyledRun, Text

# Beyond this depth the parser would leave text out.
_MAX_NESTING = 20
_MAX_QUOTES = 8
_BAR = "│ "
_RULE = "──────────"
_EMPTY = frozenset({"paragraph_open", "paragraph_close"})
_TASKS = {"[ ] ": "☐", "[x] ": "☑", "[X] ": "☑"}


def parse_blocks(text: str, *, quoted: bool = False, leave_out: Callable[[str], bool] | None = None) -> list[Block]:
    """Return the blocks of a Markdown text; skips the lines of prose for which `leave_out(line)` is true."""
    text = cleaned(text)
    markdown, inline = _parsers(quotes=not _is_deeply_quoted(text))
    tokens: list[Token] = []
    markdown.block.parse(text, markdown, {}, tokens)
    if max([token.level for token in tokens], default=0) >= _MAX_NESTING - 1:
        return list(_plain(text, quoted=quoted))
    return _Walk(inline, quoted=quoted, leave_out=leave_out).blocks(tokens)


def _plain(text: str, *, quoted: bool) -> Iterable[Block]:
    for paragraph in text.split("\n\n"):
        lines = [
            Line((StyledRun(harmless(line.strip())),), quoted=quoted) for line in paragraph.split("\n") if line.strip()
        ]
        if lines:
            yield Text(tuple(lines))


def _is_deeply_quoted(text: str) -> bool:
    if ">>" not in text and "> >" not in text:
        return False
    return any(
        line.count(">", 0, len(line) - len(line.lstrip("> \t"))) > _MAX_QUOTES
        for line in text.split("\n")
        if line.lstrip(" ").startswith(">")
    )


@cache
def _parsers(*, quotes: bool) -> tuple[MarkdownIt, InlineParser]:
    def parser(*without: str) -> MarkdownIt:
        # Raw HTML is text here; a definition of a link is shown, since "[WARN]: failed" looks like one.
        markdown = MarkdownIt("commonmark", {"html": False, "maxNesting": _MAX_NESTING})
        return markdown.enable(["table", "strikethrough"]).disable(["reference", "html_block", "html_inline", *without])

    markdown = parser() if quotes else parser("blockquote")
    return markdown, InlineParser(markdown, parser("link", "image"))


class _Walk:
    """One way through the tokens of a text."""

    def __init__(self, inline: InlineParser, *, quoted: bool, leave_out: Callable[[str], bool] | None) -> None:
        self._inline = inline
        self._leave_out = leave_out
        self._quotes = 1 if quoted else 0
        self._numbers: list[int | None] = []
        self._marker = ""
        self._heading = 0
        self._first_item = False
        self._blocks: list[Block] = []

    def blocks(self, tokens: Sequence[Token]) -> list[Block]:
        """Return what the tokens say."""
        index = 0
        while index < len(tokens):
            token = tokens[index]
            if token.type == "table_open":
                end = next(at for at in range(index, len(tokens)) if tokens[at].type == "table_close")
                self._table(tokens[index:end])
                index = end
            elif token.type == "inline":
                self._text(token.content)
            elif token.type not in _EMPTY:
                self._other(token)
            index += 1
        return self._blocks

    def _other(self, token: Token) -> None:
        match token.type:
            case "heading_open":
                self._heading = int(token.tag[1])
            case "heading_close":
                self._heading = 0
            case "fence":
                self._code(token.content, token.info.split(maxsplit=1)[0] if token.info.strip() else "")
            case "code_block":
                self._code(token.content, "")
            case "hr":
                self._add([(StyledRun(_RULE),)])
            case "blockquote_open" | "blockquote_close":
                self._quotes += token.nesting
            case _:
                self._list(token)

    def _list(self, token: Token) -> None:
        match token.type:
            case "bullet_list_open" | "ordered_list_open":
                self._first_item = not self._numbers
                self._numbers.append(int(token.attrs.get("start", 1)) if token.tag == "ol" else None)
            case "bullet_list_close" | "ordered_list_close":
                self._numbers.pop()
            case "list_item_open":
                self._item()
            case "list_item_close":
                self._marker = ""
            case _:
                pass

    def _item(self) -> None:
        if self._marker:
            self._add([()])  # a list in a list item that has no words of its own
        number = self._numbers[-1]
        self._marker = "•" if number is None else f"{number}."
        self._numbers[-1] = None if number is None else number + 1

    def _text(self, content: str) -> None:
        if self._leave_out is not None and "::" in content:
            content = "\n".join(line for line in content.split("\n") if not self._leave_out(line.strip()))
        if self._marker and content[:4] in _TASKS:
            self._marker = _TASKS[content[:4]] if self._marker == "•" else f"{self._marker} {_TASKS[content[:4]]}"
            content = content[4:]
        self._add(self._inline.lines(content))

    def _add(self, lines: Sequence[tuple[StyledRun, ...]]) -> None:
        if not lines:
            return
        quoted, bars = self._quotes > 0, _BAR * (self._quotes - 1)
        depth = len(self._numbers)
        made = []
        for runs in lines:
            indent = f"{bars}{'  ' * (depth - 1 if self._marker else depth)}"
            made.append(Line(runs, indent, self._marker, quoted, self._heading))
            self._marker = ""
        self._blocks.append(Text(tuple(made), gap=self._gap()))

    def _gap(self) -> bool:
        """Whether an empty line goes before what is added now."""
        before = self._blocks[-1] if self._blocks else None
        gap = not self._numbers or self._first_item
        self._first_item = False
        return gap and not (isinstance(before, Text) and before.leads and not self._heading)

    def _code(self, content: str, language: str) -> None:
        if self._marker:
            self._add([()])
        lines = [harmless(line.rstrip()) for line in content.split("\n")]
        while lines and not lines[-1]:
            lines.pop()
        while lines and not lines[0]:
            lines.pop(0)
        if lines:
            self._blocks.append(Code(tuple(lines), language, gap=self._gap()))

    def _table(self, tokens: Sequence[Token]) -> None:
        if self._marker:
            self._add([()])
        rows: list[list[Cell]] = []
        alignments = []
        for token in tokens:
            if token.type == "tr_open":
                rows.append([])
            elif token.type in {"th_open", "td_open"}:
                if len(rows) == 1:
                    alignments.append(str(token.attrs.get("style", "")).removeprefix("text-align:"))
            elif token.type == "inline":
                rows[-1].append(self._inline.cell(token.content))
        self._gap()
        self._blocks.extend(table(rows[0], rows[1:], alignments, quoted=self._quotes > 0))
