"""The words of a paragraph with their styles and links."""

from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from mama_bot.gateways.chat.markdown.characters import cleaned
from mama_bot.gateways.chat.markdown.mentions import harmless_runs
from mama_bot.gateways.chat.markdown.tree import BOLD, CODE, ITALIC, STRIKE, StyledRun

_MARKS = ("*", "_", "`", "[", "<", "&", "\\", "~")
_OPENING = {"strong_open": BOLD, "em_open": ITALIC, "s_open": STRIKE}
_CLOSING = {"strong_close": BOLD, "em_close": ITALIC, "s_close": STRIKE}
_BREAKS = ("<br>", "<br/>", "<br />")
_ADDRESSES = ("https://", "http://")
_ENDS_ADDRESS = frozenset('<>"`|\\^{}')
_AFTER_ADDRESS = ".,:;!?'*_~"
# More brackets than this in a paragraph are no links: looking for their ends would take long.
_MAX_BRACKETS = 300


class InlineParser:
    """Reads the words of a paragraph, in time linear in their length."""

    def __init__(self, markdown: MarkdownIt, without_links: MarkdownIt) -> None:
        self._markdown = markdown
        self._without_links = without_links

    def lines(self, content: str) -> list[tuple[StyledRun, ...]]:
        """Return the lines of a paragraph that hold words."""
        runs = self._runs(content)
        lines: list[list[StyledRun]] = [[]]
        for run in runs:
            if "\n" not in run.text:
                lines[-1].append(run)
                continue
            first, *others = run.text.split("\n")
            lines[-1].append(StyledRun(first, run.style, run.href))
            lines.extend([StyledRun(other, run.style, run.href)] for other in others)
        return [line for line in map(_finished, lines) if line]

    def cell(self, content: str) -> tuple[StyledRun, ...]:
        """Return the words of a cell of a table, on one line."""
        lines = self.lines(content)
        return tuple(run for index, line in enumerate(lines) for run in ((StyledRun(" "), *line) if index else line))

    def _runs(self, content: str) -> Sequence[StyledRun]:
        if not _has_marks(content):
            return (StyledRun(content),)
        if "`" in content and (runs := _with_code(content)):
            return runs
        markdown = self._without_links if content.count("[") > _MAX_BRACKETS else self._markdown
        tokens: list[Token] = []
        markdown.inline.parse(content, markdown, {}, tokens)
        runs = list(_styled(tokens))
        if "&" in content:
            runs = [run._replace(text=cleaned(run.text)) for run in runs]
        return runs


def _has_marks(content: str) -> bool:
    for mark in _MARKS:  # noqa: SIM110 - any() takes twice as long, and this is asked of every line
        if mark in content:
            return True
    return False


def _with_code(content: str) -> list[StyledRun]:
    """Return the runs of words with nothing but simple spans of code in them; of others none.

    Code goes before all other markup, so that this is what the parser would find; it takes a fraction of the time.
    """
    pieces = content.split("`")
    if len(pieces) % 2 == 0 or "``" in content or _has_marks("".join(pieces[::2])):
        return []
    return [StyledRun(_code(piece), CODE) if index % 2 else StyledRun(piece) for index, piece in enumerate(pieces)]


def _code(text: str) -> str:
    text = text.replace("\n", " ")
    return text[1:-1] if text[:1] == text[-1:] == " " and text.strip() else text


def _styled(tokens: Sequence[Token]) -> Iterator[StyledRun]:
    depths = {BOLD: 0, ITALIC: 0, STRIKE: 0}
    style, href = 0, ""
    labelled = True
    for token in tokens:
        kind = token.type
        if kind in {"text", "text_special"}:
            if token.content:
                labelled = True
                yield StyledRun(_with_breaks(token.content), style, href)
        elif kind in {"softbreak", "hardbreak"}:
            yield StyledRun("\n", style, href)
        elif kind == "code_inline":
            labelled = True
            yield StyledRun(token.content, style | CODE, href)
        elif kind == "image":
            labelled = True
            source = str(token.attrs.get("src", ""))
            yield StyledRun(token.content or source, style, href or source)
        elif kind == "link_open":
            href, labelled = str(token.attrs.get("href", "")), False
        elif kind == "link_close":
            if not labelled:
                yield StyledRun(href, style, href)
            href = ""
        else:
            style = _style_after(kind, depths)


def _style_after(kind: str, depths: dict[int, int]) -> int:
    if kind in _OPENING:
        depths[_OPENING[kind]] += 1
    elif kind in _CLOSING:
        depths[_CLOSING[kind]] -= 1
    return sum(style for style, depth in depths.items() if depth)


def _with_breaks(text: str) -> str:
    if "<br" in text:
        for tag in _BREAKS:
            text = text.replace(tag, "\n")
    return text


def _finished(runs: list[StyledRun]) -> tuple[StyledRun, ...]:
    """Return a line as it is shown: trimmed, neighbours of one style joined, addresses found, calls made harmless."""
    if len(runs) == 1 and not (runs[0].style or runs[0].href):
        text = runs[0].text.strip()
        if "://" not in text:
            return harmless_runs((StyledRun(text),)) if text else ()
    merged = _trimmed(_merged(runs))
    for run in merged:
        if "://" in run.text:
            merged = [piece for whole in merged for piece in _addressed(whole)]
            break
    return harmless_runs(tuple(merged))


def _merged(runs: list[StyledRun]) -> list[StyledRun]:
    made: list[StyledRun] = []
    texts: list[str] = []
    style, href = 0, ""
    for run in runs:
        text = run.text
        if not text:
            continue
        if texts and (run.style != style or run.href != href):
            made.append(StyledRun("".join(texts), style, href))
            texts = []
        style, href = run.style, run.href
        texts.append(text)
    if texts:
        made.append(StyledRun("".join(texts), style, href))
    return made


def _trimmed(runs: list[StyledRun]) -> list[StyledRun]:
    start, end = 0, len(runs)
    while start < end and not runs[start].text.strip():
        start += 1
    while end > start and not runs[end - 1].text.strip():
        end -= 1
    runs = runs[start:end]
    if runs and runs[0].text[0].isspace():
        runs[0] = runs[0]._replace(text=runs[0].text.lstrip())
    if runs and runs[-1].text[-1].isspace():
        runs[-1] = runs[-1]._replace(text=runs[-1].text.rstrip())
    return runs


def _addressed(run: StyledRun) -> Iterator[StyledRun]:
    """Yield a run with the addresses in it as runs of their own: in them nothing is markup."""
    text, done = run.text, 0
    if run.href or run.style & CODE:
        yield run
        return
    at = text.find("://")
    while at != -1:
        begin = next((at + 3 - len(name) for name in _ADDRESSES if text.endswith(name, done, at + 3)), -1)
        end = _end_of_address(text, at + 3)
        if begin >= done and end > at + 3:
            if begin > done:
                yield StyledRun(text[done:begin], run.style)
            yield StyledRun(text[begin:end], run.style, text[begin:end])
            done = end
        at = text.find("://", max(end, at + 3))
    if done < len(text):
        yield StyledRun(text[done:], run.style)


def _end_of_address(text: str, start: int) -> int:
    """Return where an address ends: a space, or a letter of no address (한국어 조사), without punctuation before it."""
    end = start
    while end < len(text) and "!" <= text[end] <= "~" and text[end] not in _ENDS_ADDRESS:
        end += 1
    balance = text.count("(", start, end) - text.count(")", start, end)
    while end > start:
        last = text[end - 1]
        if last == ")" and balance < 0:
            balance += 1
        elif last not in _AFTER_ADDRESS and last != "]":
            break
        end -= 1
    return end
