"""Adding to a list of the configuration file by writing into its text: every other byte of it stays."""

import sys
from collections.abc import Sequence
from pathlib import Path

import yaml

from mama_bot.config.document import KeyPath, parse_document
from mama_bot.errors import ConfigurationError


def text_with_entries(text: str, path: KeyPath, entries: Sequence[str], *, file: Path) -> str:
    """Return a configuration's text with more entries at the end of the list at `path`, made if it is missing.

    Raises ConfigurationError when the text is not of a kind that can be added to (the person has to do it then).
    """
    before = parse_document(text, file=file).content
    line_break = "\r\n" if "\r\n" in text else "\n"
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    changed = (
        _closed(text, line_break) + line_break.join(_block(path, entries, 0)) + line_break
        if root is None
        else _added(text, root, path, entries, line_break)
    )
    # Whatever the text looks like: it now has to mean what it meant, and the entries.
    if changed is None or not _means(changed, _with(before, path, entries), file):
        raise ConfigurationError(problem=f"{'.'.join(path)} is not written in a way that can be added to.", file=file)
    return changed


def _added(text: str, root: yaml.Node, path: KeyPath, entries: Sequence[str], line_break: str) -> str | None:
    key: yaml.Node | None = None
    node = root
    rest = list(path)
    while rest and isinstance(node, yaml.MappingNode):
        pair_of_key = next((pair for pair in node.value if pair[0].value == rest[0]), None)
        if pair_of_key is None:
            return _with_key(text, key, node, rest, entries, line_break)
        key, node = pair_of_key
        rest.pop(0)
    if key is None:
        return None
    if isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:null":
        return _in_place_of_nothing(text, key, node, _flow(rest, entries))
    if rest or not isinstance(node, yaml.SequenceNode):
        return None
    return _with_items(text, node, entries, line_break)


def _with_items(text: str, node: yaml.SequenceNode, entries: Sequence[str], line_break: str) -> str | None:
    if node.flow_style:
        inside = ", ".join(_quoted(entry) for entry in entries)
        if not node.value:
            return _inserted(text, text.index("[", node.start_mark.index) + 1, inside)
        return _inserted(text, node.value[-1].end_mark.index, f", {inside}")
    last = node.value[-1]
    if not isinstance(last, yaml.ScalarNode) or last.style in ("|", ">"):
        return None
    items = [f"{' ' * node.start_mark.column}- {_quoted(entry)}" for entry in entries]
    return _with_lines(text, last.end_mark.index, items, line_break)


def _with_key(
    text: str,
    key: yaml.Node | None,
    node: yaml.MappingNode,
    rest: Sequence[str],
    entries: Sequence[str],
    line_break: str,
) -> str | None:
    """A mapping with a key that it lacks: right below its own key, where it separates no comment from what it is of."""
    if node.flow_style:
        inside = _flow(rest, entries)[1:-1]
        if not node.value:
            return _inserted(text, text.index("{", node.start_mark.index) + 1, inside)
        return _inserted(text, node.value[-1][1].end_mark.index, f", {inside}")
    if key is None:
        return _closed(text, line_break) + line_break.join(_block(rest, entries, 0)) + line_break
    return _with_lines(text, key.end_mark.index, _block(rest, entries, node.start_mark.column), line_break)


def _in_place_of_nothing(text: str, key: yaml.Node, node: yaml.ScalarNode, inside: str) -> str:
    """`key:`, `key: null` or `key: ~` with something."""
    if node.start_mark.index < node.end_mark.index:
        return text[: node.start_mark.index] + inside + text[node.end_mark.index :]
    return _inserted(text, text.index(":", key.end_mark.index) + 1, f" {inside}")


def _with_lines(text: str, index: int, lines: Sequence[str], line_break: str) -> str:
    """The text with further lines below the one that holds `index`."""
    end = text.find("\n", index)
    if end < 0:
        return _closed(text, line_break) + line_break.join(lines) + line_break
    return _inserted(text, end + 1, line_break.join(lines) + line_break)


def _inserted(text: str, index: int, more: str) -> str:
    return text[:index] + more + text[index:]


def _closed(text: str, line_break: str) -> str:
    return text if not text or text.endswith("\n") else text + line_break


def _block(path: Sequence[str], entries: Sequence[str], indent: int) -> list[str]:
    lines = [f"{' ' * (indent + 2 * depth)}{name}:" for depth, name in enumerate(path)]
    return lines + [f"{' ' * (indent + 2 * len(path))}- {_quoted(entry)}" for entry in entries]


def _flow(path: Sequence[str], entries: Sequence[str]) -> str:
    inside = "[" + ", ".join(_quoted(entry) for entry in entries) + "]"
    for name in reversed(path):
        inside = f"{{{name}: {inside}}}"
    return inside


def _quoted(entry: str) -> str:
    """An entry as YAML: as it is between single quotes, escaped where a character does not stand in a line."""
    if entry.isprintable():
        return "'" + entry.replace("'", "''") + "'"
    return yaml.safe_dump(entry, default_style='"', width=sys.maxsize).rstrip("\n")


def _means(text: str, content: object, file: Path) -> bool:
    try:
        return parse_document(text, file=file).content == content
    except ConfigurationError:
        return False


def _with(content: object, path: KeyPath, entries: Sequence[str]) -> object:
    """What the content means with the entries added."""
    if not path:
        return [*(content if isinstance(content, list) else []), *entries]
    section = content if isinstance(content, dict) else {}
    return {**section, path[0]: _with(section.get(path[0]), path[1:], entries)}
