"""The rules of a service: those shipped, a person's own beside `config.yaml`, and which of them are switched off."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.resources import as_file, files
from pathlib import Path

from mama_bot.config import RuleSettings, nearest
from mama_bot.errors import ConfigurationError
from mama_bot.rules.rule import Rule
from mama_bot.rules.rule_files import read_rules

MOST_FILES = 500
ENDINGS = frozenset({".yaml", ".yml"})


def load_rules(directory: Path) -> tuple[Rule, ...]:
    """Return all rules, in the order in which they are asked within a band: shipped ones first, then by file and line.

    A person's rule of the same name, in `directory`, stands in the place of a shipped one. Raises ConfigurationError.
    """
    rules = {rule.name: rule for rule in shipped_rules()}
    own: dict[str, Rule] = {}
    for file in _files(directory):
        for rule in read_rules(file):
            if rule.name in own:
                problem = f"A rule {rule.name!r} stands in {own[rule.name].place} too. Rename or remove one of them."
                raise ConfigurationError(problem=problem, file=file, line=rule.line)
            own[rule.name] = rule
    rules |= own
    return tuple(rules.values())


def switched(rules: Sequence[Rule], settings: RuleSettings) -> tuple[Rule, ...]:
    """Return rules as the settings switch them off and on."""
    named = {**dict.fromkeys(settings.enabled, True), **dict.fromkeys(settings.disabled, False)}
    return tuple(replace(rule, enabled=named.get(rule.name, rule.enabled)) for rule in rules)


def problems_of_switches(rules: Sequence[Rule], settings: RuleSettings) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield names in the settings that no rule has: the key, and a sentence."""
    known = [rule.name for rule in rules]
    for key, names in (("disabled", settings.disabled), ("enabled", settings.enabled)):
        for name in names:
            if name not in known:
                yield ("rules", key), f"there is no rule {name[:80]!r}. {nearest(name, known)}"
            elif key == "enabled" and name in settings.disabled:
                yield ("rules", key), f"the rule {name!r} is disabled and enabled. Remove one of them."


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
