"""On the page a box judges a text of one's own."""

import pytest
from playwright.async_api import Browser, expect

from tests.gateways.web.browser import ONE_LOOP, open_page
from tests.gateways.web.harness import Served

pytestmark = [pytest.mark.browser, ONE_LOOP]


@pytest.mark.parametrize(
    ("locale", "outcome", "record"),
    [("en-US", "sent back", "2 failed, 6 passed"), ("ko-KR", "반려", "2개 실패, 6개 통과")],
)
async def test_the_example_is_caught_and_its_facts_are_shown(
    served: Served, browser: Browser, locale: str, outcome: str, record: str
) -> None:
    async with open_page(browser, served.url, locale=locale) as page:
        await page.click("#judge-link")
        await page.click(".judge-example")
        await page.click(".judge-send")
        answer = page.locator("#judge-answer")
        await expect(answer.locator(".judge-outcome")).to_contain_text(outcome)
        await expect(answer.locator(".record-line")).to_contain_text(record)
        await expect(answer.locator(".claim.contradicted")).to_contain_text("628/628")
        await answer.locator(".judge-facts summary").click()
        await expect(answer.locator(".judge-facts pre")).to_contain_text('"end": "failed"')


async def test_a_text_alone_is_judged_by_its_words_and_a_wrong_record_is_named(
    served: Served, browser: Browser
) -> None:
    phone = {"viewport": {"width": 360, "height": 740}}
    async with open_page(browser, f"{served.url}/#/judge", **phone) as page:
        await page.fill("#judge-text", "Which <b>file</b> do you mean?")
        await page.click(".judge-send")
        await expect(page.locator("#judge-answer")).to_contain_text("judged by its words alone")
        await page.click(".judge-record summary")
        await page.fill("#judge-record", "{")
        await page.click(".judge-send")
        await expect(page.locator("#judge-answer .refusal")).to_contain_text("The record cannot be read")
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        await page.goto(f"{served.url}/#/c/c1")
        await expect(page.locator("#text")).to_be_visible()
        await expect(page.locator("#judge-view")).not_to_be_visible()
