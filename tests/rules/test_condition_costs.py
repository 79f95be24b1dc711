"""What a condition may take is counted before it runs: hostile ones are refused where they are read, or fail unrun."""

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mama_bot.errors import ConfigurationError
from mama_bot.model import Allow, Block, Phase
from mama_bot.rules.condition_costs import MOST_STEPS, measured
from mama_bot.rules.conditions import Bound, Condition, ConditionFailed, misexpressed
from mama_bot.rules.examples import decided
from mama_bot.rules.polynomials import Polynomial, constant, size_named
from mama_bot.rules.rule import Example
from mama_bot.rules.rule_engine import RuleEngine
from mama_bot.rules.rule_files import read_rules
from mama_bot.rules.rule_set import shipped_rules
from tests.rules.making import ruling_of

NAMES = [{"name": "x" * 20, "text": "y" * 30} for _ in range(10)]
PROGRAMS = [{"program": "rm", "words": ["a" * 30] * 40, "paths": NAMES, "options": ["r"] * 10} for _ in range(300)]
LARGE: Mapping[str, Any] = {
    "arguments": {"text": "a" * 1_000_000, "items": list(range(9_000)), "texts": ["a" * 900] * 3_000},
    "commands": PROGRAMS,
    "command": {"text": "a" * 1_000_000},
    "paths": NAMES * 50,
    "protected_branches": [f"branch{number}" for number in range(500)],
    "tool": "Bash",
    "kind": "shell",
}
ONES = f"[{','.join('1' * 300)}]"
HOSTILE = [
    "arguments.items.map(x, x + 1).size() > 0",
    "arguments.items.filter(x, x > 1).size() > 0",
    "arguments.items.map(x, [x]).map(y, [y]).map(z, [z]).size() > 0",
    'arguments.items.exists(x, arguments.text.contains("b"))',
    'arguments.items.exists(x, arguments.text.contains("ab" + "c"))',
    "arguments.texts.exists(x, arguments.text.contains(x))",
    "arguments.texts.exists(x, x in arguments.texts)",
    'arguments.texts.exists(x, arguments.texts.exists(y, x == y + "b"))',
    'arguments.texts.all(x, x.matches("(a|aa|aaa)*b"))',
    'arguments.text.matches("([^x]*[a-q][^v-z]{30}){20}x")',
    'arguments.text.matches("a{0,1000}b")',
    'arguments.text.matches("(a{0,30}){0,30}b")',
    "arguments.text.matches(arguments.texts[0])",
    "arguments.texts.exists(x, arguments.text.matches(x))",
    'arguments.text.contains(arguments.text + "b")',
    f'command.text.contains("{"a" * 3_000}b")',
    f'["aa"]{".map(x, x + x)" * 20}.size() > 0',
    f"[[1]]{'.map(x, x + x)' * 20}.size() > 0",
    f"{ONES}.all(a, {ONES}.all(b, true))",
    f"{ONES}.all(a, {ONES}.all(b, {ONES}.all(c, true)))",
    "commands.exists(a, commands.exists(b, commands.exists(c, commands.exists(d, a == b && c == d))))",
    "commands.exists(a, commands.exists(b, commands.exists(c, a.program + b.program == c.program)))",
    'commands.exists(a, commands.exists(b, a == b && a.program == "y"))',
    "commands.all(a, commands == commands)",
    "commands.map(a, commands).map(b, b).size() > 3",
    "commands.map(a, commands.map(b, commands)).size() > 3",
    "commands.exists(c, c.words.exists(w, protected_branches.exists(b, b.contains(w))))",
    "commands.exists(c, c.paths.exists(p, paths.exists(q, p.name.contains(q.name))))",
    "arguments.items.exists(x, size(command.text) < x)",
    'arguments.items.map(x, command.text + "a").size() > 0',
    'arguments.items.map(x, command.text).exists(t, t.contains("b"))',
    '{"a": arguments.items.map(x, arguments.items)}["a"].size() > 0',
    "arguments.items.filter(x, arguments.items.filter(y, y > x).size() > 1).size() > 0",
    "arguments.items.exists_one(x, arguments.items.exists_one(y, command.text.startsWith(command.text)))",
    "arguments.items.exists(x, [arguments.items, arguments.items] == [arguments.items, [x]])",
    "arguments.items.exists(x, arguments.items == arguments.items && x < 0)",
    'tool.matches("a" + "b")',
]


@pytest.mark.parametrize("expression", HOSTILE)
def test_a_hostile_condition_is_refused_or_fails_before_it_runs(expression: str) -> None:
    refused = misexpressed(expression)
    if refused is None:
        with pytest.raises(ConditionFailed, match=r"^it may take [0-9,]+ steps here, more than 250,000$"):
            Condition(expression).value(Bound(LARGE))
    else:
        assert "it may take" in str(refused.problem) or "has to be written out" in str(refused.problem)


@pytest.mark.parametrize("rule", shipped_rules(), ids=lambda rule: rule.name)
def test_a_shipped_rule_is_evaluated_at_thirty_programs_in_200_000_characters(rule: Any) -> None:
    names = {name for names in rule.condition.cost.terms for name in names}
    sizes = {name: 2_000 if name.startswith("size") else 30 for name in names} | {"size of protected_branches": 20}
    assert rule.condition.cost.at(sizes) < MOST_STEPS


def test_a_condition_that_takes_too_much_is_refused_with_its_file_and_line(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    file.write_text(
        f"rules:\n  - name: mine\n    decision: block\n    message: No.\n    when: |\n      tool == 'Bash' &&\n"
        f"      {ONES}.all(a, {ONES}.all(b, true))\n",
        encoding="utf-8",
    )
    with pytest.raises(ConfigurationError) as refused:
        read_rules(file)
    assert str(refused.value).startswith(f"{file}:7: mine.when: it may take ")


@pytest.mark.parametrize(("failing", "decision"), [("block", Block), ("allow", Allow)])
def test_a_call_too_large_for_a_condition_gets_the_decision_that_its_rule_declares(
    tmp_path: Path, failing: str, decision: type
) -> None:
    ruling = ruling_of(
        tmp_path,
        f"""
        name: mine
        match: mcp__lists__sort
        when: arguments.items.filter(x, x < 0).size() > 0
        decision: block
        message: No.
        on_failure: {failing}
        """,
        tool="mcp__lists__sort",
        arguments={"items": list(range(5_000))},
    )
    assert isinstance(ruling.decision, decision)
    assert "steps here" in ruling.matches[0].failure


def test_conditions_of_one_moment_share_what_they_may_take() -> None:
    bound = Bound({"arguments": {"text": "a" * 4_000_000}, "commands": [], "paths": []})
    condition = Condition('arguments.text.contains("b")')
    outcomes: list[bool | str] = []
    for _ in range(200):
        try:
            outcomes.append(condition.holds(bound))
        except ConditionFailed as error:
            outcomes.append(str(error))
    assert outcomes[0] is False
    assert str(outcomes[-1]).startswith("all conditions together may take more than")


LISTS = st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=5), max_size=5)
TERMS = st.dictionaries(
    st.sampled_from([(), ("s",), ("n",), ("n", "s"), ("s", "s"), ("o",), ("o", "s")]), st.integers(0, 5)
)


@given(lists=LISTS, terms=TERMS, other=st.integers(0, 9))
def test_a_sum_over_a_list_is_never_more_than_its_bound(
    lists: Sequence[Sequence[int]], terms: Mapping[tuple[str, ...], float], other: int
) -> None:
    polynomial = Polynomial(terms)
    exact = sum(polynomial.at({"n": len(each), "s": measured(list(each)), "o": other}) for each in lists)
    bound = polynomial.over(frozenset({"n", "s"}), length=size_named("length"), size=size_named("size"))
    assert exact <= bound.at({"length": len(lists), "size": measured([list(each) for each in lists]), "o": other})


@given(first=TERMS, second=TERMS, sizes=st.tuples(*[st.integers(0, 9)] * 3))
def test_sums_and_products_of_polynomials_are_those_of_their_values(
    first: Mapping[tuple[str, ...], float], second: Mapping[tuple[str, ...], float], sizes: tuple[int, int, int]
) -> None:
    one, two, at = Polynomial(first), Polynomial(second), dict(zip("nso", sizes, strict=True))
    assert (one + two).at(at) == one.at(at) + two.at(at)
    assert (one * two).at(at) == one.at(at) * two.at(at)
    assert (one + constant(3)).times(2).at(at) == 2 * (one.at(at) + 3)


LOOPS = ("commands.exists(a, a.{0} == 'z')", "commands.exists(a, a.words.exists(w, w == 'z'))", "commands.all(a, {1})")


@pytest.mark.parametrize(("outer", "field"), list(product(LOOPS, ["program", "via"])))
def test_a_list_ten_times_as_long_takes_ten_times_the_steps(outer: str, field: str) -> None:
    cost = Condition(outer.format(field, f"a.{field} != ''")).cost
    few, many = (cost.at({"length of commands": 20 * n, "size of commands": 400 * n}) for n in (1, 10))
    assert many <= 10 * few


@pytest.mark.parametrize("command", [f"ls {'a ' * 3_000}", "echo b; " * 300, f"cat <<'END'\n{'word ' * 40_000}\nEND"])
def test_a_long_command_is_not_too_much_for_the_shipped_rules(command: str) -> None:
    rules = [rule for rule in shipped_rules() if rule.phase is Phase.TOOL]
    ruling = decided(RuleEngine(rules), Example(tool="Bash", arguments={"command": command}), Phase.TOOL)
    assert [match.failure for match in ruling.matches if match.failure] == []
