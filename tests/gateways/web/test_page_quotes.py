"""Which message a reply answers, where several were written before it, in a headless Chromium."""

import pytest
from playwright.async_api import Browser, expect

from mama_bot.model import NoticeKind, TurnState
from tests.gateways.web.browser import ONE_LOOP, open_page
from tests.gateways.web.harness import Served

pytestmark = [pytest.mark.browser, ONE_LOOP]

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


@pytest.mark.parametrize(
    ("options", "first", "second", "name"),
    [
        ({"locale": "en-US"}, "How long is a.py?", "And b.py?", "Answers: How long is a.py?"),
        ({"locale": "ko-KR", **PHONE}, "a.py는 몇 줄인가요?", "b.py는요?", "답한 메시지: a.py는 몇 줄인가요?"),
    ],
)
async def test_a_reply_quotes_its_message_where_another_was_written_in_between(
    served: Served, browser: Browser, options: dict[str, object], first: str, second: str, name: str
) -> None:
    asked = [await served.write("c1", first), await served.write("c1", second)]
    async with open_page(browser, f"{served.url}/#/c/c1", **options) as page:
        turn = await served.team.start(asked[0], "developer")
        await served.team.reply(turn, "120 lines.")
        await expect(page.locator(".reply .quote")).to_have_text([first])
        turn = await served.team.start(asked[1], "lead")
        await served.team.reply(turn, "7 lines.")
        await expect(page.locator(".reply")).to_have_count(2)
        await expect(page.locator(".reply .quote")).to_have_text([first])
        await page.get_by_role("button", name=name).click()
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def test_what_was_not_answered_quotes_its_message_and_agents_among_themselves_do_not(
    served: Served, browser: Browser
) -> None:
    asked = await served.write("c1", "Mend a.py")
    await served.write("c1", "And b.py")
    turn = await served.team.start(asked, "lead")
    child = await served.team.start(asked, "developer", parent=turn, task="Look at a.py")
    await served.team.reply(child, "Seen.")
    await served.team.give_up(turn, TurnState.FAILED, NoticeKind.FAILED, "The agent ended.")
    async with open_page(browser, f"{served.url}/#/c/c1") as page:
        await expect(page.locator(".ended .quote")).to_have_text("Mend a.py")
        await expect(page.locator(".quote")).to_have_count(1)
