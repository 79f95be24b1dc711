"""Look after the pull requests of conversations, and tell their threads what is new."""

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta

import structlog

from mama_bot.backoff import Backoff
from mama_bot.config import PullRequestSettings
from mama_bot.errors import ForgeRefused, ForgeUnavailable, StoreUnavailable
from mama_bot.metrics import Metrics
from mama_bot.model import (
    CheckState,
    CommitChecks,
    Notice,
    NoticeKind,
    PostId,
    PullRequestState,
    WatchedPullRequest,
)
from mama_bot.protocols import Clock, Forge, Outbox, PullRequestRecords
from mama_bot.pull_requests import sentences as says
from mama_bot.pull_requests.news import News, Sight, news_of, request_link

log = structlog.get_logger(__name__)

MOST_WATCHED = 200
LOOK_SECONDS = 60.0
IDLE_SECONDS = 3_600.0
QUIET_FACTOR = 10  # how much more rarely one is looked at where nothing happens


@dataclass(slots=True)
class _Pace:
    """When a pull request is looked at next, and how often in a row nothing was new."""

    due: float = 0.0
    quiet: int = 0


class PullRequestWatch:
    """Looks at each open pull request again and again, one at a time; the last is known in the store.

    `forge_of` raises ForgeRefused. `forge` of a repository that does not answer is left alone for a while.
    """

    def __init__(
        self,
        *,
        records: PullRequestRecords,
        forge_of: Callable[[str], Forge],
        outbox: Outbox,
        settings: PullRequestSettings,
        clock: Clock,
        metrics: Metrics,
    ) -> None:
        self._records = records
        self._forge_of = forge_of
        self._outbox = outbox
        self._clock = clock
        self._metrics = metrics
        self._keep = timedelta(days=settings.watch_days)
        self._days = settings.watch_days
        self._pauses = Backoff(first=settings.poll_seconds, longest=settings.poll_seconds * QUIET_FACTOR)
        self._paces: dict[tuple[str, int], _Pace] = {}
        self._failures: dict[str, int] = {}
        self._rests: dict[str, float] = {}
        self._wanted = asyncio.Event()

    def wake(self) -> None:
        """Look at what is new at once."""
        self._wanted.set()

    async def run(self) -> None:
        """Watch until cancelled; what fails is logged and tried again."""
        while True:
            self._wanted.clear()
            try:
                pause = await self._round()
            except StoreUnavailable as error:
                log.warning("pull_requests_not_watched", reason=str(error))
                pause = self._pauses.longest
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._wanted.wait()

    async def _round(self) -> float:
        """Look at those that are due; return the seconds until the next one is."""
        watched = await self._records.watched(MOST_WATCHED)
        known = {(each.repository, each.number) for each in watched}
        self._paces = {place: pace for place, pace in self._paces.items() if place in known}
        for each in watched:
            pace = self._paces.setdefault((each.repository, each.number), _Pace())
            if max(pace.due, self._rests.get(each.repository, 0.0)) <= self._clock.monotonic():
                await self._look(each, pace)
        now = self._clock.monotonic()
        times = [max(pace.due, self._rests.get(repository, 0.0)) - now for (repository, _), pace in self._paces.items()]
        return max(0.0, min(times, default=IDLE_SECONDS))

    async def _look(self, watched: WatchedPullRequest, pace: _Pace) -> None:
        if self._clock.now() - watched.opened_at > self._keep:
            await self._end_of_old(watched)
            return
        try:
            async with asyncio.timeout(LOOK_SECONDS):
                noted, lines = news_of(watched, await self._sight(watched))
        except (ForgeUnavailable, TimeoutError) as error:
            self._rest(watched, error)
            return
        except ForgeRefused as error:
            await self._refused(watched, error)
            pace.due = self._clock.monotonic() + self._pauses.longest
            return
        except StoreUnavailable:
            raise
        except Exception:  # what one forge answers must not end the watch of the others
            log.exception("pull_request_not_read", repository=watched.repository, number=watched.number)
            pace.due = self._clock.monotonic() + self._pauses.longest
            return
        self._failures.pop(watched.repository, None)
        await self._tell(watched, lines)
        await self._records.keep(noted)
        runs = noted.checks is not None and noted.checks.whole is CheckState.PENDING
        pace.quiet = 0 if lines or runs else pace.quiet + 1
        pace.due = self._clock.monotonic() + self._pauses.pause(pace.quiet)

    async def _sight(self, watched: WatchedPullRequest) -> Sight:
        forge = self._forge_of(watched.repository)
        pull = await forge.read(watched.number)
        is_open = pull.state is PullRequestState.OPEN
        checks = CommitChecks(commit=pull.head)
        if is_open and pull.head:
            checks = await forge.checks(pull.head)
        elif watched.checks is not None:
            checks = watched.checks
        comments = await forge.comments(watched.number, since=watched.seen_since)
        return Sight(pull=pull, checks=checks, comments=comments, at=self._clock.now())

    async def _tell(self, watched: WatchedPullRequest, lines: tuple[News, ...]) -> None:
        """Queue the lines, each once: what is told again after a crash has the id that it had."""
        for number, line in enumerate(lines, watched.told):
            place = f"{watched.repository}.{watched.number}.{number}.{line.about}"
            self._metrics.count("pull_request_news", about=line.about)
            await self._outbox.add(
                Notice(
                    id=PostId(f"pull-request.{place}"),
                    key=watched.key,
                    notice=NoticeKind.PULL_REQUEST,
                    text=line.text,
                )
            )

    def _rest(self, watched: WatchedPullRequest, error: ForgeUnavailable | TimeoutError) -> None:
        """Leave a forge alone that does not answer, or asks for a pause."""
        failures = self._failures[watched.repository] = self._failures.get(watched.repository, 0) + 1
        asked = error.retry_after_seconds if isinstance(error, ForgeUnavailable) else None
        seconds = max(self._pauses.pause(failures), asked or 0.0)
        self._rests[watched.repository] = self._clock.monotonic() + seconds
        log.warning("forge_not_reached", repository=watched.repository, seconds=round(seconds), reason=str(error))

    async def _refused(self, watched: WatchedPullRequest, error: ForgeRefused) -> None:
        """Tell once that a pull request cannot be looked at."""
        log.warning("pull_request_refused", repository=watched.repository, number=watched.number, reason=str(error))
        if watched.trouble == str(error):
            return
        link = request_link(watched.kind, watched.number, watched.url, watched.language)
        text = says.NOT_LOOKED_AT.to(watched.language, request=link, reason=error.to(watched.language))
        await self._tell(watched, (News("trouble", text),))
        await self._records.keep(replace(watched, trouble=str(error), told=watched.told + 1))

    async def _end_of_old(self, watched: WatchedPullRequest) -> None:
        link = request_link(watched.kind, watched.number, watched.url, watched.language)
        text = says.TOO_OLD.to(watched.language, request=link, days=round(self._days))
        await self._tell(watched, (News("old", text),))
        await self._records.keep(replace(watched, told=watched.told + 1, ended_at=self._clock.now()))
