"""Worker, reviewer, and back: which work needs a review, and what follows from a verdict."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol, assert_never

import structlog

from mama_bot.config import ReviewSettings
from mama_bot.errors import MamaBotError, ReviewRefused
from mama_bot.metrics import Metrics
from mama_bot.model import (
    AgentPersona,
    Attempt,
    Cleared,
    Exchange,
    InboundMessage,
    Post,
    Review,
    ReviewFact,
    ReviewMove,
    ReviewStatus,
    StoredTurn,
    ToolRecord,
    Turn,
    TurnId,
    TurnKind,
    TurnState,
    WorkDiff,
)
from mama_bot.protocols import ReviewStates
from mama_bot.review import review_notices
from mama_bot.review.filed_issues import FiledIssues
from mama_bot.review.follow_ups import NOTHING, FollowUp, name_at_work, panel_steps, step_of
from mama_bot.review.independence import reviewers_of, written
from mama_bot.review.panels import (
    Ballot,
    Decision,
    approving,
    as_counted,
    ballot_of_end,
    decision_of,
    issues_among,
    rejecting,
    votes_of,
)
from mama_bot.review.requirements import holds_for, record_before, requirements_for
from mama_bot.review.review_prompts import DIFF_CHARACTERS, review_prompt, rework_prompt
from mama_bot.review.review_verdicts import Approved, Rejected, Unproven, verdict_of
from mama_bot.text.lexicon import Words
from mama_bot.turns.ledger import record_of
from mama_bot.turns.new_turns import first_turn, panel_turns, review_turn, rework_turn
from mama_bot.turns.schedule import ReportResults, reviews_of, rework_of, work_under_review, works_behind

log = structlog.get_logger(__name__)


class WorkChanges(Protocol):
    """Knows what a turn changed in its workspace."""

    async def work(self, turn: Turn, max_characters: int, *, until: str = "") -> WorkDiff | None:
        """Return the files, the size and the diff from the turn's baseline to a git tree; None without a repository.

        "" is how the files are now.
        """
        ...


class ReviewRounds:
    """Decides which work is reviewed and what follows from a verdict; it says which turns follow and never runs one."""

    def __init__(
        self,
        *,
        settings: ReviewSettings,
        personas: Mapping[str, AgentPersona],
        states: ReviewStates,
        changes: WorkChanges,
        metrics: Metrics,
        words: Words = (),
        filed: FiledIssues | None = None,
    ) -> None:
        self._settings = settings
        self._personas = personas
        self._states = states
        self._changes = changes
        self._metrics = metrics
        self._words = words
        self._filed = filed

    @property
    def required(self) -> bool:
        """Whether any work could need a review."""
        return bool(self._settings.require_review_for)

    @property
    def setting(self) -> str:
        """The key of the settings that names who reviews."""
        return "reviews.consensus" if self._settings.consensus.reviewers else "reviews.reviewer"

    def may_need(self, turn: Turn) -> bool:
        """Return whether a turn's work could need a review, so that its baseline has to be known."""
        return turn.kind not in (TurnKind.REVIEW, TurnKind.REWORK) and bool(
            requirements_for(self._settings.require_review_for, turn.persona)
        )

    async def asked_for(
        self, message: InboundMessage, work: Turn, exchange: Exchange, *, until: str = ""
    ) -> Sequence[Turn]:
        """Return the reviews of a piece of work that a person asks for, and hears of; none: there is nobody to do it.

        What they find is theirs to act on: it approves nothing, and no rework follows. `until` is the git tree with
        which the work ended ("": how the files are now).
        """
        reviewers, panel = reviewers_of(self._settings, self._personas, None, work, exchange)
        if not reviewers:
            return ()
        turns, done = exchange.turns, ToolRecord()
        for stored in turns:
            if stored.turn.kind is not TurnKind.REVIEW and work_under_review(turns, stored.turn).id == work.id:
                done += record_of(stored)
        diff = await self._diff(work, until=until)
        return [
            replace(
                first_turn(message, reviewer, index),
                kind=TurnKind.REVIEW,
                prompt=review_prompt(exchange.request, work, diff, done, changed_since=until != ""),
                under_review=diff.files if diff else (),
                work_tree=work.work_tree,
                panel=panel,
            )
            for index, reviewer in enumerate(reviewers)
        ]

    async def begins(self, turn: Turn, exchange: Exchange) -> None:
        """Note that a reviewer begins; without effect for any other turn."""
        if turn.kind is not TurnKind.REVIEW or turn.parent is None:
            return
        work = work_under_review(exchange.turns, turn)
        review = await self._states.review(work.id)
        name = name_at_work(turn)
        if review is not None and review.status is ReviewStatus.IN_REVIEW and review.reviewer_agent != name:
            log.warning("review_not_begun", session=work.id, reason=f"{review.reviewer_agent} is at it")
            return
        try:
            await self._states.move(step_of(work, ReviewStatus.IN_REVIEW, name))
        except ReviewRefused as error:  # a person settled it meanwhile; the verdict will then not count
            log.warning("review_not_begun", session=work.id, reason=str(error))

    async def after(
        self,
        turn: Turn,
        attempt: Attempt,
        outcome: Cleared,
        exchange: Exchange,
        *,
        delegates: bool = False,
    ) -> FollowUp:
        """Return what follows from an answered turn; one that `delegates` did a part, which is not reviewed yet."""
        match turn.kind:
            case TurnKind.REVIEW:
                return await self._after_review(turn, attempt, outcome, exchange)
            case TurnKind.REQUEST | TurnKind.DELEGATION | TurnKind.RESULTS | TurnKind.REWORK:
                work = work_under_review(exchange.turns, turn)
                rework = rework_of(exchange.turns, turn)
                if rework is None and not await self._is_due(turn, work, attempt.draft.record):
                    return NOTHING
                if delegates:  # noted, so that what is left undone here is looked at when its results are there
                    moves = () if rework else (step_of(work, ReviewStatus.PENDING, work.persona),)
                    return FollowUp(moves=moves, banner=review_notices.not_reviewed_yet(turn))
                return await self._ask_for_review(turn, work, attempt.draft.record, exchange)
            case unexpected:
                assert_never(unexpected)

    async def after_none(self, turn: Turn, state: TurnState, exchange: Exchange) -> FollowUp:
        """Return what follows from a turn that ended without a reply: nothing is approved, a person is asked.

        Whoever stopped it knows: there is no further line then.
        """
        work = work_under_review(exchange.turns, turn)
        moves: tuple[ReviewMove, ...] = ()
        if turn.panel is not None:
            return await self._after_panel(turn, ballot_of_end(state), exchange, stopped=state is TurnState.STOPPED)
        if turn.kind is TurnKind.REVIEW and turn.parent is None:
            return NOTHING
        if turn.kind is TurnKind.REVIEW:
            if not await self._is_at_it(turn, work):
                return NOTHING
            moves = (step_of(work, ReviewStatus.PENDING, work.persona),)
            line = review_notices.review_without_verdict(turn, work)
        elif rework_of(exchange.turns, turn) is not None:
            line = review_notices.review_rejected(turn, work, self._issues_before(turn, exchange), 0)
        elif turn.kind is TurnKind.RESULTS and await self._is_put_off(work):
            line = review_notices.never_reviewed(turn, work)
        else:
            return NOTHING
        self._metrics.count("reviews", persona=work.persona, verdict="none")
        return FollowUp(moves=moves, posts=() if state is TurnState.STOPPED else (line,))

    async def standings(self, step: ReportResults, exchange: Exchange) -> Mapping[TurnId, Sequence[Review]]:
        """Return the reviews of what a turn's delegations came to, by the last turn of each."""
        reviews: dict[TurnId, list[Review]] = {}
        for last in step.settled:
            for work in works_behind(exchange.turns, last.turn, step.asking):
                review = await self._states.review(work)
                if review is not None:
                    reviews.setdefault(last.turn.id, []).append(review)
        return reviews

    async def so_far(self, exchange: Exchange) -> tuple[ReviewFact, ...]:
        """Return where the reviews of an exchange stand, each piece of work once."""
        turns = exchange.turns
        reviewing = (stored.turn for stored in turns if stored.turn.kind is TurnKind.REVIEW)
        reviews = [await self._states.review(work) for work in dict.fromkeys(_work(turns, turn) for turn in reviewing)]
        return tuple(
            ReviewFact(reviewer=review.reviewer_agent, status=review.status) for review in reviews if review is not None
        )

    # --- which work needs a review ------------------------------------------------------------------

    async def _is_due(self, turn: Turn, work: Turn, record: ToolRecord) -> bool:
        """Whether a turn, or what the same work began with, needs a review."""
        if not self.may_need(turn):
            return False
        return (turn.id != work.id and await self._is_put_off(work)) or await self._needs_review(turn, record)

    async def _is_put_off(self, work: Turn) -> bool:
        """Whether a piece of work needs a review that waited for its delegations."""
        review = await self._states.review(work.id)
        return review is not None and review.status is ReviewStatus.PENDING

    async def _is_at_it(self, turn: Turn, work: Turn) -> bool:
        """Whether a review is still the reviewer's; a person may have taken it over, and then what they say holds."""
        review = await self._states.review(work.id)
        at_it = (ReviewStatus.IN_REVIEW, name_at_work(turn))
        if review is not None and (review.status, review.reviewer_agent) == at_it:
            return True
        log.warning("review_taken_over", session=work.id, reason="its state is not this reviewer's any more")
        return False

    async def _needs_review(self, turn: Turn, record: ToolRecord) -> bool:
        try:
            diff = await self._changes.work(turn, 0)
        except (MamaBotError, OSError) as error:
            log.warning("review_required", reason=f"what changed cannot be told: {error}")
            return True
        if diff is not None:
            files, lines = frozenset(diff.files), diff.lines
        else:
            files, lines = written(record), None
        return any(
            holds_for(requirement, files, lines)
            for requirement in requirements_for(self._settings.require_review_for, turn.persona)
        )

    # --- what follows -------------------------------------------------------------------------------

    async def _ask_for_review(self, turn: Turn, work: Turn, record: ToolRecord, exchange: Exchange) -> FollowUp:
        moves, banner = (step_of(work, ReviewStatus.PENDING, work.persona),), review_notices.not_reviewed_yet(turn)
        reviewers, panel = reviewers_of(self._settings, self._personas, turn, work, exchange)
        if panel is not None and len(reviewers) < panel.quorum:
            return FollowUp(moves=moves, posts=(review_notices.no_quorum(turn, work, panel),), banner=banner)
        if not reviewers:
            return FollowUp(moves=moves, posts=(review_notices.no_reviewer(turn, work),), banner=banner)
        number = reviews_of(exchange.turns, work) + 1
        if number > self._settings.max_attempts:
            line = review_notices.review_rejected(turn, work, self._issues_before(turn, exchange), number - 1)
            return FollowUp(moves=moves, posts=(line,), banner=banner)
        log.info("review_asked_for", work=work.id, reviewers=[reviewer.name for reviewer in reviewers], number=number)
        diff, done = await self._diff(work), record_before(turn, work, exchange.turns) + record
        prompt = review_prompt(
            exchange.request,
            work,
            diff,
            done,
            before=self._issues_before(turn, exchange),
            number=number,
            most=self._settings.max_attempts,
        )
        review = review_turn(turn, reviewers[0], work.persona, prompt, files=diff.files if diff else ())
        turns = (review,) if panel is None else panel_turns(review, reviewers, panel)
        asked = reviewers[:1] if panel is None else reviewers
        return FollowUp(turns=turns, moves=moves, banner=review_notices.not_reviewed_yet(turn, asked))

    async def _after_review(self, turn: Turn, attempt: Attempt, outcome: Cleared, exchange: Exchange) -> FollowUp:
        verdict = verdict_of(attempt, outcome, turn.language, self._words)
        if turn.panel is not None or turn.parent is None:
            ballot = as_counted(verdict, attempt, self._words)
            if turn.panel is not None:
                return await self._after_panel(turn, ballot, exchange)
            issues = ballot.issues if isinstance(ballot, Rejected) else ()
            return FollowUp(posts=await self._filed_for_person(turn, issues, turn.persona, exchange))
        work = work_under_review(exchange.turns, turn)
        if not await self._is_at_it(turn, work):
            return NOTHING
        self._metrics.count("reviews", persona=work.persona, verdict=type(verdict).__name__.lower())
        log.info("review_settled", work=work.id, verdict=type(verdict).__name__.lower())
        match verdict:
            case Approved():
                await self._close_filed(turn, work, turn.persona)
                return FollowUp(moves=(step_of(work, ReviewStatus.APPROVED, turn.persona),))
            case Unproven():
                moves = (step_of(work, ReviewStatus.PENDING, work.persona),)
                return FollowUp(moves=moves, posts=(review_notices.review_without_verdict(turn, work),))
            case Rejected(issues=issues):
                moves = (replace(step_of(work, ReviewStatus.REJECTED, turn.persona), issues=issues),)
                return await self._after_rejection(turn, work, issues, turn.persona, moves, exchange)
            case unexpected:
                assert_never(unexpected)

    async def _after_rejection(
        self,
        turn: Turn,
        work: Turn,
        issues: Sequence[str],
        by: str,
        moves: tuple[ReviewMove, ...],
        exchange: Exchange,
    ) -> FollowUp:
        """Return the rework of rejected work, or that a person is needed since there were enough reviews of it."""
        filed = self._filed
        items = await filed.file(turn, work.id, issues, by=by, assignee=work.persona) if filed is not None else {}
        number, most = reviews_of(exchange.turns, work), self._settings.max_attempts
        if number >= most or work.persona not in self._personas:
            return FollowUp(moves=moves, posts=(review_notices.review_rejected(turn, work, issues, number),))
        prompt = rework_prompt(by, issues, work, number=number, most=most, items=items, again=name_at_work(turn))
        own = [stored for stored in exchange.turns if stored.turn.persona == work.persona]
        done = [stored for stored in own if work_under_review(exchange.turns, stored.turn).id == work.id]
        return FollowUp(turns=(rework_turn(turn, work, prompt, done=done),), moves=moves)

    async def _after_panel(self, turn: Turn, ballot: Ballot, exchange: Exchange, *, stopped: bool = False) -> FollowUp:
        """Return what follows once all of a panel have spoken or abstained; nothing before that."""
        work = work_under_review(exchange.turns, turn)
        votes = votes_of(turn, exchange.turns, self._words, ballot)
        if turn.parent is None:  # a person asked, and decides
            if stopped or not votes or turn.panel is None:
                return NOTHING
            decision = decision_of(votes, turn.panel.quorum)
            line = review_notices.consensus(turn, turn.panel, votes, decision)
            filed = await self._filed_for_person(turn, issues_among(votes), ", ".join(rejecting(votes)), exchange)
            return FollowUp(posts=(line, *filed))
        if not (votes or stopped) or not await self._is_at_it(turn, work) or turn.panel is None:
            return NOTHING
        open_again = (step_of(work, ReviewStatus.PENDING, work.persona),)
        if stopped:
            return FollowUp(moves=open_again)
        decision = decision_of(votes, turn.panel.quorum)
        line = review_notices.consensus(turn, turn.panel, votes, decision, work)
        self._metrics.count("reviews", persona=work.persona, verdict=decision.value)
        log.info("review_settled", work=work.id, verdict=decision.value, votes=len(votes))
        match decision:
            case Decision.APPROVED:
                names = ", ".join(approving(votes))
                await self._close_filed(turn, work, names)
                return FollowUp(moves=panel_steps(work, ReviewStatus.APPROVED, names), posts=(line,))
            case Decision.REJECTED:
                names, issues = ", ".join(rejecting(votes)), issues_among(votes)
                moves = panel_steps(work, ReviewStatus.REJECTED, names, issues)
                follow = await self._after_rejection(turn, work, issues, names, moves, exchange)
                return replace(follow, posts=(line, *follow.posts))
            case Decision.DIVIDED | Decision.TOO_FEW:
                return FollowUp(moves=open_again, posts=(line,))
            case unexpected:
                assert_never(unexpected)

    async def _filed_for_person(
        self, turn: Turn, issues: Sequence[str], by: str, exchange: Exchange
    ) -> tuple[Post, ...]:
        """Return what is said of the issues of a review that a person asked for: they are items, to be handed out."""
        asked = exchange.message.repeat
        if self._filed is None or not issues or asked is None or asked.turn is None:
            return ()
        items = await self._filed.file(turn, asked.turn, issues, by=by)
        return (review_notices.issues_filed(turn, [*items.values()]),) if items else ()

    async def _close_filed(self, turn: Turn, work: Turn, by: str) -> None:
        if self._filed is not None:
            await self._filed.close(turn, work.id, by=by)

    async def _diff(self, work: Turn, *, until: str = "") -> WorkDiff | None:
        try:
            return await self._changes.work(work, DIFF_CHARACTERS, until=until)
        except (MamaBotError, OSError) as error:
            log.warning("review_without_diff", work=work.id, reason=str(error))
            return None

    def _issues_before(self, turn: Turn, exchange: Exchange) -> tuple[str, ...]:
        """What the review found that a REWORK turn follows, or the turn whose results this one reports."""
        rework = rework_of(exchange.turns, turn)
        above = next((stored for stored in exchange.turns if rework and stored.turn.id == rework.parent), None)
        return () if above is None else issues_among(votes_of(above.turn, exchange.turns, self._words))


def _work(turns: Sequence[StoredTurn], review: Turn) -> TurnId:
    return work_under_review(turns, review).id
