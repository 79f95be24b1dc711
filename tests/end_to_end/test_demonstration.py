"""What a curious stranger sees of the demonstration, in Chromium, with the real CLI and a real repository."""

from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from mama_bot.demo.sentences import BEYOND
from mama_bot.demo.story import story
from mama_bot.model import ConversationKey, Platform, Reply, TurnState
from mama_bot.text.paths import file_names
from mama_bot.wording import Language
from tests.end_to_end.team import Team, running_team
from tests.end_to_end.test_story import PERSONAS, SECONDS, status_of, workspace_of
from tests.gateways.web.browser import browse, open_page

pytestmark = [pytest.mark.cli, pytest.mark.browser]

MILLISECONDS = SECONDS * 1000
SUGGESTIONS = 5


async def suggest(page: Page, number: int) -> str:
    """Choose a suggestion, send it, and wait until nobody works any more; the conversation's id."""
    await page.click("#new-conversation")
    await page.wait_for_function("number => document.querySelectorAll('.example').length === number", arg=SUGGESTIONS)
    await page.click(f".example >> nth={number}")
    await page.press("#text", "Enter")
    await expect(page.locator(".reply")).not_to_have_count(0, timeout=MILLISECONDS)
    await expect(page.locator("#queue")).to_have_text("All quiet", timeout=MILLISECONDS)
    return page.url.rpartition("/")[2]


async def exchange_of(team: Team, conversation: str) -> tuple[list[TurnState], list[Reply]]:
    view = await team.store.history.view(ConversationKey(Platform("web"), conversation), limit=20)
    replies = [entry.post for entry in view.posts if isinstance(entry.post, Reply)]
    return [stored.state for stored in view.turns], replies


async def test_each_suggestion_is_carried_out_and_names_only_files_that_are_there(tmp_path: Path) -> None:
    beyond = BEYOND.template(Language.ENGLISH).partition("{name}")[0]
    async with (
        running_team(tmp_path, script=story(), personas_directory=str(PERSONAS)) as team,
        browse() as browser,
        open_page(browser, team.running.url, team.running.page_key) as page,
    ):
        for number in range(SUGGESTIONS):
            conversation = await suggest(page, number)
            await expect(page.locator(".ended, .refusal:visible, .notice.failed")).to_have_count(0)
            states, replies = await exchange_of(team, conversation)
            assert set(states) == {TurnState.ANSWERED}
            (workspace,) = (tmp_path / "data" / "scripted" / "workspaces").glob(f"*{conversation}*/team")
            for reply in replies:
                assert beyond not in reply.text
                assert [name for name in file_names(reply.text) if not (workspace / name).exists()] == []


async def test_a_lie_is_caught_before_ones_eyes_and_its_draft_opens(tmp_path: Path) -> None:
    async with (
        running_team(tmp_path, script=story(delay_seconds=1), personas_directory=str(PERSONAS)) as team,
        browse() as browser,
        open_page(browser, team.running.url, team.running.page_key) as page,
    ):
        await page.wait_for_selector(".example")
        await page.click(".example >> nth=1")
        await page.press("#text", "Enter")
        back = page.locator(".work-back")
        await expect(back).to_contain_text("Attempt 1 was sent back by Claim check", timeout=MILLISECONDS)
        await expect(back).to_contain_text('"628/628 tests pass"')
        await expect(page.locator(".reply")).to_contain_text("2 of 8 tests failed", timeout=MILLISECONDS)
        await expect(page.locator(".reply .text")).not_to_contain_text("628")
        await page.click(".caught-attempt summary")
        await expect(page.locator(".caught-draft mark")).to_have_text("628/628 tests pass")
        await expect(page.locator(".caught-draft")).to_contain_text("Open: nothing.")
    assert status_of(workspace_of(tmp_path)) == ["M shop/prices.py"]
