"""On the page the draft that was caught is one click away."""

import pytest
from playwright.async_api import Browser, expect

from tests.gateways.web.browser import ONE_LOOP, open_page
from tests.gateways.web.harness import Served

pytestmark = [pytest.mark.browser, ONE_LOOP]
LIE = "👍 <b>628/628</b> tests pass."


@pytest.mark.parametrize(
    ("locale", "words"),
    [("en-US", "Read the draft that was caught (attempt 1, Claim check)"), ("ko-KR", "걸린 초안 보기")],
)
async def test_one_click_shows_the_caught_draft_with_what_was_objected_to(
    served: Served, browser: Browser, locale: str, words: str
) -> None:
    turn = await served.team.start(await served.write("c1", "go"), "developer")
    await served.team.send_back(turn, stage="claim_check", rule="claim", reason="2 failed, 6 passed", quotes=(LIE,))
    await served.team.reply(turn, "2 of 8 tests fail.")
    async with open_page(browser, f"{served.url}/#/c/c1", locale=locale) as page:
        caught = page.locator(".caught-attempt")
        await expect(caught).to_contain_text(words)
        await expect(caught.locator("blockquote")).to_have_count(0)
        await caught.locator("summary").click()
        await expect(caught.locator("mark")).to_have_text(LIE)
        await expect(caught).to_contain_text("2 failed, 6 passed")
        await caught.locator("summary").click()
        await expect(caught.locator("mark")).not_to_be_visible()


async def test_a_reply_of_one_attempt_has_none(served: Served, browser: Browser) -> None:
    turn = await served.team.start(await served.write("c1", "go"), "developer")
    await served.team.reply(turn, "2 of 8 tests fail.")
    async with open_page(browser, f"{served.url}/#/c/c1") as page:
        await expect(page.locator(".reply")).to_have_count(1)
        await expect(page.locator(".caught")).to_have_count(0)
