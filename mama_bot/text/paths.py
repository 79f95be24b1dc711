"""File names in what people and agents write: paths, globs, directories."""

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from mama_bot.errors import ConfigurationError
from mama_bot.model.texts import well_formed
from mama_bot.text.patterns import NOTHING, Pattern, compiled, compiled_at_once
from mama_bot.text.word_lists import words_by_kind

_WORDS = words_by_kind("names.txt")
ENDINGS, WELL_KNOWN = _WORDS["ending"], _WORDS["well_known"]
NO_FILES, ROOTS = _WORDS["no_file"], _WORDS["root"]
PARTICLES = tuple(sorted(_WORDS["particle"], key=len, reverse=True))  # the longest first
# A run of what names consist of; what stands in backticks or quotation marks may hold spaces.
QUOTED = compiled(r"`([^`\n]{1,200})`|\"([^\"\n]{1,200})\"|'([^'\n]{1,200})'|“([^”\n]{1,200})”|「([^」\n]{1,200})」")
WORD = compiled(r"[\w@.+*?\[\]{},~/\\가-힣ㄱ-ㆎ\x{00C0}-\x{024F}\x{3040}-\x{30FF}\x{4E00}-\x{9FFF}-]+")
# Addresses, also those of an interface: "GET /users/{id}", "the endpoint /users", "`api/users` 엔드포인트".
ADDRESS = compiled(
    r"\b[a-z][a-z0-9+.-]*://\S+"
    r"|\b[\w.+-]+@[\w-]+\.[\w.]+"
    r"|\bwww\.\S+"
    r"|\b(?-i:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)[ \t]+[`\"']?/[^\s`\"']*"
    r"|[`\"']?[\w{}:<>-]*/[\w{}:<>/-]+[`\"']?[ \t]*(?:(?:REST|HTTP|API)[ \t]+)?"
    r"(?:endpoints?\b|routes?\b|엔드포인트|라우트)"
    r"|(?:\bendpoints?|\broutes?|엔드포인트|라우트)[ \t]+[`\"']?/[\w{}:<>/-]+"
    r"(?:[ \t`\"',;:)]|\.[ \t]|\.?(?m:$))"
)
MOST_NAMES = 200
MOST_CHARACTERS = 20_000


def file_names(text: str) -> tuple[str, ...]:
    """Return the files, globs and directories that a text names by path, in order, each once; at most 200."""
    names = dict.fromkeys(_names(ADDRESS.sub(" ", plain_text(text[:MOST_CHARACTERS]))))
    return tuple(names)[:MOST_NAMES]


def plain_text(text: str) -> str:
    """Return a text in composed form; what it holds of a text stays where it was."""
    if text.isascii() or unicodedata.is_normalized("NFKC", text):
        return text
    return unicodedata.normalize("NFKC", text)


def _names(plain: str) -> Iterator[str]:
    for match in QUOTED.finditer(plain):
        inner = next((match.group(index) for index in range(1, 6) if match.group(index)), "")
        if " " in inner and (name := _as_name(inner.strip(), spaces=True)):
            yield name
            plain = plain.replace(inner, " ")
    for match in WORD.finditer(plain):
        word = match.group()
        parts = [word] if "{" in word else word.split(",")
        yield from (name for part in parts if (name := _as_name(part)))


def _as_name(word: str, *, spaces: bool = False) -> str:
    """Return the file name in a word; "" when the word is no name."""
    name = word.replace("\\", "/").removeprefix("./").rstrip(".,~?" if not word.endswith("*") else ".,~")
    name = without_particle(name).rstrip(".,")
    if not name or name.lower() in NO_FILES or name.startswith(("//", "../..", "@")) or not _has_letter(name):
        return ""
    if spaces and not has_ending(name):
        return ""
    if "/" in name:
        return name if _is_path(name) else ""
    return name if name in WELL_KNOWN or _is_dotfile(name) or has_ending(name) else ""


def without_particle(name: str) -> str:
    """Return a name without the Korean particle at its end; behind Latin letters all Korean letters are one."""
    for particle in PARTICLES:
        if name.endswith(particle) and len(name) > len(particle):
            stem = name.removesuffix(particle)
            if stem[-1].isascii() or has_ending(stem):
                return stem
    cut = len(name)
    while cut and "가" <= name[cut - 1] <= "힣":
        cut -= 1
    return name[:cut] if cut and name[:cut].isascii() and has_ending(name[:cut]) else name


def _has_letter(name: str) -> bool:
    return "*" in name or any(character.isalpha() for character in name)


def has_ending(name: str) -> bool:
    """Return whether a name ends like a file's: a known ending, `*` or a choice."""
    stem, dot, ending = name.rpartition(".")
    if not dot or not stem.strip(".") or stem.endswith("/"):
        return False
    if ending.lower() in ENDINGS or ending in ("*", "**"):
        return _has_letter(stem) or "?" in stem
    return ending.startswith("{") and ending.endswith("}")


def _is_dotfile(name: str) -> bool:
    return (
        name.startswith(".")
        and len(name) > 3
        and name[1:].replace(".", "").replace("-", "").isalnum()
        and (name[1:].isascii() and name[1].isalpha())
    )


def _is_path(name: str) -> bool:
    """Whether words with slashes between them are a path, and not alternatives or a fraction."""
    parts = name.strip("/").split("/")
    if not all(parts) or any("," in part and "{" not in name for part in parts):
        return False
    last = parts[-1]
    if name.endswith("/") or has_ending(last) or last in WELL_KNOWN or "*" in name:
        return True
    if _is_dotfile(last) or name.startswith(("/", "~/")):
        return len(parts) > 1 or _is_dotfile(last)
    return parts[0].lower() in ROOTS or len(parts) > 2


def is_telling(name: str) -> bool:
    """Return whether a name is surely a file's: by its ending, `*`, a slash at its end, or its first directory.

    `Redis/Postgres/MySQL` and `/users/list` may be files, but also something else.
    """
    last = name.rstrip("/").rsplit("/", 1)[-1]
    if name.endswith("/") or "*" in name or has_ending(last) or last in WELL_KNOWN or _is_dotfile(last):
        return True
    return not name.startswith(("/", "~")) and name.split("/", 1)[0].lower() in ROOTS


def relative_name(name: str, roots: Iterable[str]) -> str:
    """Return an absolute name relative to one of the roots, or to a directory that has the name of one."""
    if not name.startswith(("/", "~/")):
        return name
    listed = [plain_text(root).replace("\\", "/").rstrip("/") for root in roots]
    starts = [f"{root}/" for root in listed if root]
    for start in starts:
        if f"{name}/".startswith(start):
            return name[len(start) :] or "**"
    for start in starts:
        _, called, rest = f"{name}/".partition("/" + start.rstrip("/").rsplit("/", 1)[-1] + "/")
        if called:
            return rest[: len(rest) if name.endswith("/") and rest.endswith("/") else -1].replace("//", "/") or "**"
    return name


@dataclass(frozen=True, slots=True)
class FileNames:
    """A set of names, compiled: it knows whether a path is among them."""

    names: tuple[str, ...]
    pattern: Pattern

    def __contains__(self, path: str) -> bool:
        return self.pattern.fullmatch(plain_path(path)) is not None


def plain_path(path: str) -> str:
    """Return a path as patterns expect it: composed (a file system may decompose Hangul), and of Unicode.

    A name on a disk need not be UTF-8: Python then gives it with lone surrogates, which RE2 does not take.
    """
    return plain_text(well_formed(path))


def file_set(names: Iterable[str]) -> FileNames:
    """Compile names as a set: a name matches the end of a path, a directory all below it, a glob what it says."""
    return _file_set(tuple(names))


@lru_cache(maxsize=256)
def _file_set(listed: tuple[str, ...]) -> FileNames:
    try:
        return FileNames(listed, _any_of(expression(name) for name in listed))
    except ConfigurationError:
        # One name that makes no expression is taken as it stands, and spoils no other.
        return FileNames(listed, _any_of(_expression_or_literal(name) for name in listed))


def _any_of(expressions: Iterable[str]) -> Pattern:
    body = "|".join(expressions) or NOTHING
    return compiled_at_once(rf"(?s)(?:.*/)?(?:{body})", ignore_case=False, groups=False)


def _expression_or_literal(name: str) -> str:
    try:
        compiled_at_once(expression(name))
    except ConfigurationError:
        return "".join(literal(sign) for sign in name.strip("/"))
    return expression(name)


def expression(name: str) -> str:
    """Return a name as an RE2 expression."""
    body = glob(name.removeprefix("~").strip("/"))
    last = name.rstrip("/").rsplit("/", 1)[-1]
    directory = name.endswith("/") or ("/" in name and not has_ending(last) and "*" not in last)
    return rf"{body}(?:/.*)?" if directory else body


def glob(name: str) -> str:
    """Return a glob as an RE2 expression: `*` stays within a directory, `**` does not; `{a,b}`, `[ab]` are choices."""
    out: list[str] = []
    index = 0
    while index < len(name):
        sign = name[index]
        close = name.find("}", index) if sign == "{" else name.find("]", index + 2) if sign == "[" else -1
        if name.startswith("**/", index):
            out.append("(?:.*/)?")
            index += 3
        elif name.startswith("**", index):
            out.append(".*")
            index += 2
        elif close > 0 and sign == "{":
            inner = name[index + 1 : close].split(",")
            out.append("(?:" + "|".join(glob(part) for part in inner) + ")")
            index = close + 1
        elif close > 0 and name[index + 1 : close].replace("-", "").replace("!", "").isalnum():
            out.append(_choice(name[index + 1 : close]))
            index = close + 1
        else:
            out.append({"*": "[^/]*", "?": "[^/]"}.get(sign) or literal(sign))
            index += 1
    return "".join(out)


@lru_cache(maxsize=256)
def _choice(inner: str) -> str:
    """Return a choice of characters, or the name itself: Next.js has files `[id].tsx` and directories `[user-id]`."""
    itself = "".join(literal(sign) for sign in f"[{inner}]")
    choice = f"[^{inner[1:]}]" if inner.startswith("!") else f"[{inner}]"
    try:
        compiled_at_once(choice)
    except ConfigurationError:
        return itself
    return f"(?:{choice}|{itself})"


def literal(sign: str) -> str:
    """Return a character as an expression for itself."""
    return sign if sign.isalnum() or sign in "_/" or sign > "\x7f" else f"\\{sign}"
