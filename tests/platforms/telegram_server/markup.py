"""Texts with markup as the Bot API reads them: plain text with entities, or a refusal that says where and why."""

import re
from dataclasses import dataclass, field
from html import unescape

from tests.platforms.telegram_server.wire import ApiError, Json, bad_request

TEXT_UNITS = 4096
CAPTION_UNITS = 1024
_TAGS = {
    "b": "bold",
    "strong": "bold",
    "i": "italic",
    "em": "italic",
    "u": "underline",
    "ins": "underline",
    "s": "strikethrough",
    "strike": "strikethrough",
    "del": "strikethrough",
    "span": "spoiler",
    "tg-spoiler": "spoiler",
    "tg-emoji": "custom_emoji",
    "a": "text_link",
    "code": "code",
    "pre": "pre",
    "blockquote": "blockquote",
}
_START = re.compile(r"<([A-Za-z][A-Za-z0-9-]*)((?:\s+[A-Za-z-]+(?:=(?:\"[^\"]*\"|'[^']*'|[^\s\"'>]+))?)*)\s*>")
_END = re.compile(r"</([A-Za-z][A-Za-z0-9-]*)\s*>")
_ENTITY = re.compile(r"&(lt|gt|amp|quot|#\d+|#x[0-9A-Fa-f]+);")
_RESERVED = frozenset("_*[]()~`>#+-=|{}.!")
_PAIRED = {"*": "bold", "_": "italic", "__": "underline", "~": "strikethrough", "||": "spoiler"}


@dataclass(slots=True)
class Formatted:
    """Plain text, and which spans of it (in UTF-16 units) are what."""

    text: str = ""
    entities: list[Json] = field(default_factory=list)

    def add(self, kind: str, start: int, **more: str) -> None:
        """Note an entity from `start` to where the text ends now; empty ones are left out."""
        if length := units(self.text) - start:
            self.entities.append({"type": kind, "offset": start, "length": length, **more})


def units(text: str) -> int:
    """The length in UTF-16 units, in which Telegram counts."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def read_text(text: str, mode: str, *, limit: int = TEXT_UNITS, caption: bool = False) -> Formatted:
    """What a text is after its markup was read; raises ApiError where the Bot API refuses it."""
    formatted = _parse(text, mode)
    formatted.text = formatted.text.strip()
    if not formatted.text and not caption:
        raise bad_request("message text is empty")
    if units(formatted.text) > limit:
        raise bad_request("message caption is too long" if caption else "message is too long")
    return formatted


def _parse(text: str, mode: str) -> Formatted:
    match mode.lower():
        case "":
            return Formatted(text)
        case "html":
            return _html(text)
        case "markdownv2":
            return _Markdown(text).read()
        case "markdown":
            return Formatted(text)
        case _:
            raise bad_request("unsupported parse_mode")


def _unreadable(reason: str) -> ApiError:
    return bad_request(f"can't parse entities: {reason}")


def _offset(text: str, position: int) -> int:
    return len(text[:position].encode("utf-8", "surrogatepass"))


def _html(text: str) -> Formatted:
    formatted, opened, position = Formatted(), list[tuple[str, int, str]](), 0
    while position < len(text):
        if text[position] == "<":
            position = _tag(text, position, formatted, opened)
        elif match := _ENTITY.match(text, position):
            formatted.text += unescape(match[0])
            position = match.end()
        else:
            formatted.text += text[position]
            position += 1
    if opened:
        raise _unreadable(f'Can\'t find end tag corresponding to start tag "{opened[-1][0]}"')
    return formatted


def _tag(text: str, position: int, formatted: Formatted, opened: list[tuple[str, int, str]]) -> int:
    """Read one tag; returns where the text goes on."""
    where = _offset(text, position)
    if text.startswith("</", position):
        end = _END.match(text, position)
        if end is None or not opened:
            raise _unreadable(f"Unexpected end tag at byte offset {where}")
        name, start, attributes = opened.pop()
        if end[1].lower() != name:
            raise _unreadable(f'Unmatched end tag at byte offset {where}, expected "</{name}>", found "</{end[1]}>"')
        address = re.search(r"href=[\"']?([^\"'>\s]+)", attributes)
        formatted.add(_TAGS[name], start, **({"url": unescape(address[1])} if address else {}))
        return end.end()
    begin = _START.match(text, position)
    if begin is None:
        raise _unreadable(f'Unsupported start tag "{text[position + 1 : position + 11]}" at byte offset {where}')
    name, attributes = begin[1].lower(), begin[2]
    if name not in _TAGS or (name == "span" and "tg-spoiler" not in attributes):
        raise _unreadable(f'Unsupported start tag "{name}" at byte offset {where}')
    opened.append((name, units(formatted.text), attributes))
    return begin.end()


class _Markdown:
    """MarkdownV2: every reserved character is either escaped or part of an entity."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._formatted = Formatted()
        self._opened: list[tuple[str, int, int]] = []

    def read(self) -> Formatted:
        while self._at < len(self._text):
            self._step(self._text[self._at])
        if self._opened:
            mark, _, where = self._opened[-1]
            kind = "Text url" if mark == "[" else _PAIRED[mark].capitalize()
            raise _unreadable(f"Can't find end of {kind} entity at byte offset {where}")
        return self._formatted

    def _step(self, one: str) -> None:
        rest = self._text[self._at :]
        if one == "\\" and len(rest) > 1 and ord(rest[1]) < 127:
            self._take(rest[1], 2)
        elif rest.startswith("```"):
            self._code("```", "pre")
        elif one == "`":
            self._code("`", "code")
        elif one == ">" and (not self._formatted.text or self._formatted.text.endswith("\n")):
            self._at += 1
        elif (mark := next((mark for mark in ("||", "__", "*", "_", "~") if rest.startswith(mark)), "")) != "":
            self._toggle(mark)
        elif one == "[":
            self._open("[")
        elif one == "]" and self._opened and self._opened[-1][0] == "[":
            self._link()
        elif one in _RESERVED:
            raise _unreadable(f"Character '{one}' is reserved and must be escaped with the preceding '\\'")
        else:
            self._take(one, 1)

    def _take(self, text: str, length: int) -> None:
        self._formatted.text += text
        self._at += length

    def _open(self, mark: str) -> None:
        self._opened.append((mark, units(self._formatted.text), _offset(self._text, self._at)))
        self._at += len(mark)

    def _toggle(self, mark: str) -> None:
        if self._opened and self._opened[-1][0] == mark:
            _, start, _ = self._opened.pop()
            self._formatted.add(_PAIRED[mark], start)
            self._at += len(mark)
        else:
            self._open(mark)

    def _code(self, fence: str, kind: str) -> None:
        where, start = _offset(self._text, self._at), units(self._formatted.text)
        self._at += len(fence)
        if kind == "pre" and (language := re.match(r"[A-Za-z0-9+#-]*\n", self._text[self._at :])):
            self._at += language.end()
        while self._at < len(self._text) and not self._text.startswith(fence, self._at):
            escaped = self._text[self._at] == "\\" and self._at + 1 < len(self._text)
            self._take(self._text[self._at + escaped], 1 + escaped)
        if self._at >= len(self._text):
            raise _unreadable(f"Can't find end of {kind.capitalize()} entity at byte offset {where}")
        self._at += len(fence)
        self._formatted.add(kind, start)

    def _link(self) -> None:
        _, start, where = self._opened.pop()
        address = re.match(r"\]\(((?:\\.|[^)\\])*)\)", self._text[self._at :])
        if address is None:
            if self._text.startswith("](", self._at):
                raise _unreadable(f"Can't find end of a URL at byte offset {where}")
            raise _unreadable("Character ']' is reserved and must be escaped with the preceding '\\'")
        self._at += address.end()
        self._formatted.add("text_link", start, url=re.sub(r"\\(.)", r"\1", address[1]))
