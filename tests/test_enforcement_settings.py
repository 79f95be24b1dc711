"""What is wrong about expressions and files of the stages is one sentence with its key, file and line."""

from pathlib import Path

import pytest

from tests.test_config import load, refusal


def test_expressions_and_files_of_a_workspace_are_taken(tmp_path: Path) -> None:
    commands = "commands: {tests: ['\\./ci/check\\.sh', '검사 ?실행']}"
    text = f"enforcement:\n  claim_check:\n    {commands}\n    junit_xml: [build/junit.xml, ./a.xml]\n"
    claims = load(tmp_path, text).enforcement.claim_check
    assert claims.commands.tests == (r"\./ci/check\.sh", "검사 ?실행")
    assert claims.junit_xml == ("build/junit.xml", "./a.xml")


@pytest.mark.parametrize(
    ("section", "words"),
    [
        (
            "claim_check:\n    commands:\n      tests: ['(']",
            "commands.tests.0: '(' is not an RE2 expression: missing )",
        ),
        ("claim_check:\n    commands:\n      deploy: [ship, 'a(?=b)']", "commands.deploy.1: 'a(?=b)' is not an RE2"),
        (
            "claim_check:\n    commands:\n      tests: ['']",
            "commands.tests.0: '' matches an empty text, and so everyth",
        ),
        ("claim_check:\n    commands:\n      lint: ['.*']", "commands.lint.0: '.*' matches an empty text"),
        (
            "claim_check:\n    commands:\n      lint: ['a *']",
            "commands.lint.0: 'a *' is not an RE2 expression: bad rep",
        ),
        (
            "claim_check:\n    mode: observe\n    junit_xml: [/etc/passwd]",
            "junit_xml.0: '/etc/passwd' leads out of the",
        ),
        ("claim_check:\n    mode: observe\n    junit_xml: [a.xml, ../x.xml]", "junit_xml.1: '../x.xml' leads out of"),
        ("claim_check:\n    mode: observe\n    junit_xml: ['']", "junit_xml.0: '' names no file."),
        ("claim_check:\n    mode: observe\n    junit_xml: ['./']", "junit_xml.0: './' names no file."),
        ("words:\n    filler: []\n    boast: ['(?<=x)y']", "words.boast.0: '(?<=x)y' is not an RE2 expression"),
        ("words:\n    filler: []\n    boast: ['최고?|']", "words.boast.0: '최고?|' matches an empty text"),
        ("response_validator:\n    mode: observe\n    praise: ['[']", "response_validator.praise.0: '[' is not an RE2"),
        (
            "review_gate:\n    mode: observe\n    whitelist: ['.*']",
            "review_gate.whitelist.0: '.*' matches an empty text",
        ),
    ],
)
def test_a_mistake_is_a_sentence_with_key_file_and_line(tmp_path: Path, section: str, words: str) -> None:
    error = refusal(tmp_path, f"enforcement:\n  {section}\n")
    assert error.line == 4
    assert error.file == tmp_path / "config.yaml"
    assert words in str(error)


def test_a_mistake_in_a_variable_names_the_variable(tmp_path: Path) -> None:
    error = refusal(tmp_path, "", {"MAMA_ENFORCEMENT__CLAIM_CHECK__COMMANDS__TESTS": '["("]'})
    assert "MAMA_ENFORCEMENT__CLAIM_CHECK__COMMANDS__TESTS is wrong: enforcement.claim_check.commands.tests.0" in str(
        error
    )
