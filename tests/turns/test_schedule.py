"""What comes next in an exchange, over random trees of delegations."""

from dataclasses import dataclass, replace
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from mama_bot.model import (
    Attempt,
    Cleared,
    Delegation,
    DelegationForm,
    Draft,
    Judgement,
    StoredTurn,
    Turn,
    TurnId,
    TurnKind,
    TurnState,
)
from mama_bot.turns.new_turns import review_turn, rework_turn
from mama_bot.turns.schedule import (
    Done,
    ReportResults,
    RunTurn,
    delegations_of,
    last_attempt_of,
    next_step,
    results_turn_id,
    reviews_of,
    rework_of,
    work_under_review,
    works_behind,
)
from tests.people import START, persona, turn

REVIEWER = persona("reviewer")
MOST_REVIEWS = 3
FINAL = [TurnState.ANSWERED, TurnState.WITHHELD, TurnState.FAILED, TurnState.STOPPED]


@dataclass
class World:
    """Runs an exchange whose turns end, delegate and are reviewed as drawn; each id decides once, as after a crash."""

    turns: list[StoredTurn]
    plan: dict[str, tuple[TurnState, int, bool]]

    def settle(self, stored: StoredTurn, draw: st.DataObject) -> None:
        ended, count, further = self.plan.setdefault(
            stored.turn.id,
            (
                draw.draw(st.sampled_from(FINAL)),
                draw.draw(st.integers(0, 3 if len(self.turns) < 12 else 0)),
                draw.draw(st.booleans()),
            ),
        )
        at = self.turns.index(stored)
        self.turns[at] = replace(stored, state=ended)
        if ended is not TurnState.ANSWERED:
            return
        if stored.turn.kind is TurnKind.REVIEW:
            if further and reviews_of(self.turns, work_under_review(self.turns, stored.turn)) < MOST_REVIEWS:
                work = work_under_review(self.turns, stored.turn)
                self.turns.append(pending(rework_turn(stored.turn, work, "mend")))
        elif not count and (further or rework_of(self.turns, stored.turn) is not None):
            self.turns.append(pending(review_turn(stored.turn, REVIEWER, stored.turn.persona, "look")))
        else:
            self.turns += [pending(child(stored.turn, TurnKind.DELEGATION, f"{index}")) for index in range(count)]

    def report(self, step: ReportResults) -> None:
        made = replace(child(step.asking, TurnKind.RESULTS, "r"), depth=step.asking.depth)
        assert made.id == results_turn_id(step.asking)
        self.turns.append(pending(made))


def pending(of: Turn) -> StoredTurn:
    return StoredTurn(turn=of, state=TurnState.PENDING, created_at=START)


def child(of: Turn, kind: TurnKind, name: str) -> Turn:
    return replace(of, id=TurnId(f"{of.id}.{name}"), parent=of.id, kind=kind, depth=of.depth + 1)


def roots(count: int) -> list[StoredTurn]:
    return [pending(replace(turn(), id=TurnId(f"m1.{index}"))) for index in range(count)]


@given(st.integers(1, 3), st.data())
def test_every_tree_is_run_to_its_end(count: int, data: st.DataObject) -> None:
    world = World(roots(count), {})
    ran: list[str] = []
    for _ in range(1000):
        step = next_step(world.turns)
        assert next_step(list(world.turns)) == step
        match step:
            case Done():
                break
            case ReportResults():
                check_results(step, world.turns)
                world.report(step)
            case RunTurn(stored=stored):
                check_deepest(stored, world.turns)
                # A crash in the middle of the turn: the same turn comes again.
                at = world.turns.index(stored)
                running = replace(stored, state=TurnState.RUNNING)
                world.turns[at] = running
                assert next_step(world.turns) == RunTurn(stored=running)
                ran.append(stored.turn.id)
                world.settle(running, data)
    assert next_step(world.turns) == Done()
    assert len(ran) == len(set(ran)) == len(world.turns)
    assert delegations_of(world.turns) == sum(one.turn.kind is TurnKind.DELEGATION for one in world.turns)
    for stored in world.turns:
        assert reviews_of(world.turns, stored.turn) <= MOST_REVIEWS
        below = [one.turn.kind for one in world.turns if one.turn.parent == stored.turn.id]
        assert below.count(TurnKind.RESULTS) == (1 if TurnKind.DELEGATION in below else 0)


def check_results(step: ReportResults, turns: list[StoredTurn]) -> None:
    """Everything below the asking turn is final, and each delegation has its last word, in order."""
    below = [one for one in turns if one.turn.id.startswith(f"{step.asking.id}.")]
    assert all(one.state in FINAL for one in below)
    asked = [one for one in below if one.turn.parent == step.asking.id]
    asked = [one for one in asked if one.turn.kind is TurnKind.DELEGATION]
    assert len(step.settled) == len(asked)
    for last, first in zip(step.settled, asked, strict=True):
        assert set(last.turn.id.removeprefix(first.turn.id).split(".")) <= {"", "r", "v", "w"}
        assert last.turn.kind is not TurnKind.REVIEW
        assert last.turn.persona == first.turn.persona
        assert works_behind(turns, last.turn, step.asking)[0] == first.turn.id
        after = [one for one in turns if one.turn.parent == last.turn.id]
        assert all(one.turn.kind is TurnKind.REVIEW for one in after)


def check_deepest(stored: StoredTurn, turns: list[StoredTurn]) -> None:
    waiting = [one for one in turns if one.state not in FINAL]
    assert stored in waiting
    assert stored.turn.depth == max(one.turn.depth for one in waiting)


def test_nothing_is_left_to_do_without_turns() -> None:
    assert next_step([]) == Done()


def test_a_withheld_reply_has_no_results() -> None:
    (root,) = roots(1)
    assert next_step([replace(root, state=TurnState.WITHHELD)]) == Done()


def judged_turn(number: int, task: str, persona: str = "developer") -> StoredTurn:
    """A delegated turn with one attempt; the later the turn, the earlier the clock: it was set back."""
    asked = Delegation(sender="lead", recipient=persona, task=task, form=DelegationForm.DIRECTIVE)
    name = TurnId(f"m1.{number}")
    attempt = Attempt(
        draft=Draft(turn_id=name, attempt=0, text=f"{number}"),
        judgement=Judgement(turn_id=name, attempt=0, text_sha256="", outcome=Cleared()),
        at=START - timedelta(hours=number),
    )
    made = replace(turn(persona), id=name, delegation=asked if task else None)
    return StoredTurn(turn=made, state=TurnState.ANSWERED, created_at=START, attempts=(attempt,))


def test_the_last_attempt_is_the_last_of_the_same_persona_on_the_same_task_whatever_the_clock_says() -> None:
    asked = (("Fix a", "developer"), ("fix  A", "developer"), ("Fix b", "developer"), ("Fix a", "reviewer"))
    turns = [judged_turn(number, task, persona) for number, (task, persona) in enumerate(asked)]
    found = [last_attempt_of(turns, stored.turn) for stored in turns]
    assert [attempt.draft.text if attempt else "" for attempt in found] == ["1", "1", "2", "3"]
    assert last_attempt_of(turns, turn("developer")) is None


def test_work_is_settled_when_its_reviews_are_and_its_last_word_is_that_of_the_rework() -> None:
    (root,) = roots(1)
    asked = replace(pending(child(root.turn, TurnKind.DELEGATION, "0")), state=TurnState.ANSWERED)
    first = replace(pending(review_turn(asked.turn, REVIEWER, "lead", "look")), state=TurnState.ANSWERED)
    mended = replace(pending(rework_turn(first.turn, asked.turn, "mend")), state=TurnState.ANSWERED)
    second = pending(review_turn(mended.turn, REVIEWER, "lead", "look"))
    turns = [replace(root, state=TurnState.ANSWERED), asked, first, mended, second]
    assert next_step(turns) == RunTurn(stored=second)
    assert work_under_review(turns, second.turn) == asked.turn
    assert reviews_of(turns, asked.turn) == 2
    for state in FINAL:
        step = next_step([*turns[:-1], replace(second, state=state)])
        assert isinstance(step, ReportResults)
        assert step.settled == (mended,)
    failed = next_step([*turns[:3], replace(mended, state=TurnState.FAILED)])
    assert isinstance(failed, ReportResults)
    assert failed.settled == (asked,)


def test_what_goes_on_with_a_work_is_the_same_work() -> None:
    (root,) = roots(1)
    first = review_turn(root.turn, REVIEWER, "developer", "look")
    mended = rework_turn(first, root.turn, "mend")
    told = replace(child(mended, TurnKind.RESULTS, "r"), depth=mended.depth)
    again = replace(child(told, TurnKind.RESULTS, "r"), depth=mended.depth)
    second = review_turn(again, REVIEWER, "developer", "look")
    asked = child(mended, TurnKind.DELEGATION, "0")
    turns = [replace(pending(each), state=TurnState.ANSWERED) for each in (first, mended, told, again, second, asked)]
    turns.insert(0, replace(root, state=TurnState.ANSWERED))
    for one in (root.turn, first, mended, told, again, second):
        assert work_under_review(turns, one) == root.turn
    assert work_under_review(turns, asked) == asked
    assert reviews_of(turns, root.turn) == 2
    assert [rework_of(turns, one) for one in (mended, told, again)] == [mended] * 3
    assert [rework_of(turns, one) for one in (root.turn, first, second, asked)] == [None] * 4
    assert rework_of(turns, child(root.turn, TurnKind.RESULTS, "r")) is None
