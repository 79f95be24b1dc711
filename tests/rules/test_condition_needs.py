"""Rules that need what is not there are not asked, and decide as if they had been."""

from pathlib import Path

import pytest
import yaml

from mama_bot.model import AgentPersona, RuleState, ToolAsked, ToolTurn
from mama_bot.rules.condition_needs import Need, NeededMatch, NeededText
from mama_bot.rules.conditions import Bound, Condition, ConditionFailed, ConditionGroup, grouped
from mama_bot.rules.path_values import Place
from mama_bot.rules.rule_set import shipped_rules
from mama_bot.rules.values import values_of
from mama_bot.tool_names import call_of

DATA = Path(__file__).parents[1] / "data" / "commands"
PLACE = Place(roots=("/work",), branch="work")
PERSONA = AgentPersona(name="developer", display_name="", prompt="")
TURN = ToolTurn(persona=PERSONA, workspace=Path("/work"), read_only=False)
BROKEN = "arguments.nowhere == 1"
WRITTEN = [
    f'{BROKEN} && persona.name == "nobody"',
    f'persona.name == "developer" && {BROKEN}',
    f'commands.exists(c, {BROKEN} && c.program == "git")',
    f'commands.exists(c, c.program == "git") && {BROKEN}',
    f'commands.all(c, c.program == "git" && {BROKEN})',
    'commands.all(c, c.program == "git")',
    'commands.exists_one(c, c.program == "git")',
    'commands.filter(c, c.program == "git").size() == 0',
    '!commands.exists(c, c.program == "git")',
    'commands.exists(c, c.program == "git" || c.program == "rm")',
    'commands.exists(c, c.program == "git" || c.via != "")',
    'commands.exists(c, "rm" == c.program && c.words.exists(w, w == "-rf"))',
    'commands.exists(c, c.program in ["rm", "rmdir"] && c.operands.size() > 0)',
    "commands.exists(c, c.program in protected_branches)",
    'commands.exists(c, commands.exists(d, d.program == "git" && c.program == "cd"))',
    'commands.exists(persona, persona.program == "git")',
    'tool == "Bash" && command.text.matches("^git +push")',
    'command.text.matches("(?i)RM -RF")',
    'command.text.matches("a|b") || tool == "Edit"',
    r"""command.text.matches(r'\Qgit push')""",
    r"""command.text.matches(r'\Qrm\E')""",
    '!command.text.matches("^git +push")',
    'tool != "Bash" || command . text.matches( r"\\bmain$" )',
    '!(command.text.matches("(?i)RM") && command.text.matches("f"))',
    'command.text.matches("x") == command.text.matches(\'[a-c"]\')',
    "paths.all(command, !command.text.matches('a'))",
    "!commands.exists(mama_found, !command.text.matches('a'))",
    """command.text == '!command.text.matches("b")' || !command.text.matches("d")""",
    """!(command.text).matches("e")""",
    'tool == "Edit" || tool == "Bash"',
    'tool in ["Edit", "Write"]',
    "true",
]


def commands() -> list[str]:
    kinds = yaml.safe_load((DATA / "first_sight.yaml").read_text(encoding="utf-8"))
    return [command for kind in kinds.values() for listed in kind.values() for command in listed]


def bounds(searches: frozenset[str]) -> list[Bound]:
    calls = [call_of("Bash", {"command": command}) for command in commands()]
    calls += [call_of("Edit", {"file_path": "/work/a.py", "old_string": "a", "new_string": "b"}), call_of("Other", {})]
    values = [values_of(ToolAsked(call=call), turn=TURN, state=RuleState(), place=PLACE) for call in calls]
    return [Bound(each, searches) for each in values]


def alone(condition: Condition, bound: Bound) -> bool | str:
    try:
        return condition.holds(bound)
    except ConditionFailed as error:
        return str(error)


@pytest.mark.parametrize("together", [True, False], ids=["searched together", "searched one by one"])
def test_what_is_decided_is_what_each_rule_asked_by_itself_decides(together: bool) -> None:
    conditions = [*(rule.condition for rule in shipped_rules()), *(Condition(text) for text in WRITTEN)]
    group = ConditionGroup(conditions)
    bounds_of_calls = bounds(group.searches if together else frozenset())
    assert all(bool(bound.searches) is together for bound in bounds_of_calls[:-2])
    for bound in bounds_of_calls:
        outcomes = [str(told) if isinstance(told, ConditionFailed) else told for told in group.outcomes(bound)]
        assert outcomes == [alone(condition, bound) for condition in conditions]


@pytest.mark.parametrize(
    ("expression", "need"),
    [
        ('persona.name == "a" && session.looks > 0', NeededText(name="persona.name", texts=frozenset({"a"}))),
        (
            'commands.exists(c, c.program == "git" || c.program == "hub")',
            NeededText(name="commands.program", texts=frozenset({"git", "hub"})),
        ),
        (
            'session.looks > 0 && commands.exists(c, c.words.size() > 1 && c.program in ["a", "b"])',
            NeededText(name="commands.program", texts=frozenset({"a", "b"})),
        ),
        ('command.text.matches("a+")', NeededMatch(pattern="a+")),
        (r"""command.text.matches(r'\Qa+')""", None),
        ('!(persona.name == "a")', None),
        ('persona.name == "a" || session.looks > 0', None),
        ('commands.all(c, c.program == "git")', None),
        ('paths.exists(p, p.name == "a")', None),
        ('commands.exists(c, c.program in ["a", tool])', None),
    ],
)
def test_a_need_is_found_where_nothing_holds_without_it(expression: str, need: Need | None) -> None:
    assert Condition(expression).need == need


@pytest.mark.parametrize("expression", ['command.text.matches("a")', 'commands.exists(c, c.program == "git")'])
def test_a_value_that_cannot_be_looked_up_fails_as_its_condition_does(expression: str) -> None:
    odd = Bound({"command": {"text": "\ud800"}, "commands": 5})
    (outcome,) = ConditionGroup([Condition(expression)]).outcomes(odd)
    assert isinstance(outcome, ConditionFailed)


def test_patterns_that_are_too_large_together_are_searched_for_one_by_one() -> None:
    patterns = [f"x{number}[a-z]{{0,990}}[0-9]{{0,990}}z" for number in range(200)]
    groups = grouped([Condition(f'!command.text.matches("{pattern}")') for pattern in patterns])
    bound = Bound({"command": {"text": "echo x3ab12z"}}, frozenset(patterns))
    assert [holds for group in groups for holds in group.outcomes(bound)] == [number != 3 for number in range(200)]
