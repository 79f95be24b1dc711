"""What the tests of rules share: rules as a person writes them, and what they decide about a call."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

from mama_bot.metrics import Metrics
from mama_bot.model import Phase, RuleRecord
from mama_bot.rules.breakers import RuleBreakers
from mama_bot.rules.examples import decided
from mama_bot.rules.rule import Example, Rule
from mama_bot.rules.rule_engine import RuleEngine, Ruling
from mama_bot.rules.rule_files import read_rules


class Records:
    """What is kept of rules, in memory."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], RuleRecord] = {}

    async def load(self) -> Sequence[RuleRecord]:
        return tuple(self.kept.values())

    async def save(self, records: Sequence[RuleRecord]) -> None:
        self.kept |= {(record.rule, record.digest): record for record in records}


def breakers_of(rules: Sequence[Rule]) -> RuleBreakers:
    """What leaves out rules that failed three times in a row, and tells nobody."""
    return RuleBreakers(
        rules=rules,
        records=Records(),
        failures=3,
        cooldown=timedelta(minutes=5),
        now=lambda: datetime.now(UTC),
        metrics=Metrics(),
        alarm=lambda _occasion, _said: None,
    )


def rules_of(tmp_path: Path, *texts: str) -> tuple[Rule, ...]:
    """Rules as their file would hold them, each text one rule."""
    file = tmp_path / "own.yaml"
    entries = ("- " + indent(dedent(text).strip(), "  ").strip() for text in texts)
    file.write_text("rules:\n" + "\n".join(indent(entry, "  ") for entry in entries) + "\n", encoding="utf-8")
    return read_rules(file)


def ruling_of(
    tmp_path: Path,
    *texts: str,
    tool: str = "Bash",
    arguments: Mapping[str, Any] | None = None,
    given: Mapping[str, Any] | None = None,
    phase: Phase = Phase.TOOL,
) -> Ruling:
    """What rules decide about a call: `ls` where none is given."""
    example = Example(tool=tool, arguments={"command": "ls"} if arguments is None else arguments, given=given or {})
    return decided(RuleEngine(rules_of(tmp_path, *texts)), example, phase)
