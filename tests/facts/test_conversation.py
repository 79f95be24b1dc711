"""Facts from turn to turn: told calls count once, what is kept is bounded, whose they are stays known."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from mama_bot.facts import facts_of, for_next_turn, own_facts
from mama_bot.model import (
    Counts,
    Facts,
    FileFate,
    FileTouch,
    Freshness,
    Look,
    LookKind,
    Run,
    RunEnd,
    RunKind,
    ToolKind,
    ToolRecord,
    ToolRun,
)
from mama_bot.store.codec import FACTS

START = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def call(
    number: int,
    *,
    agent: str = "",
    ran: Sequence[Run] = (),
    wrote: str = "",
    looked: Sequence[Look] = (),
    output: str = "",
) -> ToolRun:
    """A call that began so many seconds after the first."""
    return ToolRun(
        id=f"c{number}",
        tool="Bash",
        kind=ToolKind.SHELL,
        arguments="{}",
        started_at=START + timedelta(seconds=number),
        ended_at=START + timedelta(seconds=number),
        agent=agent,
        ran=tuple(ran),
        touched=(FileTouch(path=wrote, fate=FileFate.CHANGED),) if wrote else (),
        looked=tuple(looked),
        output_tail=output,
    )


def suite(end: RunEnd = RunEnd.PASSED, *, tool: str = "pytest", selected: Sequence[str] = ()) -> Run:
    return Run(kind=RunKind.TESTS, tool=tool, command=tool, end=end, counts=Counts(passed=45), selected=tuple(selected))


def after(earlier: Facts | None, *calls: ToolRun, told: Sequence[ToolRun] = (), agent: str = "lead") -> Facts:
    return facts_of(ToolRecord(runs=calls), agent=agent, told=told, earlier=earlier)


def test_calls_that_a_turn_is_told_of_count_once_and_as_its_own() -> None:
    own, delegates = call(1, ran=[suite()]), call(2, agent="developer", ran=[suite(RunEnd.FAILED)])
    asking = for_next_turn(after(Facts(), own))
    results = after(asking, told=(replace(own, agent="lead"), delegates))
    assert [(check.end, check.witness.age, check.witness.own) for check in results.checks] == [
        (RunEnd.PASSED, 0, True),
        (RunEnd.FAILED, 0, True),
    ]
    following = after(for_next_turn(results))
    assert [check.witness.age for check in following.checks] == [1, 1]


def test_what_a_delegate_wrote_before_a_check_does_not_make_it_stale_and_after_it_does() -> None:
    check = for_next_turn(after(Facts(), call(5, ran=[suite()])))
    for moment, freshness in ((3, Freshness.FRESH), (8, Freshness.STALE)):
        results = after(check, told=(call(moment, agent="developer", wrote="pay.py"),))
        assert results.checks[0].freshness is freshness


def test_the_persona_s_own_are_told_from_those_it_was_told_of() -> None:
    mine, subagents = call(1, ran=[suite()]), call(2, agent="lead/sub1", ran=[suite(tool="jest")])
    theirs = call(3, agent="developer", ran=[suite(tool="vitest")])
    own = own_facts(for_next_turn(after(Facts(), mine, subagents, told=(theirs,))), "lead")
    assert {check.tool for check in own.checks} == {"pytest", "jest"}


def test_without_knowing_what_was_before_the_facts_do_not_reach_back_to_the_beginning() -> None:
    unknown = after(None, call(1, ran=[suite()]))
    assert not unknown.from_beginning
    assert not after(for_next_turn(unknown)).from_beginning
    assert after(Facts()).from_beginning


def test_after_a_turn_of_an_agent_that_tells_no_calls_they_do_not_either() -> None:
    silent = facts_of(ToolRecord(complete=False), agent="lead", earlier=Facts())
    following = after(for_next_turn(silent))
    assert (following.recorded, following.from_beginning) == (True, False)


def test_what_a_conversation_keeps_is_bounded_however_much_was_done() -> None:
    first = call(0, ran=[suite(tool="jest")])
    facts: Facts = Facts()
    for turn in range(8):
        calls = [
            call(
                turn * 1_000 + number,
                ran=[suite(selected=(f"tests/test_{turn}_{number}.py", "x" * 2_000))],
                wrote=f"src/module_{turn}_{number}.py",
                looked=[Look(kind=LookKind.FILE, subject=f"src/{turn}/{number}.py", state="shown")],
                output=" ".join(str(turn * 7_000 + number * 7 + step) for step in range(7)),
            )
            for number in range(1_000)
        ]
        facts = for_next_turn(after(facts, *((first, *calls) if turn == 0 else calls)))
    assert facts.earlier_calls + facts.calls == 8_001
    assert len(FACTS.dump(facts)) < 250_000
    assert len(FACTS.dump(after(facts))) < 500_000
    # Of each sort of check the last stays, however long ago it was.
    assert facts.checks[0].tool == "jest"
    assert facts.checks[0].witness.age == 7
    assert facts.checks[-1].selected[0] == "tests/test_7_999.py"
