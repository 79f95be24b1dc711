"""Pull requests on GitHub and GitHub Enterprise, by the REST API (version 2022-11-28)."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

from mama_bot.config import ForgePlace
from mama_bot.errors import ForgeRefused
from mama_bot.forges import sentences as says
from mama_bot.forges.http_api import ForgeApi, ForgeToken
from mama_bot.forges.json_parts import address_in, name_in, part, text_in, time_in, whole_in
from mama_bot.model import (
    CheckState,
    CommitChecks,
    ForgeAccess,
    ForgeCheck,
    ForgeKind,
    Mergeability,
    PullRequest,
    PullRequestProposal,
    PullRequestState,
    ReviewComment,
    ReviewOpinion,
)
from mama_bot.protocols import Clock

RIGHT = "pull requests: write, contents: write (classic: repo)"
CONCLUSIONS = {
    "success": CheckState.PASSED,
    "neutral": CheckState.SKIPPED,
    "skipped": CheckState.SKIPPED,
    "stale": CheckState.SKIPPED,
}
STATUSES = {"success": CheckState.PASSED, "pending": CheckState.PENDING}
MERGE_STATES = {
    "clean": Mergeability.READY,
    "has_hooks": Mergeability.READY,
    "unstable": Mergeability.READY,
    "dirty": Mergeability.CONFLICTS,
    "blocked": Mergeability.BLOCKED,
    "behind": Mergeability.BLOCKED,
    "draft": Mergeability.BLOCKED,
}
OPINIONS = {"APPROVED": ReviewOpinion.APPROVED, "CHANGES_REQUESTED": ReviewOpinion.CHANGES_REQUESTED}


class GitHub:
    """The `Forge` of a project on GitHub."""

    kind = ForgeKind.GITHUB

    def __init__(self, *, place: ForgePlace, token: ForgeToken, clock: Clock) -> None:
        self.project = place.project
        self._host = place.host
        self._owner = place.project.partition("/")[0]
        headers = {
            "Accept": "application/vnd.github+json",
            "X-GitHub-Api-Version": "2022-11-28",
            "Authorization": f"Bearer {token.value}",
        }
        facts = {
            "host": place.host,
            "token": token.variable,
            "project": place.project,
            "right": RIGHT,
            "kind": says.KINDS[self.kind],
        }
        self.api = ForgeApi(base_url=place.base_url, headers=headers, facts=facts, clock=clock)

    async def open(self, proposal: PullRequestProposal) -> tuple[PullRequest, bool]:
        """Return the open pull request of a branch, opened where there is none, and whether it is new."""
        standing = await self._standing(proposal.branch)
        if standing is not None:
            return standing, False
        body = {
            "title": proposal.title,
            "head": proposal.branch,
            "base": proposal.target,
            "body": proposal.body,
            "draft": proposal.draft,
        }
        try:
            answer = await self.api.send(f"repos/{self.project}/pulls", body)
        except ForgeRefused as error:
            if error.status != HTTPStatus.UNPROCESSABLE_ENTITY:
                raise
            standing = await self._standing(proposal.branch)  # somebody else was quicker
            if standing is not None:
                return standing, False
            raise self._not_opened(proposal, error) from error
        return self._pull_request(answer.value), True

    async def _standing(self, branch: str) -> PullRequest | None:
        answer = await self.api.get(f"repos/{self.project}/pulls", state="open", head=f"{self._owner}:{branch}")
        if not isinstance(answer.value, list):
            raise self.api.no_api()
        listed = [self._pull_request(item) for item in answer.value]
        return next((pull for pull in listed if pull.branch == branch), None)

    def _not_opened(self, proposal: PullRequestProposal, error: ForgeRefused) -> ForgeRefused:
        """Return what a refusal says; GitHub tells the cases apart by their words alone."""
        told = " ".join(error.reasons).lower()
        facts = {"branch": proposal.branch, "target": proposal.target, "host": self._host, "project": self.project}
        if "no commits between" in told:
            return ForgeRefused(says.NOTHING_TO_MERGE.of(**facts), status=error.status)
        if "draft pull requests are not supported" in told:
            return ForgeRefused(says.NO_DRAFTS.of(**facts), status=error.status)
        if error.reasons == ("Validation Failed",):  # a branch that is not there is told as a field without words
            return ForgeRefused(says.NOT_PUSHED.of(**facts), status=error.status)
        return error

    async def read(self, number: int) -> PullRequest:
        """Return a pull request as it stands."""
        return self._pull_request((await self.api.get(f"repos/{self.project}/pulls/{number}")).value)

    async def checks(self, commit: str) -> CommitChecks:
        """Return the check runs and the statuses of a commit."""
        runs, clipped = await self._check_runs(commit)
        try:
            answer = await self.api.get(f"repos/{self.project}/commits/{commit}/status", per_page="100")
        except ForgeRefused as error:  # a token may read the one and not the other
            if error.status != HTTPStatus.FORBIDDEN or not runs:
                raise
            return CommitChecks(commit=commit, checks=tuple(runs), clipped=clipped)
        listed = part(answer.value).get("statuses")
        statuses = [_status(item) for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
        return CommitChecks(commit=commit, checks=(*runs, *statuses), clipped=clipped)

    async def _check_runs(self, commit: str) -> tuple[list[ForgeCheck], bool]:
        try:
            items, clipped = await self.api.items(f"repos/{self.project}/commits/{commit}/check-runs", "check_runs")
        except ForgeRefused as error:
            if error.status != HTTPStatus.FORBIDDEN:
                raise
            # A fine-grained token reads no check runs of a private repository, but what GitHub's own Actions ran.
            items, clipped = await self.api.items(
                f"repos/{self.project}/actions/runs", "workflow_runs", head_sha=commit
            )
        return [_check_run(item) for item in items], clipped

    async def comments(self, number: int, *, since: datetime) -> Sequence[ReviewComment]:
        """Return comments of lines, comments of the whole and reviews, in the order in which they were written."""
        moment = since.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        pulls, issues = f"repos/{self.project}/pulls/{number}", f"repos/{self.project}/issues/{number}"
        of_lines, _ = await self.api.items(f"{pulls}/comments", since=moment, sort="created", direction="asc")
        of_whole, _ = await self.api.items(f"{issues}/comments", since=moment)
        reviews, _ = await self.api.items(f"{pulls}/reviews")
        comments = [
            *_comments("line", of_lines, "created_at"),
            *_comments("whole", of_whole, "created_at"),
            *_comments("review", reviews, "submitted_at"),
        ]
        return sorted((comment for comment in comments if comment.at >= since), key=lambda comment: comment.at)

    async def access(self) -> ForgeAccess:
        """Return whose the token is and what it may do here."""
        account = part((await self.api.get("user")).value)
        project = part((await self.api.get(f"repos/{self.project}")).value)
        pushes = part(project, "permissions").get("push")
        return ForgeAccess(
            account=name_in(account, "login"),
            may_push=pushes if isinstance(pushes, bool) else None,
            may_open=None,  # no answer tells it of a fine-grained token
            default_branch=name_in(project, "default_branch"),
        )

    def _pull_request(self, value: Any) -> PullRequest:
        item, number = part(value), whole_in(part(value), "number")
        if number is None:
            raise self.api.no_api()
        merged = item.get("merged") is True or time_in(item, "merged_at") is not None
        closed = PullRequestState.CLOSED if item.get("state") == "closed" else PullRequestState.OPEN
        return PullRequest(
            number=number,
            url=address_in(item, "html_url"),
            title=name_in(item, "title"),
            state=PullRequestState.MERGED if merged else closed,
            branch=name_in(part(item, "head"), "ref"),
            target=name_in(part(item, "base"), "ref"),
            head=name_in(part(item, "head"), "sha"),
            draft=item.get("draft") is True,
            mergeable=_mergeable(item),
        )


def _mergeable(item: Mapping[str, Any]) -> Mergeability:
    if item.get("mergeable") is False:
        return Mergeability.CONFLICTS
    return MERGE_STATES.get(name_in(item, "mergeable_state"), Mergeability.UNKNOWN)


def _check_run(item: Mapping[str, Any]) -> ForgeCheck:
    done = item.get("status") == "completed"
    state = CONCLUSIONS.get(name_in(item, "conclusion"), CheckState.FAILED) if done else CheckState.PENDING
    return ForgeCheck(name=name_in(item, "name"), state=state, url=address_in(item, "html_url", "details_url"))


def _status(item: Mapping[str, Any]) -> ForgeCheck:
    state = STATUSES.get(name_in(item, "state"), CheckState.FAILED)
    return ForgeCheck(name=name_in(item, "context"), state=state, url=address_in(item, "target_url"))


def _comments(origin: str, items: Sequence[Mapping[str, Any]], time: str) -> Iterator[ReviewComment]:
    for item in items:
        at, opinion = time_in(item, time), OPINIONS.get(name_in(item, "state"), ReviewOpinion.NONE)
        text = text_in(item, "body")
        if at is None or not (text.strip() or opinion):
            continue  # a review that only gathers comments of lines, or is not submitted yet
        yield ReviewComment(
            id=f"{origin}-{whole_in(item, 'id')}",
            author=name_in(part(item, "user"), "login"),
            text=text,
            at=at,
            url=address_in(item, "html_url"),
            path=name_in(item, "path"),
            line=whole_in(item, "line") or whole_in(item, "original_line"),
            opinion=opinion,
        )
