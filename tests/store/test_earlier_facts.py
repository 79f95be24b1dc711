"""What the turns of a persona showed reaches its next turn in the same conversation, and no other."""

from dataclasses import replace

from mama_bot.model import (
    CheckFact,
    Counts,
    DeedFact,
    Facts,
    FileFact,
    FileFate,
    LookFact,
    LookKind,
    RunEnd,
    RunKind,
    SessionId,
    Turn,
    TurnState,
    Witness,
    WorkTreeState,
)
from mama_bot.store import Store
from tests.store.making import ELSEWHERE, HERE, PERSON, START, attempt, message, turn

WITNESS = Witness(call_id="r1", agent="lead/sub1", at=START, age=2)
FACTS = Facts(
    calls=3,
    earlier_calls=4,
    checks=(
        CheckFact(
            kind=RunKind.TESTS,
            tool="pytest",
            command="pytest -q",
            end=RunEnd.PASSED,
            counts=Counts(passed=45),
            selected=("tests/결제",),
            witness=WITNESS,
        ),
    ),
    files=(FileFact(path="결제.py", fate=FileFate.CHANGED, fates=frozenset(FileFate), witness=WITNESS),),
    deeds=(DeedFact(kind=RunKind.COMMIT, tool="git commit", command="git commit", end=RunEnd.PASSED, witness=WITNESS),),
    looks=(LookFact(kind=LookKind.COMMIT, subject="", state="clean", witness=WITNESS),),
    figures=frozenset((45, 628)),
    tree=WorkTreeState(commit="abc", dirty=False),
)


async def begun(store: Store, number: int, *, persona: str = "lead", of_other: bool = False) -> Turn:
    """A turn that answers a message of its own, and whose agent is asked."""
    asked = message(number, key=ELSEWHERE if of_other else HERE)
    await store.inbox.accept(asked)
    new = turn(asked, f"{asked.id}-{persona}", persona)
    await store.turns.add_turns([new])
    await store.turns.begin_attempt(new, 0, SessionId("s"))
    return new


async def ended(store: Store, number: int, facts: Facts | None = FACTS, *, persona: str = "lead") -> Turn:
    new = await begun(store, number, persona=persona)
    await store.turns.finish(new, TurnState.ANSWERED, facts=facts)
    return new


async def before(store: Store, of: Turn) -> Facts | None:
    exchange = await store.turns.load(of.message_id)
    return next(stored.earlier for stored in exchange.turns if stored.turn.id == of.id)


async def test_the_first_turn_of_a_conversation_has_nothing_before_it(store: Store) -> None:
    assert await before(store, await begun(store, 1)) == Facts()


async def test_the_next_turn_has_what_the_turns_before_showed(store: Store, next_life: Store) -> None:
    await ended(store, 1)
    second = await begun(store, 2)
    assert await before(store, second) == FACTS
    assert await before(next_life, second) == FACTS


async def test_another_persona_and_another_conversation_have_their_own(store: Store) -> None:
    await ended(store, 1)
    assert await before(store, await begun(store, 2, persona="developer")) == Facts()
    assert await before(store, await begun(store, 3, of_other=True)) == Facts()


async def test_the_facts_of_the_latest_turn_stand(store: Store) -> None:
    await ended(store, 1)
    await ended(store, 2, Facts(calls=9))
    assert await before(store, await begun(store, 3)) == Facts(calls=9)


async def test_a_turn_that_is_cut_off_and_goes_on_has_the_same_facts_before_it(store: Store, next_life: Store) -> None:
    await ended(store, 1)
    second = await begun(store, 2)
    await next_life.turns.begin_attempt(second, 1, SessionId("s"))
    assert await before(next_life, second) == FACTS


async def test_of_turns_that_an_earlier_release_ended_nobody_knows_what_they_did(store: Store) -> None:
    await ended(store, 1, None)
    assert await before(store, await begun(store, 2)) is None


async def test_of_a_turn_that_was_ended_from_outside_the_facts_do_not_tell(store: Store) -> None:
    await ended(store, 1)
    await begun(store, 2)
    await store.turns.stop_exchange(message(2).id)
    assert await before(store, await begun(store, 3)) == replace(FACTS, from_beginning=False)


async def test_a_turn_whose_agent_was_never_asked_did_nothing(store: Store) -> None:
    await ended(store, 1)
    asked = message(2)
    await store.inbox.accept(asked)
    await store.turns.add_turns([turn(asked)])
    await store.turns.stop_exchange(asked.id)
    assert await before(store, await begun(store, 3)) == FACTS


async def test_beginning_anew_begins_the_facts_anew(store: Store) -> None:
    await ended(store, 1)
    await ended(store, 2, None, persona="developer")
    await store.context.begin_anew(HERE, by=PERSON, at=START)
    lead = await begun(store, 3)
    developer = turn(message(3), "m3-developer", "developer")
    await store.turns.add_turns([developer])
    assert await before(store, lead) == await before(store, developer) == Facts()


async def test_beginning_anew_elsewhere_takes_nothing_away(store: Store) -> None:
    await ended(store, 1)
    await store.context.begin_anew(ELSEWHERE, by=PERSON, at=START)
    assert await before(store, await begun(store, 2)) == FACTS


async def test_what_was_there_before_a_turn_is_not_stored_with_it(store: Store) -> None:
    first = await begun(store, 1)
    await store.turns.keep_turn(replace(first, earlier=FACTS, baseline="tree"))
    await store.turns.finish(replace(first, earlier=FACTS), TurnState.ANSWERED, attempt=attempt(first), facts=FACTS)
    (stored,) = (await store.turns.load(message(1).id)).turns
    assert (stored.turn.earlier, stored.turn.baseline) == (Facts(), "tree")
