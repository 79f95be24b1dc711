"""Writing a repository into the text of a configuration: every other byte of it stays."""

from collections.abc import Mapping
from pathlib import Path

import yaml

from mama_bot.config import parse_document
from mama_bot.errors import ConfigurationError

# Below an entry without checks, so that whoever opens the file sees how one is written.
EXAMPLE = """\
  # What the service runs itself before it accepts that work is done:
  # checks:
  #   - name: tests
  #     argv: [pytest, -q]  # or [npm, test], [go, test, ./...]; no shell
"""


def with_repository(text: str, file: Path, name: str, settings: Mapping[str, object]) -> str:
    """Return a configuration with a repository, which is the default where there is none yet.

    Raises ConfigurationError when the text is not of a kind that can be added to.
    """
    before = dict(parse_document(text, file=file).content)
    default = before.get("default_repository") or name
    changed = _with_default(_with_entry(text, name, settings), str(default))
    repositories = before.get("repositories") or {}
    wanted = {**before, "repositories": {**repositories, name: settings}, "default_repository": default}
    try:
        right = parse_document(changed, file=file).content == wanted
    except ConfigurationError:
        right = False
    if not right:
        raise ConfigurationError(problem="repositories is not written in a way that can be added to.", file=file)
    return changed


def _with_entry(text: str, name: str, settings: Mapping[str, object]) -> str:
    pair = _pair(text, "repositories")
    if pair is None:
        return f"{_closed(text)}repositories:\n{_block(name, settings, 2)}"
    key, node = pair
    if isinstance(node, yaml.MappingNode) and node.value and not node.flow_style:
        end = text.index("\n", key.end_mark.index) + 1
        return text[:end] + _block(name, settings, node.start_mark.column) + text[end:]
    # `{}` or nothing: the block begins below the key, and a comment behind it stays there.
    start, end = node.start_mark.index, node.end_mark.index
    line_end = text.find("\n", end)
    rest = text[end:] if line_end < 0 else text[end:line_end]
    below = "" if line_end < 0 else text[line_end + 1 :]
    return f"{text[:start].rstrip(' ')}{rest}\n{_block(name, settings, 2)}{below}"


def _with_default(text: str, name: str) -> str:
    pair = _pair(text, "default_repository")
    if pair is None:
        return f"{_closed(text)}default_repository: {name}\n"
    node = pair[1]
    return text[: node.start_mark.index] + name + text[node.end_mark.index :]


def _pair(text: str, key: str) -> tuple[yaml.Node, yaml.Node] | None:
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    pairs = root.value if isinstance(root, yaml.MappingNode) else ()
    return next((pair for pair in pairs if pair[0].value == key), None)


def _block(name: str, settings: Mapping[str, object], indent: int) -> str:
    written = yaml.safe_dump({name: dict(settings)}, allow_unicode=True, sort_keys=False, width=120)
    if not settings.get("checks"):
        written += EXAMPLE
    return "".join(f"{' ' * indent}{line}\n" for line in written.splitlines())


def _closed(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"
