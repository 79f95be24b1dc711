"""Facts from turn to turn of a conversation: what of them the next turn needs, and whose they are."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import TypeVar

from mama_bot.model import NOTHING_KNOWN, CheckFact, DeedFact, Facts, FileFact, LookFact, ToolRun, Witness

F = TypeVar("F", CheckFact, FileFact, DeedFact, LookFact)
# What a conversation keeps: the last check of each sort and so many of the latest facts.
MOST_CHECKS = 60
MOST_FILES = 200
MOST_DEEDS = 60
MOST_LOOKS = 100
MOST_COMMANDS = 60
MOST_OPAQUE = 30
MOST_FIGURES = 2_000
MOST_CHARACTERS = 300


def for_next_turn(facts: Facts) -> Facts:
    """Return what the next turns of a conversation need of the facts of this one; bounded, whatever was done."""
    return replace(
        facts,
        checks=tuple(
            replace(
                check,
                command=check.command[:MOST_CHARACTERS],
                selected=_bounded(check.selected),
                changed=_bounded(check.changed),
            )
            for check in latest_checks(facts.checks, MOST_CHECKS)
        ),
        files=facts.files[-MOST_FILES:],
        deeds=tuple(replace(deed, command=deed.command[:MOST_CHARACTERS]) for deed in facts.deeds[-MOST_DEEDS:]),
        looks=_latest(facts.looks, MOST_LOOKS, lambda look: (look.kind, look.subject)),
        commands=facts.commands[-MOST_COMMANDS:],
        opaque=tuple(name[:MOST_CHARACTERS] for name in facts.opaque[-MOST_OPAQUE:]),
        standing=NOTHING_KNOWN,
        reviews=(),
        unknown=(),
        background=(),
        # Small figures stand in every output: those that are left out first are borne out by others.
        figures=frozenset(sorted(facts.figures)[-MOST_FIGURES:]),
    )


def _bounded(selected: Sequence[str]) -> tuple[str, ...]:
    """Return what narrowed a check, cut: some of it always stays, so that it does not become a check of all."""
    return tuple(path[:MOST_CHARACTERS] for path in selected[:20])


def latest_checks(checks: Sequence[CheckFact], most: int) -> tuple[CheckFact, ...]:
    """Return the last check of each sort, however long ago it was, and the latest others, in order."""
    return _latest(checks, most, _sort_of_check)


def _sort_of_check(check: CheckFact) -> Hashable:
    return (check.kind, check.tool, check.place, check.whole, check.witness.own)


def _latest(facts: Sequence[F], most: int, sort: Callable[[F], Hashable]) -> tuple[F, ...]:
    """Return the last fact of each sort and the latest others, in order."""
    if len(facts) <= most:
        return tuple(facts)
    last: dict[Hashable, int] = {sort(fact): place for place, fact in enumerate(facts)}
    latest: dict[int, None] = dict.fromkeys((*sorted(last.values(), reverse=True), *range(len(facts) - 1, -1, -1)))
    return tuple(facts[place] for place in sorted([*latest][:most]))


def without_calls(facts: Facts, told: Sequence[ToolRun], *, agent: str) -> Facts:
    """Return facts without those of calls that a turn of `agent` was told of: it counts them as its own."""
    if not told:
        return facts
    calls = {(_owner(call.agent, agent), call.id) for call in told}

    def is_other(witness: Witness) -> bool:
        return (_owner(witness.agent, agent), witness.call_id) not in calls

    return _only(facts, is_other)


def own_facts(facts: Facts, agent: str) -> Facts:
    """Return what the calls of an agent and its subagents show, without those of others that it was told of."""
    return _only(facts, lambda witness: is_of(witness, agent))


def is_of(witness: Witness, agent: str) -> bool:
    """Return whether a fact is an agent's own, or of a subagent of its."""
    return _owner(witness.agent, agent) == agent


def _owner(name: str, agent: str) -> str:
    """Return the persona that a call is of: one that is not named is of `agent`."""
    return name.partition("/")[0] or agent


def _only(facts: Facts, holds: Callable[[Witness], bool]) -> Facts:
    return replace(
        facts,
        checks=tuple(fact for fact in facts.checks if holds(fact.witness)),
        files=tuple(fact for fact in facts.files if holds(fact.witness)),
        deeds=tuple(fact for fact in facts.deeds if holds(fact.witness)),
        looks=tuple(fact for fact in facts.looks if holds(fact.witness)),
    )
