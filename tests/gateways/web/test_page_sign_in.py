"""Who holds the key signs in on the page, or opens the link of the terminal."""

import pytest
from playwright.async_api import Browser, expect

from tests.gateways.web.browser import ONE_LOOP, open_page
from tests.gateways.web.harness import serve

pytestmark = [pytest.mark.browser, ONE_LOOP]


async def test_with_a_key_a_person_signs_in_first(browser: Browser) -> None:
    async with serve() as served, open_page(browser, served.url, "") as page:
        await expect(page.locator("#key-hint")).to_contain_text("mama-bot page")
        await page.fill("#key", "wrong horse battery")
        await page.click("#enter")
        await expect(page.locator("#refusal")).to_contain_text("not the key")
        await page.fill("#key", "correct horse battery")
        await page.click("#enter")
        await expect(page.locator("#empty")).to_be_visible()


async def test_the_link_of_the_terminal_opens_the_page_without_a_further_step(browser: Browser) -> None:
    async with serve() as served, open_page(browser, served.gateway.new_link(), "") as page:
        await expect(page.locator("#empty")).to_be_visible()
        assert "with=" not in page.url
        await page.reload()
        await expect(page.locator("#empty")).to_be_visible()
