"""Push the branch of a conversation, and open its pull request: both bear to be done again after a crash."""

import asyncio
import shutil
from collections.abc import Callable

import structlog

from mama_bot.checkouts import Checkouts
from mama_bot.checkouts.branch_push import Outgoing
from mama_bot.deeds import sentences as says
from mama_bot.deeds.deed_runner import DoneDeed
from mama_bot.deeds.proposals import latest_reply, proposal_body, proposal_title
from mama_bot.errors import PushRefused
from mama_bot.model import (
    DeedPlan,
    DeedRequest,
    Opened,
    OpenPullRequest,
    PullRequest,
    PullRequestProposal,
    Pushed,
    PushPlan,
    WatchedPullRequest,
)
from mama_bot.protocols import Clock, ConversationHistory, DeedRecords, Forge, PullRequestRecords
from mama_bot.wording import one_line, printable

log = structlog.get_logger(__name__)

LATEST_MESSAGES = 50
# The work tree may have to be restored and set up before commits are taken out of it.
TAKEN_SECONDS = 660.0


class Publication:
    """Pushes branches and opens pull requests.

    To do one again is safe: a push that was made makes no second one, and before a pull request is opened the forge is
    asked for the one of its branch. `forge_of` is the forge of a repository, it raises ForgeRefused; `watch` is told of
    each pull request.
    """

    def __init__(
        self,
        *,
        checkouts: Checkouts,
        forge_of: Callable[[str], Forge],
        records: DeedRecords,
        pull_requests: PullRequestRecords,
        history: ConversationHistory,
        clock: Clock,
        watch: Callable[[], None],
    ) -> None:
        self._checkouts = checkouts
        self._forge_of = forge_of
        self._records = records
        self._pull_requests = pull_requests
        self._history = history
        self._clock = clock
        self._watch = watch

    async def push(self, request: DeedRequest, plan: DeedPlan | None) -> DoneDeed:
        """Push the branch; raises PushRefused, RepositoryUnavailable, GitFailed, OSError."""
        return DoneDeed(outcome=await self._pushed(request, plan))

    async def open(self, request: DeedRequest, plan: DeedPlan | None) -> DoneDeed:
        """Push the branch and open its pull request, or find the one that is open; raises ForgeError, too."""
        name = request.repository
        forge = self._forge_of(name)
        pushed = await self._pushed(request, plan)
        pull, is_new = await forge.open(await self._proposal(request, pushed))
        is_known = await self._noted(request, forge, pull)
        self._watch()
        log.info("pull_request", repository=name, number=pull.number, new=is_new, by=request.by.id)
        return DoneDeed(
            outcome=Opened(
                pushed=pushed,
                forge=forge.kind,
                number=pull.number,
                url=pull.url,
                title=pull.title,
                draft=pull.draft,
                is_new=is_new,
                is_known=is_known,
            )
        )

    async def _pushed(self, request: DeedRequest, plan: DeedPlan | None) -> Pushed:
        push = self._checkouts.push_of(request.repository)
        outgoing = await self._taken(request)
        try:
            if outgoing.ahead == 0:
                raise PushRefused(says.NOTHING_AHEAD.of(target=outgoing.target))
            committed = outgoing.committed
            if isinstance(plan, PushPlan) and plan.commit == outgoing.commit:
                committed = max(committed, plan.committed)
            await self._records.plan(request.id, PushPlan(commit=outgoing.commit, committed=committed))
            is_new = await push.push(outgoing)
        finally:
            await asyncio.to_thread(shutil.rmtree, outgoing.directory, ignore_errors=True)
        return Pushed(
            branch=outgoing.branch,
            target=outgoing.target,
            commit=outgoing.commit,
            ahead=outgoing.ahead,
            committed=committed,
            left_out=outgoing.left_out,
            is_new=is_new,
        )

    async def _taken(self, request: DeedRequest) -> Outgoing:
        message = f"{await self._title(request)}\n\nAsked for by {one_line(printable(request.by.name))}."
        try:
            async with asyncio.timeout(TAKEN_SECONDS):
                return await self._checkouts.outgoing(request.key, request.repository, message=message)
        except TimeoutError:
            raise PushRefused(says.TAKES_TOO_LONG.of(minutes=int(TAKEN_SECONDS / 60))) from None

    async def _title(self, request: DeedRequest) -> str:
        given = request.deed.title if isinstance(request.deed, OpenPullRequest) else ""
        view = await self._history.view(request.key, LATEST_MESSAGES)
        return proposal_title(given, view.messages, request.language)

    async def _proposal(self, request: DeedRequest, pushed: Pushed) -> PullRequestProposal:
        settings = self._checkouts.settings(request.repository)
        view = await self._history.view(request.key, LATEST_MESSAGES)
        reply = latest_reply([entry.post for entry in view.posts])
        return PullRequestProposal(
            branch=pushed.branch,
            target=pushed.target,
            title=await self._title(request),
            body=proposal_body(reply, by=request.by, key=request.key, language=request.language),
            draft=settings is not None and settings.forge is not None and settings.forge.draft,
        )

    async def _noted(self, request: DeedRequest, forge: Forge, pull: PullRequest) -> bool:
        """Let a pull request be watched; return whether it is already."""
        known = await self._pull_requests.known(request.repository, pull.number)
        if known is not None and known.ended_at is None and known.key == request.key:
            return True
        now = self._clock.now()
        await self._pull_requests.keep(
            WatchedPullRequest(
                key=request.key,
                repository=request.repository,
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
        return False
