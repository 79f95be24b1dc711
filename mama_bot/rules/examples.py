"""The examples of rules, as moments of a made-up session: what a rule must block, and what it must let pass."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from mama_bot.model import (
    AgentPersona,
    AgentStops,
    Allow,
    ChecksState,
    Compacts,
    Moment,
    Phase,
    RuleState,
    SessionStarts,
    TaskState,
    Tier,
    ToolAsked,
    ToolEnded,
    ToolTurn,
    well_formed,
)
from mama_bot.rules import sentences as says
from mama_bot.rules.path_values import Place, absolute
from mama_bot.rules.rule import AUDIT, Example, Rule, Strictness, Verb
from mama_bot.rules.rule_engine import RuleEngine, Ruling
from mama_bot.rules.values import readable_call, values_of
from mama_bot.tool_names import call_of
from mama_bot.wording import Language, Said

WORKSPACE = "/work"
BRANCHES = ("main", "master")
# What a rule does where it has to let pass, and what it does not where it has to.
DEEDS: Mapping[Verb, tuple[Said, Said]] = MappingProxyType(
    {
        Verb.BLOCK: (says.BLOCKS, says.DOES_NOT_BLOCK),
        Verb.ASK: (says.ASKS, says.DOES_NOT_ASK),
        Verb.MODIFY: (says.CHANGES, says.DOES_NOT_CHANGE),
        Verb.TELL: (says.WARNS, says.DOES_NOT_WARN),
    }
)
SPEAKS = (says.SPEAKS, says.DOES_NOT_SPEAK)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """An example that came out otherwise than its rule says."""

    rule: Rule
    example: Example
    must_block: bool

    @property
    def sentence(self) -> Said:
        """The sentence that tells of it."""
        soft = self.rule.strictness is Strictness.SOFT
        done, not_done = DEEDS.get(Verb.TELL if soft else self.rule.verb, SPEAKS)
        sentence, deed = (says.NOT_DONE, not_done) if self.must_block else (says.NOT_PASSED, done)
        return sentence.of(place=self.rule.place, rule=self.rule.name, deed=deed, example=self.example.text)

    def __str__(self) -> str:
        return self.sentence.to(Language.ENGLISH)


def failures(rules: Sequence[Rule], branches: Sequence[str] = BRANCHES) -> Iterator[Failure]:
    """Yield the examples that come out otherwise than their rule says, each rule by itself and switched on."""
    for rule in rules:
        engine = RuleEngine([replace(rule, enabled=True)])
        for must_block, examples in ((True, rule.blocks), (False, rule.passes)):
            for example in examples:
                if speaks(rule, decided(engine, example, rule.phase, branches)) is not must_block:
                    yield Failure(rule=rule, example=example, must_block=must_block)


def speaks(rule: Rule, ruling: Ruling) -> bool:
    """Return whether a rule did what it is for."""
    matched = any(match.rule.name == rule.name for match in ruling.matches)
    silent = rule.verb in {Verb.ALLOW, Verb.COUNT} or rule.band in AUDIT
    return matched if silent else matched and not isinstance(ruling.decision, Allow)


def decided(engine: RuleEngine, example: Example, phase: Phase, branches: Sequence[str] = BRANCHES) -> Ruling:
    """Return what rules decide about an example."""
    given = example.given
    call = call_of(example.tool, example.arguments)
    moment = _moment(phase, example, readable_call(replace(call, directory=WORKSPACE)))
    values = values_of(
        moment,
        turn=_turn(given),
        state=_state(given),
        place=_place(given),
        counters=engine.counters,
        protected_branches=branches,
    )
    return engine.decide(phase, call, values)


def _moment(phase: Phase, example: Example, call: Any) -> Moment:
    match phase:
        case Phase.SESSION_START:
            return SessionStarts()
        case Phase.AFTER_TOOL:
            error = str(example.given.get("error", ""))
            return ToolEnded(call=call, ok=bool(example.given.get("ok", not error)), output=error)
        case Phase.COMPACTION:
            return Compacts()
        case Phase.STOP:
            return AgentStops()
        case Phase.TOOL | Phase.REPLY:
            return ToolAsked(call=call)


def _turn(given: Mapping[str, Any]) -> ToolTurn:
    persona = AgentPersona(
        name=str(given.get("persona", "developer")),
        display_name="",
        prompt="",
        tier=Tier(given.get("tier", Tier.WORKER)),
    )
    return ToolTurn(persona=persona, workspace=Path(WORKSPACE), read_only=bool(given.get("read_only")))


def _state(given: Mapping[str, Any]) -> RuleState:
    counters = given.get("counters", {})
    return RuleState(
        looks=int(given.get("looks", 1)),
        edits=int(given.get("edits", 0)),
        checks=ChecksState(given.get("checks", "none")),
        strikes=int(given.get("strikes", 0)),
        task=TaskState(
            workflow=str(given.get("workflow", "")),
            open_steps=tuple(str(step) for step in given.get("open", ())),
        ),
        counters=tuple((str(name), int(count)) for name, count in counters.items()),
    )


def _place(given: Mapping[str, Any]) -> Place:
    def paths(key: str) -> frozenset[str]:
        return frozenset(absolute(well_formed(str(path)), WORKSPACE) for path in given.get(key, ()))

    return Place(
        roots=(WORKSPACE,),
        branch=str(given.get("branch", "work")),
        empty=bool(given.get("empty")),
        existing=paths("files"),
        shown=paths("shown") | paths("written"),
        written=paths("written"),
    )
