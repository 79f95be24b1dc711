"""The states of reviews, durably: legal steps only, and nobody approves their own work."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import assert_never

import structlog

from mama_bot.errors import ReviewRefused
from mama_bot.model import ConversationKey, Review, ReviewMove, ReviewStatus, well_formed
from mama_bot.model.reviews import BY_PERSON, approval_of
from mama_bot.protocols import Clock
from mama_bot.store import sentences as says
from mama_bot.store.codec import NAMES, channel_of, instant, moment
from mama_bot.store.connection import Connection, Row, Statement
from mama_bot.store.database import Database
from mama_bot.wording import Said, plain_name

log = structlog.get_logger(__name__)

MOST_ISSUES = 50
ISSUE_CHARACTERS = 1_000

_COLUMNS = "session_id, status, worker_agent, reviewer_agent, issues_found, attempts, created_at, updated_at"
_ONE = Statement(f"SELECT {_COLUMNS} FROM reviews WHERE session_id = :session_id")  # noqa: S608 - a constant
_LATEST = Statement(f"SELECT {_COLUMNS} FROM reviews ORDER BY updated_at DESC, session_id LIMIT :limit")  # noqa: S608 - a constant
_TURN = Statement("SELECT 1 FROM turns WHERE id = :session_id")
_OF_CHANNEL = Statement(
    """
    SELECT reviews.session_id FROM reviews JOIN turns ON turns.id = reviews.session_id
    JOIN messages ON messages.id = turns.message_id WHERE substr(messages.conversation, 1, :length) = :channel
    """
)
_KEEP = Statement(
    """
    INSERT INTO reviews
        (session_id, status, worker_agent, reviewer_agent, issues_found, attempts, created_at, updated_at)
    VALUES (:session_id, :status, :worker_agent, :reviewer_agent, :issues_found, :attempts, :created_at, :updated_at)
    ON CONFLICT (session_id) DO UPDATE SET
        status = excluded.status, worker_agent = excluded.worker_agent, reviewer_agent = excluded.reviewer_agent,
        issues_found = excluded.issues_found, attempts = excluded.attempts, updated_at = excluded.updated_at
    """
)


class StoredReviews:
    """The `ReviewStates` of the database, and its `ReviewDecisions`."""

    def __init__(self, *, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def review(self, session_id: str) -> Review | None:
        return await self._database.read(lambda connection: _one(connection, well_formed(session_id)))

    async def latest(self, limit: int) -> Sequence[Review]:
        return await self._database.read(
            lambda connection: [_review(row) for row in connection.execute(_LATEST, {"limit": limit})]
        )

    async def is_of_turn(self, session_id: str) -> bool:
        """Return whether the work of a review is a turn of the service's own, and no session of somebody else."""
        facts = {"session_id": well_formed(session_id)}
        return await self._database.read(lambda connection: connection.execute(_TURN, facts).first() is not None)

    async def move(self, move: ReviewMove) -> Review:
        at = self._clock.now()
        return await self._database.write(lambda connection: move_review(connection, move, at))

    async def settle(self, key: ConversationKey, approval: str, *, approve: bool, by: str) -> Review:
        at = self._clock.now()
        to = ReviewStatus.APPROVED if approve else ReviewStatus.REJECTED
        return await self._database.write(lambda connection: _decided(connection, key, approval, to, by, at))


def move_review(connection: Connection, move: ReviewMove, at: datetime) -> Review:
    """Take a step of a review in the transaction of the caller; raises ReviewRefused."""
    move = replace(
        move,
        session_id=well_formed(move.session_id),
        agent=well_formed(move.agent.strip()),
        issues=tuple(well_formed(issue)[:ISSUE_CHARACTERS] for issue in move.issues[:MOST_ISSUES]),
    )
    before = _one(connection, move.session_id)
    after = moved(before, move, at)
    if after != before:
        _keep(connection, after)
    return after


def _decided(
    connection: Connection, key: ConversationKey, approval: str, to: ReviewStatus, by: str, at: datetime
) -> Review:
    """Return a person's decision as the steps of a reviewer who takes the review over."""
    channel = channel_of(key)
    sessions = connection.execute(_OF_CHANNEL, {"channel": channel, "length": len(channel)}).scalars()
    session_id = next((session for session in sessions if approval_of(session) == approval), "")
    before = _one(connection, session_id)
    if before is None:
        raise ReviewRefused(says.NO_REVIEW_WAITS)
    if before.status is ReviewStatus.APPROVED or (
        before.status is ReviewStatus.REJECTED and before.reviewer_agent.endswith(BY_PERSON)
    ):
        state = says.REVIEW_STATES[before.status]
        raise ReviewRefused(
            says.WORK_SETTLED.of(worker=before.worker_agent, state=state, reviewer=before.reviewer_agent)
        )
    person = _person(by)
    move_review(connection, ReviewMove(session_id=session_id, to=ReviewStatus.PENDING, agent=before.worker_agent), at)
    move_review(connection, ReviewMove(session_id=session_id, to=ReviewStatus.IN_REVIEW, agent=person), at)
    issues = before.issues_found if to is ReviewStatus.REJECTED else ()
    return move_review(connection, ReviewMove(session_id=session_id, to=to, agent=person, issues=issues), at)


def _person(name: str) -> str:
    """Return the name under which a person reviews: no agent has it, and it is nobody's subagent."""
    return f"{plain_name(name.replace('/', ' ')) or 'somebody'}{BY_PERSON}"


def try_moves(connection: Connection, moves: Sequence[ReviewMove], at: datetime) -> None:
    """Take those steps that are legal: a person may have settled a review while an agent worked on it."""
    for move in moves:
        try:
            move_review(connection, move, at)
        except ReviewRefused as error:
            log.warning("review_not_moved", session=move.session_id, to=move.to.value, reason=str(error))


def moved(before: Review | None, move: ReviewMove, at: datetime) -> Review:
    """Return the review after a step; unchanged where the step was taken already. Raises ReviewRefused."""
    if not move.session_id or not move.agent:
        raise ReviewRefused(says.NAMES_MISSING)
    if before is None:
        if move.to is not ReviewStatus.PENDING:
            raise ReviewRefused(says.NO_REVIEW_TO_MOVE.of(session=move.session_id, state=says.REVIEW_STATES[move.to]))
        return Review(
            session_id=move.session_id,
            status=ReviewStatus.PENDING,
            worker_agent=move.agent,
            created_at=at,
            updated_at=at,
        )
    match move.to:
        case ReviewStatus.PENDING:
            return _asked_for(before, move, at)
        case ReviewStatus.IN_REVIEW:
            return _begun(before, move, at)
        case ReviewStatus.APPROVED | ReviewStatus.REJECTED:
            return _settled(before, move, at)
        case unexpected:
            assert_never(unexpected)


def _asked_for(before: Review, move: ReviewMove, at: datetime) -> Review:
    """Return the review after its worker asks for it, again too: after a rejection, after more changes."""
    if move.agent != before.worker_agent:
        raise _refused(says.NOT_THE_WORKER, before, move)
    if before.status is ReviewStatus.PENDING:
        return before
    again = before.status is ReviewStatus.APPROVED
    return replace(before, status=ReviewStatus.PENDING, attempts=0 if again else before.attempts, updated_at=at)


def _begun(before: Review, move: ReviewMove, at: datetime) -> Review:
    if who(move.agent) == who(before.worker_agent):
        raise _refused(says.OWN_WORK_REVIEWED, before, move)
    if before.status not in (ReviewStatus.PENDING, ReviewStatus.IN_REVIEW):
        raise _refused(says.NOT_ASKED_AGAIN, before, move)
    if (before.status, before.reviewer_agent) == (ReviewStatus.IN_REVIEW, move.agent):
        return before
    return replace(before, status=ReviewStatus.IN_REVIEW, reviewer_agent=move.agent, updated_at=at)


def _settled(before: Review, move: ReviewMove, at: datetime) -> Review:
    if who(move.agent) == who(before.worker_agent):
        raise _refused(says.OWN_WORK_SETTLED, before, move)
    issues = move.issues if move.to is ReviewStatus.REJECTED else ()
    if (before.status, before.reviewer_agent, before.issues_found) == (move.to, move.agent, issues):
        return before
    if before.status is not ReviewStatus.IN_REVIEW:
        raise _refused(says.NOT_BEGUN, before, move)
    if move.agent != before.reviewer_agent:
        raise _refused(says.NOT_THE_REVIEWER, before, move)
    return replace(before, status=move.to, issues_found=issues, attempts=before.attempts + 1, updated_at=at)


def _refused(sentence: Said, before: Review, move: ReviewMove) -> ReviewRefused:
    """Return the refusal of a step, with the values that its sentence may name."""
    return ReviewRefused(
        sentence.of(
            session=before.session_id,
            state=says.REVIEW_STATES[before.status],
            to=says.REVIEW_STATES[move.to],
            worker=before.worker_agent,
            reviewer=before.reviewer_agent,
            agent=move.agent,
        )
    )


def who(agent: str) -> str:
    """Return an agent's name without subagents and in lower case: `dev` for `Dev/sub1`."""
    return agent.partition("/")[0].strip().casefold()


def _one(connection: Connection, session_id: str) -> Review | None:
    row = connection.execute(_ONE, {"session_id": session_id}).first()
    return None if row is None else _review(row)


def _review(row: Row) -> Review:
    return Review(
        session_id=row.session_id,
        status=ReviewStatus(row.status),
        worker_agent=row.worker_agent,
        reviewer_agent=row.reviewer_agent,
        issues_found=NAMES.load(row.issues_found),
        attempts=row.attempts,
        created_at=moment(row.created_at),
        updated_at=moment(row.updated_at),
    )


def _keep(connection: Connection, review: Review) -> None:
    connection.execute(
        _KEEP,
        {
            "session_id": review.session_id,
            "status": review.status,
            "worker_agent": review.worker_agent,
            "reviewer_agent": review.reviewer_agent,
            "issues_found": NAMES.dump(review.issues_found),
            "attempts": review.attempts,
            "created_at": instant(review.created_at),
            "updated_at": instant(review.updated_at),
        },
    )
