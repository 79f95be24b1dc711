"""Merge requests on GitLab, wherever it runs, by the REST API (version 4)."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

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

RIGHT = "scope api, role Developer"
DEVELOPER = 30  # as GitLab numbers the roles
DRAFT = "Draft: "
STATES = {"merged": PullRequestState.MERGED, "closed": PullRequestState.CLOSED}
CHECK_STATES = {
    "success": CheckState.PASSED,
    "failed": CheckState.FAILED,
    "canceled": CheckState.FAILED,
    "skipped": CheckState.SKIPPED,
    "manual": CheckState.SKIPPED,
}
MERGE_STATES = {
    "mergeable": Mergeability.READY,
    "ci_still_running": Mergeability.BLOCKED,
    "broken_status": Mergeability.CONFLICTS,
    "conflict": Mergeability.CONFLICTS,
    "unchecked": Mergeability.UNKNOWN,
    "checking": Mergeability.UNKNOWN,
    "preparing": Mergeability.UNKNOWN,
    "": Mergeability.UNKNOWN,
}
# Notes that GitLab writes itself, and that say what a reviewer thinks.
OPINIONS = {
    "approved this merge request": ReviewOpinion.APPROVED,
    "requested changes": ReviewOpinion.CHANGES_REQUESTED,
}


class GitLab:
    """The `Forge` of a project on GitLab."""

    kind = ForgeKind.GITLAB

    def __init__(self, *, place: ForgePlace, token: ForgeToken, clock: Clock) -> None:
        self.project = place.project
        self._host = place.host
        self._path = f"projects/{quote(place.project, safe='')}"
        facts = {
            "host": place.host,
            "token": token.variable,
            "project": place.project,
            "right": RIGHT,
            "kind": says.KINDS[self.kind],
        }
        self.api = ForgeApi(base_url=place.base_url, headers={"PRIVATE-TOKEN": token.value}, facts=facts, clock=clock)

    async def open(self, proposal: PullRequestProposal) -> tuple[PullRequest, bool]:
        """Return the open merge request of a branch, opened where there is none, and whether it is new."""
        standing = await self._standing(proposal.branch)
        if standing is not None:
            return standing, False
        body = {
            "title": f"{DRAFT if proposal.draft else ''}{proposal.title}",
            "source_branch": proposal.branch,
            "target_branch": proposal.target,
            "description": proposal.body,
        }
        try:
            answer = await self.api.send(f"{self._path}/merge_requests", body)
        except ForgeRefused as error:
            standing = await self._standing(proposal.branch) if error.status == HTTPStatus.CONFLICT else None
            if standing is not None:  # somebody else was quicker
                return standing, False
            if error.status in (HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY):
                raise self._not_opened(proposal, error) from error
            raise
        return self._pull_request(answer.value), True

    async def _standing(self, branch: str) -> PullRequest | None:
        answer = await self.api.get(f"{self._path}/merge_requests", state="opened", source_branch=branch)
        if not isinstance(answer.value, list):
            raise self.api.no_api()
        listed = [self._pull_request(item) for item in answer.value]
        return next((pull for pull in listed if pull.branch == branch), None)

    def _not_opened(self, proposal: PullRequestProposal, error: ForgeRefused) -> ForgeRefused:
        told = " ".join(error.reasons).lower()
        if "branch" in told and "does not exist" in told:
            facts = {"branch": proposal.branch, "target": proposal.target, "host": self._host}
            return ForgeRefused(says.NOT_PUSHED.of(**facts), status=error.status)
        return error

    async def read(self, number: int) -> PullRequest:
        """Return a merge request as it stands."""
        return self._pull_request((await self.api.get(f"{self._path}/merge_requests/{number}")).value)

    async def checks(self, commit: str) -> CommitChecks:
        """Return the jobs of the pipelines of a commit, and what others told of it."""
        items, clipped = await self.api.items(f"{self._path}/repository/commits/{commit}/statuses")
        latest = {name_in(item, "name"): _check(item) for item in sorted(items, key=_order)}
        return CommitChecks(commit=commit, checks=tuple(latest.values()), clipped=clipped)

    async def comments(self, number: int, *, since: datetime) -> Sequence[ReviewComment]:
        """Return what people wrote under a merge request, and who approved it, in order."""
        path = f"{self._path}/merge_requests/{number}/notes"
        items, _ = await self.api.items(path, order_by="created_at", sort="asc")
        page = address_in(part((await self.api.get(f"{self._path}/merge_requests/{number}")).value), "web_url")
        return [comment for comment in _comments(items, page) if comment.at >= since]

    async def access(self) -> ForgeAccess:
        """Return whose the token is and what it may do here."""
        account = part((await self.api.get("user")).value)
        project = part((await self.api.get(self._path)).value)
        rights = part(project, "permissions")
        levels = [whole_in(part(rights, key), "access_level") for key in ("project_access", "group_access")]
        known = [level for level in levels if level is not None]
        may = max(known) >= DEVELOPER if known else None
        return ForgeAccess(
            account=name_in(account, "username"),
            may_push=may,
            may_open=may,
            default_branch=name_in(project, "default_branch"),
        )

    def _pull_request(self, value: Any) -> PullRequest:
        item, number = part(value), whole_in(part(value), "iid")
        if number is None:
            raise self.api.no_api()
        conflicts = item.get("has_conflicts") is True
        told = MERGE_STATES.get(name_in(item, "detailed_merge_status"), Mergeability.BLOCKED)
        return PullRequest(
            number=number,
            url=address_in(item, "web_url"),
            title=name_in(item, "title"),
            state=STATES.get(name_in(item, "state"), PullRequestState.OPEN),
            branch=name_in(item, "source_branch"),
            target=name_in(item, "target_branch"),
            head=name_in(item, "sha"),
            draft=item.get("draft") is True,
            mergeable=Mergeability.CONFLICTS if conflicts else told,
        )


def _order(item: Mapping[str, Any]) -> int:
    return whole_in(item, "id") or 0


def _check(item: Mapping[str, Any]) -> ForgeCheck:
    state = CHECK_STATES.get(name_in(item, "status"), CheckState.PENDING)
    if state is CheckState.FAILED and item.get("allow_failure") is True:
        state = CheckState.SKIPPED
    return ForgeCheck(name=name_in(item, "name"), state=state, url=address_in(item, "target_url"))


def _comments(items: Sequence[Mapping[str, Any]], page: str) -> Iterator[ReviewComment]:
    for item in items:
        at, number, text = time_in(item, "created_at"), whole_in(item, "id"), text_in(item, "body")
        system = item.get("system") is True
        opinion = OPINIONS.get(text.strip(), ReviewOpinion.NONE) if system else ReviewOpinion.NONE
        if at is None or (system and not opinion) or not text.strip():
            continue
        position = part(item, "position")
        yield ReviewComment(
            id=f"note-{number}",
            author=name_in(part(item, "author"), "username"),
            text="" if system else text,
            at=at,
            url=f"{page}#note_{number}" if page else "",
            path=name_in(position, "new_path") or name_in(position, "old_path"),
            line=whole_in(position, "new_line") or whole_in(position, "old_line"),
            opinion=opinion,
        )
