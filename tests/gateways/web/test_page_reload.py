"""On the page a button has the settings read again, and says what came of it."""

from collections.abc import Sequence

import pytest
from playwright.async_api import Browser, expect

from mama_bot.model import Trouble, TroubleKind
from mama_bot.wording import Said
from tests.gateways.web.browser import ONE_LOOP, open_page
from tests.gateways.web.harness import serve

pytestmark = [pytest.mark.browser, ONE_LOOP]

ANSWERS = (
    (True, Said("Taken: 3 personas.", "반영됨: 페르소나 3개.")),
    (False, Said("Refused: tols.", "거절됨: tols.")),
)


@pytest.mark.parametrize(("locale", "texts"), [("en-US", ("Taken", "Refused")), ("ko-KR", ("반영됨", "거절됨"))])
async def test_what_came_of_reading_the_settings_is_shown_whether_they_were_taken_or_not(
    browser: Browser, locale: str, texts: Sequence[str]
) -> None:
    answers = iter(ANSWERS)

    async def reload() -> tuple[bool, Said, Sequence[str]]:
        return *next(answers), ()

    async with serve(reload=reload) as served, open_page(browser, f"{served.url}/#/metrics", locale=locale) as page:
        for text in texts:
            await page.click(".reload-settings")
            await expect(page.locator("section [role=status]")).to_contain_text(text)
        await expect(page.locator("section [role=status]")).to_have_class("refusal")


@pytest.mark.parametrize(("locale", "words"), [("en-US", "Refused: tols."), ("ko-KR", "거절됨: tols.")])
async def test_settings_that_were_refused_are_told_of_above_every_conversation_until_they_are_mended(
    browser: Browser, locale: str, words: str
) -> None:
    troubles: list[Trouble] = []
    async with (
        serve(troubles=lambda: troubles) as served,
        open_page(browser, f"{served.url}/#/c/c1", locale=locale) as page,
    ):
        await expect(page.locator("#settings")).to_be_hidden()
        troubles.append(Trouble(kind=TroubleKind.SETTINGS, sentence=ANSWERS[1][1], stops_work=False))
        served.gateway.look_again()
        await expect(page.locator("#settings")).to_have_text(words)
        troubles.clear()
        served.gateway.look_again()
        await expect(page.locator("#settings")).to_be_hidden()
