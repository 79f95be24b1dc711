"""A person's own way with what they wrote on the page, in a headless Chromium."""

import pytest
from playwright.async_api import Browser, Dialog, expect

from mama_bot.model import Answer, CommandName, MessageId
from tests.gateways.web.browser import ONE_LOOP, open_page
from tests.gateways.web.harness import Served
from tests.waiting import until

pytestmark = [pytest.mark.browser, ONE_LOOP]

BOX = "#text"


async def test_a_message_that_waits_is_edited_and_deleted(served: Served, browser: Browser) -> None:
    await served.write("c1", "Mend `a.py`")
    await served.write("c1", "and b.py")
    async with open_page(browser, f"{served.url}/#/c/c1") as page:
        second = page.locator(".message").nth(1)
        await second.locator(".settle.edit").click()
        box = second.locator(".edit-text")
        await expect(box).to_have_value("and b.py")
        await box.fill("and **c.py**")
        await box.press("Enter")
        await expect(second.locator(".bubble strong")).to_have_text("c.py")
        assert [message.text for message in served.inlet.revised] == ["and **c.py**"]
        await page.locator(".message").first.locator(".settle.remove").click()
        await expect(page.locator(".message")).to_have_count(1)
    assert [message.text for message in served.history.messages] == ["and **c.py**"]


async def test_leaving_an_edit_changes_nothing(served: Served, browser: Browser) -> None:
    await served.write("c1", "as it was")
    async with open_page(browser, f"{served.url}/#/c/c1") as page:
        await page.locator(".settle.edit").click()
        await page.locator(".edit-text").fill("otherwise")
        await page.locator(".edit-text").press("Escape")
        await expect(page.locator(".bubble")).to_have_text("as it was")
    assert served.inlet.revised == []


async def test_an_edit_that_comes_too_late_is_not_lost(served: Served, browser: Browser) -> None:
    await served.write("c1", "Mend a.py", message_id="m1")
    async with open_page(browser, f"{served.url}/#/c/c1", locale="ko-KR") as page:
        await page.locator(".settle.edit").click()
        await page.locator(".edit-text").fill("Mend b.py")
        served.history.answered.add(MessageId("m1"))
        await page.locator(".settle.save").click()
        await expect(page.locator("#refusal")).to_contain_text("이미 시작했거나")
        await expect(page.locator(BOX)).to_have_value("Mend b.py")
        await expect(page.locator(".bubble")).to_have_text("Mend a.py")


async def test_what_one_page_takes_back_is_gone_from_the_others(served: Served, browser: Browser) -> None:
    await served.write("c1", "never mind")
    async with (
        open_page(browser, f"{served.url}/#/c/c1") as page,
        open_page(browser, f"{served.url}/#/c/c1") as other,
    ):
        await expect(other.locator(".bubble")).to_have_text("never mind")
        await page.locator(".settle.remove").click()
        await expect(other.locator(".message")).to_have_count(0)


async def test_own_words_are_shown_as_markdown_and_nothing_of_them_is_markup(served: Served, browser: Browser) -> None:
    text = (
        "Do **this**:\n\n- `a.py`\n- b\n\n```py\nif x:\n    y()\n```\n<b>no</b> [bad](javascript:alert(1))\nTASK: mine"
    )
    await served.write("c1", text)
    async with open_page(browser, f"{served.url}/#/c/c1") as page:
        bubble = page.locator(".bubble")
        await expect(bubble.locator("strong")).to_have_text("this")
        await expect(bubble.locator("li")).to_have_text(["a.py", "b"])
        await expect(bubble.locator("pre")).to_have_text("if x:\n    y()")
        await expect(bubble).to_contain_text("<b>no</b> [bad](javascript:alert(1))")
        assert await bubble.locator("b, a, .delegation, .delegation-part").count() == 0


async def test_a_conversation_gets_a_name(served: Served, browser: Browser) -> None:
    served.inlet.answer = Answer(text="It is called so now.")
    async with open_page(browser, f"{served.url}/#/c/c1") as page:
        await expect(page.locator("#rename")).to_be_hidden()
        await served.write("c1", "first words")
        await page.reload()
        await page.click("#rename")
        await expect(page.locator("#name")).to_have_value("first words")
        await page.fill("#name", "가격 작업")
        await page.press("#name", "Enter")
        await expect(page.locator("#title")).to_be_visible()
        await until(lambda: bool(served.inlet.commands))
        await expect(page.locator(".answer")).to_have_count(0)
    [command] = served.inlet.commands
    assert (command.name, command.argument, command.key.channel) == (CommandName.RENAME, "가격 작업", "c1")


@pytest.mark.parametrize("sure", [True, False])
async def test_a_conversation_is_deleted_by_whoever_is_sure(served: Served, browser: Browser, sure: bool) -> None:
    await served.write("c1", "old words")
    await served.write("c2", "other words")
    served.inlet.answer = Answer(text="The conversation is deleted.")
    asked: list[str] = []

    async def decide(dialog: Dialog) -> None:
        asked.append(dialog.message)
        if sure:
            others = [message for message in served.history.messages if message.key.channel != "c1"]
            served.history.messages[:] = others
        await (dialog.accept() if sure else dialog.dismiss())

    async with open_page(browser, f"{served.url}/#/c/c1") as page:
        page.on("dialog", decide)
        await expect(page.locator("#title")).to_have_text("old words")
        await page.click("#delete")
        await expect(page.locator("#title")).to_have_text("other words" if sure else "old words")
    assert "Delete “old words”?" in asked[0]
    assert [command.name for command in served.inlet.commands] == [CommandName.DELETE] * sure


async def test_what_cannot_be_deleted_stays_and_the_reason_is_said(served: Served, browser: Browser) -> None:
    await served.write("c1", "at work")
    served.inlet.answer = Answer(text="Something runs here.", done=False)
    async with open_page(browser, f"{served.url}/#/c/c1") as page:
        page.on("dialog", Dialog.accept)
        await page.click("#delete")
        await expect(page.locator("#refusal")).to_have_text("Something runs here.")
        await expect(page.locator("#title")).to_have_text("at work")


async def test_conversations_are_found_by_their_words(served: Served, browser: Browser) -> None:
    await served.write("c1", "The price of tea")
    await served.write("c1", "and 커피 as well")
    await served.write("c2", "Something else")
    async with open_page(browser, f"{served.url}/#/c/c2") as page:
        await expect(page.locator(".conversation")).to_have_count(2)
        await page.fill("#search", "커피")
        await expect(page.locator(".conversation")).to_have_count(1)
        await expect(page.locator(".conversation-title")).to_have_text("The price of tea")
        await page.fill("#search", "<b>nowhere")
        await expect(page.locator(".nothing-found")).to_have_text("Nothing found")
        await page.press("#search", "Escape")
        await expect(page.locator(".conversation")).to_have_count(2)
