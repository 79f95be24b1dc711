"""Which work needs a review, and what follows from one."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from mama_bot.config import QueueSettings, ReviewRequirement, ReviewSettings
from mama_bot.errors import MamaBotError
from mama_bot.metrics import Metrics
from mama_bot.model import (
    BoardId,
    Cleared,
    ConversationKey,
    Delegation,
    DelegationForm,
    Exchange,
    FileFate,
    FileTouch,
    MessageId,
    Notice,
    NoticeKind,
    Repeat,
    Review,
    ReviewMove,
    ReviewStatus,
    StoredTurn,
    ToolKind,
    ToolRecord,
    ToolRun,
    Turn,
    TurnId,
    TurnKind,
    TurnState,
    WorkDiff,
)
from mama_bot.review.filed_issues import FiledIssues
from mama_bot.review.follow_ups import NOTHING, FollowUp
from mama_bot.review.review_notices import not_reviewed_yet
from mama_bot.review.rounds import ReviewRounds
from mama_bot.store import open_store, sqlite_url
from mama_bot.turns.new_turns import delegated_turn, results_turn, review_turn, rework_turn
from mama_bot.turns.schedule import ReportResults
from mama_bot.wording import Language
from tests.agents.conftest import SystemClock
from tests.people import START, message, turn
from tests.review.making import PERSONAS, WORK, attempt, bash

# --- which work needs one ---------------------------------------------------------------------------


class Changes:
    """What a turn changed, as a test says."""

    def __init__(self, work: WorkDiff | MamaBotError | None) -> None:
        self._work = work

    async def work(self, turn: Turn, max_characters: int, *, until: str = "") -> WorkDiff | None:
        if isinstance(self._work, MamaBotError):
            raise self._work
        return self._work


class States:
    """A store whose reviews all stand as a test says; None: there are none."""

    def __init__(self, status: ReviewStatus | None = None, reviewer: str = "") -> None:
        self._status = status
        self._reviewer = reviewer
        self.moved: list[ReviewMove] = []

    async def review(self, session_id: str) -> Review | None:
        if self._status is None:
            return None
        return Review(
            session_id=session_id,
            status=self._status,
            worker_agent="developer",
            reviewer_agent=self._reviewer,
            created_at=START,
            updated_at=START,
        )

    async def latest(self, limit: int) -> Sequence[Review]:
        return ()

    async def move(self, move: ReviewMove) -> Review:
        self.moved.append(move)
        review = await self.review(move.session_id)
        assert review is not None
        return review


AT_IT = States(ReviewStatus.IN_REVIEW, "reviewer")


def reviewing(
    work: WorkDiff | MamaBotError | None,
    *required: ReviewRequirement,
    states: States | None = None,
    filed: FiledIssues | None = None,
) -> ReviewRounds:
    return ReviewRounds(
        settings=ReviewSettings(require_review_for=required),
        personas=PERSONAS,
        states=states or States(),
        changes=Changes(work),
        metrics=Metrics(),
        filed=filed,
    )


async def is_reviewed(one: ReviewRounds, work: Turn = WORK, record: ToolRecord | None = None) -> bool:
    done = attempt("`a.py` has 3 functions.", record)
    stored = StoredTurn(turn=work, state=TurnState.RUNNING, created_at=START, attempts=(done,))
    exchange = Exchange(message=message("do it"), turns=(stored,))
    follow = await one.after(work, done, Cleared(), exchange)
    assert bool(follow.turns) == bool(follow.moves)
    return bool(follow.turns)


DEVELOPER = ReviewRequirement(personas=("developer",))


REJECTED = "Verdict: REJECT\n\nFindings:\n- `a.py:3` divides by zero"


REVIEW = review_turn(WORK, PERSONAS["reviewer"], "developer", "look")


REWORK = rework_turn(REVIEW, WORK, "mend")


SMALL = WorkDiff(files=("docs/a.md", "src/a.py"), lines=9)


@pytest.mark.parametrize(
    ("requirement", "needed"),
    [
        (ReviewRequirement(), False),
        (ReviewRequirement(personas=("developer",)), True),
        (ReviewRequirement(personas=("lead",)), False),
        (ReviewRequirement(paths=("src/",)), True),
        (ReviewRequirement(paths=("*.rs", "tests/")), False),
        (ReviewRequirement(changed_lines=9), True),
        (ReviewRequirement(changed_lines=10), False),
        (ReviewRequirement(personas=("developer",), paths=("*.py",), changed_lines=10), False),
        (ReviewRequirement(personas=("developer",), paths=("*.py",), changed_lines=1), True),
    ],
)
async def test_each_part_of_a_requirement_must_hold(requirement: ReviewRequirement, needed: bool) -> None:
    assert await is_reviewed(reviewing(SMALL, requirement)) is needed
    assert await is_reviewed(reviewing(SMALL, ReviewRequirement(paths=("*.rs",)), requirement)) is needed
    assert not await is_reviewed(reviewing(WorkDiff(), requirement))


async def test_without_a_repository_the_record_tells_which_files_and_any_size_is_enough() -> None:
    one = reviewing(None, ReviewRequirement(paths=("*.py",), changed_lines=500))
    wrote = replace(bash("x"), touched=(FileTouch(path="src/a.py", fate=FileFate.CHANGED),))
    assert await is_reviewed(one, record=ToolRecord(runs=(wrote,)))
    assert not await is_reviewed(one, record=ToolRecord(runs=(bash("ls"),)))


async def test_when_git_cannot_tell_the_work_is_reviewed() -> None:
    assert await is_reviewed(reviewing(MamaBotError("late"), ReviewRequirement(paths=("*.rs",))))


async def test_the_reviewer_s_own_changes_are_a_person_s_to_look_at() -> None:
    one = reviewing(SMALL, ReviewRequirement(paths=("src/",)))
    own = replace(turn("reviewer"), language=Language.KOREAN)
    exchange = Exchange(message=message("do it"), turns=())
    follow = await one.after(own, attempt("`a.py` has 3 functions."), Cleared(), exchange)
    assert follow.turns == ()
    assert "다른 에이전트가 없습니다" in follow.posts[0].text


@pytest.mark.parametrize("kind", [TurnKind.REQUEST, TurnKind.DELEGATION, TurnKind.RESULTS])
async def test_whatever_a_turn_is_for_its_changes_count(kind: TurnKind) -> None:
    one = reviewing(SMALL, ReviewRequirement(personas=("developer",)))
    assert one.may_need(replace(WORK, kind=kind))
    assert await is_reviewed(one, replace(WORK, kind=kind))


@pytest.mark.parametrize("state", [TurnState.WITHHELD, TurnState.FAILED, TurnState.STOPPED])
async def test_a_rework_or_review_that_brings_no_reply_is_a_person_s_to_look_at_unless_a_person_stopped_it(
    state: TurnState,
) -> None:
    one = reviewing(SMALL, DEVELOPER, states=AT_IT)
    exchange = Exchange(message=message("do it"), turns=tuple(map(answered, (WORK, REVIEW, REWORK))))
    after_rework = await one.after_none(REWORK, state, exchange)
    after_review = await one.after_none(REVIEW, state, exchange)
    assert (await one.after_none(WORK, state, exchange)).posts == ()
    assert after_rework.moves == ()  # it stays rejected
    assert [move.to for move in after_review.moves] == [ReviewStatus.PENDING]
    asked = state is not TurnState.STOPPED
    assert len(after_review.posts) == len(after_rework.posts) == asked
    if asked:
        assert "divides by zero" in after_rework.posts[0].text


def answered(one: Turn, *runs: ToolRun) -> StoredTurn:
    done = attempt(REJECTED, ToolRecord(runs=runs))
    return StoredTurn(turn=one, state=TurnState.ANSWERED, created_at=START, attempts=(done,))


def results(asking: Turn) -> Turn:
    return results_turn(ReportResults(asking=asking, settled=()))


@pytest.mark.parametrize(
    "states",
    [
        States(ReviewStatus.APPROVED, "kim"),
        States(ReviewStatus.REJECTED, "kim"),
        States(ReviewStatus.IN_REVIEW, "kim"),
        States(ReviewStatus.PENDING, "reviewer"),
        States(),
    ],
)
@pytest.mark.parametrize("text", [REJECTED, "Verdict: APPROVE"])
async def test_a_verdict_on_what_a_person_took_over_leads_to_nothing(states: States, text: str) -> None:
    one = reviewing(SMALL, DEVELOPER, states=states)
    exchange = Exchange(message=message("do it"), turns=(answered(WORK), answered(REVIEW)))
    assert await one.after(REVIEW, attempt(text), Cleared(), exchange) == NOTHING
    assert await one.after_none(REVIEW, TurnState.FAILED, exchange) == NOTHING


async def test_a_reviewer_that_begins_again_takes_nothing_back_from_a_person() -> None:
    exchange = Exchange(message=message("do it"), turns=(answered(WORK), answered(REVIEW)))
    kim, own = States(ReviewStatus.IN_REVIEW, "kim"), States(ReviewStatus.PENDING)
    for states in (kim, own):
        await reviewing(SMALL, DEVELOPER, states=states).begins(REVIEW, exchange)
    assert kim.moved == []
    assert [(move.to, move.agent) for move in own.moved] == [(ReviewStatus.IN_REVIEW, "reviewer")]


async def test_a_rejection_by_the_reviewer_that_is_at_it_leads_to_a_rework() -> None:
    one = reviewing(SMALL, DEVELOPER, states=AT_IT)
    exchange = Exchange(message=message("do it"), turns=(answered(WORK), answered(REVIEW)))
    follow = await one.after(REVIEW, attempt(REJECTED), Cleared(), exchange)
    assert [made.kind for made in follow.turns] == [TurnKind.REWORK]


async def test_what_a_review_finds_that_a_person_asked_for_is_on_the_board_for_nobody_in_particular(
    tmp_path: Path,
) -> None:
    board = BoardId("app")

    async def board_of(key: ConversationKey) -> BoardId:
        return board

    clock = SystemClock()
    async with open_store(sqlite_url(tmp_path / "own.sqlite"), clock=clock, queue=QueueSettings()) as store:
        rounds = reviewing(SMALL, DEVELOPER, filed=FiledIssues(items=store.items, board_of=board_of))
        asked = replace(message("review it"), repeat=Repeat(of=MessageId("m0"), turn=WORK.id, review=True))
        review = replace(REVIEW, parent=None)
        exchange = Exchange(message=asked, turns=(answered(review),))
        for asked_again in (review, review, replace(review, id=TurnId("m2.0"))):  # after a crash, and once more
            follow = await rounds.after(asked_again, attempt(REJECTED), Cleared(), exchange)
        for finds_nothing in ("Verdict: APPROVE", "Verdict: REJECT", "Which branch do you mean?"):
            assert await rounds.after(review, attempt(finds_nothing), Cleared(), exchange) == NOTHING
        (item,) = await store.items.all_items(board)
    assert (follow.turns, follow.moves) == ((), ())
    assert item.id in getattr(follow.posts[0], "text", "")
    assert (item.title, item.assignee) == ("`a.py:3` divides by zero", "")
    assert f"of the work {WORK.id}." in item.description


async def test_a_part_of_the_work_is_reviewed_after_the_results_of_the_rest_and_from_where_it_began() -> None:
    asked: list[str] = []

    class Since(Changes):
        async def work(self, turn: Turn, max_characters: int, *, until: str = "") -> WorkDiff | None:
            asked.append(turn.baseline)
            return SMALL if turn.baseline == "first" else WorkDiff()

    began = replace(WORK, baseline="first")
    one = ReviewRounds(
        settings=ReviewSettings(require_review_for=(DEVELOPER,)),
        personas=PERSONAS,
        states=States(ReviewStatus.PENDING),
        changes=Since(SMALL),
        metrics=Metrics(),
    )
    exchange = Exchange(message=message("do it"), turns=(answered(began),))
    follow = await one.after(began, attempt("half"), Cleared(), exchange, delegates=True)
    assert (follow.turns, [move.to for move in follow.moves]) == ((), [ReviewStatus.PENDING])
    told = replace(results(began), baseline="second")
    exchange = replace(exchange, turns=(answered(began, bash("pytest")), answered(told)))
    follow = await one.after(told, attempt("whole", ToolRecord(runs=(bash("ls"),))), Cleared(), exchange)
    (review,) = follow.turns
    assert (review.kind, review.parent) == (TurnKind.REVIEW, told.id)
    assert [move.session_id for move in follow.moves] == [began.id]
    assert asked[-1] == "first"
    assert all(f"Bash `{command}`" in review.prompt for command in ("pytest", "ls"))


@pytest.mark.parametrize(
    ("language", "words"), [(Language.ENGLISH, "A person is needed"), (Language.KOREAN, "사람이 결정")]
)
async def test_work_whose_review_was_put_off_and_that_then_fails_is_a_person_s_to_look_at(
    language: Language, words: str
) -> None:
    told = replace(results(WORK), language=language)
    exchange = Exchange(message=message("do it"), turns=(answered(WORK), answered(told)))
    one = reviewing(SMALL, DEVELOPER, states=States(ReviewStatus.PENDING))
    follow = await one.after_none(told, TurnState.FAILED, exchange)
    assert words in follow.posts[0].text
    assert (await one.after_none(told, TurnState.STOPPED, exchange)).posts == ()
    assert await reviewing(SMALL, DEVELOPER).after_none(told, TurnState.FAILED, exchange) == NOTHING


async def test_the_results_of_a_rework_are_the_same_work_and_count_as_its_next_review() -> None:
    """However often a rework delegates: three reviews, then a person."""
    one = reviewing(WorkDiff(), DEVELOPER, states=AT_IT)
    turns, last, reviews = [answered(WORK)], WORK, 0
    follow = FollowUp(turns=(REVIEW,))
    while follow.turns:
        reviews += 1
        assert reviews <= 3
        turns.append(answered(follow.turns[0]))
        exchange = Exchange(message=message("do it"), turns=tuple(turns))
        follow = await one.after(follow.turns[0], attempt(REJECTED), Cleared(), exchange)
        if not follow.turns:
            break
        (rework,) = follow.turns
        turns.append(answered(rework))
        exchange = replace(exchange, turns=tuple(turns))
        put_off = await one.after(rework, attempt("x"), Cleared(), exchange, delegates=True)
        assert put_off == FollowUp(banner=not_reviewed_yet(rework))
        last = results(rework)
        turns.append(answered(last))
        exchange = replace(exchange, turns=tuple(turns))
        ended = await one.after_none(last, TurnState.FAILED, exchange)
        assert "divides by zero" in ended.posts[0].text
        follow = await one.after(last, attempt("x"), Cleared(), exchange)
        assert "divides by zero" in follow.turns[0].prompt
    assert reviews == 3
    assert [post.notice for post in follow.posts if isinstance(post, Notice)] == [NoticeKind.NEEDS_PERSON]


async def test_a_rework_that_was_cut_off_and_resumed_is_shown_once() -> None:
    one = reviewing(SMALL, DEVELOPER, states=AT_IT)
    record = ToolRecord(runs=(bash("pytest -x"),))
    turns = (answered(WORK, bash("ls")), answered(REVIEW, bash("git diff")), answered(REWORK, *record.runs))
    exchange = Exchange(message=message("do it"), turns=turns)
    follow = await one.after(REWORK, attempt("done", record), Cleared(), exchange)
    prompt = follow.turns[0].prompt
    assert [prompt.count(f"Bash `{command}`") for command in ("ls", "git diff", "pytest -x")] == [1, 0, 1]


def wrote(name: str) -> ToolRun:
    return replace(bash("tee"), kind=ToolKind.WRITE, files=("src/a.py",), agent=name)


@pytest.mark.parametrize("part", [True, False])
async def test_nobody_approves_their_own_work_through_a_second_name(part: bool) -> None:
    delegation = Delegation(sender="developer", recipient="reviewer", task="b", form=DelegationForm.TOOL)
    helped = delegated_turn(WORK, delegation, PERSONAS, 0)
    other = replace(helped, id=TurnId("other"), parent=None)
    rounds = reviewing(SMALL, DEVELOPER)
    turns = (answered(WORK), answered(helped if part else other, wrote("reviewer")))
    done = attempt("`a.py` has 3 functions.")
    follow = await rounds.after(WORK, done, Cleared(), Exchange(message=message("do it"), turns=turns))
    assert [turn.kind for turn in follow.turns] == ([] if part else [TurnKind.REVIEW])
    assert [post.text[:18] for post in follow.posts] == (["A person is needed"] if part else [])


async def test_a_persona_with_the_worker_s_own_words_is_no_other_agent() -> None:
    twin = replace(PERSONAS["reviewer"], prompt=PERSONAS["developer"].prompt)
    rounds = ReviewRounds(
        settings=ReviewSettings(require_review_for=(DEVELOPER,)),
        personas={**PERSONAS, "reviewer": twin},
        states=States(),
        changes=Changes(SMALL),
        metrics=Metrics(),
    )
    exchange = Exchange(message=message("do it"), turns=(answered(WORK),))
    follow = await rounds.after(WORK, attempt("done"), Cleared(), exchange)
    assert follow.turns == ()
    assert "A person is needed" in follow.posts[0].text
