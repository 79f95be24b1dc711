"""YAML with the line of each key: what settings and personas are read from."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml

from mama_bot.config.sentences import KNOWN_NAMES, NEAREST_NAME, NOTHING_KNOWN
from mama_bot.errors import ConfigurationError
from mama_bot.similar_names import most_similar
from mama_bot.wording import Language, Said, one_line

KeyPath = tuple[str, ...]

_FAST_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Document:
    """The keys and values of a YAML mapping that knows on which line each key stands.

    A document may stand on top of another one: what it does not say itself is as it stands there.
    """

    def __init__(
        self,
        *,
        file: Path | None = None,
        content: dict[str, Any],
        lines: dict[KeyPath, int],
        below: "Document | None" = None,
    ) -> None:
        self.file = file
        self.content: dict[str, Any] = content if below is None else _merged(below.content, content)
        self._lines = lines
        self._below = below

    def on_top_of(self, below: "Document") -> "Document":
        """Return the document with what another one says where this one says nothing; lists are not added up."""
        return Document(file=self.file, content=self.content, lines=self._lines, below=below)

    def line(self, path: KeyPath) -> int | None:
        """Return the line of a key, or of the nearest key above it that is in the file."""
        while path:
            if path in self._lines:
                return self._lines[path]
            path = path[:-1]
        return None

    def error(self, path: KeyPath, problem: Said | str) -> ConfigurationError:
        """Return the error that points at a key, in the document where it stands."""
        if self._below is not None and path not in self._lines and path in self._below._lines:
            return self._below.error(path, problem)
        return ConfigurationError(problem=problem, file=self.file, line=self.line(path))


def _merged(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        merged[key] = _merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged


def read_text(file: Path) -> str:
    """Return the text of a file in UTF-8, without a byte order mark; raises ConfigurationError."""
    try:
        return file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ConfigurationError(problem="There is no such file.", file=file) from None
    except UnicodeDecodeError as error:
        raise ConfigurationError(
            problem=f"This is not text in UTF-8 (byte {error.start + 1} does not fit). Save it as UTF-8.", file=file
        ) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ConfigurationError(problem=f"The file cannot be read: {reason}.", file=file) from None


def parse_document(text: str, *, file: Path, first_line: int = 1, own: bool = False) -> Document:
    """Parse a YAML mapping whose first line is number `first_line` of the file; an empty text has no keys.

    What comes with mama-bot (`own`) is read by libyaml where it is there, in a tenth of the time: no nesting without
    end is in it. Raises ConfigurationError for what is not YAML, no mapping, or has one key twice.
    """
    try:
        loader = (_FAST_LOADER if own else yaml.SafeLoader)(text)
        node = loader.get_single_node()
        if _has_alias(node):  # they can unfold without end
            raise ConfigurationError(problem="Aliases (*name) of lists and mappings cannot be used here.", file=file)
        content = None if node is None else loader.construct_document(node)
    except yaml.YAMLError as error:
        line = _line_of(error, text)
        raise ConfigurationError(
            problem=f"This is not YAML: {_reason(error)}.", file=file, line=line and line + first_line - 1
        ) from None
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError) as error:
        # What PyYAML's constructors let through: impossible dates, numbers without end, nesting without end.
        reason = "a value is too deep or not of its tag's kind"
        if isinstance(error, ValueError):
            reason = one_line(str(error), 200)
        raise ConfigurationError(problem=f"This YAML cannot be used: {reason}.", file=file) from None
    if content is None:
        content = {}
    if not isinstance(content, dict):
        raise ConfigurationError(problem="Expected lines of the form 'key: value'.", file=file, line=first_line)
    lines: dict[KeyPath, int] = {}
    for path, at in _lines_of(node, ()):
        line = at + first_line - 1
        if path in lines:
            raise ConfigurationError(
                problem=f"The key {'.'.join(path)!r} stands here a second time (first on line {lines[path]}). "
                "Remove one of them.",
                file=file,
                line=line,
            )
        lines[path] = line
    return Document(file=file, content=content, lines=lines)


def nearest(name: str, candidates: Iterable[str]) -> str:
    """Return a sentence that names the most similar candidate, or lists all of them when none is similar."""
    return nearest_name(name, candidates).to(Language.ENGLISH)


def nearest_name(name: str, candidates: Iterable[str]) -> Said:
    """Do as `nearest`, in each language."""
    names = sorted(candidates)
    similar = most_similar(name, names)
    if similar is not None:
        return NEAREST_NAME.of(name=similar)
    return KNOWN_NAMES.of(names=", ".join(names)) if names else NOTHING_KNOWN


def _has_alias(node: yaml.Node | None) -> bool:
    seen: set[int] = set()
    waiting = [node]
    while waiting:
        below = waiting.pop()
        if not isinstance(below, yaml.CollectionNode):
            continue
        if id(below) in seen:
            return True
        seen.add(id(below))
        waiting += [value[1] if isinstance(value, tuple) else value for value in below.value]
    return False


def _lines_of(node: yaml.Node | None, path: KeyPath) -> Iterator[tuple[KeyPath, int]]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            below = (*path, str(key.value))
            if below[-1] != "<<":
                yield below, key.start_mark.line + 1
            yield from _lines_of(value, below)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            below = (*path, str(index))
            yield below, value.start_mark.line + 1
            yield from _lines_of(value, below)


def _line_of(error: yaml.YAMLError, text: str) -> int | None:
    mark = getattr(error, "problem_mark", None)
    if mark is not None:
        return int(mark.line) + 1
    if isinstance(error, yaml.reader.ReaderError) and isinstance(error.position, int):
        return text.count("\n", 0, error.position) + 1
    return None


def _reason(error: yaml.YAMLError) -> str:
    if isinstance(error, yaml.reader.ReaderError):
        return "it holds a character that YAML does not allow"
    return one_line(str(getattr(error, "problem", None) or error), 200)
