"""`mama-bot review-gate`: holds a CLI session that the service did not start until its review is approved."""

import asyncio
import json
import os
import select
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mama_bot.app.configuration import Configuration, stored_places
from mama_bot.app.reviewer_keys import KEY_VARIABLE, reviewer_key, shows_key
from mama_bot.commands import sentences as says
from mama_bot.commands.kept_store import existing, opened
from mama_bot.commands.sentences import HELD_BEFORE, IN_REVIEW, MISSING, PENDING, REJECTED
from mama_bot.commands.terminal_text import terminal_text
from mama_bot.config import ReviewSettings
from mama_bot.errors import ReviewRefused
from mama_bot.model import Review, ReviewMove, ReviewStatus
from mama_bot.model.reviews import BY_PERSON
from mama_bot.wording import Language, Said, language_of, one_line

INPUT_BYTES = 1 << 20
INPUT_SECONDS = 2.0
LISTED = 100
STEPS = {
    "request": ReviewStatus.PENDING,
    "start": ReviewStatus.IN_REVIEW,
    "approve": ReviewStatus.APPROVED,
    "reject": ReviewStatus.REJECTED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """Whether a session may end, and the reason why not, for the agent that is told it."""

    reason: str = ""

    @property
    def open(self) -> bool:
        """Whether it may."""
        return not self.reason


def hook_input() -> Mapping[str, Any]:
    """Return what a CLI writes to its hook's input: a JSON object of at most 1 MiB, within two seconds; else {}."""
    try:
        descriptor = sys.stdin.fileno()
        given = b"" if os.isatty(descriptor) else _read(descriptor)
        parsed = json.loads(given.decode(errors="replace")) if given.strip() else {}
    except (AttributeError, OSError, ValueError, RecursionError):  # no input, or none that is understood
        return {}
    return parsed if isinstance(parsed, dict) else {}


def _read(descriptor: int) -> bytes:
    """What comes until the end, or until the deadline: a CLI that never closes must not hold the hook."""
    until = time.monotonic() + INPUT_SECONDS
    given = b""
    while len(given) < INPUT_BYTES:
        ready, _, _ = select.select([descriptor], [], [], max(0.0, until - time.monotonic()))
        piece = os.read(descriptor, 1 << 16) if ready else b""
        if not piece:
            break
        given += piece
    return given


def session_of(named: str, given: Mapping[str, Any], environment: Mapping[str, str]) -> str:
    """Return the session that is asked about: named, else the hook's, else the environment's; raises ReviewRefused."""
    hook = given.get("session_id")
    session = (named or (hook if isinstance(hook, str) else "") or environment.get("CLAUDE_SESSION_ID", "")).strip()
    if not session:
        raise ReviewRefused(says.WHICH_SESSION)
    return session


async def session_end(configuration: Configuration, session: str, given: Mapping[str, Any], *, agent: str = "") -> Held:
    """Return whether the session may end: its review is approved, or none was asked for and none is required.

    Where it has reviews in two places, both have to be approved.
    """
    reviews = await _reviews(configuration, session)
    review = next(
        (held for _, held in reviews if held.status is not ReviewStatus.APPROVED), reviews[0][1] if reviews else None
    )
    language = language_of(str(given.get("last_assistant_message") or ""))
    if language == Language.ENGLISH and review is not None:
        language = language_of(" ".join(review.issues_found))
    if review is None:
        reason = _missing(session) if required(configuration.settings.reviews, agent) else None
    else:
        reason = _standing(review)
    if reason is None:
        return Held()
    if given.get("stop_hook_active") is True:
        reason = HELD_BEFORE.of(reason=reason)
    return Held(reason=reason.to(language))


def required(reviews: ReviewSettings, agent: str) -> bool:
    """Return whether a session without a review is to be held: some requirement could be for it."""
    return any(
        (requirement.personas or requirement.paths or requirement.changed_lines)
        and (not agent or not requirement.personas or agent in requirement.personas)
        for requirement in reviews.require_review_for
    )


async def take_step(configuration: Configuration, action: str, session: str, agent: str, issues: Sequence[str]) -> str:
    """Request, start, approve or reject, and say where the review stands then; raises ReviewRefused.

    Whoever reviews shows the key of their name. It is done where the review is, of two where it holds the session; a
    new one begins in the first place there is.
    """
    if not agent.strip():
        raise ReviewRefused(says.WHO_DOES_THIS.of(action=action))
    told = tuple(issue.strip() for issue in issues if issue.strip())
    if action == "reject" and not told:
        raise ReviewRefused(says.WHAT_IS_WRONG)
    if action != "reject" and told:
        raise ReviewRefused(says.OF_REJECT)
    if agent.strip().endswith(BY_PERSON.strip()):
        raise ReviewRefused(says.NAMED_LIKE_A_PERSON.of(agent=agent))
    given = configuration.environment.get(KEY_VARIABLE, "")
    if action != "request" and not shows_key(configuration, agent, given):
        raise ReviewRefused(says.NO_KEY.of(agent=agent, variable=KEY_VARIABLE))
    async with existing(await _place(configuration, session)) as store:
        if await store.reviews.is_of_turn(session):
            raise ReviewRefused(says.TURN_OF_THE_SERVICE.of(session=session))
        move = ReviewMove(session_id=session, to=STEPS[action], agent=agent, issues=told)
        return _line(await store.reviews.move(move))


async def show(configuration: Configuration, session: str, *, as_json: bool) -> Iterator[str]:
    """Yield one review, or the latest ones, as lines."""
    reviews: list[Review] = []
    if session:
        reviews = [review for _, review in await _reviews(configuration, session)]
    else:
        for place in stored_places(configuration):
            async with opened(place) as store:
                reviews += () if store is None else await store.reviews.latest(LISTED)
        reviews = sorted(reviews, key=lambda review: review.updated_at, reverse=True)[:LISTED]
    if as_json:
        return iter([json.dumps([_plain(review) for review in reviews], ensure_ascii=False, indent=2)])
    if not reviews:
        return iter([f"Session {terminal_text(session)} has no review." if session else "There are no reviews."])
    return (line for review in reviews for line in (_line(review), *(f"    - {_one(x)}" for x in review.issues_found)))


async def _reviews(configuration: Configuration, session: str) -> Sequence[tuple[Configuration, Review]]:
    """The reviews of a session with the places where they are kept."""
    kept = []
    for place in stored_places(configuration):
        async with opened(place) as store:
            review = None if store is None else await store.reviews.review(session)
        if review is not None:
            kept.append((place, review))
    return kept


async def _place(configuration: Configuration, session: str) -> Configuration:
    """Where a step of a session's review is to be done."""
    kept = await _reviews(configuration, session)
    holding = [place for place, review in kept if review.status is not ReviewStatus.APPROVED]
    if kept:
        return holding[0] if holding else kept[0][0]
    for place in stored_places(configuration):
        async with opened(place) as store:
            if store is not None:
                return place
    return configuration


def run(
    configuration: Configuration, action: str, *, session: str, agent: str, issues: Sequence[str], as_json: bool
) -> tuple[int, Sequence[str], str]:
    """Do one action: exit status, lines for the output, and the reason for the errors; raises MamaBotError."""
    if action == "show":
        return 0, list(asyncio.run(show(configuration, session, as_json=as_json))), ""
    if action == "key":
        return 0, [key_of(configuration, agent)], ""
    environment = configuration.environment
    if action == "check":
        given = hook_input()
        held = asyncio.run(session_end(configuration, session_of(session, given, environment), given, agent=agent))
        return (0, [], "") if held.open else (2, [], held.reason)
    named = session_of(session, {}, environment)
    return 0, [asyncio.run(take_step(configuration, action, named, agent, issues))], ""


def key_of(configuration: Configuration, agent: str) -> str:
    """Return the key of a reviewer, for a person at a terminal; raises ReviewRefused to anybody else."""
    if not agent.strip():
        raise ReviewRefused(says.WHO_REVIEWS)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise ReviewRefused(says.AT_A_TERMINAL)
    return reviewer_key(configuration, agent)


def _missing(session: str) -> Said:
    return MISSING.of(session=terminal_text(session))


def _standing(review: Review) -> Said | None:
    session, reviewer = terminal_text(review.session_id), terminal_text(review.reviewer_agent)
    match review.status:
        case ReviewStatus.APPROVED:
            return None
        case ReviewStatus.PENDING:
            return PENDING.of(session=session)
        case ReviewStatus.IN_REVIEW:
            return IN_REVIEW.of(session=session, reviewer=reviewer)
        case ReviewStatus.REJECTED:
            issues = " ".join(f"{number}. {_one(issue)}" for number, issue in enumerate(review.issues_found, start=1))
            worker = terminal_text(review.worker_agent)
            return REJECTED.of(session=session, reviewer=reviewer, worker=worker, issues=issues)


def _line(review: Review) -> str:
    reviewer = f", reviewer {review.reviewer_agent}" if review.reviewer_agent else ""
    at = review.updated_at.astimezone().strftime("%Y-%m-%d %H:%M")
    return terminal_text(
        f"{review.session_id}  {review.status.value}  worker {review.worker_agent}{reviewer}, "
        f"{review.attempts} verdict{'' if review.attempts == 1 else 's'}, {at}"
    )


def _one(issue: str) -> str:
    return terminal_text(one_line(issue))


def _plain(review: Review) -> object:
    return {
        "session_id": review.session_id,
        "status": review.status.value,
        "worker_agent": review.worker_agent,
        "reviewer_agent": review.reviewer_agent,
        "issues_found": list(review.issues_found),
        "attempts": review.attempts,
        "created_at": review.created_at.isoformat(),
        "updated_at": review.updated_at.isoformat(),
    }
