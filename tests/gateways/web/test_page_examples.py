"""What the page offers to ask, in a headless Chromium."""

import pytest
from playwright.async_api import Browser, expect

from mama_bot.app.sentences import DEMO_BANNER, UNCONTAINED
from mama_bot.demo.sentences import FILES, LIE, REFACTOR, REVIEW, TESTS
from mama_bot.wording import Language
from tests.gateways.web.browser import ONE_LOOP, open_page
from tests.gateways.web.harness import Served, serve

pytestmark = [pytest.mark.browser, ONE_LOOP]

BOX = "#text"


async def test_an_example_is_put_into_the_box_and_not_sent(served: Served, browser: Browser) -> None:
    async with open_page(browser, f"{served.url}/#/c/c1") as page:
        await expect(page.locator(".example")).to_have_count(3)
        await page.click(".example >> nth=2")
        await expect(page.locator(BOX)).to_have_value("테스트가 왜 실패하는지 찾아서 고쳐 주세요.")
    assert served.inlet.delivered == []


@pytest.mark.parametrize("locale", ["en-US", "ko-KR"])
async def test_a_scripted_model_is_offered_what_its_script_has_a_part_for(browser: Browser, locale: str) -> None:
    spoken, other = (Language.ENGLISH, Language.KOREAN) if locale == "en-US" else (Language.KOREAN, Language.ENGLISH)
    sentences = [*(part.to(spoken) for part in (REFACTOR, LIE, REVIEW, FILES)), LIE.to(other)]
    async with (
        serve(banner=DEMO_BANNER, warning=UNCONTAINED.of(parts="sockets"), demo_repository=True) as served,
        open_page(browser, f"{served.url}/#/c/c1", locale=locale) as page,
    ):
        examples = page.locator(".example span")
        await expect(examples).to_have_text(sentences)
        await expect(page.locator("#banner")).to_have_text(DEMO_BANNER.to(spoken).replace("`", ""))
        await expect(page.locator("#warning")).to_have_text(UNCONTAINED.of(parts="sockets").to(spoken).replace("`", ""))


async def test_in_a_repository_of_ones_own_a_scripted_model_is_offered_what_is_true_of_any(browser: Browser) -> None:
    files, tests, review = (said.to(Language.ENGLISH) for said in (FILES, TESTS, REVIEW))
    async with serve(banner=DEMO_BANNER) as served, open_page(browser, f"{served.url}/#/c/c1") as page:
        await expect(page.locator(".example span")).to_have_text([files, f"{tests}.", review])
