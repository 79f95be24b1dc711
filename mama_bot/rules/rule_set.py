"""The rules of a service: those shipped, a person's own beside `config.yaml`, and which of them are switched off."""

from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import as_file, files
from pathlib import Path

from mama_bot.config import RuleSettings, nearest
from mama_bot.errors import ConfigurationError
from mama_bot.rules.rule import Rule
from mama_bot.rules.rule_files import read_rules

MOST_FILES = 500
ENDINGS = frozenset({".yaml", ".yml"})


def load_rules(settings: RuleSettings) -> tuple[Rule, ...]:
    """Return all rules, in the order in which they are asked within a band: shipped ones first, then by file and line.

    A person's rule of the same name stands in the place of a shipped one. Raises ConfigurationError.
    """
    rules = {rule.name: rule for rule in shipped_rules()}
    own: dict[str, Rule] = {}
    for file in _files(settings.directory):
        for rule in read_rules(file):
            if rule.name in own:
                problem = f"A rule {rule.name!r} stands in {own[rule.name].place} too. Rename or remove one of them."
                raise ConfigurationError(problem=problem, file=file, line=rule.line)
            own[rule.name] = rule
    rules |= own
    for key, names in (("disabled", settings.disabled), ("enabled", settings.enabled)):
        for name in names:
            if name not in rules:
                raise ConfigurationError(problem=f"rules.{key}: there is no rule {name!r}. {nearest(name, rules)}")
    switched = {**dict.fromkeys(settings.enabled, True), **dict.fromkeys(settings.disabled, False)}
    return tuple(replace(rule, enabled=switched.get(rule.name, rule.enabled)) for rule in rules.values())


def shipped_rules() -> tuple[Rule, ...]:
    """Return the rules that come with mama-bot."""
    with as_file(files("mama_bot") / "shipped" / "rules") as directory:
        return tuple(rule for file in _files(directory) for rule in read_rules(file, shipped=True))


def _files(directory: Path) -> Sequence[Path]:
    if not directory.exists():
        return ()
    try:
        listed = sorted(path for path in directory.iterdir() if path.suffix in ENDINGS)
    except OSError as error:
        raise ConfigurationError(problem=f"The rules cannot be read: {error.strerror}.", file=directory) from None
    if len(listed) > MOST_FILES:
        raise ConfigurationError(problem=f"There are more than {MOST_FILES} files of rules.", file=directory)
    return listed
