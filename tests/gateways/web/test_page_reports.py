"""On the page a person reports a verdict as wrong, and sees what the chain did over a period."""

import json
from collections.abc import Sequence

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from benchmarks.flattery_loop import HEAD, SHOWN
from mama_bot.errors import ReportRefused
from mama_bot.model import (
    AgentMeasures,
    Goal,
    GoalMeasure,
    NoticeKind,
    Objections,
    Percentiles,
    ReportState,
    RetrySpending,
    Share,
    TurnState,
)
from tests.gateways.web.browser import ONE_LOOP, open_page
from tests.gateways.web.harness import Served
from tests.gateways.web.stories import praise, review
from tests.waiting import until

pytestmark = [pytest.mark.browser, ONE_LOOP]

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
DEVELOPER = AgentMeasures(
    persona="developer",
    turns=(("answered", 40), ("withheld", 2)),
    drafts=57,
    passed=38,
    noted=1,
    needs_review=1,
    sent_back=15,
    withheld=2,
    retries=15,
    tokens=1_234_567,
    objections=(
        Objections(stage="response_validator", rule="praise_share", effect="sent_back", observed=False, count=11),
        Objections(stage="review_gate", rule="approval_without_evidence", effect="sent_back", observed=True, count=4),
    ),
    seconds=Percentiles(count=42, p50=12.3, p95=181),
    chain_milliseconds=Percentiles(count=57, p50=0.42, p95=1.7),
    retry_spending=RetrySpending(tokens=48_200, cost_usd=0.61, known=13, unknown=2),
    goals=(
        GoalMeasure(goal=Goal.FLATTERY, drafts=Share(part=1240, whole=10_000), posted=Share(part=12, whole=8_000)),
        GoalMeasure(goal=Goal.EMPTY_APPROVALS, drafts=Share(part=0, whole=9), posted=Share(part=0, whole=9)),
        GoalMeasure(goal=Goal.SCOPE_VIOLATIONS, drafts=Share(), posted=Share()),
        GoalMeasure(goal=Goal.UNVERIFIED_COMPLETIONS, drafts=Share(part=2, whole=10), posted=Share(part=0, whole=8)),
        GoalMeasure(goal=Goal.RETRIES, drafts=Share(part=15, whole=40)),
    ),
)
LEAD = AgentMeasures(persona="lead", drafts=3, passed=3, goals=DEVELOPER.goals)


def conversation(served: Served, name: str = "c1") -> str:
    return f"{served.url}/#/c/{name}"


async def report(place: Page | Locator, note: str) -> None:
    await place.locator(".report > summary").first.click()
    await place.locator(".report textarea").first.fill(note)
    await place.locator(".report-send").first.click()


async def test_a_reply_under_a_banner_is_reported_with_a_note_and_stays_so(served: Served, browser: Browser) -> None:
    turn = await served.team.start(await served.write("c1", "Review it"), "reviewer")
    await review(served.team, turn)
    async with open_page(browser, conversation(served)) as page:
        reply = page.locator(".reply")
        await expect(reply.locator(".report > summary")).to_have_count(3)
        await report(reply, "It names the commit")
        await expect(reply.locator(".reply-body > .reported")).to_have_text("Reported as wrong (no. 1)")
        await page.reload()
        await expect(reply.locator(".reply-body > .reported")).to_have_text("Reported as wrong (no. 1)")
    (made,) = served.history.reports
    assert (made.turn.id, made.attempt, made.note, made.reporter.name) == (turn.id, 2, "It names the commit", "Person")


async def test_an_attempt_that_was_sent_back_is_reported_where_it_is_told_of(served: Served, browser: Browser) -> None:
    turn = await served.team.start(await served.write("c1", "go"), "developer")
    await praise(served.team, turn)
    await served.team.reply(turn, "12 tests pass.")
    async with open_page(browser, conversation(served)) as page:
        await page.click(".decision > summary")
        await expect(page.locator(".attempt.sent_back .report")).to_have_count(1)
        await report(page.locator(".attempt.sent_back"), "")
        await expect(page.locator(".attempt.sent_back .reported")).to_be_visible()
        await expect(page.locator(".decision[open]")).to_have_count(1)
    assert [made.attempt for made in served.history.reports] == [0]


async def test_a_withheld_reply_is_reported_below_its_line_in_korean(served: Served, browser: Browser) -> None:
    turn = await served.team.start(await served.write("c1", "고쳐 주세요"), "developer")
    await praise(served.team, turn)
    await served.team.give_up(turn, TurnState.WITHHELD, NoticeKind.WITHHELD, "보류했습니다.")
    async with open_page(browser, conversation(served), locale="ko-KR", **PHONE) as page:
        await report(page.locator(".ended .reply-body"), "인용문입니다")
        await expect(page.locator(".ended .reported")).to_have_text("잘못된 판정으로 신고됨 (1번)")
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert served.history.reports[0].note == "인용문입니다"


async def test_a_refused_report_says_why_and_keeps_the_note(served: Served, browser: Browser) -> None:
    turn = await served.team.start(await served.write("c1", "Review it"), "reviewer")
    await review(served.team, turn)
    served.reports.refusal = ReportRefused(code="too_many_reports", sentence="500 reports are open.")
    async with open_page(browser, conversation(served)) as page:
        reply = page.locator(".reply-body").first
        await reply.locator("> .report > summary").click()
        await reply.locator("> .report textarea").fill("It is not")
        await reply.locator("> .report .report-send").click()
        await expect(reply.locator("> .report .refusal")).to_have_text("500 reports are open.")
        other = await served.team.start(await served.write("c1", "more"), "lead")
        await served.team.reply(other, "meanwhile")
        await expect(page.get_by_text("meanwhile")).to_be_visible()
        await expect(reply.locator("> .report textarea")).to_have_value("It is not")
        served.reports.refusal = None
        await reply.locator("> .report .report-send").click()
        await expect(reply.locator("> .reported")).to_be_visible()
    assert [made.note for made in served.history.reports] == ["It is not"]


@pytest.mark.parametrize(
    ("locale", "offered", "told"),
    [
        ("en-US", "This should not have passed", "Reported as wrong (no. 1)"),
        ("ko-KR", "통과하지 말았어야 할 답변", "잘못된 판정으로 신고됨 (1번)"),
    ],
)
async def test_a_reply_that_passed_is_reported_among_its_details_and_says_so(
    served: Served, browser: Browser, locale: str, offered: str, told: str
) -> None:
    turn = await served.team.start(await served.write("c1", "go"), "developer")
    await served.team.reply(turn, "12 tests pass.")
    async with open_page(browser, conversation(served), locale=locale) as page:
        await expect(page.locator(".reply-body > .report")).to_have_count(0)
        await page.click(".decision > summary")
        await expect(page.locator(".attempt .report > summary")).to_have_text(offered)
        await report(page.locator(".attempt"), "No test ran")
        await expect(page.locator(".reply-body > .reported")).to_have_text(told)
        await expect(page.locator(".report")).to_have_count(0)
    (made,) = served.history.reports
    assert (made.missed, made.note) == (True, "No test ran")


async def test_a_settled_report_is_shown_as_settled(served: Served, browser: Browser) -> None:
    turn = await served.team.start(await served.write("c1", "Review it"), "reviewer")
    await review(served.team, turn)
    await served.reports.report_attempt(turn.key, turn.id, 2, reporter=turn.asker)
    served.reports.settle(1, ReportState.ACCEPTED)
    async with open_page(browser, conversation(served)) as page:
        await expect(page.locator(".reply-body > .reported")).to_have_text("Report no. 1 was accepted")


@pytest.mark.parametrize("options", [{}, PHONE], ids=["desktop", "phone"])
async def test_the_metrics_show_figures_beside_their_targets_and_no_data_as_such(
    served: Served, browser: Browser, options: dict[str, object]
) -> None:
    served.measurements.total, served.measurements.agents = DEVELOPER, (DEVELOPER, LEAD)
    await served.write("c1", "still here")
    async with open_page(browser, conversation(served), **options) as page:
        if options:
            await page.tap("#open-menu")
        await page.click("#metrics-link")
        flattery = page.locator('[data-goal="flattery"]')
        await expect(flattery).to_contain_text("below 5 %")
        await expect(flattery.locator(".above")).to_contain_text("12.4 %")
        await expect(flattery.locator(".ok")).to_contain_text("0.2 %")
        await expect(page.locator('[data-goal="scope_violations"] .none strong')).to_have_text(["no data", "no data"])
        await expect(page.locator('[data-goal="empty_approvals"] strong').nth(1)).to_have_text("0 %")
        await expect(page.locator(".counts")).to_contain_text("usage of 2 unknown")
        await expect(page.locator(".counts")).to_contain_text("1,234,567")
        await expect(page.locator(".objections li").nth(1)).to_contain_text("only watched")
        await page.get_by_role("button", name="Lead", exact=True).click()
        await expect(page.locator(".counts")).to_contain_text("3 passed")
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        await expect(page.locator("#composer")).not_to_be_visible()
        await page.go_back()
        await expect(page.locator(".bubble")).to_have_text("still here")
        await expect(page.locator("#composer")).to_be_visible()


async def test_the_period_is_chosen_and_an_empty_one_is_no_zero(served: Served, browser: Browser) -> None:
    empty = tuple(GoalMeasure(goal=goal, drafts=Share(), posted=Share()) for goal in Goal)
    served.measurements.total = AgentMeasures(goals=empty)
    async with open_page(browser, f"{served.url}/#/metrics", locale="ko-KR") as page:
        await expect(page.locator(".metrics-empty")).to_have_text("이 기간에는 검사한 답변이 없습니다.")
        await expect(page.locator(".goal-value.none")).to_have_count(2 * len(Goal))
        await page.get_by_role("button", name="365일").click()
        await until(lambda: served.measurements.asked_days == 365)
        await expect(page.get_by_role("button", name="365일")).to_have_attribute("aria-pressed", "true")


async def test_counts_are_counted_in_korean_as_in_english(served: Served, browser: Browser) -> None:
    served.measurements.total, served.measurements.agents = LEAD, (LEAD,)
    served.metrics.count("breaker_trips", 2, persona="lead", stage="review_gate")
    async with open_page(browser, f"{served.url}/#/metrics", locale="ko-KR") as page:
        await expect(page.locator(".counts").first).to_contain_text("통과 3건")
        await expect(page.locator(".since-start")).to_contain_text("breaker_trips")
        await expect(page.locator(".since-start")).to_contain_text("lead · review_gate")


@pytest.mark.parametrize(
    ("locale", "words"),
    [
        ("en-US", ("Checks off", "Checks on", "Until Lead calls it done", "turns:", "Flattery between agents, posted")),
        ("ko-KR", ("검사 끔", "검사 켬", "Lead가 완료라고 말할 때까지", "차례", "게시된 에이전트 사이의 칭찬과 빈말")),
    ],
)
async def test_a_loop_of_flattery_is_shown_with_the_checks_off_and_on(
    served: Served, browser: Browser, locale: str, words: Sequence[str]
) -> None:
    figures = json.loads(SHOWN.read_text(encoding="utf-8").removeprefix(HEAD).removesuffix(";\n"))
    off, on, done, turns, flattery = words
    async with open_page(browser, f"{served.url}/#/metrics", locale=locale) as page:
        table = page.locator(".loop")
        await expect(table.locator("thead th")).to_have_text([off, on])
        for way, column in (("off", 1), ("on", 2)):
            cell = table.locator("tr", has_text=done).locator(f"td:nth-child({column + 1})")
            number = figures[way]["called_done"]["turns"]
            await expect(cell).to_contain_text(f"{turns} {number}")
            posted = table.locator("tr", has_text=flattery).locator(f"td:nth-child({column + 1})")
            await expect(posted).to_contain_text(f"{round(100 * figures[way]['flattery'])}")
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
