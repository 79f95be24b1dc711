"""The rules and workflows of a service: shipped ones, a person's own, and which of the rules are switched off."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

from mama_bot.config import RepositorySettings, RuleSettings, nearest_name
from mama_bot.errors import ConfigurationError
from mama_bot.rules import sentences as says
from mama_bot.rules.rule import Rule
from mama_bot.rules.rule_files import RuleFile, read_rule_file, read_rules
from mama_bot.rules.workflow import Workflow
from mama_bot.wording import Said

MOST_FILES = 500
ENDINGS = frozenset({".yaml", ".yml"})


def load_rules(directory: Path) -> tuple[Rule, ...]:
    """Return all rules, in the order in which they are asked within a band: shipped ones first, then by file and line.

    A person's rule of the same name, in `directory`, stands in the place of a shipped one; those that workflows are
    made of come last. Raises ConfigurationError.
    """
    rules = {rule.name: rule for rule in shipped_rules()}
    own: dict[str, Rule] = {}
    for file in _files(directory):
        for rule in read_rules(file):
            if rule.name in own:
                raise _twice(says.RULE_STANDS_ELSEWHERE, rule, own[rule.name])
            own[rule.name] = rule
    rules |= own
    for workflow in load_workflows(directory).values():
        for rule in workflow.rules:
            if rule.name in rules:
                raise _twice(says.RULE_STANDS_ELSEWHERE, rules[rule.name], rule)
            rules[rule.name] = rule
    return tuple(rules.values())


def load_workflows(directory: Path) -> Mapping[str, Workflow]:
    """Return all workflows by name; a person's own stands in the place of a shipped one. Raises ConfigurationError."""
    own: dict[str, Workflow] = {}
    for file in _files(directory):
        for workflow in read_rule_file(file).workflows:
            if workflow.name in own:
                raise _twice(says.WORKFLOW_STANDS_ELSEWHERE, workflow, own[workflow.name])
            own[workflow.name] = workflow
    return {**{workflow.name: workflow for workflow in shipped_workflows()}, **own}


def _twice(problem: Said, second: Rule | Workflow, first: Rule | Workflow) -> ConfigurationError:
    told = problem.of(name=second.name, place=f"{first.file}:{first.line}")
    return ConfigurationError(problem=told, file=second.file, line=second.line)


def switched(rules: Sequence[Rule], settings: RuleSettings) -> tuple[Rule, ...]:
    """Return rules as the settings switch them off and on."""
    named = {**dict.fromkeys(settings.enabled, True), **dict.fromkeys(settings.disabled, False)}
    return tuple(replace(rule, enabled=named.get(rule.name, rule.enabled)) for rule in rules)


def problems_of_switches(rules: Sequence[Rule], settings: RuleSettings) -> Iterator[tuple[tuple[str, ...], Said]]:
    """Yield names in the settings that no rule has: the key, and a sentence."""
    known = [rule.name for rule in rules]
    for key, names in (("disabled", settings.disabled), ("enabled", settings.enabled)):
        for name in names:
            if name not in known:
                yield ("rules", key), says.NO_SUCH_RULE.of(name=name[:80], hint=nearest_name(name, known))
            elif key == "enabled" and name in settings.disabled:
                yield ("rules", key), says.OFF_AND_ON.of(name=name)


def problems_of_checkpoints(
    rules: Sequence[Rule], repositories: Mapping[str, RepositorySettings]
) -> Iterator[tuple[tuple[str, ...], Said]]:
    """Yield checkpoints in the settings of repositories that no rule has: the key, and a sentence."""
    known = sorted({rule.checkpoint for rule in rules if rule.checkpoint})
    for repository, settings in repositories.items():
        for name in settings.checkpoints:
            if name not in known:
                key = ("repositories", repository, "checkpoints", name)
                yield key, says.NO_SUCH_CHECKPOINT.of(name=name[:80], hint=nearest_name(name, known))


def shipped_rules() -> tuple[Rule, ...]:
    """Return the rules that come with mama-bot."""
    return tuple(rule for content in _shipped() for rule in content.rules)


def shipped_workflows() -> tuple[Workflow, ...]:
    """Return the workflows that come with mama-bot."""
    return tuple(workflow for content in _shipped() for workflow in content.workflows)


@cache
def _shipped() -> tuple[RuleFile, ...]:
    # Read once: they are the same as long as the process lives.
    with as_file(files("mama_bot") / "shipped" / "rules") as directory:
        return tuple(read_rule_file(file, shipped=True) for file in _files(directory))


def _files(directory: Path) -> Sequence[Path]:
    if not directory.exists():
        return ()
    try:
        listed = sorted(path for path in directory.iterdir() if path.suffix in ENDINGS)
    except OSError as error:
        raise ConfigurationError(problem=says.RULES_UNREADABLE.of(reason=error.strerror), file=directory) from None
    if len(listed) > MOST_FILES:
        raise ConfigurationError(problem=says.TOO_MANY_FILES.of(most=MOST_FILES), file=directory)
    return listed
