"""`mama-bot rules`: which rules there are, what they decide about a call, and whether their examples come out."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from mama_bot.commands import sentences as says
from mama_bot.config import nearest_name
from mama_bot.errors import ConfigurationError
from mama_bot.model import Phase
from mama_bot.rules.examples import decided, failures
from mama_bot.rules.rule import Example, Rule, Strictness, Verb
from mama_bot.rules.rule_engine import RuleEngine, Ruling
from mama_bot.rules.rule_set import shipped_rules
from mama_bot.rules.sentences import UNDER, UNKNOWN_VALUE
from mama_bot.rules.written_examples import example_of
from mama_bot.tool_names import SHELL_TOOL
from mama_bot.wording import Language, one_line

OF_CALLS = frozenset({Phase.TOOL, Phase.AFTER_TOOL})


def listed_rules(rules: Sequence[Rule], language: Language, *, as_json: bool) -> Iterator[str]:
    """Yield all rules, in the order in which they are asked."""
    ordered = sorted(rules, key=lambda rule: (rule.phase.value, rule.band.value))
    if as_json:
        yield json.dumps([_facts(rule) for rule in ordered], ensure_ascii=False)
        return
    for rule in ordered:
        switched_off = "" if rule.enabled else f"  {says.IS_OFF.to(language)}"
        yield f"{rule.name}  {_decides(rule)}  {rule.phase.value}  {rule.matcher.text}  {rule.band.value}{switched_off}"
        yield f"    {rule.purpose(language, rule.message.text)}"
        place = says.COMES_WITH_IT.to(language) if rule.shipped else rule.place
        yield f"    {says.IN_ITS_PLACE.to(language, place=place) if _replaced([rule]) else place}"


def explained(
    rules: Sequence[Rule], text: str, event: str, branches: Sequence[str], language: Language, *, as_json: bool
) -> Iterator[str]:
    """Yield what rules decide about a call, each rule that spoke and why; raises ConfigurationError."""
    phases = {phase.value: phase for phase in Phase if phase is not Phase.REPLY}
    if event not in phases:
        hint = nearest_name(event, list(phases))
        raise ConfigurationError(problem=UNKNOWN_VALUE.of(key="--event", value=event, hint=hint))
    example = _example(text) if text else Example(tool="", arguments={}, text="")
    if not example.tool and phases[event] in OF_CALLS:
        raise ConfigurationError(problem=says.NEEDS_CALL)
    ruling = decided(RuleEngine(rules), example, phases[event], branches)
    if as_json:
        yield json.dumps(_ruling(ruling), ensure_ascii=False)
        return
    yield f"{ruling.decision.kind}{f': {ruling.decision.rule}' if ruling.decision.rule else ''}"
    for match in ruling.matches:
        rule, decision = match.rule, match.decision
        told = says.MATCHED.of(rule=rule.name, band=rule.band.value, matcher=rule.matcher.text, decision=decision.kind)
        yield f"  {told.to(language)}"
        yield f"    {match.failure or rule.purpose(language, decision.reason)}"
        yield f"    when: {one_line(rule.condition.expression)}"
        yield f"    {rule.place}"
    for rule in ruling.silent:
        told = says.IS_SILENT.of(rule=rule.name, matcher=rule.matcher.text, policy=rule.policy)
        yield f"  {told.to(language)}"
    for conflict in ruling.conflicts:
        yield f"  {conflict.to(language)}"
    if not ruling.matches:
        asked = sum(len(group) for group in ruling.evaluated)
        yield f"  {says.NO_RULE_SPOKE.to(language, count=asked, subject=example.tool or event)}"


def tested(rules: Sequence[Rule], branches: Sequence[str], language: Language) -> tuple[bool, tuple[str, ...]]:
    """Return whether every example of every rule comes out as the rule says, and lines that tell which do not."""
    broken = [failure.sentence.to(language) for failure in failures(rules, branches)]
    count = sum(len(rule.blocks) + len(rule.passes) for rule in rules)
    bare = [rule.name for rule in rules if not rule.workflow and not (rule.blocks and rule.passes)]
    notes = [says.WITHOUT_EXAMPLES.to(language, names=", ".join(bare))] if bare else []
    if replaced := _replaced(rules):
        notes.append(says.STAND_IN_PLACE.to(language, names=", ".join(replaced)))
    notes.append(says.EXAMPLES_RUN.to(language, examples=count, rules=len(rules), broken=len(broken)))
    return not broken, (*broken, *notes)


def _replaced(rules: Sequence[Rule]) -> Sequence[str]:
    """Return the names of rules that stand in the place of shipped ones."""
    shipped = {rule.name for rule in shipped_rules()}
    return [rule.name for rule in rules if not rule.shipped and rule.name in shipped]


def _example(text: str) -> Example:
    """Return a call that somebody wrote: JSON with the tool and its arguments, or a command line."""
    if not text.lstrip().startswith("{"):
        return Example(tool=SHELL_TOOL, arguments={"command": text}, text=text)
    try:
        given: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(problem=says.INPUT_NO_JSON.of(reason=error)) from None
    arguments = given.get("tool_input", {})
    if not isinstance(arguments, dict):
        raise ConfigurationError(problem=says.EXPECTED_TOOL_INPUT)
    # As a hook is told it, or as an example of a rule file.
    of_hook = (
        {"tool": given["tool_name"], **arguments, "given": given.get("given", {})} if "tool_name" in given else given
    )
    try:
        return replace(example_of(of_hook), text=text)
    except ConfigurationError as error:
        raise ConfigurationError(problem=UNDER.of(place="--input", problem=error.mistake)) from None


def _decides(rule: Rule) -> str:
    soft = rule.strictness is Strictness.SOFT and rule.verb in {Verb.BLOCK, Verb.ASK}
    return "warn" if soft else rule.verb.value


def _facts(rule: Rule) -> Mapping[str, Any]:
    return {
        "name": rule.name,
        "about": rule.purpose(Language.ENGLISH, ""),
        "event": rule.phase.value,
        "match": rule.matcher.text,
        "decision": rule.verb.value,
        "tier": rule.strictness.value,
        "band": rule.band.value,
        "on_failure": rule.when_broken.value,
        "enabled": rule.enabled,
        "shipped": rule.shipped,
        "file": str(rule.file),
        "line": rule.line,
    }


def _ruling(ruling: Ruling) -> Mapping[str, Any]:
    return {
        "decision": ruling.decision.kind,
        "rule": ruling.decision.rule,
        "reason": ruling.decision.reason,
        "matches": [
            {**_facts(match.rule), "decided": match.decision.kind, "failure": match.failure} for match in ruling.matches
        ],
        "silent": [rule.name for rule in ruling.silent],
        "conflicts": [conflict.to(Language.ENGLISH) for conflict in ruling.conflicts],
    }
