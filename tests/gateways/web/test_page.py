"""What a person sees and does on the page, in a headless Chromium."""

import asyncio
from dataclasses import replace

import pytest
from playwright.async_api import Browser, Page, Route, expect

from mama_bot.config import WebSettings
from mama_bot.errors import MessageRefused, QueueFull, StoreUnavailable
from mama_bot.gateways.web.events import LivePages
from mama_bot.model import Author, AuthorKind, NoticeKind, TurnState
from mama_bot.wording import Said
from tests.gateways.web.browser import ONE_LOOP, open_page
from tests.gateways.web.harness import Served, serve
from tests.gateways.web.stories import korean, praise, refactoring, tools
from tests.waiting import until

pytestmark = [pytest.mark.browser, ONE_LOOP]

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
EVIL = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'
BOX = "#text"


def conversation(served: Served, name: str) -> str:
    return f"{served.url}/#/c/{name}"


async def test_a_message_is_sent_and_its_reply_appears_under_the_persona_s_name(
    served: Served, browser: Browser
) -> None:
    async with open_page(browser, served.url) as page:
        await page.fill(BOX, "Refactor this")
        await page.press(BOX, "Enter")
        message = await served.delivered(1)
        turn = await served.team.start(message, "developer")
        await served.team.reply(turn, "Done: **12 tests** pass.", display_name="Developer")
        reply = page.locator(".reply")
        await expect(reply.locator(".name")).to_have_text("Developer")
        await expect(reply.locator(".text strong")).to_have_text("12 tests")
        await expect(reply.locator(".chip")).to_have_count(0)  # nothing was checked
        await expect(page.locator(BOX)).to_have_value("")
    assert message.text == "Refactor this"


async def test_what_a_trigger_asked_stands_under_its_own_name(served: Served, browser: Browser) -> None:
    asked = await served.write("ops", "Report what broke.")
    served.history.messages[-1] = replace(asked, author=Author(id="hook:ci", name="hook ci", kind=AuthorKind.HOOK))
    await served.write("ops", "And now?")
    async with open_page(browser, conversation(served, "ops")) as page:
        messages = page.locator("article.message")
        await expect(messages).to_have_count(2)
        await expect(messages.nth(0).get_by_text("hook ci", exact=True)).to_be_visible()
        await expect(messages.nth(1).locator("p").first).to_have_class("visually-hidden")


async def test_what_is_typed_before_the_page_is_ready_is_not_lost(served: Served, browser: Browser) -> None:
    async with open_page(browser, f"{served.url}/healthz") as page:
        let_through = asyncio.Event()

        async def slowly(route: Route) -> None:
            await let_through.wait()
            await route.continue_()

        await page.route("**/api/state", slowly)
        await page.goto(served.url)
        await page.fill(BOX, "early bird")
        await page.press(BOX, "Enter")
        let_through.set()
        assert (await served.delivered(1)).text == "early bird"
        await expect(page.locator(".bubble")).to_have_text("early bird")
        await expect(page.locator(BOX)).to_have_value("")


async def test_the_history_is_there_after_a_reload(served: Served, browser: Browser) -> None:
    message = await served.write("c1", "What is left?")
    turn = await served.team.start(message, "lead")
    await served.team.reply(turn, "Two files.")
    async with open_page(browser, served.url) as page:
        await expect(page.locator(".reply .text")).to_have_text("Two files.")
        await page.reload()
        await expect(page.locator(".message .bubble")).to_have_text("What is left?")
        await expect(page.locator(".reply .text")).to_have_text("Two files.")


async def test_two_conversations_do_not_mix(served: Served, browser: Browser) -> None:
    one, two = await served.write("one", "first topic"), await served.write("two", "second topic")
    async with open_page(browser, conversation(served, "one")) as page:
        await expect(page.locator(".bubble")).to_have_text("first topic")
        turn = await served.team.start(two, "developer")
        await served.team.reply(turn, "answer to the second")
        await expect(page.locator(".conversation.unread")).to_contain_text("second topic")
        await expect(page.locator(".reply")).to_have_count(0)
        await page.fill(BOX, "half a thought")
        await page.click(".conversation.unread")
        await expect(page.locator(".reply .text")).to_have_text("answer to the second")
        await expect(page.locator(".bubble")).to_have_text("second topic")
        await expect(page.locator(BOX)).to_have_value("")
        await page.go_back()
        await expect(page.locator(".bubble")).to_have_text("first topic")
        await expect(page.locator(BOX)).to_have_value("half a thought")
    assert one.key != two.key


async def test_enter_while_a_syllable_is_composed_sends_nothing(served: Served, browser: Browser) -> None:
    async with open_page(browser, conversation(served, "c1")) as page:
        await page.focus(BOX)
        ime = await page.context.new_cdp_session(page)
        await ime.send("Input.imeSetComposition", {"text": "안녕", "selectionStart": 2, "selectionEnd": 2})
        for code in (13, 229):
            key = {"type": "rawKeyDown", "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": code}
            await ime.send("Input.dispatchKeyEvent", key)
        await expect(page.locator(BOX)).to_have_value("안녕")
        await ime.send("Input.insertText", {"text": "안녕하세요"})
        await expect(page.locator(BOX)).to_have_value("안녕하세요")
        assert served.inlet.delivered == []
        await page.keyboard.press("Enter")
        assert (await served.delivered(1)).text == "안녕하세요"
        await expect(page.locator(".bubble")).to_have_text("안녕하세요")
    assert len(served.inlet.delivered) == 1


async def test_shift_and_enter_makes_a_new_line(served: Served, browser: Browser) -> None:
    async with open_page(browser, conversation(served, "c1")) as page:
        await page.focus(BOX)
        await page.keyboard.type("one")
        await page.keyboard.press("Shift+Enter")
        await page.keyboard.type("two")
        await page.keyboard.press("Enter")
        assert (await served.delivered(1)).text == "one\ntwo"


async def test_text_of_others_never_becomes_markup(browser: Browser) -> None:
    async with serve(banner=Said(EVIL, EVIL)) as served:
        message = await served.write("c1", EVIL)
        turn = await served.team.start(message, "developer")
        run = await served.team.begin_tool(turn, EVIL, EVIL)
        await served.team.end_tool(turn, run, output=EVIL, exit_status=0)
        await served.team.send_back(turn, stage=EVIL, rule=EVIL, reason=EVIL, quotes=(EVIL,))
        links = "[a](javascript:window.hacked=1) [b](data:text/html,x) <b>bold</b>"
        await served.team.reply(
            turn, f"{EVIL}\n\n# {EVIL}\n\n```{EVIL}\n{EVIL}\n```\n\n{links}", display_name=EVIL, banners=(EVIL,)
        )
        await served.team.note(message.key, NoticeKind.REFUSED, EVIL)
        other = await served.team.start(message, EVIL, task=EVIL)
        await served.team.begin_tool(other, EVIL, EVIL)
        async with open_page(browser, conversation(served, "c1")) as page:
            await page.click(".decision > summary")
            await page.click(".tool > summary")
            await expect(page.locator(".reply .name")).to_have_text(EVIL)
            await expect(page.locator(".bubble")).to_have_text(EVIL)
            await expect(page.locator(".tool pre").last).to_have_text(EVIL)
            assert await page.evaluate("window.hacked") is None
            assert await page.locator(".timeline script, .timeline img, .timeline b, .work img").count() == 0
            assert await page.locator(".timeline .text a").count() == 0


async def test_what_is_sent_back_is_visible_with_its_reason_and_the_tools(served: Served, browser: Browser) -> None:
    async with open_page(browser, conversation(served, "c1")) as page:
        message = await served.write("c1", "go")
        turn = await served.team.start(message, "developer")
        await expect(page.locator(".work")).to_contain_text("Developer is working")
        await praise(served.team, turn)
        await expect(page.locator(".work-back")).to_contain_text("praise and filler are 100 % of the text")
        await tools(served.team, turn)
        await expect(page.locator(".work-tools li")).to_have_count(4)
        await served.team.begin_tool(turn, "Bash", '{"command":"sleep 1"}')
        await expect(page.locator(".work-tools li").last).to_contain_text("sleep 1")
        seen = await served.team.begin_check(turn, EVIL, "npm test")
        await expect(page.locator(".work-tools li").last).to_contain_text(f"The service checks: {EVIL}")
        await expect(page.locator(".work-tools li").last.locator(".spinner")).to_have_count(1)
        await served.team.end_check(turn, seen, exit_status=1)
        await expect(page.locator(".work-tools li").last).to_contain_text("npm testexit 1")
        await served.team.reply(turn, "12 tests pass.")
        await expect(page.locator(".work")).to_have_count(0)
        await expect(page.locator(".decision-line")).to_contain_text(
            "2 attempts · 1 sent back: praise and filler are 100 %"
        )
        await page.click(".decision > summary")
        await expect(page.locator(".attempt")).to_have_count(2)
        await expect(page.locator(".findings q").first).to_have_text("Excellent task!")
        await expect(page.locator(".exit.failed")).to_have_text("exit 1")


async def test_a_page_loaded_in_the_middle_of_a_turn_shows_who_works_and_for_whom(
    served: Served, browser: Browser
) -> None:
    message = await served.write("c1", "go")
    lead = await served.team.start(message, "lead")
    turn = await served.team.start(message, "developer", parent=lead, task="Rename the function")
    await praise(served.team, turn)
    await served.team.begin_tool(turn, "Bash", '{"command":"make test"}')
    async with open_page(browser, conversation(served, "c1")) as page:
        card = page.locator('.work[data-persona="developer"]')
        await expect(card).to_contain_text("asked by Lead")
        await expect(card).to_contain_text("Rename the function")
        await expect(card).to_contain_text("Attempt 1 was sent back by Substance check")
        await expect(card).to_contain_text("make test")
        await expect(page.locator("#status")).to_have_text("Lead, Developer at work")


async def test_a_database_that_cannot_be_read_is_said_and_tried_again(served: Served, browser: Browser) -> None:
    await served.write("c1", "still here")
    served.history.unavailable = StoreUnavailable(url="sqlite:///x", reason="locked", remedy="Stop the other program.")
    async with open_page(browser, conversation(served, "c1")) as page:
        await expect(page.locator("#connection")).to_contain_text("Stop the other program.")
        served.history.unavailable = None
        await expect(page.locator(".bubble")).to_have_text("still here", timeout=15_000)


async def test_a_reply_without_evidence_stands_under_its_banner(served: Served, browser: Browser) -> None:
    await refactoring(served.team, await served.write("c1", "Refactor"))
    async with open_page(browser, conversation(served, "c1")) as page:
        reviewer = page.locator('.reply[data-persona="reviewer"]')
        await expect(reviewer.locator(".chip")).to_have_text("Needs review")
        await expect(reviewer.locator(".reply-banner")).to_contain_text("names no evidence")
        await expect(reviewer.locator(".to")).to_have_text("to Lead")


async def test_a_withheld_reply_leaves_a_line_that_says_why(served: Served, browser: Browser) -> None:
    await korean(served.team, await served.write("c1", "고쳐 주세요"))
    async with open_page(browser, conversation(served, "c1"), locale="ko-KR") as page:
        ended = page.locator(".ended")
        await expect(ended.locator(".chip")).to_have_text("보류됨")
        await expect(ended).to_contain_text("칭찬이 본문의 100 %입니다")
        await expect(page.locator("#new-conversation")).to_have_text("새 대화")
        await expect(page.locator("html")).to_have_attribute("lang", "ko")


@pytest.mark.parametrize("options", [PHONE, {"viewport": {"width": 1280, "height": 800}}])
async def test_nothing_scrolls_sideways(served: Served, browser: Browser, options: dict[str, object]) -> None:
    message = await served.write("c1", "Refactor " + "x" * 400)
    await refactoring(served.team, message)
    turn = await served.team.start(message, "developer")
    await served.team.begin_tool(turn, "Bash", '{"command":"' + "y" * 900 + '"}')
    await served.team.reply(turn, f"{'z' * 500}\n\n```\n{'c' * 600}\n```\n\n|{'a' * 90}|{'b' * 90}|\n|-|-|\n|1|2|")
    async with open_page(browser, conversation(served, "c1"), **options) as page:
        await expect(page.locator(".reply")).to_have_count(3)
        for summary in await page.locator(".decision > summary").all():
            await summary.click()
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert await page.evaluate("document.querySelector('#scroll').scrollWidth <= innerWidth")


async def test_the_menu_is_a_drawer_on_a_phone(served: Served, browser: Browser) -> None:
    await served.write("one", "first topic")
    async with open_page(browser, conversation(served, "two"), **PHONE) as page:
        await expect(page.locator("#sidebar")).not_to_be_visible()
        await page.tap("#open-menu")
        await page.tap(".conversation >> text=first topic")
        await expect(page.locator("#sidebar")).not_to_be_visible()
        await expect(page.locator(".bubble")).to_have_text("first topic")


async def background(page: Page) -> str:
    return str(await page.evaluate("getComputedStyle(document.body).backgroundColor"))


async def test_the_theme_follows_the_system_until_it_is_chosen(served: Served, browser: Browser) -> None:
    async with open_page(browser, served.url, color_scheme="dark") as page:
        dark = await background(page)
        await page.click("#theme")
        light = await background(page)
        await page.reload()
        assert await background(page) == light != dark
        await page.click("#theme")
        assert await background(page) == dark


async def test_the_stop_button_stops_the_conversation(served: Served, browser: Browser) -> None:
    message = await served.write("c1", "go")
    turn = await served.team.start(message, "developer")
    async with open_page(browser, conversation(served, "c1")) as page:
        await page.click("#stop")
        await until(lambda: len(served.inlet.stopped) == 1)
        await served.team.give_up(turn, TurnState.STOPPED, NoticeKind.STOPPED, "Stopped by Person.")
        await expect(page.locator(".notice")).to_contain_text("Stopped by Person.")
        await expect(page.locator("#stop")).not_to_be_visible()
    assert served.inlet.stopped[0][0] == message.key


async def test_a_command_is_refused_in_the_language_of_the_page_and_code_is_code(
    served: Served, browser: Browser
) -> None:
    served.inlet.refusal = MessageRefused(Said("Write `/developer refactor`.", "`/developer refactor`라고 쓰세요."))
    small = {"viewport": {"width": 390, "height": 560}, "locale": "ko-KR"}
    async with open_page(browser, conversation(served, "c1"), **small) as page:
        await expect(page.locator("#empty h3")).to_be_in_viewport()  # what is suggested begins with its heading
        await page.fill(BOX, "/developer refacto cart.py")
        await page.locator("#send").click()
        await expect(page.locator("#refusal")).to_have_text("/developer refactor라고 쓰세요.")
        await expect(page.locator("#refusal code")).to_have_text("/developer refactor")


async def test_a_refused_message_comes_back_with_the_sentence(served: Served, browser: Browser) -> None:
    served.inlet.refusal = QueueFull(scope="this conversation", limit=50)
    async with open_page(browser, conversation(served, "c1")) as page:
        await page.fill(BOX, "important")
        await page.press(BOX, "Enter")
        await expect(page.locator("#refusal")).to_contain_text("is full (50 messages wait)")
        await expect(page.locator(BOX)).to_have_value("important")
        await expect(page.locator(".message")).to_have_count(0)
        served.inlet.refusal = None
        await page.press(BOX, "Enter")
        await expect(page.locator(".bubble")).to_have_text("important")
        await expect(page.locator("#refusal")).not_to_be_visible()
    assert len(served.inlet.delivered) == 1


async def test_the_page_says_when_the_connection_is_lost_and_catches_up(browser: Browser) -> None:
    async with serve() as first:
        url, inlet = first.url, first.inlet
        page_opened = open_page(browser, conversation(first, "c1"))
        page = await page_opened.__aenter__()
        await expect(page.locator("#empty")).to_be_visible()
    await expect(page.locator("#connection")).to_contain_text("Connection lost")
    async with serve(WebSettings(port=int(url.rsplit(":", 1)[1])), inlet=inlet) as again:
        turn = await again.team.start(await again.write("c1", "written meanwhile"), "lead")
        await again.team.reply(turn, "answered meanwhile")
        await expect(page.locator("#connection")).to_contain_text("Connected again", timeout=15_000)
        await expect(page.locator(".reply .text")).to_have_text("answered meanwhile")
        await page_opened.__aexit__(None, None, None)


async def test_a_hidden_page_gives_its_connection_back_and_catches_up_when_it_is_seen(browser: Browser) -> None:
    hide = """hidden => {
        Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
    }"""
    pages = LivePages()
    async with serve(pages=pages) as served:
        message = await served.write("c1", "What is left?")
        async with open_page(browser, conversation(served, "c1")) as page:
            await until(lambda: len(pages) == 1)
            await page.evaluate(hide, True)
            await until(lambda: len(pages) == 0)
            turn = await served.team.start(message, "lead")
            await served.team.reply(turn, "Two files.")
            await page.evaluate(hide, False)
            await expect(page.locator(".reply .text")).to_have_text("Two files.")


async def test_a_persona_is_named_by_keyboard(served: Served, browser: Browser) -> None:
    async with open_page(browser, conversation(served, "c1")) as page:
        await page.focus(BOX)
        await page.keyboard.type("please @")
        await expect(page.locator("#mentions li")).to_have_count(3)
        await page.keyboard.press("ArrowDown")
        await page.keyboard.press("Enter")
        await expect(page.locator(BOX)).to_have_value("please @developer ")
        await page.keyboard.type("fix it @rev")
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        assert (await served.delivered(1)).text == "please @developer fix it @reviewer "


async def test_a_long_history_opens_at_its_end_and_earlier_messages_can_be_read(
    served: Served, browser: Browser
) -> None:
    for number in range(150):
        turn = await served.team.start(await served.write("c1", f"question {number}"), "lead")
        await served.team.reply(turn, f"answer {number}")
    async with open_page(browser, conversation(served, "c1")) as page:
        await expect(page.locator(".message")).to_have_count(100)
        await expect(page.get_by_text("answer 149", exact=True)).to_be_in_viewport()
        await page.click("#earlier")
        await expect(page.locator(".message")).to_have_count(150)
        await expect(page.locator("#earlier")).not_to_be_visible()


async def test_an_open_decision_stays_open_while_more_arrives(served: Served, browser: Browser) -> None:
    message = await served.write("c1", "go")
    turn = await served.team.start(message, "developer")
    await served.team.reply(turn, "first")
    async with open_page(browser, conversation(served, "c1")) as page:
        await page.click(".decision > summary")
        other = await served.team.start(message, "reviewer")
        await served.team.reply(other, "second")
        await expect(page.locator(".reply")).to_have_count(2)
        await expect(page.locator(".decision[open]")).to_have_count(1)
