"""What a repository itself says of how git is to look at it."""

from dataclasses import dataclass
from enum import StrEnum


class GitRule(StrEnum):
    """What of a repository decides how git looks at it, and no commit shows.

    FLAGS: files that its index tells git not to look at. REMOTES: where an address leads. REPLACED: objects that others
    stand in for. SETTINGS: whatever else of its configuration decides what git sees or runs.
    """

    EXCLUDES = "excludes"
    ATTRIBUTES = "attributes"
    FLAGS = "flags"
    HOOKS = "hooks"
    REMOTES = "remotes"
    REPLACED = "replaced"
    SETTINGS = "settings"


@dataclass(frozen=True, slots=True)
class RuleEntry:
    """One thing that a repository says, by name and value; `adds` says that it changes nothing where it is new."""

    rule: GitRule
    name: str
    value: str
    adds: bool = False


def changed_rules(before: frozenset[RuleEntry], after: frozenset[RuleEntry]) -> tuple[GitRule, ...]:
    """Return what of the rules is not as it was, in the order in which people are told."""
    known = {(entry.rule, entry.name) for entry in before}
    new = {entry.rule for entry in after - before if not entry.adds or (entry.rule, entry.name) in known}
    gone = {entry.rule for entry in before - after}
    return tuple(rule for rule in GitRule if rule in new | gone)
