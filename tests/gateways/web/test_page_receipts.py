"""On the page a reply has its receipt: one line, that opens to claims, checks and calls."""

import re
from dataclasses import replace

import pytest
from playwright.async_api import Browser, expect

from mama_bot.model import (
    Allow,
    CheckedClaim,
    ClaimReason,
    ClaimState,
    Evidence,
    StageVerdict,
    StepStanding,
    WorkflowStanding,
)
from tests.gateways.web.browser import ONE_LOOP, open_page
from tests.gateways.web.harness import Served
from tests.store.receipts import CLAIMS, RUNS, TEXT, stages

pytestmark = [pytest.mark.browser, ONE_LOOP]


async def replied(served: Served) -> None:
    turn = await served.team.start(await served.write("c1", "Fix the cart"), "developer")
    run = await served.team.begin_tool(turn, "Bash", '{"command":"pytest -q"}', run_id="call-2")
    await served.team.end_tool(turn, run, output="45 passed <b>in</b> 3.10s", exit_status=0)
    steps = (
        StepStanding(name="plan", en="plan", ko="계획", shown=True),
        StepStanding(name="test", en="test", ko="테스트"),
    )
    workflow = WorkflowStanding(name="full", steps=steps)
    await served.team.reply(turn, TEXT, stages=stages(), workflow=workflow)


async def test_a_receipt_opens_to_its_claims_and_the_call_behind_each(served: Served, browser: Browser) -> None:
    await replied(served)
    async with open_page(browser, f"{served.url}/#/c/c1") as page:
        receipt = page.locator(".receipt")
        await expect(receipt.locator("> summary")).to_contain_text("Receipt 1")
        await expect(receipt.locator("> summary")).to_contain_text("1 confirmed · 1 not shown · 1 of 1 checks")
        await receipt.locator("> summary").click()
        await expect(receipt.locator('[data-part="workflow"]')).to_have_text("Workflow full: ✓ plan, ○ test")
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
        await expect(page.locator('.receipt [data-part="workflow"]')).to_have_text("워크플로 full: ✓ 계획, ○ 테스트")
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def test_a_reply_without_claims_has_none(served: Served, browser: Browser) -> None:
    turn = await served.team.start(await served.write("c1", "Hello"), "lead")
    await served.team.reply(turn, "Which file do you mean?")
    async with open_page(browser, f"{served.url}/#/c/c1") as page:
        await expect(page.locator(".reply")).to_have_count(1)
        await expect(page.locator(".receipt")).to_have_count(0)


CONFIRMED, UNSUPPORTED = CLAIMS
SHOWN = (CONFIRMED,)
NOT_SHOWN = (CONFIRMED, UNSUPPORTED)
CONTRADICTED = (CONFIRMED, replace(UNSUPPORTED, state=ClaimState.CONTRADICTED, reason=ClaimReason.FAILED))
LINE = "Record: 1 file +1 −1 · pytest 45 passed, after the last edit · not committed"


@pytest.mark.parametrize(
    ("claims", "unworked", "badge", "korean"),
    [
        (SHOWN, False, r"45 tests, \d+:\d+", r"테스트 45개, .*\d+:\d+"),
        (NOT_SHOWN, False, "Not shown", "확인되지 않음"),
        (CONTRADICTED, False, "Contradicted", "기록과 다름"),
        ((), True, "Nothing was run", "실행한 것 없음"),
    ],
)
async def test_a_badge_says_what_the_record_shows_of_the_reply(
    served: Served, browser: Browser, claims: tuple[CheckedClaim, ...], unworked: bool, badge: str, korean: str
) -> None:
    turn = await served.team.start(await served.write("c1", "Fix the cart"), "developer")
    if claims:
        run = await served.team.begin_tool(turn, "Bash", '{"command":"pytest -q"}', run_id="call-2")
        run = replace(run, ran=RUNS[1].ran)
        await served.team.end_tool(turn, run, output="45 passed in 3.10s", exit_status=0)
    verdict = StageVerdict(stage="claim_check", decision=Allow(evidence=Evidence(claims=claims)))
    await served.team.reply(turn, TEXT, stages=(verdict,), unworked=unworked, record_line=LINE)
    for locale, words in (("en-GB", badge), ("ko-KR", korean)):
        async with open_page(browser, f"{served.url}/#/c/c1", locale=locale) as page:
            await expect(page.locator(".reply .chip")).to_have_count(1)
            await expect(page.locator(".reply .badge")).to_have_text(re.compile(words))
            await expect(page.locator(".reply .record-line")).to_have_text(LINE)


async def test_what_a_reply_claims_is_explained_in_the_language_of_the_page(served: Served, browser: Browser) -> None:
    await replied(served)
    async with open_page(browser, f"{served.url}/#/c/c1", locale="ko-KR") as page:
        await page.locator(".receipt > summary").click()
        await expect(page.locator(".claim.unsupported")).to_contain_text("기록에 해당하는 것이 없습니다")
        await expect(page.locator(".claim.unsupported")).not_to_contain_text("No push is in the record.")


async def test_a_stage_that_had_nothing_to_check_passed_nothing(served: Served, browser: Browser) -> None:
    turn = await served.team.start(await served.write("c1", "Hello"), "lead")
    stages = tuple(StageVerdict(stage=name, decision=Allow()) for name in ("review_gate", "workspace_checks"))
    await served.team.reply(turn, "Which file do you mean?", stages=stages)
    async with open_page(browser, f"{served.url}/#/c/c1") as page:
        await page.locator(".decision > summary").click()
        await expect(page.locator(".stage-decision")).to_have_text(["passed", "nothing to check"])


async def test_the_words_of_a_claim_are_rendered(served: Served, browser: Browser) -> None:
    turn = await served.team.start(await served.write("c1", "Fix the cart"), "developer")
    claim = replace(UNSUPPORTED, claim=replace(UNSUPPORTED.claim, text="Changed `cart.py`, **all** of it"))
    verdict = StageVerdict(stage="claim_check", decision=Allow(evidence=Evidence(claims=(claim,))))
    await served.team.reply(turn, "Changed `cart.py`, **all** of it", stages=(verdict,))
    async with open_page(browser, f"{served.url}/#/c/c1") as page:
        await page.locator(".receipt > summary").click()
        await expect(page.locator(".claim q")).to_have_text("Changed cart.py, all of it")
        await expect(page.locator(".claim q code")).to_have_text("cart.py")
