"""What `mama-bot rules report` tells: each rule in its wording of today, and which are left out."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mama_bot.commands.command_line import run_command
from mama_bot.commands.rule_report import reported
from mama_bot.model import RuleRecord
from mama_bot.rules.breakers import wording_digest
from mama_bot.wording import Language
from tests.end_to_end.team import write_configuration
from tests.rules.making import rules_of

RULE = "name: {name}\nmatch: Bash\ndecision: block\nmessage: No."


def test_each_rule_that_spoke_is_told_in_its_wording_of_today(tmp_path: Path) -> None:
    rules = rules_of(tmp_path, *(RULE.format(name=name) for name in ("some", "most", "never")))
    digests = {rule.name: wording_digest(rule) for rule in rules}
    records = (
        RuleRecord(rule="some", digest="of-yesterday", matches=99),
        RuleRecord(
            rule="some",
            digest=digests["some"],
            failures=3,
            failure="no such key",
            opened_at=datetime(2026, 1, 1, tzinfo=UTC),
        ),
        RuleRecord(
            rule="most", digest=digests["most"], matches=12, blocks=11, heeded=1, reported=2, complaint="It was\nmine"
        ),
    )
    header, most, complaint, some, opened, rest = reported(rules, records, Language.ENGLISH, as_json=False)
    assert header.split() == [
        "rule",
        *["matches", "blocks", "questions", "warnings", "heeded", "unheeded", "reported", "failures"],
    ]
    assert most.split() == ["most", "12", "11", "0", "0", "1", "0", "2", "0"]
    assert complaint.strip() == "reported as wrong: It was mine"
    assert some.split() == ["some", "0", "0", "0", "0", "0", "0", "0", "3"]
    assert opened.strip().startswith("opened at 20")
    assert opened.endswith("no such key")
    assert rest == "1 of 3 rules did nothing yet."
    (text,) = reported(rules, records, Language.ENGLISH, as_json=True)
    assert [(record["rule"], record["matches"]) for record in json.loads(text)] == [("most", 12), ("some", 0)]


def test_before_the_first_start_no_rule_did_anything(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["rules", "report", "--config", str(write_configuration(tmp_path))]) == 0
    assert "rules did nothing yet." in capsys.readouterr().out
