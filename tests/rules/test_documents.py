"""What docs/rules.md says of rules is so: each variable, field and shipped rule stands there."""

from pathlib import Path

import pytest

from mama_bot.rules.condition_terms import MESSAGES, VARIABLES
from mama_bot.rules.rule_set import shipped_rules

TEXT = (Path(__file__).parents[2] / "docs" / "rules.md").read_text(encoding="utf-8")
TERMS = [*VARIABLES, *(term for terms in MESSAGES.values() for term in terms)]


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term.name)
def test_each_name_of_a_condition_is_documented_with_its_type(term: object) -> None:
    name, kind = getattr(term, "name", ""), getattr(term, "type", "")
    assert f"| `{name}` | {kind} |" in TEXT


@pytest.mark.parametrize("name", [rule.name for rule in shipped_rules()])
def test_each_shipped_rule_is_documented(name: str) -> None:
    assert f"`{name}`" in TEXT
