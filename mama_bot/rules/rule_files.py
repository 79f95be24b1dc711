"""Rules from files: YAML, each mistake one sentence with file, line and the nearest valid name."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from mama_bot.config import ASKER, EVERYBODY, OWNERS, Document, nearest_name, parse_document, read_text, sentence_of
from mama_bot.errors import ConfigurationError
from mama_bot.model import Phase
from mama_bot.rules import sentences as says
from mama_bot.rules.condition_mistakes import Misexpressed
from mama_bot.rules.conditions import Condition, misexpressed
from mama_bot.rules.matchers import Matcher, problem_of
from mama_bot.rules.messages import Message
from mama_bot.rules.rule import Band, Example, Rule, Strictness, Verb, WhenBroken
from mama_bot.rules.workflow import Workflow
from mama_bot.rules.workflow_files import KEY as WORKFLOWS
from mama_bot.rules.workflow_files import workflows_in
from mama_bot.rules.written_examples import example_of
from mama_bot.rules.written_values import NAME, Persons, Purpose, Text, as_expression, as_name, value_offset
from mama_bot.wording import Said, one_line

MOST_RULES = 2_000
LARGEST = 1_000_000  # bytes of one file
KEY = "rules"
NAMED = frozenset({"name", "checkpoint"})
APPROVERS = (OWNERS, ASKER, EVERYBODY)
# What can be decided at an event: what happened is not asked about or changed any more, at an end nothing is told.
_AFTERWARDS = frozenset({Verb.ALLOW, Verb.COUNT, Verb.BLOCK, Verb.TELL})
_AT_AN_END = frozenset({Verb.ALLOW, Verb.COUNT, Verb.BLOCK})
DECISIONS: Mapping[Phase, frozenset[Verb]] = {
    Phase.TOOL: frozenset(Verb),
    Phase.AFTER_TOOL: _AFTERWARDS,
    Phase.SESSION_START: _AFTERWARDS,
    Phase.COMPACTION: _AT_AN_END,
    Phase.STOP: _AT_AN_END,
}


class Examples(BaseModel):
    """Calls that a rule must block, and calls that it must let pass."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    blocks: tuple[str | dict[str, Any], ...] = ()
    passes: tuple[str | dict[str, Any], ...] = ()


class WrittenRule(BaseModel):
    """The keys of a rule."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[str, Field(pattern=NAME)]
    about: Purpose | None = None
    policy: Annotated[str, Field(max_length=64)] = ""
    event: Phase = Phase.TOOL
    match: Annotated[str, Field(min_length=1, max_length=400)] = "*"
    when: Annotated[str, BeforeValidator(as_expression)] = "true"
    decision: Verb
    message: Text = ""
    person: Persons | None = None
    approvers: tuple[str, ...] = ()
    checkpoint: Annotated[str, Field(pattern=rf"{NAME}|^$")] = ""
    set: Mapping[str, str] = Field(default_factory=dict)
    counts: Annotated[str, Field(max_length=64)] = ""
    clears: tuple[str, ...] = ()
    tier: Strictness = Strictness.HARD
    band: Band = Band.P20
    on_failure: WhenBroken | None = None
    enabled: bool = True
    examples: Examples = Examples()


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleFile:
    """The rules and the workflows of one file."""

    rules: tuple[Rule, ...] = ()
    workflows: tuple[Workflow, ...] = ()


def read_rules(file: Path, *, shipped: bool = False) -> tuple[Rule, ...]:
    """Return the rules of one file; raises ConfigurationError."""
    return read_rule_file(file, shipped=shipped).rules


def read_rule_file(file: Path, *, shipped: bool = False) -> RuleFile:
    """Return the rules and the workflows of one file; raises ConfigurationError."""
    text = read_text(file)
    if len(text) > LARGEST:
        raise ConfigurationError(problem=says.LARGER_FILE.of(most=LARGEST), file=file)
    document = parse_document(text, file=file, own=shipped)
    entries = document.content.get(KEY, [])
    for key in document.content:
        if key not in (KEY, WORKFLOWS):
            hint = nearest_name(str(key), (KEY, WORKFLOWS))
            raise document.error((str(key),), says.UNKNOWN_HERE.of(name=str(key)[:60], hint=hint))
    if not isinstance(entries, list) or not (entries or document.content.get(WORKFLOWS)):
        raise ConfigurationError(problem=says.EXPECTED_LISTS, file=file, line=1)
    if len(entries) > MOST_RULES:
        raise document.error((KEY,), says.TOO_MANY_RULES.of(most=MOST_RULES))
    lines = text.splitlines()
    rules = tuple(_rule(document, number, entry, lines, shipped) for number, entry in enumerate(entries))
    _no_name_twice(rules)
    return RuleFile(rules=rules, workflows=workflows_in(document, lines, shipped=shipped))


def _rule(document: Document, number: int, content: object, lines: Sequence[str], shipped: bool) -> Rule:
    here = (KEY, str(number))
    if not isinstance(content, dict):
        raise document.error(here, says.EXPECTED_RULE)
    _refuse_unknown(document, here, content)
    try:
        entry = WrittenRule.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        if first["loc"][0] in NAMED:
            no_name = says.NO_RULE_NAME.of(key=first["loc"][0], name=as_name(first["input"]))
            raise document.error((*here, str(first["loc"][0])), no_name) from None
        path = tuple(str(part) for part in first["loc"] if not str(part).startswith(("function-", "str", "dict[")))
        raise document.error((*here, *path), f"{'.'.join(path)}: {sentence_of(first)}.") from None
    rule = Rule(
        name=entry.name,
        about=None if entry.about is None else entry.about.sentence(),
        policy=entry.policy or entry.name,
        phase=entry.event,
        matcher=Matcher(text=entry.match),
        condition=Condition(entry.when.strip()),
        verb=entry.decision,
        message=Message(one_line(entry.message)),
        person=None if entry.person is None else entry.person.sentence(),
        approvers=entry.approvers,
        checkpoint=entry.checkpoint,
        changes={name: Condition(expression) for name, expression in entry.set.items()},
        counts=entry.counts,
        clears=entry.clears,
        strictness=entry.tier,
        band=entry.band,
        when_broken=entry.on_failure or _when_broken(entry),
        enabled=entry.enabled,
        blocks=tuple(_examples(document, (*here, "examples", "blocks"), entry.examples.blocks)),
        passes=tuple(_examples(document, (*here, "examples", "passes"), entry.examples.passes)),
        file=document.file or Path(),
        line=document.line(here) or 1,
        shipped=shipped,
    )
    for key, problem, line in _problems(rule, entry):
        at = document.line((*here, key)) or rule.line
        offset = line - 1 + value_offset(lines, at)
        raise ConfigurationError(
            problem=says.AT_KEY.of(name=entry.name, key=key, problem=problem), file=document.file, line=at + offset
        )
    return rule


def _when_broken(entry: WrittenRule) -> WhenBroken:
    stops = entry.decision in {Verb.BLOCK, Verb.ASK} and entry.tier is Strictness.HARD
    return WhenBroken.BLOCK if stops and entry.event is Phase.TOOL else WhenBroken.ALLOW


def _refuse_unknown(document: Document, here: tuple[str, ...], content: Mapping[object, object]) -> None:
    for key in content:
        if str(key) not in WrittenRule.model_fields:
            hint = nearest_name(str(key), WrittenRule.model_fields)
            problem = says.NO_KEY_OF_RULE.of(key=str(key)[:60], hint=hint)
            raise document.error((*here, str(key)), problem)
    examples = content.get("examples")
    for key in examples if isinstance(examples, dict) else ():
        if str(key) not in Examples.model_fields:
            hint = nearest_name(str(key), Examples.model_fields)
            problem = says.NO_KIND_OF_EXAMPLES.of(key=str(key)[:60], hint=hint)
            raise document.error((*here, "examples", str(key)), problem)
    for key, known in (("event", Phase), ("decision", Verb), ("tier", Strictness), ("band", Band)):
        value = content.get(key)
        if isinstance(value, str) and value not in set(known):
            hint = nearest_name(value, [member.value for member in known])
            raise document.error((*here, key), says.UNKNOWN_VALUE.of(key=key, value=value[:60], hint=hint))


def _problems(rule: Rule, entry: WrittenRule) -> Iterator[tuple[str, Said | str, int]]:
    """Yield what is wrong with a rule beyond its keys: the key, a sentence, the line within its value."""
    if rule.phase is Phase.REPLY:
        yield "event", says.JUDGED_BY_CHAIN, 1
    yield from _without_effect(rule)
    unknown = problem_of(entry.match)
    if unknown is not None:
        yield "match", says.UNKNOWN_TOOL.of(name=unknown[0][:60], hint=nearest_name(*unknown)), 1
    wrong = misexpressed(rule.condition.expression)
    if wrong is not None:
        yield "when", _sentence(wrong), wrong.line
    for name, change in rule.changes.items():
        wrong = misexpressed(change.expression, "STRING")
        if wrong is not None:
            yield "set", says.UNDER.of(place=name, problem=_sentence(wrong)), wrong.line
    yield from (("message", _sentence(mistake), 1) for mistake in rule.message.problems())
    if rule.verb in {Verb.BLOCK, Verb.ASK, Verb.TELL} and not rule.message.text:
        yield "decision", says.NEEDS_MESSAGE.of(verb=rule.verb.value), 1
    if (rule.verb is Verb.MODIFY) is not bool(rule.changes):
        yield "decision", says.MODIFY_AND_SET, 1
    yield from _problems_of_approvers(rule)
    if rule.verb is Verb.COUNT and not rule.counts:
        yield "decision", says.NEEDS_COUNTER, 1


def _without_effect(rule: Rule) -> Iterator[tuple[str, Said | str, int]]:
    """Yield what a rule decides at an event where it can do nothing."""
    possible = DECISIONS.get(rule.phase, frozenset(Verb))
    if rule.verb not in possible:
        listed = ", ".join(verb.value for verb in Verb if verb in possible)
        told = says.WITHOUT_EFFECT.of(verb=rule.verb.value, event=rule.phase.value, listed=listed)
        yield "decision", told, 1
    elif rule.verb is Verb.BLOCK and rule.strictness is Strictness.SOFT and Verb.TELL not in possible:
        yield "tier", says.SOFT_TELLS_NOBODY.of(event=rule.phase.value), 1


def _problems_of_approvers(rule: Rule) -> Iterator[tuple[str, Said | str, int]]:
    if rule.checkpoint and rule.verb is not Verb.ASK:
        yield "checkpoint", says.CHECKPOINT_ASKS, 1
    if rule.approvers and rule.verb is not Verb.ASK:
        yield "approvers", says.APPROVERS_ANSWER, 1
    for name in rule.approvers:
        if name not in APPROVERS and not all(name.partition("/")):
            yield "approvers", says.NAMES_NOBODY.of(name=name[:60], hint=nearest_name(name, APPROVERS)), 1


def _sentence(wrong: Misexpressed) -> Said | str:
    told = wrong.problem
    return told if isinstance(told, Said) or told.endswith((".", "?")) else f"{told}."


def _examples(document: Document, here: tuple[str, ...], written: Sequence[object]) -> Iterator[Example]:
    for number, each in enumerate(written):
        try:
            yield example_of(each)
        except ConfigurationError as error:
            raise document.error((*here, str(number)), error.mistake) from None


def _no_name_twice(rules: Sequence[Rule]) -> None:
    seen: dict[str, Rule] = {}
    for rule in rules:
        if rule.name in seen:
            problem = says.RULE_TWICE.of(name=rule.name, line=seen[rule.name].line)
            raise ConfigurationError(problem=problem, file=rule.file, line=rule.line)
        seen[rule.name] = rule
