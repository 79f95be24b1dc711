"""The rules' decision about one moment: pure, (rules, values) to a ruling, with why."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from types import MappingProxyType
from typing import Any

from mama_bot.config import OWNERS, CheckpointLevel
from mama_bot.model import Allow, Amend, Ask, Block, Decision, Phase, ToolCall, ToolKind
from mama_bot.recent import Recent
from mama_bot.rules.conditions import Bound, ConditionFailed, ConditionGroup, grouped
from mama_bot.rules.rule import AUDIT, Band, Rule, Strictness, Verb, WhenBroken
from mama_bot.rules.sentences import CHANGED_BEFORE, OPENED_QUESTION
from mama_bot.wording import Language, Said

Levels = Mapping[str, CheckpointLevel]

MOST_TOOLS = 200
BROKEN = "This rule could not be evaluated, and it says that nothing runs then: {failure}. A person has to mend it."


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleMatch:
    """A rule that spoke: what it decided, and why it failed where it did; `opened`: it was not asked."""

    rule: Rule
    decision: Decision
    failure: str = ""
    opened: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What all rules decided about a moment, and which of them spoke, in their order.

    `silent` are rules that a more specific layer of the same policy spoke instead of. `conflicts` are second changes of
    one argument, which were not made; `counts` and `clears` are counters. `evaluated` are the rules that were asked.
    """

    decision: Decision
    matches: tuple[RuleMatch, ...] = ()
    silent: tuple[Rule, ...] = ()
    conflicts: tuple[Said, ...] = ()
    counts: tuple[str, ...] = ()
    clears: tuple[str, ...] = ()
    evaluated: tuple[tuple[Rule, ...], ...] = ()


_Moment = tuple[Phase, str, ToolKind, frozenset[str]]
_Groups = tuple[tuple[tuple[Rule, ...], ConditionGroup], ...]


@dataclass(frozen=True, slots=True)
class _AskedBand:
    """The rules of a band that are asked, in groups, and those that are left out for their failures."""

    band: Band
    groups: _Groups
    opened: tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class _Asked:
    """The rules that are about one tool, by band, without those that a more specific layer silences."""

    bands: tuple[_AskedBand, ...]
    silent: tuple[Rule, ...]
    searches: frozenset[str]


class RuleEngine:
    """Decides by a set of rules; the order of rules within a band is that of the set."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = tuple(rule for rule in rules if rule.enabled)
        self.counters = frozenset(rule.counts for rule in self.rules if rule.counts)
        self._asked: Recent[_Moment, _Asked] = Recent(MOST_TOOLS)
        self._groups: Recent[tuple[Rule, ...], _Groups] = Recent(MOST_TOOLS)

    def decide(
        self,
        phase: Phase,
        call: ToolCall,
        values: Mapping[str, Any],
        *,
        levels: Levels = MappingProxyType({}),
        opened: frozenset[str] = frozenset(),
    ) -> Ruling:
        """Decide about a moment (of no call: with an empty one): block before ask before modify before allow.

        Once a band has blocked, the bands after it are not asked, except for audit and clean-up. `levels` say by name
        what checkpoints do here; of others their rule says it. Conditions of `opened` rules are not asked: what such a
        rule would hold up where it fails, a person is asked about.
        """
        asked = self._asked_of((phase, call.tool, call.kind, opened))
        bound = Bound(values, asked.searches)
        matches: list[RuleMatch] = []
        decision: Decision = Allow()
        evaluated: list[tuple[Rule, ...]] = []
        for each in asked.bands:
            if each.band not in AUDIT and isinstance(decision, Block):
                continue
            evaluated += (rules for rules, _ in each.groups)
            if each.band in AUDIT:
                told = {**values, "decided": _word(decision)}
                matches += self._matches(each.groups, Bound(told, asked.searches), lambda _: Allow())
            else:
                matches += (RuleMatch(rule=rule, decision=_opened(rule, phase), opened=True) for rule in each.opened)
                matches += self._matches(each.groups, bound, lambda rule: _decision_of(rule, bound, levels))
                decision, _ = combined(match.decision for match in matches)
        decision, conflicts = combined(match.decision for match in matches)
        rules = [match.rule for match in matches if not match.failure and not match.opened]
        return Ruling(
            decision=decision,
            matches=tuple(matches),
            silent=asked.silent,
            conflicts=conflicts,
            counts=tuple(rule.counts for rule in rules if rule.counts),
            clears=tuple(name for rule in rules for name in rule.clears),
            evaluated=tuple(evaluated),
        )

    def _matches(
        self,
        groups: _Groups,
        bound: Bound,
        decision_of: Callable[[Rule], Decision],
    ) -> Iterator[RuleMatch]:
        for rules, group in groups:
            for at, failed in group.outcomes(bound):
                rule = rules[at]
                if failed is not None:
                    yield RuleMatch(rule=rule, decision=_broken(rule, str(failed)), failure=str(failed))
                else:
                    try:
                        yield RuleMatch(rule=rule, decision=decision_of(rule))
                    except ConditionFailed as error:
                        yield RuleMatch(rule=rule, decision=_broken(rule, str(error)), failure=str(error))

    def _asked_of(self, moment: _Moment) -> _Asked:
        known = self._asked.get(moment)
        if known is None:
            known = self._asked[moment] = self._sorted(*moment)
        return known

    def _sorted(self, phase: Phase, tool: str, kind: ToolKind, opened: frozenset[str]) -> _Asked:
        fitting = [rule for rule in self.rules if rule.phase is phase and rule.matcher.fits(tool, kind)]
        strongest: dict[str, tuple[int, int]] = {}
        for rule in fitting:
            strongest[rule.policy] = max(strongest.get(rule.policy, (0, -99)), rule.matcher.specificity)
        speaking = [rule for rule in fitting if rule.matcher.specificity == strongest[rule.policy]]
        silent = tuple(rule for rule in fitting if rule.matcher.specificity != strongest[rule.policy])
        speaking.sort(key=lambda rule: rule.band.value)
        bands = []
        for band, members in groupby(speaking, key=lambda rule: rule.band):
            rules = tuple(members)
            bands.append(
                _AskedBand(
                    band,
                    self._grouped(tuple(rule for rule in rules if rule.name not in opened)),
                    tuple(rule for rule in rules if rule.name in opened),
                )
            )
        searches = frozenset().union(*(group.searches for each in bands for _, group in each.groups))
        return _Asked(tuple(bands), silent, searches)

    def _grouped(self, rules: tuple[Rule, ...]) -> _Groups:
        """Return the groups of some rules; tools that the same rules are about share them."""
        known = self._groups.get(rules)
        if known is None:
            waiting = list(rules)
            pairs = []
            for group in grouped([rule.condition for rule in rules]):
                pairs.append((tuple(waiting[: len(group.conditions)]), group))
                del waiting[: len(group.conditions)]
            known = self._groups[rules] = tuple(pairs)
        return known


def combined(decisions: Iterable[Decision]) -> tuple[Decision, tuple[Said, ...]]:
    """Return the strictest of some decisions, and the changes that came second to one of the same argument.

    Amendments become one: their reminders together, of each argument the first change. A question brings it along.
    """
    listed = list(decisions)
    block = next((decision for decision in listed if isinstance(decision, Block)), None)
    if block is not None:
        return block, ()
    amendments = [decision for decision in listed if isinstance(decision, Amend)]
    amendment, conflicts = _one_amendment(amendments) if amendments else (None, ())
    questions = [decision for decision in listed if isinstance(decision, Ask)]
    if questions:
        return replace(_one_question(questions), amend=amendment), conflicts
    return amendment or Allow(), conflicts


def changes_of(decision: Decision) -> Mapping[str, str]:
    """Return the arguments that a decision would have a call run with instead of its own, by name."""
    amendment = decision.amend if isinstance(decision, Ask) else decision
    return dict(amendment.arguments) if isinstance(amendment, Amend) else {}


def looked_twice(first: Ruling, again: Ruling) -> Ruling:
    """Return what is decided about a call that `first` changes, of whose changed form `again` was decided.

    The stricter decides, of one rule what it said of the call as it would run. A second change is not made, and only
    the second look counts.
    """
    anew = {match.rule.name for match in again.matches}
    kept = [match for match in first.matches if changes_of(match.decision) or match.rule.name not in anew]
    changing = {match.rule.name for match in kept}
    followed = [
        replace(match, decision=replace(match.decision, arguments=())) if isinstance(match.decision, Amend) else match
        for match in again.matches
        if match.rule.name not in changing or isinstance(match.decision, Block)
    ]
    matches = (*kept, *followed)
    decision, _ = combined(match.decision for match in matches)
    return replace(again, decision=decision, matches=matches, conflicts=first.conflicts)


def _one_amendment(amendments: Sequence[Amend]) -> tuple[Amend, tuple[Said, ...]]:
    arguments: dict[str, str] = {}
    conflicts: list[Said] = []
    for amendment in amendments:
        for name, value in amendment.arguments:
            if name in arguments and arguments[name] != value:
                conflicts.append(CHANGED_BEFORE.of(rule=amendment.rule, argument=name))
            arguments.setdefault(name, value)
    reminders = dict.fromkeys(amendment.reminder for amendment in amendments if amendment.reminder)
    merged = Amend(
        rule=amendments[0].rule,
        reason="; ".join([amendments[0].reason, *(conflict.to(Language.ENGLISH) for conflict in conflicts)]),
        reminder="\n".join(reminders),
        arguments=tuple(arguments.items()),
    )
    return merged, tuple(conflicts)


def _one_question(questions: Sequence[Ask]) -> Ask:
    """Return what is asked about a call: each checkpoint by itself first, then the call once for all other rules."""
    named = dict.fromkeys(question.checkpoint for question in questions)
    *before, last = [
        _merged([question for question in questions if question.checkpoint == name])
        for name in sorted(named, key=lambda name: not name)
    ]
    return replace(last, before=tuple(before))


def _merged(questions: Sequence[Ask]) -> Ask:
    """Return the first question for all: who answers it answers for each rule, so only who may for every one may."""
    first, named = questions[0], [question.approvers or (OWNERS,) for question in questions]
    shared = tuple(name for name in named[0] if all(name in names for names in named))
    also = tuple(dict.fromkeys(question.rule for question in questions[1:]))
    return replace(first, also=also, approvers=shared or (OWNERS,))


def _decision_of(rule: Rule, bound: Bound, levels: Levels) -> Decision:
    message = rule.message.filled(bound)
    reason = rule.purpose(Language.ENGLISH, message)
    match rule.verb:
        case Verb.ALLOW | Verb.COUNT:
            return Allow()
        case Verb.TELL:
            return Amend(rule=rule.name, reason=reason, reminder=message)
        case Verb.MODIFY:
            arguments = tuple((name, str(change.value(bound))) for name, change in rule.changes.items())
            return Amend(rule=rule.name, reason=reason, reminder=message, arguments=arguments)
        case Verb.ASK:
            level = levels.get(rule.checkpoint, CheckpointLevel(rule.strictness.value))
            if level is CheckpointLevel.OFF:
                return Allow()
            if level is CheckpointLevel.SOFT:
                return Amend(rule=rule.name, reason=reason, reminder=message)
            return Ask(
                rule=rule.name,
                reason=reason,
                question=rule.person or message,
                approvers=rule.approvers,
                checkpoint=rule.checkpoint,
            )
        case Verb.BLOCK if rule.strictness is Strictness.SOFT:
            return Amend(rule=rule.name, reason=reason, reminder=message)
        case Verb.BLOCK:
            return Block(rule=rule.name, reason=reason, feedback=message)


def _opened(rule: Rule, phase: Phase) -> Decision:
    """Return what holds in place of a rule that is left out: what it says of its own failures, yet a person may decide.

    Only a call can wait for a person; elsewhere what the rule says holds as it is.
    """
    if rule.when_broken is WhenBroken.ALLOW:
        return Allow()
    if phase is not Phase.TOOL:
        return _broken(rule, "it failed several times in a row")
    return Ask(
        rule=f"{rule.name} (opened)",  # what is approved for always here is not approved for the rule when it works
        reason=f"the rule {rule.name} is not working",
        question=OPENED_QUESTION.of(rule=rule.name),
        approvers=rule.approvers or (OWNERS,),
    )


def _broken(rule: Rule, failure: str) -> Decision:
    if rule.when_broken is WhenBroken.ALLOW:
        return Allow()
    feedback = BROKEN.format(failure=failure)
    return Block(rule=rule.name, reason=f"the rule failed: {failure}", feedback=f"{rule.name}: {feedback}")


def _word(decision: Decision) -> str:
    return "modify" if isinstance(decision, Amend) else decision.kind
