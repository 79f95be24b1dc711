"""File names in what people and agents write: paths, globs, directories."""

from collections.abc import Sequence
from dataclasses import dataclass

from mama_bot.enforcement.language.normalise import normalise
from mama_bot.enforcement.language.patterns import Pattern, compiled

NAME = compiled(
    r"(?:\.{0,2}/)?(?:[\w@.+*?\[\]가-힣-]+/)+(?:[\w@.+*?\[\]{},-]*[\w*\]}])?"  # with a directory
    r"|\b(?:Makefile|Dockerfile|LICENSE|Justfile|Procfile|Gemfile|Jenkinsfile)\b"
    r"|[\w@+*?-][\w@.+*?{},-]*\.(?:[A-Za-z][A-Za-z0-9]{0,9}|\*)"  # a file with an ending
    r"|\.(?:gitignore|env|dockerignore|editorconfig|eslintrc|prettierrc)\b",
    ignore_case=False,
)
ADDRESS = compiled(r"\b[a-z]+://\S+")
ABBREVIATIONS = frozenset(("e.g", "i.e", "a.m", "p.m", "etc.", "Node.js", "Next.js", "Vue.js", "Express.js"))
ALTERNATIVES = frozenset(
    ("and/or", "he/she", "yes/no", "input/output", "read/write", "client/server", "true/false", "I/O", "CI/CD")
)


def file_names(text: str) -> tuple[str, ...]:
    """The files, globs and directories that a text names, in order, each once."""
    plain = ADDRESS.sub(" ", normalise(text).text)
    names = (match.group().removeprefix("./").rstrip(".,") for match in NAME.finditer(plain))
    return tuple(dict.fromkeys(name for name in names if is_file_name(name)))


def is_file_name(name: str) -> bool:
    """Whether a match is more than an abbreviation or a pair of words."""
    if (
        name in ABBREVIATIONS
        or name in ALTERNATIVES
        or not any(character.isalnum() or character == "*" for character in name)
    ):
        return False
    return not name.replace("/", "").replace(".", "").isdigit()


@dataclass(frozen=True, slots=True)
class FileNames:
    """A set of names, compiled: it knows whether a path is among them."""

    names: tuple[str, ...]
    pattern: Pattern

    def __contains__(self, path: str) -> bool:
        return self.pattern.fullmatch(path) is not None


def file_set(names: Sequence[str]) -> FileNames:
    """Names as a set: a name matches at the end of a path, a directory everything under it, a glob what it says."""
    listed = tuple(names)
    body = "|".join(expression(name) for name in listed) or r"[^\x00-\x{10FFFF}]"
    return FileNames(listed, compiled(rf"(?s)(?:.*/)?(?:{body})", ignore_case=False))


def expression(name: str) -> str:
    """One name as an RE2 expression."""
    body = glob(name.strip("/"))
    last = name.rstrip("/").rsplit("/", 1)[-1]
    directory = name.endswith("/") or ("/" in name and "." not in last and "*" not in last)
    return rf"{body}(?:/.*)?" if directory else body


def glob(name: str) -> str:
    """A glob as an RE2 expression: `*` stays within a directory, `**` does not."""
    escaped = "".join(
        character if character.isalnum() or character in "_*?/" else f"\\{character}" for character in name
    )
    doubled = escaped.replace("**/", "\x00").replace("**", "\x01").replace("*", "[^/]*").replace("?", "[^/]")
    return doubled.replace("\x00", "(?:.*/)?").replace("\x01", ".*")
