"""Which files a reply sends: `ATTACH::path` on a line of its own, and Markdown images; outside code and quotes."""

from urllib.parse import unquote

import re2

from mama_bot.enforcement.delegations.requests import without_directives
from mama_bot.text.normalise import MASK
from mama_bot.text.prose import prose_lines

_DIRECTIVE = re2.compile(r"(?i)^\s*(?:[-*+•]\s+|\d+[.)]\s+)?(\*{0,3})ATTACH\s*::\s*(\S.*)$")
_IMAGE = re2.compile(r"!\[[^\[\]]*\]\(\s*(<[^<>]+>|[^\s()<>]+)(?:\s+(?:\"[^\"]*\"|'[^']*'))?\s*\)")
_ADDRESS = re2.compile(r"(?i)^(?:[a-z][a-z0-9+.-]*:|//|#)")
_QUOTES = ("`", '"', "'")


def named_files(text: str) -> tuple[str, ...]:
    """Return the paths that a reply names to be sent, as written, each once; without those in a delegation."""
    if "::" not in text and "](" not in text:
        return ()
    plain = without_directives(text)
    paths: list[str] = []
    for line in prose_lines(plain):
        directive = _DIRECTIVE.match(line.text)
        if directive is not None:
            raw = plain[line.start : line.start + len(line.text)]
            paths.append(_bare(raw[directive.start(2) :], directive.group(1)))
        else:
            images = (match.group(1) for match in _IMAGE.finditer(line.text))
            paths += [unquote(path.strip("<>")) for path in images if not _ADDRESS.match(path) and MASK not in path]
    return tuple(path for path in dict.fromkeys(paths) if path)


def _bare(path: str, bold: str) -> str:
    path = path.strip()
    path = path.removesuffix(bold).strip() if bold else path
    end = path.find(path[0], 1) if path[:1] in _QUOTES else -1
    return path[1:end].strip() if end > 0 else path
