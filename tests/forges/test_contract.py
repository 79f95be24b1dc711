"""What holds of every forge: a pull request is opened once, and what came of it is told as the forge tells it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from mama_bot.config import ForgePlace
from mama_bot.errors import ForgeRefused, ForgeUnavailable
from mama_bot.forges.github import GitHub
from mama_bot.forges.gitlab import GitLab
from mama_bot.forges.http_api import ForgeToken
from mama_bot.model import (
    CheckState,
    ForgeKind,
    Mergeability,
    PullRequestProposal,
    PullRequestState,
    ReviewOpinion,
)
from mama_bot.wording import Language
from tests.forges.clocks import MovedClock
from tests.platforms.forge_server import ForgeServer, GitHubServer, GitLabServer

BRANCH = "mama/slack-C1-1-abc"
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
KINDS: dict[ForgeKind, tuple[type[ForgeServer], Any]] = {
    ForgeKind.GITHUB: (GitHubServer, GitHub),
    ForgeKind.GITLAB: (GitLabServer, GitLab),
}
pytestmark = pytest.mark.parametrize("kind", KINDS)


@asynccontextmanager
async def forge_of(
    kind: ForgeKind, *, token: str = "", clock: MovedClock | None = None, **server_facts: Any
) -> AsyncIterator[tuple[Any, ForgeServer]]:
    make_server, make_forge = KINDS[kind]
    async with make_server(**server_facts) as server:
        place = ForgePlace(kind=kind, base_url=server.base_url, project=server.project)
        given = ForgeToken(variable="APP_TOKEN", value=token or server.token)
        forge = make_forge(place=place, token=given, clock=clock or MovedClock())
        try:
            yield forge, server
        finally:
            await forge.api.close()


def proposal(*, draft: bool = False, target: str = "main") -> PullRequestProposal:
    return PullRequestProposal(branch=BRANCH, target=target, title="Greet", body="It greets.", draft=draft)


async def test_a_pull_request_is_opened_once(kind: ForgeKind) -> None:
    async with forge_of(kind) as (forge, server):
        head = server.push(BRANCH)
        opened, new = await forge.open(proposal())
        again, new_again = await forge.open(proposal())
        (request,) = server.requests.values()
    assert (new, new_again) == (True, False)
    assert again.number == opened.number == request.number
    assert (opened.branch, opened.target, opened.head) == (BRANCH, "main", head)
    assert opened.state is PullRequestState.OPEN
    assert opened.url.startswith(server.origin)
    assert (request.title, request.body, request.draft) == ("Greet", "It greets.", False)


async def test_a_draft_is_a_draft(kind: ForgeKind) -> None:
    async with forge_of(kind) as (forge, server):
        server.push(BRANCH)
        opened, _ = await forge.open(proposal(draft=True))
        assert server.requests[opened.number].draft
    assert opened.draft


async def test_a_merged_one_is_over_and_the_next_is_new(kind: ForgeKind) -> None:
    async with forge_of(kind) as (forge, server):
        server.push(BRANCH)
        first, _ = await forge.open(proposal())
        server.requests[first.number].state = "merged"
        assert (await forge.read(first.number)).state is PullRequestState.MERGED
        second, new = await forge.open(proposal())
        server.requests[second.number].state = "closed"
        assert (await forge.read(second.number)).state is PullRequestState.CLOSED
    assert new
    assert second.number != first.number


async def test_somebody_else_who_was_quicker_opened_it(kind: ForgeKind) -> None:
    """The list does not show it yet, and the forge refuses a second one."""
    async with forge_of(kind) as (forge, server):
        server.push(BRANCH)
        first, _ = await forge.open(proposal())
        server.fail("s?state=open", 200, body=[])
        again, new = await forge.open(proposal())
    assert again.number == first.number
    assert not new


async def test_whether_it_can_be_merged(kind: ForgeKind) -> None:
    blocked = {ForgeKind.GITHUB: "blocked", ForgeKind.GITLAB: "not_approved"}[kind]
    deciding = {ForgeKind.GITHUB: "unknown", ForgeKind.GITLAB: "checking"}[kind]
    async with forge_of(kind) as (forge, server):
        server.push(BRANCH)
        opened, _ = await forge.open(proposal())
        request = server.requests[opened.number]
        assert (await forge.read(opened.number)).mergeable is Mergeability.READY
        request.mergeable = blocked
        assert (await forge.read(opened.number)).mergeable is Mergeability.BLOCKED
        request.mergeable = deciding
        assert (await forge.read(opened.number)).mergeable is Mergeability.UNKNOWN
        request.conflicts = True
        assert (await forge.read(opened.number)).mergeable is Mergeability.CONFLICTS


async def test_the_checks_of_a_commit_and_how_they_stand_together(kind: ForgeKind) -> None:
    async with forge_of(kind) as (forge, server):
        head = server.push(BRANCH)
        assert (await forge.checks(head)).whole is CheckState.SKIPPED
        server.check(head, "lint", "passed")
        server.check(head, "tests", "pending")
        server.check(head, "coverage", "passed", kind="status")
        server.check(head, "deploy", "skipped")
        told = await forge.checks(head)
        assert {check.name: check.state for check in told.checks} == {
            "lint": CheckState.PASSED,
            "tests": CheckState.PENDING,
            "coverage": CheckState.PASSED,
            "deploy": CheckState.SKIPPED,
        }
        assert told.whole is CheckState.PENDING
        server.check(head, "tests", "failed")
        told = await forge.checks(head)
        assert told.whole is CheckState.FAILED
        (failed,) = told.of_state(CheckState.FAILED)
        assert failed.name == "tests"
        assert failed.url.startswith(server.origin)
        server.check(head, "tests", "passed")
        assert (await forge.checks(head)).whole is CheckState.PASSED


async def test_all_pages_are_read(kind: ForgeKind) -> None:
    async with forge_of(kind) as (forge, server):
        head = server.push(BRANCH)
        server.page_size = 3
        for number in range(10):
            server.check(head, f"check {number}", "passed")
        told = await forge.checks(head)
    assert len(told.checks) == 10
    assert told.whole is CheckState.PASSED


async def test_more_checks_than_are_read_are_never_all_green(kind: ForgeKind) -> None:
    async with forge_of(kind) as (forge, server):
        head = server.push(BRANCH)
        server.page_size = 1
        for number in range(12):
            server.check(head, f"check {number}", "passed")
        told = await forge.checks(head)
    assert told.clipped
    assert told.whole is not CheckState.PASSED


async def test_what_people_wrote_since(kind: ForgeKind) -> None:
    async with forge_of(kind) as (forge, server):
        server.push(BRANCH)
        opened, _ = await forge.open(proposal())
        server.comment(opened.number, "kim", "Why twice?", path="src/app.py", line=12)
        server.comment(opened.number, "alex", "고마워요")
        server.comment(opened.number, "kim", "" if kind is ForgeKind.GITLAB else "Go on", opinion="approved")
        comments = await forge.comments(opened.number, since=LONG_AGO)
        later = await forge.comments(opened.number, since=datetime(2090, 1, 1, tzinfo=UTC))
    assert [(each.author, each.path, each.line, each.opinion) for each in comments] == [
        ("kim", "src/app.py", 12, ReviewOpinion.NONE),
        ("alex", "", None, ReviewOpinion.NONE),
        ("kim", "", None, ReviewOpinion.APPROVED),
    ]
    assert [each.text for each in comments[:2]] == ["Why twice?", "고마워요"]
    assert len({each.id for each in comments}) == 3
    assert all(each.url.startswith(server.origin) for each in comments)
    assert later == []


async def test_what_did_not_change_is_not_sent_again(kind: ForgeKind) -> None:
    async with forge_of(kind) as (forge, server):
        head = server.push(BRANCH)
        server.check(head, "tests", "passed")
        first = await forge.checks(head)
        before = len(server.asked)
        assert await forge.checks(head) == first
        assert {asked.status for asked in server.asked[before:]} == {304}
        server.check(head, "tests", "failed")
        assert (await forge.checks(head)).whole is CheckState.FAILED


async def test_whose_token_it_is_and_what_it_may(kind: ForgeKind) -> None:
    async with forge_of(kind) as (forge, server):
        access = await forge.access()
        server.may_push = False
        lesser = await forge.access()
    assert (access.account, access.may_push, access.default_branch) == ("mama-machine", True, "main")
    assert lesser.may_push is False


# --- what is refused, as sentences ----------------------------------------------------------------------


async def test_a_wrong_token_is_named_by_its_variable_alone(kind: ForgeKind) -> None:
    async with forge_of(kind, token="wrong-secret") as (forge, _):
        with pytest.raises(ForgeRefused) as error:
            await forge.read(1)
    assert "does not accept the token in APP_TOKEN (secrets.env)" in str(error.value)
    assert "APP_TOKEN의 토큰" in error.value.to(Language.KOREAN)
    assert "wrong-secret" not in str(error.value)


async def test_a_right_that_is_missing_is_named(kind: ForgeKind) -> None:
    right = {ForgeKind.GITHUB: "pull_requests=write", ForgeKind.GITLAB: "scope api, role Developer"}[kind]
    async with forge_of(kind) as (forge, server):
        server.push(BRANCH)
        server.forbidden.add("requests" if kind is ForgeKind.GITLAB else "pulls")
        with pytest.raises(ForgeRefused, match="may not do this in team/app") as error:
            await forge.open(proposal())
    assert right in str(error.value)


async def test_what_is_not_there_may_be_hidden(kind: ForgeKind) -> None:
    async with forge_of(kind) as (forge, server):
        server.project = "team/other"
        with pytest.raises(ForgeRefused, match="knows no team/app, or the token in APP_TOKEN may not see it"):
            await forge.read(7)


async def test_a_branch_that_was_not_pushed(kind: ForgeKind) -> None:
    async with forge_of(kind) as (forge, _):
        with pytest.raises(ForgeRefused, match=f"has no branch {BRANCH}, or none called main"):
            await forge.open(proposal())


async def test_trouble_is_tried_again_and_then_told(kind: ForgeKind) -> None:
    async with forge_of(kind) as (forge, server):
        head = server.push(BRANCH)
        server.check(head, "tests", "passed")
        server.fail(head, 502, raw="<html>bad gateway</html>")
        assert (await forge.checks(head)).whole is CheckState.PASSED
        server.fail(head, 503, times=3, raw="")
        with pytest.raises(ForgeUnavailable, match=r"is in trouble \(HTTP 503\). Try again later"):
            await forge.checks(head)


async def test_what_changes_something_is_sent_once(kind: ForgeKind) -> None:
    async with forge_of(kind) as (forge, server):
        server.push(BRANCH)
        server.fail("requests" if kind is ForgeKind.GITLAB else "pulls", 200, body=[])
        server.fail("requests" if kind is ForgeKind.GITLAB else "pulls", 500, body={})
        with pytest.raises(ForgeUnavailable):
            await forge.open(proposal())
        assert len(server.requests_of("POST")) == 1


@pytest.mark.parametrize(
    ("status", "headers", "seconds"),
    [
        (429, {"Retry-After": "90"}, 90),
        (429, {"Retry-After": "Thu, 01 Jan 2026 00:02:00 GMT"}, 120),
        (429, {}, 60),
        (403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1767225900"}, 300),
        (429, {"RateLimit-Remaining": "0", "RateLimit-Reset": "1767225900"}, 300),
    ],
)
async def test_a_pause_that_is_asked_for_is_kept(
    kind: ForgeKind, status: int, headers: dict[str, str], seconds: float
) -> None:
    clock = MovedClock()
    async with forge_of(kind, clock=clock) as (forge, server):
        head = server.push(BRANCH)
        server.fail(head, status, body={"message": "slow down"}, headers=headers)
        with pytest.raises(ForgeUnavailable, match="wants a pause") as error:
            await forge.checks(head)
        assert error.value.retry_after_seconds == pytest.approx(seconds)
        asked = len(server.asked)
        clock.seconds = seconds - 1
        with pytest.raises(ForgeUnavailable, match="wants a pause"):
            await forge.checks(head)
        assert len(server.asked) == asked
        clock.seconds = seconds + 1
        await forge.checks(head)


async def test_the_last_request_of_an_hour_is_the_last(kind: ForgeKind) -> None:
    spent = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1767225900"}
    async with forge_of(kind) as (forge, server):
        server.fail("user", 200, body={"login": "mama", "username": "mama"}, headers=spent)
        with pytest.raises(ForgeUnavailable, match="wants a pause of 5 minutes"):
            await forge.access()
        assert len(server.asked) == 1


async def test_the_token_goes_to_no_other_server(kind: ForgeKind) -> None:
    reached: list[dict[str, str]] = []

    async def elsewhere(request: web.Request) -> web.Response:
        reached.append(dict(request.headers))
        return web.json_response([])

    application = web.Application()
    application.router.add_route("*", "/{path:.*}", elsewhere)
    other = TestServer(application, host="127.0.0.1")
    await other.start_server()
    try:
        async with forge_of(kind) as (forge, server):
            head = server.push(BRANCH)
            server.fail("7", 301, headers={"Location": str(other.make_url("/stolen"))})
            with pytest.raises(ForgeRefused, match="the token is not sent there"):
                await forge.read(7)
            following = f'<{other.make_url("/page2")}>; rel="next"'
            listed: Any = [] if kind is ForgeKind.GITLAB else {"check_runs": []}
            server.fail(head, 200, body=listed, headers={"Link": following})
            assert (await forge.checks(head)).clipped
    finally:
        await other.close()
    assert reached == []


async def test_a_project_that_moved_on_the_same_server_is_followed(kind: ForgeKind) -> None:
    async with forge_of(kind) as (forge, server):
        server.push(BRANCH)
        opened, _ = await forge.open(proposal())
        path = server.asked[-1].path
        server.fail(f"/{opened.number}", 301, headers={"Location": f"{server.origin}{path}/{opened.number}"})
        assert (await forge.read(opened.number)).number == opened.number


async def test_what_is_no_api_is_told(kind: ForgeKind) -> None:
    async with forge_of(kind) as (forge, server):
        for raw in ("<html>Welcome</html>", "[" * 100_000, '"text"', "x" * (5 * 2**20)):
            server.fail("7", 200, raw=raw)
            with pytest.raises(ForgeRefused, match="did not answer as Git"):
                await forge.read(7)


async def test_headers_that_nobody_can_read_are_no_fault_of_ours(kind: ForgeKind) -> None:
    async with forge_of(kind) as (forge, server):
        server.fail("7", 301, headers={"Location": "http://[x/"})
        with pytest.raises(ForgeRefused, match="the token is not sent there"):
            await forge.read(7)
        server.fail("7", 429, body={}, headers={"Retry-After": "²"})
        with pytest.raises(ForgeUnavailable, match="wants a pause"):
            await forge.read(7)


async def test_a_server_that_is_not_there_is_told(kind: ForgeKind) -> None:
    async with forge_of(kind) as (forge, server):
        gone = server.base_url
    place = ForgePlace(kind=kind, base_url=gone, project="team/app")
    forge = KINDS[kind][1](place=place, token=ForgeToken(variable="APP_TOKEN", value="x"), clock=MovedClock())
    with pytest.raises(ForgeUnavailable, match="does not answer: "):
        await forge.read(7)
    await forge.api.close()


ODD: tuple[object, ...] = (
    None,
    [],
    {},
    [None, 1, "x", [], {}],
    {"number": True, "iid": "7"},
    {"number": 7, "iid": 7, "head": [1], "base": None, "state": 3, "html_url": {}, "title": None, "merged_at": "soon"},
    {"check_runs": {"a": 1}, "statuses": 3, "workflow_runs": "x"},
    {"check_runs": [{"name": 3, "status": ["completed"], "conclusion": {}}], "statuses": [None, {"state": []}]},
    [{"id": "x", "created_at": "never", "body": 3, "user": [], "author": [], "position": 5, "name": None, "status": 1}],
    [{"id": 1, "created_at": "2026-01-01", "submitted_at": 5, "body": "x" * 10_000, "path": [], "line": "3"}],
)


@pytest.mark.parametrize("value", ODD, ids=repr)
async def test_an_odd_answer_is_refused_or_read_as_far_as_it_goes(kind: ForgeKind, value: object) -> None:
    async with forge_of(kind) as (forge, server):
        for work in (
            lambda: forge.read(7),
            lambda: forge.checks("a" * 40),
            lambda: forge.comments(7, since=LONG_AGO),
            lambda: forge.open(proposal()),
            forge.access,
        ):
            server.faults.clear()
            server.fail("", 200, times=6, body=value)
            try:
                await work()
            except ForgeRefused as error:
                assert "did not answer as Git" in str(error)  # noqa: PT017 - both ways are fine
