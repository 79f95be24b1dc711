"""Answers of the service on the page: nothing is told twice, and nothing is offered that was done, in Chromium."""

import pytest
from playwright.async_api import Browser, expect

from mama_bot.model import Answer, CommandName, NoticeKind, Offer, OutboxEntry
from tests.gateways.under_test import a_question, an_answer
from tests.gateways.web.browser import ONE_LOOP, open_page
from tests.gateways.web.harness import Served, web_key

pytestmark = [pytest.mark.browser, ONE_LOOP]

BOX = "#text"


async def test_what_was_offered_is_offered_until_it_is_done(served: Served, browser: Browser) -> None:
    await served.write("c1", "go")
    await served.team.note(web_key("c1"), NoticeKind.DEED, "Merged before.")
    offer = Offer(name=CommandName.MERGE, label="Merge anyway", argument="anyway")
    served.inlet.answer = Answer(text="Nobody approved it.", done=False, offers=(offer,))
    async with open_page(browser, f"{served.url}/#/c/c1") as page:
        await expect(page.get_by_text("Merged before.")).to_be_visible()
        await page.fill(BOX, "/merge")
        await page.press(BOX, "Enter")
        await expect(page.locator(".answer .settle")).to_have_text(["Merge anyway"])
        await served.team.note(web_key("c1"), NoticeKind.DEED, "Merged now.")
        await expect(page.get_by_text("Merged now.")).to_be_visible()
        await expect(page.locator(".answer .settle")).to_have_count(0)
        await expect(page.locator(".answer")).to_contain_text("Nobody approved it.")


async def test_what_came_of_a_question_is_told_below_it_alone(served: Served, browser: Browser) -> None:
    message = await served.write("c1", "go")
    question = a_question(web_key("c1"))
    served.history.posts.append(OutboxEntry(post=question, created_at=message.received_at))
    answer = an_answer(question)
    served.inlet.answer = Answer(text=answer.text)
    async with open_page(browser, f"{served.url}/#/c/c1") as page:
        await page.locator(".question.open .approve").click()
        await expect(page.locator(".answer")).to_have_count(1)
        served.history.posts.append(OutboxEntry(post=answer, created_at=message.received_at))
        assert await served.gateway.settle(question, answer, question.id)
        await expect(page.locator(".question.settled .answered-by")).to_contain_text("#3: approved by Kim.")
        await expect(page.locator(".answer")).to_have_count(0)


async def test_the_line_of_a_schedule_is_marked_up(served: Served, browser: Browser) -> None:
    await served.team.note(web_key("c1"), NoticeKind.TRIGGER, "🕒 Schedule **nightly** asks: go")
    async with open_page(browser, f"{served.url}/#/c/c1") as page:
        await expect(page.locator(".notice strong")).to_have_text("nightly")
