"""Push the branch of a conversation, and open its pull request: what a person asked for, carried out by the service."""

import asyncio
import shutil
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Protocol

import structlog

from mama_bot.checkouts import Checkouts
from mama_bot.checkouts.branch_push import Outgoing
from mama_bot.config import RepositorySettings
from mama_bot.errors import ForgeError, PushRefused, RepositoryUnavailable, StoreUnavailable
from mama_bot.locks import KeyedLocks
from mama_bot.model import (
    Answer,
    Author,
    ConversationKey,
    Notice,
    NoticeKind,
    PostId,
    PullRequest,
    PullRequestProposal,
    WatchedPullRequest,
)
from mama_bot.protocols import Clock, ConversationHistory, Forge, Outbox, PullRequestRecords
from mama_bot.pull_requests import sentences as says
from mama_bot.pull_requests.news import SHORT_HASH, request_link
from mama_bot.pull_requests.proposals import latest_reply, proposal_body, proposal_title
from mama_bot.repositories.git import GitFailed
from mama_bot.wording import Language, Said, one_line, plain_name, printable, quotable

log = structlog.get_logger(__name__)

MOST_AT_ONCE = 8
LATEST_MESSAGES = 50
# Nobody may begin to work while commits are taken out of a work tree, which may have to be restored and set up first:
# that ends before the hold does.
TAKEN_SECONDS = 660.0
HELD_SECONDS = 720.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicationRequest:
    """That the work of a conversation on a repository is to be pushed, by whom, and how they are answered."""

    key: ConversationKey
    repository: str
    by: Author
    language: Language
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """What came of a request; `posted` says that the conversation was told of it."""

    answer: Answer
    posted: bool = False


class Hold(Protocol):
    """Lets no exchange begin in a conversation during the block, as `Stops.held` does; deeds take the same one."""

    def __call__(self, key: ConversationKey, *, seconds: float) -> AbstractAsyncContextManager[bool]:
        """Hold a conversation for so long at most; False: somebody works there."""
        ...


class Publication:
    """Pushes branches and opens pull requests while `run` runs.

    `held` lets no agent begin to work in a conversation (False: one works), `forge_of` is the forge of a repository;
    it raises ForgeRefused. `watch` is told of each pull request.
    """

    def __init__(
        self,
        *,
        checkouts: Checkouts,
        repositories: Callable[[str], RepositorySettings | None],
        held: Hold,
        forge_of: Callable[[str], Forge],
        records: PullRequestRecords,
        history: ConversationHistory,
        outbox: Outbox,
        clock: Clock,
        watch: Callable[[], None],
    ) -> None:
        self._checkouts = checkouts
        self._repositories = repositories
        self._held = held
        self._forge_of = forge_of
        self._records = records
        self._history = history
        self._outbox = outbox
        self._clock = clock
        self._watch = watch
        self._group: asyncio.TaskGroup | None = None
        self._under_way = 0
        self._locks: KeyedLocks[ConversationKey] = KeyedLocks()

    async def run(self) -> None:
        """Carry out what is asked for, until cancelled; what is cut off a person asks for again."""
        async with asyncio.TaskGroup() as group:
            self._group = group
            try:
                await asyncio.get_running_loop().create_future()
            finally:
                self._group = None

    async def push(self, request: PublicationRequest, seconds: float) -> Answer:
        """Push the branch of a conversation; what takes longer than these seconds is told in the conversation."""
        return await self._answered(request, self._pushed(request), seconds)

    async def open(self, request: PublicationRequest, seconds: float) -> Answer:
        """Push the branch of a conversation and open its pull request, or find the one that is open."""
        return await self._answered(request, self._opened(request), seconds)

    async def _answered(
        self, request: PublicationRequest, work: Coroutine[Any, Any, Published], seconds: float
    ) -> Answer:
        if self._group is None or self._under_way >= MOST_AT_ONCE:
            work.close()
            return Answer(text=says.TOO_MANY.to(request.language), done=False)
        self._under_way += 1
        published = self._group.create_task(self._safe(request, work))
        await asyncio.wait({published}, timeout=seconds)
        if published.done():
            return published.result().answer
        if self._group is not None:
            self._group.create_task(self._told_later(request, published))
        return Answer(text=says.TAKES_LONGER.to(request.language))

    async def _told_later(self, request: PublicationRequest, task: "asyncio.Task[Published]") -> None:
        published = await task
        if published.posted:
            return
        at = self._clock.now().timestamp()
        try:
            await self._tell(request.key, PostId(f"published.{request.key}.{at}"), published.answer.text)
        except StoreUnavailable as error:
            log.warning("publication_not_told", conversation=str(request.key), reason=str(error))

    async def _safe(self, request: PublicationRequest, work: Coroutine[Any, Any, Published]) -> Published:
        """Return what came of a request; whatever goes wrong is an answer."""
        try:
            async with self._locks.held(request.key):
                return await work
        except (PushRefused, ForgeError, RepositoryUnavailable) as error:
            text = error.to(request.language)
        except (GitFailed, OSError) as error:
            reason = error.reason if isinstance(error, GitFailed) else error.strerror or str(error)
            text = says.NOT_TAKEN_OUT.to(request.language, reason=quotable(one_line(reason), 200).rstrip("."))
        except Exception:  # one request must not end the others, nor the service
            log.exception("not_published", conversation=str(request.key))
            text = says.UNKNOWN_TROUBLE.to(request.language)
        finally:
            work.close()
            self._under_way -= 1
        return Published(answer=Answer(text=text, done=False))

    # --- the branch -----------------------------------------------------------------------------------

    async def _pushed(self, request: PublicationRequest) -> Published:
        outgoing, is_new = await self._sent(request)
        facts = {"branch": outgoing.branch, "commit": outgoing.commit[:SHORT_HASH]}
        if is_new:
            who = plain_name(request.by.name) or request.by.id
            text = says.PUSHED.to(request.language, **facts, who=who, count=outgoing.ahead)
            await self._tell(request.key, PostId(f"pushed.{outgoing.branch}.{outgoing.commit}"), text)
        else:
            text = says.THERE_ALREADY.to(request.language, **facts)
        answer = Answer(text=" ".join([text, *_committed(outgoing, request.language)]))
        return Published(answer=answer, posted=is_new)

    async def _sent(self, request: PublicationRequest) -> tuple[Outgoing, bool]:
        """Push what is checked out in a conversation; return it, and whether the source did not have it."""
        name = request.repository
        push = self._checkouts.push_of(name)
        async with self._held(request.key, seconds=HELD_SECONDS) as held:
            if not held:
                raise PushRefused(says.SOMEBODY_WORKS)
            title = await self._title(request)
            message = f"{title}\n\nAsked for by {one_line(printable(request.by.name))}."
            try:
                async with asyncio.timeout(TAKEN_SECONDS):
                    outgoing = await self._checkouts.outgoing(request.key, name, message=message)
            except TimeoutError:
                raise PushRefused(says.TAKES_TOO_LONG.of(minutes=int(TAKEN_SECONDS / 60))) from None
        try:
            if outgoing.ahead == 0:
                raise PushRefused(says.NOTHING_AHEAD.of(target=outgoing.target))
            return outgoing, await push.push(outgoing)
        finally:
            await asyncio.to_thread(shutil.rmtree, outgoing.directory, ignore_errors=True)

    # --- the pull request -----------------------------------------------------------------------------

    async def _opened(self, request: PublicationRequest) -> Published:
        name = request.repository
        forge = self._forge_of(name)
        outgoing, _ = await self._sent(request)
        settings = self._repositories(name)
        draft = settings is not None and settings.forge is not None and settings.forge.draft
        proposal = await self._proposal(request, outgoing, draft=draft)
        pull, is_new = await forge.open(proposal)
        await self._note(request, name, forge, pull)
        link = request_link(forge.kind, pull.number, pull.url, request.language)
        if is_new:
            text = self._told_opened(request, outgoing, pull, link)
        else:
            text = says.STANDS.to(request.language, request=link, title=plain_name(pull.title))
        await self._tell(request.key, PostId(f"pull-request.{name}.{pull.number}"), text)
        self._watch()
        log.info("pull_request", repository=name, number=pull.number, new=is_new, by=request.by.id)
        answer = Answer(text=" ".join([text, *_committed(outgoing, request.language)]))
        return Published(answer=answer, posted=is_new)

    async def _title(self, request: PublicationRequest) -> str:
        view = await self._history.view(request.key, LATEST_MESSAGES)
        return proposal_title(request.title, view.messages, request.language)

    async def _proposal(self, request: PublicationRequest, outgoing: Outgoing, *, draft: bool) -> PullRequestProposal:
        view = await self._history.view(request.key, LATEST_MESSAGES)
        reply = latest_reply([entry.post for entry in view.posts])
        return PullRequestProposal(
            branch=outgoing.branch,
            target=outgoing.target,
            title=proposal_title(request.title, view.messages, request.language),
            body=proposal_body(reply, by=request.by, key=request.key, language=request.language),
            draft=draft,
        )

    def _told_opened(self, request: PublicationRequest, outgoing: Outgoing, pull: PullRequest, link: str) -> str:
        sentence: Said = says.OPENED_AS_DRAFT if pull.draft else says.OPENED
        return sentence.to(
            request.language,
            who=plain_name(request.by.name) or request.by.id,
            request=link,
            title=plain_name(pull.title),
            branch=outgoing.branch,
            target=outgoing.target,
            count=outgoing.ahead,
        )

    async def _note(self, request: PublicationRequest, name: str, forge: Forge, pull: PullRequest) -> None:
        """Let the pull request be watched, unless it is."""
        known = await self._records.known(name, pull.number)
        if known is not None and known.ended_at is None and known.key == request.key:
            return
        now = self._clock.now()
        await self._records.keep(
            WatchedPullRequest(
                key=request.key,
                repository=name,
                number=pull.number,
                url=pull.url,
                title=pull.title,
                branch=pull.branch,
                target=pull.target,
                kind=forge.kind,
                language=request.language,
                opened_at=now,
                seen_since=now,
                head=pull.head,
                told=known.told if known is not None else 0,
            )
        )

    # --- in words -------------------------------------------------------------------------------------

    async def _tell(self, key: ConversationKey, post_id: PostId, text: str) -> None:
        await self._outbox.add(Notice(id=post_id, key=key, notice=NoticeKind.PULL_REQUEST, text=text))


def _committed(outgoing: Outgoing, language: Language) -> list[str]:
    """Return what is told of files that were in no commit before."""
    return [says.COMMITTED_FIRST.to(language, count=outgoing.committed)] if outgoing.committed else []
