"""A post as the messages and files that a platform is given."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice

from mama_bot.gateways.chat.markdown.characters import cleaned, is_visible
from mama_bot.gateways.chat.markdown.dialect import Dialect
from mama_bot.gateways.chat.markdown.imitations import told_apart
from mama_bot.gateways.chat.markdown.mentions import harmless
from mama_bot.gateways.chat.markdown.packer import RenderedMessage, code_cost, messages
from mama_bot.gateways.chat.markdown.parser import parse_blocks
from mama_bot.gateways.chat.markdown.tree import BOLD, ITALIC, Block, Code, Line, StyledRun, Text
from mama_bot.gateways.chat.sentences import LINES_ATTACHED, TEXT_ATTACHED
from mama_bot.model import Notice, OutgoingFile, Part, Post, Reply
from mama_bot.wording import Language, language_of, one_line

MAX_PARTS = 5
# No platform shows so much in MAX_PARTS messages; what is beyond is in the attached file, and is not even read.
MAX_CHARACTERS = 40_000
SHOWN_CODE_LINES = 20
_SHOWN_COLUMNS = 160
_MESSAGES_OF_CODE = 2
_MAX_CODE_FILES = 5
_LONGEST_ESCAPE = 6
_NAME_CHARACTERS = 80
_NOTE_COST = 120
_ENDING_COST = 800  # of the last message: room for any ending, so that one may take the place of another
_BETWEEN = "\n\n"
_ATTACH = "ATTACH::"
_NO_TEXT = "(no text)"
_CODE_FILES = {
    "bash": "script.sh",
    "c": "code.c",
    "cpp": "code.cpp",
    "css": "style.css",
    "csv": "table.csv",
    "diff": "patch.diff",
    "go": "code.go",
    "html": "page.html",
    "java": "code.java",
    "javascript": "script.js",
    "js": "script.js",
    "json": "data.json",
    "md": "text.md",
    "markdown": "text.md",
    "patch": "patch.diff",
    "py": "script.py",
    "python": "script.py",
    "rust": "code.rs",
    "sh": "script.sh",
    "sql": "query.sql",
    "toml": "settings.toml",
    "ts": "script.ts",
    "typescript": "script.ts",
    "xml": "data.xml",
    "yaml": "settings.yaml",
    "yml": "settings.yaml",
}


def parts_of(post: Post, dialect: Dialect, *, header: bool = False) -> tuple[Part, ...]:
    """Split a post into parts within the platform's limit, files last; a longer one ends early, whole as a file.

    A post with an ending has it in its last message, behind its files: the number of parts is the same for any ending.
    """
    match post:
        case Reply():
            blocks, text = _blocks_of_reply(post, header=header), post.text
            files = post.files
        case Notice() if post.ending:
            return _with_ending(post, dialect)
        case Notice():
            blocks, text, files = parse_blocks(post.text[:MAX_CHARACTERS]), post.text, ()
    shown, made_files = _shown(blocks, text, dialect)
    if not shown and not (files or made_files):
        shown = list(messages([_note(_NO_TEXT)], dialect))
    return _numbered(shown, (*made_files, *files))


def settled_part(question: Notice, answer: Notice, dialect: Dialect) -> Part:
    """Return the last part of a question as it stands once it is answered."""
    return parts_of(question.settled(answer.text), dialect)[-1]


def _with_ending(post: Notice, dialect: Dialect) -> tuple[Part, ...]:
    blocks = parse_blocks(post.text[:MAX_CHARACTERS])
    shown, files = _shown(blocks, post.text, dialect, limit=dialect.limit - _ENDING_COST)
    ending, plain = short_message(post.ending, dialect, limit=_ENDING_COST - len(_BETWEEN))
    last = shown.pop() if shown else RenderedMessage("", "")
    joined = (_BETWEEN.join(filter(None, pair)) for pair in ((last.markup, ending), (last.plain, plain)))
    return _numbered([], files, (*shown, RenderedMessage(*joined)))


def _shown(
    blocks: Sequence[Block], text: str, dialect: Dialect, *, limit: int | None = None
) -> tuple[list[RenderedMessage], list[OutgoingFile]]:
    """Return the messages that show blocks, and the files that hold what is too long for them."""
    shortened, made_files = _without_long_code(blocks, dialect, language_of(text))
    shown = list(islice(messages(shortened, dialect, limit=limit), MAX_PARTS + 1))
    if len(shown) > MAX_PARTS or len(text) > MAX_CHARACTERS:
        note = _note(TEXT_ATTACHED.to(language_of(text), count=len(text)))
        return _beginning(blocks, dialect, note, limit=limit), [_file("reply.md", "text/markdown", text)]
    return shown, made_files


def short_message(markdown: str, dialect: Dialect, *, limit: int | None = None) -> tuple[str, str]:
    """Return a short text of the service itself in one message, in markup and without; "…" ends what is too long."""
    blocks = parse_blocks(markdown[:MAX_CHARACTERS])
    shown = list(islice(messages(blocks, dialect, limit=limit), 2))
    if len(shown) > 1:
        shown = _beginning(blocks, dialect, Text((Line((StyledRun("…"),)),), gap=False), limit=limit)
    [message] = shown or messages([_note(_NO_TEXT)], dialect)
    return message.markup, message.plain


def _blocks_of_reply(reply: Reply, *, header: bool) -> list[Block]:
    blocks: list[Block] = []
    name = one_line(cleaned(reply.display_name))[:_NAME_CHARACTERS]
    if header and is_visible(name):
        blocks.append(Text((Line((StyledRun(harmless(name), BOLD),)),)))
    if reply.record_line:
        blocks.append(_record(reply))
    for banner in reply.banners:
        blocks.extend(_banner(banner))
    text = parse_blocks(reply.text[:MAX_CHARACTERS], leave_out=_is_attached(reply.files))
    text = told_apart(text, language_of(reply.text))
    if blocks and not reply.banners and text:
        text[0] = replace(text[0], gap=False)
    return blocks + text


def record_markup(post: Post, dialect: Dialect) -> str:
    """Return the line of facts of a post as it stands in its first part; "" for one that has none."""
    if not isinstance(post, Reply) or not post.record_line:
        return ""
    [line] = _record(post).lines
    return dialect.line(line)[0]


def _record(reply: Reply) -> Text:
    return Text((Line((StyledRun(harmless(one_line(cleaned(reply.record_line)))),), subdued=True),), gap=False)


def _banner(text: str) -> Iterable[Block]:
    for block in parse_blocks(text, quoted=True):
        yield replace(block, gap=False)


def _is_attached(files: Sequence[OutgoingFile]) -> Callable[[str], bool] | None:
    """Which lines only name a file that goes out with the reply."""
    if not files:
        return None
    names = {file.name for file in files}

    def is_attached(line: str) -> bool:
        path = line.strip("`").removeprefix(_ATTACH)
        return path != line.strip("`") and path.strip("`\"' ").replace("\\", "/").rsplit("/", 1)[-1] in names

    return is_attached


def _without_long_code(
    blocks: Sequence[Block], dialect: Dialect, language: Language
) -> tuple[list[Block], list[OutgoingFile]]:
    """Return the blocks with the beginning only of code that is too long to show, and the files that hold all of it."""
    made: list[Block] = []
    files: list[OutgoingFile] = []
    for block in blocks:
        is_long = isinstance(block, Code) and not block.table and _is_long(block, dialect)
        if not (isinstance(block, Code) and is_long) or len(files) == _MAX_CODE_FILES:
            made.append(block)
            continue
        name = _unused(_CODE_FILES.get(block.language.lower(), "output.txt"), files)
        content = "\n".join(block.lines) + "\n"
        files.append(_file(name, "text/plain", content))
        lines = [_column_cut(line) for line in block.lines[:SHOWN_CODE_LINES]]
        made.append(replace(block, lines=_within(lines, block, dialect)))
        words = LINES_ATTACHED.to(language, name=name, count=len(block.lines))
        made.append(replace(_note(words), gap=False))
    return made, files


def _column_cut(line: str) -> str:
    return line if len(line) <= _SHOWN_COLUMNS else f"{line[: _SHOWN_COLUMNS - 1]}…"


def _is_long(code: Code, dialect: Dialect) -> bool:
    room = _MESSAGES_OF_CODE * dialect.limit
    characters = sum(map(len, code.lines)) + len(code.lines)
    return characters * _LONGEST_ESCAPE > room and (characters > room or code_cost(code, dialect) > room)


def _within(lines: Sequence[str], code: Code, dialect: Dialect) -> tuple[str, ...]:
    """Return the first lines, as many as half a message holds; one at least."""
    kept = list(lines)
    while len(kept) > 1 and code_cost(replace(code, lines=tuple(kept)), dialect) * 2 > dialect.limit:
        kept.pop()
    return tuple(kept)


def _beginning(
    blocks: Sequence[Block], dialect: Dialect, note: Text, *, limit: int | None = None
) -> list[RenderedMessage]:
    """Return the first message, with a note at its end."""
    message = next(messages(blocks, dialect, limit=(limit or dialect.limit) - _NOTE_COST), None)
    [last] = messages([note], dialect)
    if message is None:
        return [last]
    space = "\n\n" if note.gap else "\n"
    return [RenderedMessage(f"{message.markup}{space}{last.markup}", f"{message.plain}{space}{last.plain}")]


def _note(words: str) -> Text:
    return Text((Line((StyledRun(words, ITALIC),)),))


def _file(name: str, media_type: str, text: str) -> OutgoingFile:
    content = text.encode("utf-8", "replace")
    return OutgoingFile(name=name, media_type=media_type, size=len(content), content=content)


def _unused(name: str, files: Sequence[OutgoingFile]) -> str:
    taken = {file.name for file in files}
    stem, _, ending = name.rpartition(".")
    number = 2
    while name in taken:
        name = f"{stem}-{number}.{ending}"
        number += 1
    return name


def _numbered(
    shown: Sequence[RenderedMessage], files: Sequence[OutgoingFile], below: Sequence[RenderedMessage] = ()
) -> tuple[Part, ...]:
    texts = [Part(index=0, text=message.markup, plain=message.plain) for message in shown]
    attached = [Part(index=0, text="", plain="", file=file) for file in files]
    ending = [Part(index=0, text=message.markup, plain=message.plain) for message in below]
    parts = (*texts, *attached, *ending)
    return tuple(replace(part, index=index, last=index == len(parts) - 1) for index, part in enumerate(parts))
