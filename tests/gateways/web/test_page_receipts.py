"""On the page a reply has its receipt: one line, that opens to claims, checks and calls."""

import pytest
from playwright.async_api import Browser, expect

from tests.gateways.web.browser import ONE_LOOP, open_page
from tests.gateways.web.harness import Served
from tests.store.receipts import TEXT, stages

pytestmark = [pytest.mark.browser, ONE_LOOP]


async def replied(served: Served) -> None:
    turn = await served.team.start(await served.write("c1", "Fix the cart"), "developer")
    run = await served.team.begin_tool(turn, "Bash", '{"command":"pytest -q"}', run_id="call-2")
    await served.team.end_tool(turn, run, output="45 passed <b>in</b> 3.10s", exit_status=0)
    await served.team.reply(turn, TEXT, stages=stages())


async def test_a_receipt_opens_to_its_claims_and_the_call_behind_each(served: Served, browser: Browser) -> None:
    await replied(served)
    async with open_page(browser, f"{served.url}/#/c/c1") as page:
        receipt = page.locator(".receipt")
        await expect(receipt.locator("> summary")).to_contain_text("Receipt 1")
        await expect(receipt.locator("> summary")).to_contain_text("1 confirmed · 1 not shown · 1 of 1 checks")
        await receipt.locator("> summary").click()
        await expect(receipt.locator(".claim.confirmed")).to_contain_text("All 45 tests pass.")
        await expect(receipt.locator(".claim.unsupported")).to_contain_text("No push is in the record.")
        await receipt.locator(".claim-run").click()
        call = receipt.locator(".tool", has_text="pytest -q")
        await expect(call.locator("pre")).to_have_text("45 passed <b>in</b> 3.10s")
        await expect(call).to_contain_text("exit 0")
        await expect(receipt.locator(".tool", has_text="tests: python -m unittest -v")).to_be_visible()


async def test_in_korean_too_and_without_a_scrollbar_on_a_phone(served: Served, browser: Browser) -> None:
    await replied(served)
    phone = {"viewport": {"width": 360, "height": 740}, "locale": "ko-KR"}
    async with open_page(browser, f"{served.url}/#/c/c1", **phone) as page:
        await expect(page.locator(".receipt > summary")).to_contain_text("확인됨 1")
        await page.locator(".receipt > summary").click()
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def test_a_reply_without_claims_has_none(served: Served, browser: Browser) -> None:
    turn = await served.team.start(await served.write("c1", "Hello"), "lead")
    await served.team.reply(turn, "Which file do you mean?")
    async with open_page(browser, f"{served.url}/#/c/c1") as page:
        await expect(page.locator(".reply")).to_have_count(1)
        await expect(page.locator(".receipt")).to_have_count(0)
