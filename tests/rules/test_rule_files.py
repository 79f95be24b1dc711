"""Rules as people write them: what is wrong is one sentence with file, line and the nearest valid name."""

import os
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from mama_bot.config import RuleSettings
from mama_bot.errors import ConfigurationError
from mama_bot.rules.examples import failures
from mama_bot.rules.rule_files import read_rules
from mama_bot.rules.rule_set import load_rules, problems_of_switches, shipped_rules, switched
from mama_bot.wording import Language
from tests.rules.making import rules_of

FILES = max(1, int(os.environ.get("FUZZ_TEXTS", "4000")) // 10)
GOOD = "rules:\n  - name: mine\n    decision: block\n    message: No.\n"


def refusal(tmp_path: Path, text: str) -> str:
    file = tmp_path / "own.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError) as refused:
        read_rules(file)
    return str(refused.value).removeprefix(f"{file}:")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (GOOD.replace("decision", "decison"), "3: 'decison' is no key of a rule. Did you mean 'decision'?"),
        (GOOD.replace("block", "blok"), "3: decision: 'blok' is not known. Did you mean 'block'?"),
        (f"{GOOD}    when: tol == 'x'\n", "5: mine.when: 'tol' is not known. Did you mean 'tool'?"),
        (
            f"{GOOD}    when: |\n      kind == 'shell' &&\n      commands.exists(c, c.progam == 'rm')\n",
            "7: mine.when: 'progam' is no field of Program. Did you mean 'program'?",
        ),
        (f"{GOOD}    when: tool\n", "5: mine.when: it is a text, and has to be true or false."),
        (
            f"{GOOD}    when: tool == 1\n",
            "5: mine.when: `==` cannot take a text and a whole number.",
        ),
        (
            f"{GOOD}    match: Bsh\n",
            "5: mine.match: no tool and no kind of tools is called 'Bsh'. Did you mean 'Bash'?",
        ),
        (
            f"{GOOD}    checkpoint: plan\n",
            "5: mine.checkpoint: a person lets a checkpoint pass: it needs",
        ),
        (f"{GOOD}    checkpoint: The plan\n", "5: checkpoint: "),
        (f"{GOOD}    about: {{en: Mine.}}\n", "5: about.ko: "),
        (f"{GOOD}    about: 3\n", "5: about: expected a text, or one in each language: {en: …, ko: …}, got 3."),
        (f"{GOOD}    event: tol\n", "5: event: 'tol' is not known. Did you mean 'tool'?"),
        (f"{GOOD}    event: reply\n", "5: mine.event: what an agent says is judged by the chain"),
        (
            GOOD.replace("    decision: block", "    event: after_tool\n    decision: ask"),
            "4: mine.decision: 'ask' can do nothing at `event: after_tool`. What can: allow, block, tell, count.",
        ),
        (
            GOOD.replace(
                "    decision: block", "    event: session_start\n    decision: modify\n    set: {a: \"'b'\"}"
            ),
            "4: mine.decision: 'modify' can do nothing at `event: session_start`.",
        ),
        (
            GOOD.replace("    decision: block", "    event: stop\n    decision: tell"),
            "4: mine.decision: 'tell' can do nothing at `event: stop`. What can: allow, block, count.",
        ),
        (
            f"{GOOD}    event: compaction\n    tier: soft\n",
            "6: mine.tier: `soft` only tells, and at `event: compaction` nobody is told anything.",
        ),
        (f"{GOOD}    band: P30\n", "5: band: 'P30' is not known. Did you mean"),
        (GOOD.replace("No.", "No {tol}."), "4: mine.message: {tol}: 'tol' is not known. Did you mean 'tool'?"),
        (GOOD.replace("    message: No.\n", ""), "3: mine.decision: a rule that decides 'block' needs a `message:`"),
        (
            GOOD.replace("mine", "My rule"),
            "2: name: expected small letters, digits and `_`, a letter first: my_rule.",
        ),
        (GOOD.replace("block", "modify"), "3: mine.decision: `decision: modify` and `set:` belong together."),
        (GOOD + GOOD.partition("\n")[2], "5: A rule 'mine' stands in this file twice (first on line 2)."),
        (f"{GOOD}    when: tool.matches('(')\n", "5: mine.when: '(' is no regular expression of RE2"),
        (f"{GOOD}    examples: {{bloks: [ls]}}\n", "5: 'bloks' is no kind of examples. Did you mean 'blocks'?"),
        (
            f"{GOOD}    examples: {{blocks: [{{given: {{lok: 1}}}}]}}\n",
            "5: given: 'lok' is nothing that an example can give. Did you mean 'ok'?",
        ),
        (
            f"{GOOD}    examples: {{blocks: [{{given: {{checks: 3}}}}]}}\n",
            "5: given: checks: expected 'none', 'passed', 'failed' or 'stale', got 3.",
        ),
        (f"{GOOD}    examples: {{blocks: [{{given: {{files: x.py}}}}]}}\n", "5: given: files: expected"),
        (
            f"{GOOD}    examples: {{passes: [{{tool: Writ, file_path: x}}]}}\n",
            "5: tool: no tool is called 'Writ'. Did you mean 'Write'?",
        ),
        (
            f"{GOOD}    when: command.contains('x')\n",
            "5: mine.when: `contains` is for a text, and Command is none; texts",
        ),
        (
            f"{GOOD}    when: commands.contains('x')\n",
            "5: mine.when: `contains` is for a text, and this is a list: .exists(",
        ),
        (
            f"{GOOD}    when: program == 'x'\n",
            "5: mine.when: 'program' is a field of Program: commands.exists(c, c.program …).",
        ),
        (
            f"{GOOD}    when: tool = 'x'\n",
            "5: mine.when: this is no expression (token recognition error at: '= '). A text",
        ),
        (
            GOOD.replace("block", "modify") + "    set: {command: '1'}\n",
            "5: mine.set: command: it is a whole number, and has to be a text, which stands in quotes of its own",
        ),
        ("rule: []\n", "1: 'rule' is not known here. Did you mean 'rules'?"),
        ("rules: {}\n", "1: Expected `rules:` with a list of rules, or `workflows:`"),
        ("rules:\n  - 1\n", "2: Expected a rule"),
        ("rules: [\n", "2: This is not YAML"),
    ],
)
def test_a_mistake_is_told_with_its_line_and_the_nearest_name(tmp_path: Path, text: str, told: str) -> None:
    assert refusal(tmp_path, text).startswith(told)


def outcome(file: Path) -> str:
    """What becomes of a file: its rules, or the sentence that refuses it."""
    try:
        return f"rules: {len(read_rules(file))}"
    except ConfigurationError as error:
        return str(error)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(["name", "when", "match", "decision", "message", "event", "set", "examples", "tier", "clears"])
WORTHY = ["mine", "block", "tool == '", "commands.exists(c, c)", "*", "tool", "{tool}", "P10"]
VALUES = ANYTHING | st.sampled_from(WORTHY)
ODD = st.dictionaries(KEYS, VALUES, max_size=2)
# Rules that are almost right reach further than what nobody would take for one.
NEARLY = st.builds(lambda odd: {"name": "mine", "decision": "block", "message": "No.", **odd}, ODD)
RULES = st.lists(NEARLY | st.dictionaries(KEYS | st.text(max_size=8), VALUES, max_size=8), max_size=3)


@settings(max_examples=FILES, deadline=None)
@given(content=st.builds(yaml.safe_dump, st.builds(lambda rules: {"rules": rules}, RULES)) | st.text(max_size=200))
def test_whatever_stands_in_a_file_it_is_read_or_refused_with_its_name(
    tmp_path_factory: pytest.TempPathFactory, content: str
) -> None:
    file = tmp_path_factory.mktemp("fuzzed") / "own.yaml"
    file.write_text(content, encoding="utf-8", errors="replace")
    assert outcome(file).startswith(("rules", f"{file}:"))


def test_every_example_of_the_shipped_rules_comes_out_as_it_says() -> None:
    assert [str(failure) for failure in failures(shipped_rules())] == []


def test_every_shipped_rule_has_examples_of_both_kinds_and_says_what_it_is_for() -> None:
    assert [rule.name for rule in shipped_rules() if not (rule.blocks and rule.passes and rule.about)] == []


def test_an_example_that_comes_out_otherwise_is_told_with_its_place(tmp_path: Path) -> None:
    (rule,) = rules_of(tmp_path, "name: mine\nwhen: 'false'\ndecision: block\nmessage: No.\nexamples: {blocks: [ls]}")
    assert [str(failure) for failure in failures([rule])] == [f"{tmp_path / 'own.yaml'}:2: mine does not block: ls"]


def test_what_a_rule_is_for_is_said_in_both_languages_with_whatever_signs_stand_in_it(tmp_path: Path) -> None:
    plain, both = rules_of(
        tmp_path,
        "name: plain\nabout: It is {mine}.\ndecision: block\nmessage: No.",
        "name: both\nabout: {en: Mine., ko: 내 것.}\ndecision: block\nmessage: No.",
    )
    assert plain.purpose(Language.KOREAN, "") == "It is {mine}."
    assert (both.purpose(Language.ENGLISH, ""), both.purpose(Language.KOREAN, "")) == ("Mine.", "내 것.")


def test_every_shipped_rule_says_in_korean_too_what_it_is_for() -> None:
    same = [r.name for r in shipped_rules() if r.purpose(Language.KOREAN, "") == r.purpose(Language.ENGLISH, "")]
    assert same == []


def test_a_person_is_asked_in_the_words_of_the_rule_whatever_signs_stand_in_them(tmp_path: Path) -> None:
    (rule,) = rules_of(tmp_path, "name: mine\ndecision: ask\nmessage: No.\nperson: {en: 'May {it}?', ko: '{이것}?'}")
    assert rule.person is not None
    assert (rule.person.to(Language.ENGLISH), rule.person.to(Language.KOREAN)) == ("May {it}?", "{이것}?")


def test_ones_own_rule_stands_in_the_place_of_a_shipped_one(tmp_path: Path) -> None:
    rules_of(tmp_path, "name: force_push\ndecision: ask\nmessage: May it?")
    (own,) = [rule for rule in load_rules(tmp_path) if rule.name == "force_push"]
    assert (own.verb, own.shipped) == ("ask", False)


def test_rules_are_switched_by_name(tmp_path: Path) -> None:
    settings = RuleSettings(disabled=("force_push",), enabled=("network_install",))
    enabled = {rule.name: rule.enabled for rule in switched(shipped_rules(), settings)}
    assert (enabled["force_push"], enabled["network_install"], enabled["push_protected"]) == (False, True, True)


def test_a_switch_for_no_rule_is_told_with_the_nearest_name() -> None:
    ((key, problem),) = problems_of_switches(shipped_rules(), RuleSettings(disabled=("force_psh",)))
    assert key == ("rules", "disabled")
    assert problem.to(Language.ENGLISH) == "there is no rule 'force_psh'. Did you mean 'force_push'?"
    assert problem.to(Language.KOREAN) == "'force_psh'라는 규칙은 없습니다. 혹시 'force_push'인가요?"
