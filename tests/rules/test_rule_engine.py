"""One decision of many rules: which is the strictest, in which order, and who stays silent."""

from pathlib import Path

import pytest

from mama_bot.config import CheckpointLevel
from mama_bot.model import Allow, Amend, Ask, Block, Phase, ToolCall, ToolKind
from mama_bot.rules.rule_engine import RuleEngine
from mama_bot.wording import Language
from tests.rules.making import rules_of, ruling_of

BLOCK = "name: blocks\ndecision: block\nmessage: No {tool}."
ASK = "name: asks\ndecision: ask\nmessage: May it?"
MODIFY = "name: changes\ndecision: modify\nset: {command: '\"ls -la\"'}"
TELL = "name: tells\ndecision: tell\nmessage: Mind the gap."
ALLOW = "name: allows\ndecision: allow"
BROKEN = "name: broken\nwhen: arguments.nowhere == 1\ndecision: block\nmessage: No."


@pytest.mark.parametrize(
    ("texts", "kind", "rule"),
    [
        ((ALLOW, TELL, MODIFY, ASK, BLOCK), "block", "blocks"),
        ((ALLOW, TELL, MODIFY, ASK), "ask", "asks"),
        ((ALLOW, TELL, MODIFY), "amend", "tells"),
        ((ALLOW,), "allow", ""),
    ],
    ids=["block", "ask", "modify", "allow"],
)
def test_the_strictest_decision_is_taken(tmp_path: Path, texts: tuple[str, ...], kind: str, rule: str) -> None:
    decision = ruling_of(tmp_path, *texts).decision
    assert (decision.kind, decision.rule) == (kind, rule)


def test_a_message_holds_values_of_the_call(tmp_path: Path) -> None:
    decision = ruling_of(tmp_path, BLOCK).decision
    assert isinstance(decision, Block)
    assert decision.feedback == "No Bash."


def test_a_soft_rule_is_told_beside_the_result_and_keeps_nothing_from_running(tmp_path: Path) -> None:
    decision = ruling_of(tmp_path, f"{BLOCK}\ntier: soft").decision
    assert isinstance(decision, Amend)
    assert decision.reminder == "No Bash."


def test_the_most_specific_layer_of_a_policy_speaks_and_the_others_are_named(tmp_path: Path) -> None:
    baseline = f"{BLOCK}\npolicy: look"
    exception = "name: searching\npolicy: look\nmatch: Grep|Glob\ndecision: allow"
    grep = ruling_of(tmp_path, baseline, exception, tool="Grep", arguments={"pattern": "x"})
    assert isinstance(grep.decision, Allow)
    assert [rule.name for rule in grep.silent] == ["blocks"]
    assert isinstance(ruling_of(tmp_path, baseline, exception).decision, Block)


@pytest.mark.parametrize(
    ("wide", "narrow"),
    [("*", "shell"), ("shell", "Bash"), ("Bash|Read", "Bash"), ("shell|read", "shell"), ("B*", "shell"), ("*", "B*")],
)
def test_fewer_names_and_names_before_kinds_are_more_specific(tmp_path: Path, wide: str, narrow: str) -> None:
    wider = f"name: wide\npolicy: p\nmatch: '{wide}'\ndecision: block\nmessage: No."
    narrower = f"name: narrow\npolicy: p\nmatch: '{narrow}'\ndecision: allow"
    assert isinstance(ruling_of(tmp_path, wider, narrower).decision, Allow)


def test_rules_of_another_cli_are_matched_by_what_their_tools_do(tmp_path: Path) -> None:
    ruling = ruling_of(tmp_path, f"{BLOCK}\nmatch: Bash", tool="run_shell_command")
    assert isinstance(ruling.decision, Block)


def test_bands_are_asked_in_order_and_within_a_band_as_they_are_written(tmp_path: Path) -> None:
    rule = "name: r{band}x{number}\nband: P{band}\ndecision: tell\nmessage: m"
    texts = [rule.format(band=band, number=number) for band in (50, 10, 20) for number in (1, 2)]
    ruling = ruling_of(tmp_path, *texts)
    assert [match.rule.name for match in ruling.matches] == ["r10x1", "r10x2", "r20x1", "r20x2", "r50x1", "r50x2"]


def test_after_a_block_later_bands_are_silent_and_the_audit_is_not(tmp_path: Path) -> None:
    later = "name: later\nband: P50\ndecision: tell\nmessage: m"
    audit = "name: audit\nband: P80\nwhen: decided == 'block'\ndecision: count\ncounts: blocked"
    clean = "name: clean\nband: P90\ndecision: count\ncounts: seen\nclears: [strikes]"
    ruling = ruling_of(tmp_path, BLOCK, later, audit, clean)
    assert [match.rule.name for match in ruling.matches] == ["blocks", "audit", "clean"]
    assert (ruling.counts, ruling.clears) == (("blocked", "seen"), ("strikes",))


def test_an_audit_decides_nothing(tmp_path: Path) -> None:
    assert isinstance(ruling_of(tmp_path, f"{BLOCK}\nband: P80").decision, Allow)


def test_the_first_change_of_an_argument_is_made_and_the_second_is_told(tmp_path: Path) -> None:
    second = "name: again\nband: P50\ndecision: modify\nset: {command: '\"pwd\"', description: '\"why\"'}"
    ruling = ruling_of(tmp_path, second, MODIFY)
    assert isinstance(ruling.decision, Amend)
    assert dict(ruling.decision.arguments) == {"command": "ls -la", "description": "why"}
    (conflict,) = ruling.conflicts
    assert conflict.to(Language.ENGLISH) == "again would change 'command' too, which an earlier rule changed"


@pytest.mark.parametrize(
    ("further", "kind"),
    [
        ("", "block"),
        ("on_failure: allow", "amend"),
        ("tier: soft", "amend"),
        ("on_failure: block\ntier: soft", "block"),
    ],
)
def test_a_rule_that_fails_does_what_it_declares_and_others_are_asked(tmp_path: Path, further: str, kind: str) -> None:
    ruling = ruling_of(tmp_path, f"{BROKEN}\n{further}", TELL)
    assert ruling.matches[0].failure
    assert ruling.decision.kind == kind
    assert [match.rule.name for match in ruling.matches] == ["broken", "tells"]


def test_a_rule_of_another_event_is_not_asked(tmp_path: Path) -> None:
    after = f"{BLOCK}\nevent: after_tool"
    assert isinstance(ruling_of(tmp_path, after).decision, Allow)
    assert isinstance(ruling_of(tmp_path, after, phase=Phase.AFTER_TOOL).decision, Block)


def test_a_counter_that_nobody_counted_is_nought(tmp_path: Path) -> None:
    counting = "name: counting\ndecision: count\ncounts: seen"
    often = "name: often\nwhen: counters.seen >= 2\ndecision: ask\nmessage: Again?"
    assert isinstance(ruling_of(tmp_path, counting, often).decision, Allow)
    assert isinstance(ruling_of(tmp_path, counting, often, given={"counters": {"seen": 2}}).decision, Ask)


CHECKPOINT = "name: planned\ndecision: ask\nmessage: Is the plan approved?\ncheckpoint: plan_approved"


def test_a_checkpoint_is_asked_by_itself_before_the_call_is_asked_about(tmp_path: Path) -> None:
    dear = "name: dear\ndecision: ask\nmessage: It is dear.\napprovers: [asker]"
    again = f"{CHECKPOINT}\napprovers: [everybody, owners]".replace("planned", "planned_too")
    asked = ruling_of(tmp_path, ASK, CHECKPOINT, dear, again).decision
    assert isinstance(asked, Ask)
    [first] = asked.before
    assert (first.checkpoint, first.rule, first.also, first.approvers) == (
        "plan_approved", "planned", ("planned_too",), ("owners",),
    )  # fmt: skip
    assert (asked.checkpoint, asked.rule, asked.also) == ("", "asks", ("dear",))
    alone = ruling_of(tmp_path, CHECKPOINT).decision
    assert isinstance(alone, Ask)
    assert (alone.checkpoint, alone.before) == ("plan_approved", ())


@pytest.mark.parametrize(
    ("tier", "level", "kind"),
    [
        ("hard", None, "ask"),
        ("soft", None, "amend"),
        ("hard", "soft", "amend"),
        ("soft", "hard", "ask"),
        ("hard", "off", "allow"),
    ],
)
def test_what_a_checkpoint_does_is_for_its_rule_to_say_and_then_for_the_project(
    tmp_path: Path, tier: str, level: str | None, kind: str
) -> None:
    engine = RuleEngine(rules_of(tmp_path, f"{CHECKPOINT}\ntier: {tier}"))
    levels = {} if level is None else {"plan_approved": CheckpointLevel(level)}
    decision = engine.decide(Phase.TOOL, ToolCall(tool="Bash", kind=ToolKind.SHELL), {}, levels=levels).decision
    assert decision.kind == kind
    assert not isinstance(decision, Amend) or decision.reminder == "Is the plan approved?"
