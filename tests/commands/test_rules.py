"""`mama-bot rules`, as a person at a terminal uses it."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mama_bot.commands.command_line import run_command
from mama_bot.commands.rule_examination import explained
from mama_bot.errors import ConfigurationError
from mama_bot.rules.rule_set import shipped_rules
from mama_bot.rules.written_examples import WrittenFacts
from mama_bot.wording import Language
from tests.end_to_end.team import write_configuration

OWN = """
rules:
  - {name: mine, match: Bash, decision: block, message: No., examples: {blocks: [ls], passes: [ls]}}
"""


def rules(tmp_path: Path, *arguments: str) -> int:
    return run_command(["rules", "--config", str(write_configuration(tmp_path)), *arguments])


def test_the_rules_are_listed_with_what_they_are_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert rules(tmp_path) == 0
    told = capsys.readouterr().out
    assert "force_push  block  tool  Bash  P20\n    History that others have is not replaced.\n    shipped" in told
    assert "tests_stay  warn" in told
    assert "network_install  ask  tool  Bash  P20  (off)" in told
    assert rules(tmp_path, "--json") == 0
    assert "three_strikes" in [rule["name"] for rule in json.loads(capsys.readouterr().out)]


def test_a_decision_is_explained_with_the_rule_that_spoke(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert rules(tmp_path, "explain", "--input", "cd / && rm -rf x") == 0
    told = capsys.readouterr().out
    assert told.startswith("block: remove_outside_workspace\n  remove_outside_workspace (P20, matcher Bash): block\n")
    assert rules(tmp_path, "explain", "--input", "ls") == 0
    assert capsys.readouterr().out == "allow\n  No rule spoke; 17 rules are about Bash.\n"
    hook = {"tool_name": "Write", "tool_input": {"file_path": ".env", "content": "x"}}
    assert rules(tmp_path, "explain", "--json", "--input", json.dumps(hook)) == 0
    assert json.loads(capsys.readouterr().out)["rule"] == "write_secret_files"


def test_examples_are_run_and_what_comes_out_otherwise_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert rules(tmp_path, "test") == 0
    assert "0 came out otherwise." in capsys.readouterr().out
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "own.yaml").write_text(OWN, encoding="utf-8")
    assert rules(tmp_path, "test") == 1
    assert "own.yaml:3: mine blocks, and has to let pass: ls" in capsys.readouterr().out
    (tmp_path / "rules" / "own.yaml").write_text(OWN.replace("mine", "force_push"), encoding="utf-8")
    rules(tmp_path, "test")
    assert "In the place of shipped rules of these names: force_push." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("explain",), "needs a call"),
        (("explain", "--input", "ls", "--event", "tol"), "--event: 'tol' is not known. Did you mean 'tool'?"),
        (("explain", "--input", "{"), "--input is no JSON"),
        (("explain", "--input", '{"given": {"lok": 1}}'), "'lok' is nothing that an example"),
        (("explain", "--input", '{"given": {"counters": 3}}'), "given: counters: expected"),
        (("explain", "--input", '{"tol": "Read"}'), "Which tool?"),
        (("explain", "--input", '{"tool": "Reed"}'), "no tool is called 'Reed'. Did you mean 'Read'?"),
        (("explain", "--input", '{"given": {}}'), "needs a call"),
        (("explain", "--input", '{"tool_input": 1}'), "tool_input: expected names with values."),
    ],
)
def test_what_cannot_be_explained_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], told: str
) -> None:
    assert rules(tmp_path, *arguments) == 2
    assert told in capsys.readouterr().err


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=5), below, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from(
    ["tool", "tool_name", "tool_input", "given", "command", "file_path", "content", *WrittenFacts.model_fields]
)


@given(
    call=st.dictionaries(NAMES, VALUES, max_size=4),
    facts=st.none() | st.dictionaries(NAMES, VALUES, max_size=3),
    event=st.sampled_from(["tool", "after_tool", "session_start", "compaction", "stop"]),
)
def test_whatever_call_is_written_it_is_explained_or_refused(
    call: dict[str, object], facts: dict[str, object] | None, event: str
) -> None:
    asked = json.dumps(call if facts is None else {"tool": "Bash", "command": "ls", **call, "given": facts})
    try:
        told = "\n".join(explained(shipped_rules(), asked, event, ["main"], Language.KOREAN, as_json=False))
    except ConfigurationError as error:
        told = error.to(Language.KOREAN)
    assert told


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ("decison: block", "own.yaml:3: 규칙에는 'decison'이라는 키가 없습니다. 혹시 'decision'인가요?"),
        (
            "decision: block\n    message: No.\n    when: tol == 'x'",
            "mine.when: 'tol'이라는 이름은 없습니다. 혹시 'tool'인가요?",
        ),
        (
            "decision: block\n    message: No.\n    when: command.contains('x')",
            "텍스트에만 쓸 수 있는데 Command는 텍스트가 아닙니다",
        ),
    ],
)
def test_a_mistake_is_told_in_the_language_of_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, rule: str, told: str
) -> None:
    monkeypatch.setenv("LANG", "ko_KR.UTF-8")
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "own.yaml").write_text(f"rules:\n  - name: mine\n    {rule}\n", encoding="utf-8")
    assert rules(tmp_path, "test") == 2
    assert told in capsys.readouterr().err


def test_what_rules_do_is_told_in_the_language_of_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANG", "ko_KR.UTF-8")
    (tmp_path / "rules").mkdir()
    both = "about: {en: It is mine., ko: 내 규칙입니다.}"
    own = f"rules:\n  - name: mine\n    {both}\n    match: Bash\n    decision: block\n    message: No.\n"
    (tmp_path / "rules" / "own.yaml").write_text(
        f"{own}    examples: {{blocks: [ls], passes: [ls]}}\n", encoding="utf-8"
    )
    assert rules(tmp_path) == 0
    told = capsys.readouterr().out
    assert "다른 사람도 가진 이력은 바꿔 쓰지 않습니다." in told
    assert "내 규칙입니다." in told
    assert rules(tmp_path, "explain", "--input", "ls") == 0
    assert "내 규칙입니다." in capsys.readouterr().out
    assert rules(tmp_path, "test") == 1
    told = capsys.readouterr().out
    assert "mine가 막지만 통과시켜야 합니다: ls" in told
    assert "1개가 다르게 나왔습니다." in told


def test_a_switch_for_no_rule_is_told_at_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write_configuration(tmp_path, rules={"disabled": ["force_psh"]})
    assert run_command(["rules", "--config", str(file)]) == 2
    assert "rules.disabled: there is no rule 'force_psh'. Did you mean 'force_push'?" in capsys.readouterr().err
