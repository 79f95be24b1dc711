"""What is new about a pull request: its state as it was told, against its state now."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from mama_bot.model import (
    CheckState,
    CommitChecks,
    ForgeCheck,
    ForgeKind,
    Mergeability,
    PullRequest,
    PullRequestState,
    ReviewComment,
    ReviewOpinion,
    WatchedPullRequest,
)
from mama_bot.pull_requests import sentences as says
from mama_bot.wording import Language, one_line, plain_name, printable, quotable

SHORT_HASH = 7
MOST_NAMES, NAME_CHARACTERS = 8, 80
MOST_COMMENTS, COMMENT_CHARACTERS, COMMENT_LINES = 5, 600, 12
MOST_SEEN = 300
ENDS = {PullRequestState.MERGED: says.MERGED, PullRequestState.CLOSED: says.CLOSED}
OPINIONS = {ReviewOpinion.APPROVED: says.APPROVED, ReviewOpinion.CHANGES_REQUESTED: says.WANTS_CHANGES}
UNWANTED = "@<>[]"  # it could reach people in the chat, or lead them elsewhere behind other words


class News(NamedTuple):
    """A line for the thread; `about` is what it is about."""

    about: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """A pull request as it was seen at one moment."""

    pull: PullRequest
    checks: CommitChecks
    comments: Sequence[ReviewComment] = ()
    at: datetime


def request_link(kind: ForgeKind, number: int, url: str, language: Language) -> str:
    """Return the name of a pull request, as a link where there is one."""
    name = says.REQUESTS[kind].to(language, number=number)
    return says.LINKED.to(language, request=name, url=url) if url else name


def news_of(watched: WatchedPullRequest, sight: Sight) -> tuple[WatchedPullRequest, tuple[News, ...]]:
    """Return what is to be noted after a look, and the lines that the thread is told."""
    fresh = [comment for comment in sight.comments if comment.id not in watched.seen]
    lines = (
        *_of_checks(watched, sight.checks),
        *_of_comments(watched, fresh),
        *_of_state(watched, sight.pull),
    )
    seen = (*watched.seen, *(comment.id for comment in fresh))[-MOST_SEEN:]
    is_open = sight.pull.state is PullRequestState.OPEN
    noted = replace(
        watched,
        title=sight.pull.title,
        url=sight.pull.url or watched.url,
        head=sight.pull.head,
        state=sight.pull.state,
        # A forge that thinks about it again says nothing new.
        mergeable=watched.mergeable if sight.pull.mergeable is Mergeability.UNKNOWN else sight.pull.mergeable,
        checks=sight.checks,
        checked_at=sight.at,
        seen=seen,
        seen_since=max((comment.at for comment in fresh), default=watched.seen_since),
        told=watched.told + len(lines),
        trouble="",
        ended_at=None if is_open else sight.at,
    )
    return noted, lines


def failing_names(checks: Sequence[ForgeCheck], language: Language, *, linked: bool = True) -> str:
    """Return the names of checks, with links to their logs."""
    names = []
    for check in checks[:MOST_NAMES]:
        name = plain_name(check.name)[:NAME_CHARACTERS] or "?"
        names.append(says.LINKED.to(language, request=name, url=check.url) if linked and check.url else name)
    if len(checks) > MOST_NAMES:
        names.append(says.FURTHER.to(language, count=len(checks) - MOST_NAMES))
    return ", ".join(names)


def _of_checks(watched: WatchedPullRequest, checks: CommitChecks) -> Iterator[News]:
    before, language = watched.checks, watched.language
    if before is not None and _told(before) == _told(checks):
        return
    facts = {"commit": checks.commit[:SHORT_HASH], "request": _link(watched)}
    match checks.whole:
        case CheckState.PENDING:
            if before is None or before.whole is not CheckState.PENDING:
                yield News("ci", says.CI_RUNS.to(language, **facts, count=len(checks.checks)))
        case CheckState.FAILED:
            names = failing_names(checks.of_state(CheckState.FAILED), language)
            text = says.CI_FAILED.to(language, **facts, names=names)
            if running := len(checks.of_state(CheckState.PENDING)):
                text = f"{text} {says.STILL_RUNS.to(language, count=running)}"
            yield News("ci", text)
        case CheckState.PASSED:
            count = len(checks.of_state(CheckState.PASSED))
            yield News("ci", says.CI_PASSED.to(language, **facts, count=count))
        case CheckState.SKIPPED:
            pass


def _told(checks: CommitChecks) -> tuple[str, CheckState, frozenset[str]]:
    """Return what of checks is told: a further one that fails is news, a further one that passes is none."""
    failed = frozenset(check.name for check in checks.of_state(CheckState.FAILED))
    return checks.commit, checks.whole, failed


def _of_state(watched: WatchedPullRequest, pull: PullRequest) -> Iterator[News]:
    facts = {"request": _link(watched), "target": plain_name(pull.target)}
    if pull.state is not watched.state and pull.state in ENDS:
        yield News("state", ENDS[pull.state].to(watched.language, **facts))
    elif pull.mergeable is Mergeability.CONFLICTS and watched.mergeable is not Mergeability.CONFLICTS:
        yield News("merge", says.HAS_CONFLICTS.to(watched.language, **facts))


def _of_comments(watched: WatchedPullRequest, comments: Sequence[ReviewComment]) -> Iterator[News]:
    """Yield one line for what was written since: who wrote, where, and their words as a quotation."""
    if not comments:
        return
    parts = [says.WROTE.to(watched.language, request=_link(watched))]
    parts += [_quoted(comment, watched.language) for comment in comments[:MOST_COMMENTS]]
    if more := len(comments) - MOST_COMMENTS:
        parts += [says.MORE_COMMENTS.to(watched.language, count=more)] if more > 0 else []
    yield News("comments", "\n\n".join(parts))


def _quoted(comment: ReviewComment, language: Language) -> str:
    place = f"{comment.path}:{comment.line}" if comment.line else comment.path
    author = plain_name(comment.author) or "?"
    told = says.COMMENTED_AT.to(language, author=author, place=quotable(place, 200)) if place else author
    if comment.opinion in OPINIONS:
        told = f"{told} · {OPINIONS[comment.opinion].to(language)}"
    text = comment.text[:COMMENT_CHARACTERS] + ("…" if len(comment.text) > COMMENT_CHARACTERS else "")
    lines = (one_line(printable(line.replace("`", "'"), drop=UNWANTED, instead=" ")) for line in text.splitlines())
    kept = [*filter(None, lines)][:COMMENT_LINES]
    return "\n".join([f"**{told}**", *(f"> {line}" for line in kept)])


def _link(watched: WatchedPullRequest) -> str:
    return request_link(watched.kind, watched.number, watched.url, watched.language)
