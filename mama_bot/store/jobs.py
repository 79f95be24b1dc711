"""The queue of exchanges as plain functions of a connection: one job for each message that is not finished."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mama_bot.model import MessageId
from mama_bot.store.codec import ARGUMENTS
from mama_bot.store.connection import EVERYTHING, Connection, Row, Statement

TASK = "exchange"

# What waits, or is held, for longer than anything does was noted before the clock of the machine was set back.
LONGEST_PAUSE_SECONDS = 60.0
LONGEST_HOLD_SECONDS = 3600.0

_INSERT = Statement("INSERT INTO jobs (task_name, lock, args) VALUES (:task, :lock, :args)")
# Only the oldest job of a lock may run, so order holds and no two of one lock run at a time; none while it is held.
_TAKE = Statement(
    """
    UPDATE jobs SET status = 'doing'
    WHERE id = (
        SELECT job.id FROM jobs AS job
        WHERE job.status = 'todo' AND (job.scheduled_at <= :now OR job.scheduled_at > :now + :longest_pause)
          AND NOT EXISTS (SELECT 1 FROM jobs AS older WHERE older.lock = job.lock AND older.id < job.id)
          AND NOT EXISTS (SELECT 1 FROM holds WHERE holds.conversation = job.lock
            AND holds.until > :now AND holds.until <= :now + :longest_hold)
        ORDER BY job.id LIMIT 1
    )
    RETURNING id, task_name, lock, args, attempts
    """
)
# The same for one of several nodes: what another one that lives has begun in its files, it goes on with.
_TAKE_AMONG_NODES = Statement(
    """
    UPDATE jobs SET status = 'doing', node = :node
    WHERE id = (
        SELECT job.id FROM jobs AS job
        WHERE job.status = 'todo' AND (job.scheduled_at <= :now OR job.scheduled_at > :now + :longest_pause)
          AND NOT EXISTS (SELECT 1 FROM jobs AS older WHERE older.lock = job.lock AND older.id < job.id)
          AND NOT EXISTS (SELECT 1 FROM holds WHERE holds.conversation = job.lock
            AND holds.until > :now AND holds.until <= :now + :longest_hold)
          AND (:anywhere = 1 OR NOT EXISTS (
              SELECT 1 FROM homes JOIN nodes ON nodes.id = homes.node
              WHERE homes.conversation = job.lock AND homes.node <> :node AND nodes.role = 'worker'
          ))
        ORDER BY job.id LIMIT 1
    )
    RETURNING id, task_name, lock, args, attempts
    """
)
_SETTLE_AT = Statement(
    """
    INSERT INTO homes (conversation, node) VALUES (:conversation, :node)
    ON CONFLICT (conversation) DO UPDATE SET node = excluded.node
    """
)
_END = Statement("DELETE FROM jobs WHERE id = :id")
_PUT_BACK = Statement(
    """
    UPDATE jobs SET status = 'todo', scheduled_at = :due, attempts = attempts + :counted
    WHERE id = :id AND status = 'doing'
    """
)
_LEFT_RUNNING = Statement(
    "SELECT id, args FROM jobs WHERE status = 'doing' AND (:node = '' OR node = :node) ORDER BY id"
)
_RUN_BY_NOBODY = Statement(
    """
    SELECT id, args FROM jobs
    WHERE status = 'doing' AND node NOT IN (SELECT id FROM nodes WHERE number > 0) ORDER BY id
    """
)
_RESTORE = Statement("UPDATE jobs SET status = 'todo', scheduled_at = 0, args = :args WHERE id = :id")
_COUNT = Statement("SELECT status, count(*) FROM jobs GROUP BY status")
_COUNT_UNFINISHED = Statement("SELECT (SELECT count(*) FROM jobs), (SELECT count(*) FROM jobs WHERE lock = :lock)")
_TAKEN_OF_LOCK = Statement("SELECT args FROM jobs WHERE lock = :lock AND status = 'doing'")
_LOCKS = Statement("SELECT DISTINCT lock FROM jobs WHERE status = 'todo'")
_OF_LOCK = Statement("SELECT id, args FROM jobs WHERE lock = :lock AND status = 'todo' ORDER BY id LIMIT :most")
_WAITING_OF_LOCK = Statement("SELECT COUNT(*) FROM jobs WHERE lock = :lock AND status = 'todo'")


@dataclass(frozen=True, slots=True, kw_only=True)
class Workplace:
    """Who runs jobs: a node among others by its id, or "", who is alone; `shared_files`: any node goes on with all."""

    node: str = ""
    shared_files: bool = False


ALONE = Workplace()


@dataclass(frozen=True, slots=True)
class Job:
    """A job that was taken; `attempts` counts earlier runs that raised."""

    id: int
    task: str
    lock: str
    arguments: Mapping[str, Any]
    attempts: int


def insert_job(connection: Connection, message_id: MessageId, lock: str) -> None:
    """Queue the exchange of a message; the caller rings the bell after the commit."""
    arguments = ARGUMENTS.dump({"message_id": message_id})
    connection.execute(_INSERT, {"task": TASK, "lock": lock, "args": arguments})


def take_job(connection: Connection, now: float, place: Workplace = ALONE) -> Job | None:
    """Mark the oldest job that is due and alone in its lock as running; returns None when there is none."""
    times = {"now": now, "longest_pause": LONGEST_PAUSE_SECONDS, "longest_hold": LONGEST_HOLD_SECONDS}
    if place.node:
        facts = {**times, "node": place.node, "anywhere": int(place.shared_files)}
        row = connection.execute(_TAKE_AMONG_NODES, facts).first()
        if row is not None:
            connection.execute(_SETTLE_AT, {"conversation": row[2], "node": place.node})
    else:
        row = connection.execute(_TAKE, times).first()
    return None if row is None else Job(row[0], row[1], row[2], ARGUMENTS.load(row[3]), row[4])


def end_job(connection: Connection, job_id: int) -> None:
    """End a job: its exchange is over, and the next one of its conversation may run."""
    connection.execute(_END, {"id": job_id})


def put_back_job(connection: Connection, job_id: int, due: float, *, counted: bool) -> None:
    """Queue an exchange again from `due` (seconds since the epoch); `counted` spends one of its bounded attempts."""
    connection.execute(_PUT_BACK, {"id": job_id, "due": due, "counted": int(counted)})


def restore_jobs(connection: Connection, place: Workplace = ALONE) -> int:
    """Queue again what a dead process left running, and count the death in each job; returns how many there were.

    Of several nodes: what an earlier life of this one left, and what nobody runs that lives.
    """
    left = _restored(connection, connection.execute(_LEFT_RUNNING, {"node": place.node}).all())
    return left + restore_orphans(connection) if place.node else left


def restore_orphans(connection: Connection) -> int:
    """Queue again what nodes ran that live no more, and count the death in each job; returns how many there were."""
    return _restored(connection, connection.execute(_RUN_BY_NOBODY).all())


def _restored(connection: Connection, rows: Sequence[Row]) -> int:
    for job_id, arguments in rows:
        known = ARGUMENTS.load(arguments)
        grown = ARGUMENTS.dump({**known, "deaths": known.get("deaths", 0) + 1})
        connection.execute(_RESTORE, {"id": job_id, "args": grown})
    return len(rows)


def count_jobs(connection: Connection) -> tuple[int, int]:
    """Count the messages that wait and those that run."""
    counts = {str(status): int(count) for status, count in connection.execute(_COUNT)}
    return counts.get("todo", 0), counts.get("doing", 0)


def count_unfinished(connection: Connection, lock: str) -> tuple[int, int]:
    """Count the messages that are not finished, in all and in one conversation."""
    ((in_all, here),) = connection.execute(_COUNT_UNFINISHED, {"lock": lock})
    return in_all, here


def taken_message(connection: Connection, lock: str) -> MessageId | None:
    """Return the message of a conversation whose exchange runs; None when none does."""
    arguments = connection.execute(_TAKEN_OF_LOCK, {"lock": lock}).scalar()
    return None if arguments is None else _message_of(arguments)


def waiting_messages(connection: Connection, lock: str, *, most: int = EVERYTHING) -> Sequence[MessageId]:
    """Return the waiting messages of a conversation, oldest first, `most` at most."""
    rows = connection.execute(_OF_LOCK, {"lock": lock, "most": most})
    return [_message_of(arguments) for _, arguments in rows]


def count_waiting(connection: Connection, lock: str) -> int:
    """Return how many messages of a conversation wait."""
    return int(connection.execute(_WAITING_OF_LOCK, {"lock": lock}).scalar() or 0)


def waiting_locks(connection: Connection) -> Sequence[str]:
    """Return the locks of the jobs that wait."""
    return tuple(connection.execute(_LOCKS).scalars())


def waiting_job(connection: Connection, lock: str, message_id: MessageId) -> int | None:
    """Return the id of the job of a waiting message; None when it runs or is over."""
    rows = connection.execute(_OF_LOCK, {"lock": lock, "most": EVERYTHING})
    return next((job_id for job_id, arguments in rows if _message_of(arguments) == message_id), None)


def _message_of(arguments: str) -> MessageId:
    return MessageId(ARGUMENTS.load(arguments)["message_id"])
