"""How the three platforms read a message: what they refuse, and which words they show of the rest.

Written from the platforms' documentation and from what their clients do, not from the code under test.
"""

import re
from collections.abc import Callable
from html import unescape

ZERO_WIDTH = "\u200b"


class Refused(AssertionError):
    """The platform takes no such message, or shows something else than words."""


def refuse_unless(fact: object, reason: str) -> None:
    if not fact:
        raise Refused(reason)


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


# --- Telegram -------------------------------------------------------------------------------------------------------

_TAG = re.compile(r"<(/?)([a-z]+)((?: [a-z]+=\"[^\"<>]*\")?)>")
_ENTITY = re.compile(r"&(?:amp|lt|gt|quot);")
_TELEGRAM_TAGS = {"b", "i", "u", "s", "code", "pre", "a", "blockquote"}


def telegram_shows(markup: str) -> str:
    """The words of a message in HTML mode."""
    shown: list[str] = []
    stack: list[str] = []
    entities, position = 0, 0
    while position < len(markup):
        character = markup[position]
        if character == "<":
            tag = _TAG.match(markup, position)
            refuse_unless(tag, f"unsupported start tag at {position}: {markup[position : position + 40]!r}")
            assert tag is not None
            position = tag.end()
            closes, name, attribute = tag.groups()
            refuse_unless(name in _TELEGRAM_TAGS, f"unsupported tag {name}")
            if closes:
                refuse_unless(stack and stack.pop() == name, f"unmatched end tag {name}")
            else:
                _check_tag(name, attribute, stack)
                stack.append(name)
                entities += 1
        elif character == "&":
            entity = _ENTITY.match(markup, position)
            refuse_unless(entity, f"bad entity at {position}")
            assert entity is not None
            shown.append(unescape(entity.group()))
            position = entity.end()
        else:
            refuse_unless(character != ">", "a bracket that is not escaped")
            shown.append(character)
            position += 1
    refuse_unless(not stack, f"tags left open: {stack}")
    refuse_unless(entities <= 100, f"{entities} entities")
    text = "".join(shown)
    refuse_unless(text.replace(ZERO_WIDTH, "").strip(), "message text is empty")
    refuse_unless(units(text) <= 4096, "message is too long")
    refuse_unless(len(markup) <= 12_500, "too much HTML")
    return text


def _check_tag(name: str, attribute: str, stack: list[str]) -> None:
    if name == "a":
        refuse_unless(re.fullmatch(r' href="(https?://|mailto:|tg://(?!user))[^"]*"', attribute), f"link {attribute}")
        refuse_unless("a" not in stack, "a link in a link")
    elif name == "code" and attribute:
        refuse_unless(stack[-1:] == ["pre"], "a language outside pre")
        refuse_unless(re.fullmatch(r' class="language-[^"\s]+"', attribute), f"class {attribute}")
    else:
        refuse_unless(not attribute, f"attribute {attribute}")
    if name == "blockquote":
        refuse_unless("blockquote" not in stack, "a quote in a quote")
    refuse_unless(not {"code", "pre"} & set(stack) or (name, stack[-1]) == ("code", "pre"), f"{name} in code")


# --- Slack ----------------------------------------------------------------------------------------------------------

_SLACK_LINK = re.compile(r"<((?:https?://|mailto:)[^<>|\s]+)(?:\|([^<>|\n]*(?:\|[^<>\n]*)?))?>")
_SLACK_ENTITY = re.compile(r"&(?:amp|lt|gt);")


def slack_shows(markup: str, *, edge: bool = True) -> str:
    """The words of a message in mrkdwn; `edge`: whether a zero-width space counts as the edge of a word."""
    refuse_unless(markup.strip(), "no_text")
    refuse_unless(units(markup) <= 4000, "msg_too_long")
    pieces = markup.split("```")
    refuse_unless(len(pieces) % 2, "a block of code is left open")
    shown = []
    for index, piece in enumerate(pieces):
        if index % 2:
            refuse_unless("<" not in piece and ">" not in piece, "brackets in code")
            shown.append(_slack_words(piece))
        else:
            shown.extend(_slack_line(line.removeprefix("> "), edge=edge) + "\n" for line in piece.split("\n"))
    return "".join(shown)


def _slack_words(text: str) -> str:
    rest = _SLACK_ENTITY.sub("", text)
    refuse_unless("&" not in rest and "<" not in rest and ">" not in rest, f"control characters in {text!r}")
    return _SLACK_ENTITY.sub(lambda entity: unescape(entity.group()), text)


def _slack_line(line: str, *, edge: bool) -> str:
    refuse_unless(not line.startswith("&gt;"), "words that become a quote")
    links: list[str] = []

    def keep(link: re.Match[str]) -> str:
        links.append(_slack_words(link[2] if link[2] is not None else link[1]))
        return f"\ue000{len(links) - 1}\ue001"

    line = _SLACK_LINK.sub(keep, line)
    codes: list[str] = []

    def keep_code(code: re.Match[str]) -> str:
        codes.append(_slack_words(code[1]))
        return f"\ue002{len(codes) - 1}\ue003"

    word = r"[0-9A-Za-z]" if edge else rf"[0-9A-Za-z{ZERO_WIDTH}]"
    space = rf"[\s{ZERO_WIDTH}]" if edge else r"\s"
    line = re.sub(rf"(?<![0-9A-Za-z\u2060])`([^`]+)`(?!{word})", keep_code, line)
    for mark in "*_~":
        one = re.escape(mark)
        line = re.sub(
            rf"(?<!{word})(?<!{one}){one}(?!{space})([^{one}]+?)(?<!{space}){one}(?!{word}|{one})", r"\1", line
        )
    line = _slack_words(line)
    line = re.sub("\ue002(\\d+)\ue003", lambda found: codes[int(found[1])], line)
    return re.sub("\ue000(\\d+)\ue001", lambda found: links[int(found[1])], line)


# --- Discord --------------------------------------------------------------------------------------------------------

_FENCE = re.compile(r"```(?:([a-z0-9_+\-.#]+?)\n)?\n*([^\n](?:.|\n)*?)\n*```", re.IGNORECASE)
_DISCORD: list[tuple[re.Pattern[str], Callable[[re.Match[str]], str]]] = [
    (re.compile(r"\\([^0-9A-Za-z\s])"), lambda found: found[1]),
    (re.compile(r"<(https?://[^ >]+)>"), lambda found: found[1]),
    (re.compile(r"https?://[^\s<]+[^<.,:;\"')\]\s]"), lambda found: found[0]),
    (re.compile(r"\[((?:\\.|[^\[\]\\])*)\]\((https?://[^\s()]+)\)"), lambda found: discord_line(found[1])),
    (re.compile(r"\*\*\*((?:\\.|[^\\*])+?)\*\*\*(?!\*)"), lambda found: discord_line(found[1])),
    (re.compile(r"\*\*((?:\\.|[^\\])+?)\*\*(?!\*)"), lambda found: discord_line(found[1])),
    (
        re.compile(r"\*(?=\S)((?:\*\*|\\.|\s+(?:\\.|[^*\s\\]|\*\*)|[^\s*\\])+?)\*(?!\*)"),
        lambda found: discord_line(found[1]),
    ),
    (re.compile(r"__((?:\\.|[^\\])+?)__(?!_)"), lambda found: discord_line(found[1])),
    (re.compile(r"_((?:\\.|[^\\_])+?)_\b"), lambda found: discord_line(found[1])),
    (re.compile(r"~~((?:\\.|[^\\])+?)~~(?!_)"), lambda found: discord_line(found[1])),
    (re.compile(r"\|\|((?:.)+?)\|\|"), lambda found: discord_line(found[1])),
    (re.compile(r"(`+)(.*?[^`])\1(?!`)"), lambda found: found[2]),
    (re.compile(r"<(?:@[!&]?\d+|#\d+|a?:\w+:\d+|t:-?\d+(?::\w)?|/[\w ]+:\d+|id:\w+)>"), lambda found: "\ue005"),
]


def discord_shows(markup: str) -> str:
    """The words of a message."""
    refuse_unless(markup.strip(), "Cannot send an empty message")
    refuse_unless(units(markup) <= 2000, "Must be 2000 or fewer in length")
    shown, position = [], 0
    for fence in _FENCE.finditer(markup):
        shown.append(_discord_lines(markup[position : fence.start()]))
        shown.append(fence[2] + "\n")
        position = fence.end()
    shown.append(_discord_lines(markup[position:]))
    return "".join(shown)


def _discord_lines(text: str) -> str:
    refuse_unless("```" not in text.replace("\\`", ""), "a block of code is left open")
    return "".join(f"{_discord_block(line.removeprefix('> '))}\n" for line in text.split("\n"))


def _discord_block(line: str) -> str:
    heading = re.match(r"#{1,3} |-# (?=Record: |기록: )", line)  # small print is the service's own
    if heading:
        return discord_line(line[heading.end() :])
    item = re.match(r" *[-*] ", line)
    if item:
        return f"• {discord_line(line[item.end() :])}"
    refuse_unless(not re.match(r"(#{1,3}|-#|>|>>>) ", line.lstrip(" ")), f"words that become markup: {line!r}")
    return discord_line(line)


def discord_line(line: str) -> str:
    shown, position = [], 0
    while position < len(line):
        for pattern, read in _DISCORD:
            found = pattern.match(line, position)
            if found:
                shown.append(read(found))
                position = found.end()
                break
        else:
            shown.append(line[position])
            position += 1
    return "".join(shown)
