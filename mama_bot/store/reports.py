"""Reports of wrong verdicts, durably; each attempt is reported once, and further notes are added to its report."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import assert_never

import structlog

from mama_bot.errors import ReportRefused
from mama_bot.model import (
    Author,
    Cleared,
    ConversationKey,
    Notice,
    PostId,
    Reply,
    Report,
    ReportNote,
    ReportStanding,
    ReportState,
    TurnId,
    objections,
    well_formed,
)
from mama_bot.protocols import Clock
from mama_bot.store.codec import ATTEMPT, NAMES, POST, REPORT, TURN, conversation_of, instant, moment
from mama_bot.store.connection import Connection, Row, Statement
from mama_bot.store.database import Database
from mama_bot.store.sentences import (
    NO_SUCH_VERDICT,
    NOTE_TOO_LONG,
    NOTHING_OBJECTED,
    REPORT_SETTLED,
    REPORTED_BEFORE,
    TOO_MANY_NOTES,
    TOO_MANY_REPORTS,
)

log = structlog.get_logger(__name__)

MAX_NOTE_CHARACTERS = 1_000
MAX_OPEN_REPORTS = 500
MAX_FURTHER_NOTES = 20

_TURN = Statement("SELECT body FROM turns WHERE id = :turn_id")
_ATTEMPT = Statement("SELECT body FROM attempts WHERE turn_id = :turn_id AND attempt = :attempt")
_LAST_ATTEMPT = Statement("SELECT max(attempt) FROM attempts WHERE turn_id = :turn_id")
_POST = Statement("SELECT body FROM outbox WHERE id = :id")
_EARLIER = Statement("SELECT sequence FROM reports WHERE turn_id = :turn_id AND attempt = :attempt")
_OPEN = Statement("SELECT count(*) FROM reports WHERE state = 'open'")
_ADD = Statement(
    """
    INSERT INTO reports (turn_id, attempt, conversation, state, body)
    VALUES (:turn_id, :attempt, :conversation, 'open', :body) RETURNING sequence
    """
)
_NOTED = Statement("UPDATE reports SET body = :body WHERE sequence = :number")
_COLUMNS = "sequence, state, body, settled_at, whitelisted"
_ONE = Statement(f"SELECT {_COLUMNS} FROM reports WHERE sequence = :number")  # noqa: S608 - a constant
_NEWEST = Statement(f"SELECT {_COLUMNS} FROM reports ORDER BY sequence DESC LIMIT :limit")  # noqa: S608 - a constant
_NEWEST_OPEN = Statement(
    f"SELECT {_COLUMNS} FROM reports WHERE state = 'open' ORDER BY sequence DESC LIMIT :limit"  # noqa: S608 - a constant
)
_SETTLE = Statement(
    """
    UPDATE reports SET state = :state, settled_at = :at, whitelisted = :whitelisted
    WHERE sequence = :number AND state = 'open'
    """
)
_STANDINGS = Statement(
    "SELECT sequence, turn_id, attempt, state FROM reports WHERE conversation = :conversation ORDER BY sequence"
)


class StoredReports:
    """The `VerdictReports` of the database, and what the person who runs the service does with them."""

    def __init__(self, *, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def report_attempt(
        self,
        key: ConversationKey,
        turn_id: TurnId,
        attempt: int,
        *,
        reporter: Author,
        note: str = "",
        missed: bool = False,
    ) -> Report:
        return await self._add(key, lambda _connection: (turn_id, attempt), reporter, note, missed=missed)

    async def report_post(
        self, key: ConversationKey, post_id: PostId, *, reporter: Author, note: str = "", missed: bool = False
    ) -> Report:
        def find(connection: Connection) -> tuple[str, int]:
            return _judged_in(connection, post_id, missed=missed)

        return await self._add(key, find, reporter, note, missed=missed)

    async def reports(self, *, settled: bool, limit: int) -> Sequence[Report]:
        """Return the newest open reports, with `settled` all, newest first."""
        query = _NEWEST if settled else _NEWEST_OPEN
        return await self._database.read(
            lambda connection: [_report(row) for row in connection.execute(query, {"limit": limit})]
        )

    async def report(self, number: int) -> Report:
        """Return a report; raises ReportRefused when there is none of that number."""
        return await self._database.read(lambda connection: _one(connection, number))

    async def settle(self, number: int, state: ReportState, *, whitelisted: Sequence[str] = ()) -> Report:
        """Accept or dismiss an open report; raises ReportRefused when there is none, or it is settled already."""
        facts = {
            "number": number,
            "state": state,
            "at": instant(self._clock.now()),
            "whitelisted": NAMES.dump(tuple(whitelisted)),
        }

        def work(connection: Connection) -> Report:
            refuse_settled(_one(connection, number))
            connection.execute(_SETTLE, facts)
            return _one(connection, number)

        return await self._database.write(work)

    async def _add(
        self,
        key: ConversationKey,
        find: Callable[[Connection], tuple[str, int]],
        reporter: Author,
        note: str,
        *,
        missed: bool,
    ) -> Report:
        note = well_formed(note.strip())
        if len(note) > MAX_NOTE_CHARACTERS:
            raise ReportRefused(
                code="note_too_long",
                sentence=NOTE_TOO_LONG.of(size=len(note), most=MAX_NOTE_CHARACTERS),
            )

        def work(connection: Connection) -> Report:
            turn_id, number = find(connection)
            reportable = _reportable(connection, key, turn_id, number, missed=missed)
            report = replace(reportable, reporter=reporter, note=note, reported_at=self._clock.now())
            earlier = _earlier(connection, turn_id, number)
            if earlier is not None:
                further = ReportNote(author=reporter, text=note, at=report.reported_at)
                return _with_note(connection, earlier, further)
            _refuse_too_many(connection)
            place = {"turn_id": turn_id, "attempt": number, "conversation": conversation_of(key)}
            sequence = connection.execute(_ADD, {**place, "body": REPORT.dump(report)}).scalar()
            return replace(report, number=sequence)

        report = await self._database.write(work)
        log.info(
            "verdict_reported",
            number=report.number,
            turn=report.turn.id,
            attempt=report.attempt,
            missed=report.missed,
            notes=bool(report.note) + len(report.further_notes),
        )
        return report


def standings(connection: Connection, conversation: str) -> tuple[ReportStanding, ...]:
    """Return the standing of each report in a conversation, oldest first."""
    return tuple(
        ReportStanding(number=number, turn_id=TurnId(turn_id), attempt=attempt, state=ReportState(state))
        for number, turn_id, attempt, state in connection.execute(_STANDINGS, {"conversation": conversation})
    )


def refuse_settled(report: Report) -> None:
    """Raise ReportRefused when a report is accepted or dismissed already."""
    if report.state is not ReportState.OPEN:
        raise ReportRefused(
            code="already_settled",
            sentence=f"Report {report.number} is {report.state.value} already; nothing was done.",
        )


def _judged_in(connection: Connection, post_id: PostId, *, missed: bool) -> tuple[str, int]:
    body = connection.execute(_POST, {"id": post_id}).scalar()
    if body is None:
        raise _unknown()
    post = POST.load(body)
    match post:
        case Reply():
            return post.turn_id, post.judgement.attempt if missed else _objected(connection, post)
        case Notice():
            last = connection.execute(_LAST_ATTEMPT, {"turn_id": post.turn_id}).scalar()
            if post.turn_id is None or last is None:
                raise _unknown()
            return post.turn_id, int(last)
        case unexpected:
            assert_never(unexpected)


def _objected(connection: Connection, reply: Reply) -> int:
    """Return the attempt that a report of a reply is about: the posted one, or the last one that was sent back."""
    posted = reply.judgement.attempt
    if objections(reply.judgement):
        return posted
    for number in reversed(range(posted)):
        body = connection.execute(_ATTEMPT, {"turn_id": reply.turn_id, "attempt": number}).scalar()
        if body is not None and objections(ATTEMPT.load(body).judgement):
            return number
    return posted


def _reportable(connection: Connection, key: ConversationKey, turn_id: str, number: int, *, missed: bool) -> Report:
    place = {"turn_id": turn_id, "attempt": number}
    turn_body = connection.execute(_TURN, {"turn_id": turn_id}).scalar()
    body = connection.execute(_ATTEMPT, place).scalar()
    if turn_body is None or body is None:
        raise _unknown()
    turn, attempt = TURN.load(turn_body), ATTEMPT.load(body)
    if turn.key != key:
        raise _unknown()
    held = objections(attempt.judgement)
    passed = isinstance(attempt.judgement.outcome, Cleared)
    if not held and not passed:
        raise ReportRefused(code="nothing_objected", sentence=NOTHING_OBJECTED)
    return Report(
        turn=turn,
        attempt=number,
        text=attempt.draft.text,
        outcome=attempt.judgement.outcome,
        objections=held,
        missed=passed and (missed or not held),
        record=attempt.draft.record,
        reporter=turn.asker,
        reported_at=attempt.at,
    )


def _earlier(connection: Connection, turn_id: str, attempt: int) -> Report | None:
    number = connection.execute(_EARLIER, {"turn_id": turn_id, "attempt": attempt}).scalar()
    return None if number is None else _one(connection, number)


def _with_note(connection: Connection, report: Report, note: ReportNote) -> Report:
    """Add a note to an open report, and keep it; refuses what would be lost, or says nothing new."""
    if not note.text or note.text in (report.note, *(known.text for known in report.further_notes)):
        raise ReportRefused(
            code="already_reported", sentence=REPORTED_BEFORE.of(number=report.number, state=report.state.value)
        )
    if report.state is not ReportState.OPEN:
        raise ReportRefused(code="already_reported", sentence=REPORT_SETTLED.of(number=report.number))
    if len(report.further_notes) >= MAX_FURTHER_NOTES:
        raise ReportRefused(
            code="too_many_notes", sentence=TOO_MANY_NOTES.of(number=report.number, most=MAX_FURTHER_NOTES)
        )
    noted = replace(report, further_notes=(*report.further_notes, note))
    connection.execute(_NOTED, {"number": report.number, "body": REPORT.dump(noted)})
    return noted


def _refuse_too_many(connection: Connection) -> None:
    if connection.execute(_OPEN).scalar() >= MAX_OPEN_REPORTS:
        raise ReportRefused(
            code="too_many_reports",
            sentence=TOO_MANY_REPORTS.of(most=MAX_OPEN_REPORTS),
        )


def _unknown() -> ReportRefused:
    return ReportRefused(code="no_such_verdict", sentence=NO_SUCH_VERDICT)


def _one(connection: Connection, number: int) -> Report:
    row = connection.execute(_ONE, {"number": number}).first()
    if row is None:
        raise ReportRefused(
            code="no_such_report", sentence=f"There is no report {number}. `mama-bot reports --all` lists all."
        )
    return _report(row)


def _report(row: Row) -> Report:
    return replace(
        REPORT.load(row.body),
        number=row.sequence,
        state=ReportState(row.state),
        settled_at=None if row.settled_at is None else moment(row.settled_at),
        whitelisted=NAMES.load(row.whitelisted),
    )
