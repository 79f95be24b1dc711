"""What only GitHub does: refusals that are told by their words, tokens that read no check runs."""

import pytest

from mama_bot.errors import ForgeRefused, ForgeUnavailable
from mama_bot.model import CheckState, ForgeKind
from tests.forges.test_contract import BRANCH, forge_of, proposal

GITHUB = ForgeKind.GITHUB


async def test_nothing_to_merge_is_a_sentence() -> None:
    async with forge_of(GITHUB) as (forge, server):
        server.push(BRANCH, server.heads["main"])
        with pytest.raises(ForgeRefused, match=f"The branch {BRANCH} holds no commit that main lacks"):
            await forge.open(proposal())


async def test_a_project_that_takes_no_drafts() -> None:
    told = {"message": "Draft pull requests are not supported in this repository.", "errors": []}
    async with forge_of(GITHUB) as (forge, server):
        server.push(BRANCH)
        server.fail("pulls", 200, body=[])
        server.fail("pulls", 422, body=told)
        with pytest.raises(ForgeRefused, match="takes no drafts"):
            await forge.open(proposal(draft=True))


async def test_a_token_that_reads_no_check_runs_reads_what_actions_ran() -> None:
    async with forge_of(GITHUB) as (forge, server):
        head = server.push(BRANCH)
        server.check(head, "tests", "failed")
        server.forbidden |= {"check-runs", "/status"}
        told = await forge.checks(head)
        assert told.whole is CheckState.FAILED
        server.forbidden.add("actions/runs")
        with pytest.raises(ForgeRefused, match="may not do this"):
            await forge.checks(head)


async def test_a_second_limit_without_a_header_is_a_pause() -> None:
    told = {"message": "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}
    async with forge_of(GITHUB) as (forge, server):
        server.fail("pulls", 403, body=told)
        with pytest.raises(ForgeUnavailable, match="wants a pause of 1 minute") as error:
            await forge.read(7)
    assert error.value.retry_after_seconds == 60


async def test_single_sign_on_is_told() -> None:
    async with forge_of(GITHUB) as (forge, server):
        server.fail("pulls", 403, body={"message": "Resource protected"}, headers={"X-GitHub-SSO": "required; url=x"})
        with pytest.raises(ForgeRefused, match="wants the token in APP_TOKEN to be authorized"):
            await forge.read(7)
