"""Commands, files, and access on the page, in a headless Chromium."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.async_api import Browser, FilePayload, expect

from mama_bot.errors import QueueFull, StoreUnavailable
from mama_bot.model import (
    DESCRIPTIONS,
    Answer,
    CommandName,
    Hearing,
    MessageId,
    MessageStanding,
    Notice,
    NoticeKind,
    OutboxEntry,
    Platform,
    PostId,
    StandingState,
    TurnId,
)
from mama_bot.testing.memory_core import MemoryPairings
from mama_bot.wording import Language, Said
from tests.gateways.under_test import a_question, an_answer
from tests.gateways.web.browser import ONE_LOOP, open_page
from tests.gateways.web.harness import Served, serve, web_key
from tests.waiting import until

pytestmark = [pytest.mark.browser, ONE_LOOP]

BOX = "#text"
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010804000000b51c0c020000000b4944415478da6364600000000600023081"
    "d02f0000000049454e44ae426082"
)
PICTURE: FilePayload = {"name": "고양이.png", "mimeType": "image/png", "buffer": PIXEL}
NOTES: FilePayload = {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"remember"}


async def test_a_command_is_answered_as_a_line_of_the_service_and_is_no_message(
    served: Served, browser: Browser
) -> None:
    served.inlet.answer = Answer(text="**Developer** has been at work for 3 s <b>x</b>")
    async with open_page(browser, f"{served.url}/#/c/c1") as page:
        await page.fill(BOX, "/usage 30 days")
        await page.press(BOX, "Enter")
        answer = page.locator(".answer")
        await expect(answer.locator("code").first).to_have_text("/usage 30 days")
        await expect(answer.locator(".text strong")).to_have_text("Developer")
        await expect(answer.locator(".text")).to_contain_text("<b>x</b>")
        await expect(page.locator(BOX)).to_have_value("")
    [command] = served.inlet.commands
    assert (command.name, command.argument, command.language) == (CommandName.USAGE, "30 days", Language.ENGLISH)
    assert served.inlet.delivered == []


async def test_a_slash_suggests_the_commands_by_keyboard(served: Served, browser: Browser) -> None:
    async with open_page(browser, f"{served.url}/#/c/c1") as page:
        await page.type(BOX, "/")
        await expect(page.locator("#mentions li")).to_have_count(len(DESCRIPTIONS))
        await page.type(BOX, "st")
        await expect(page.locator("#mentions li")).to_have_count(2)
        await page.press(BOX, "ArrowDown")
        await page.press(BOX, "Enter")
        await expect(page.locator(BOX)).to_have_value("/stop ")
        await page.press(BOX, "Enter")
        await expect(page.locator(".answer")).to_have_count(1)
        await page.type(BOX, "/dev")  # a command of a persona: a message to it
        await expect(page.locator("#mentions li")).to_have_text(["/developer refactor FILESimpler"])
        await page.press(BOX, "Enter")
        await page.type(BOX, "pay.py")
        await page.press(BOX, "Enter")
        message = await served.delivered(1)
    assert message.text == "/developer refactor pay.py"
    assert [command.name for command in served.inlet.commands] == [CommandName.STOP]


async def test_the_name_of_a_persona_and_enter_asks_for_its_commands(served: Served, browser: Browser) -> None:
    async with open_page(browser, f"{served.url}/#/c/c1") as page:
        await page.type(BOX, "/developer")
        await page.press(BOX, "Enter")
        await expect(page.locator(".answer")).to_have_count(1)
    [command] = served.inlet.commands
    assert (command.name, command.argument) == (CommandName.HELP, "/developer")
    assert served.inlet.delivered == []


async def test_a_name_that_is_typed_out_is_not_made_a_longer_one(served: Served, browser: Browser) -> None:
    async with open_page(browser, f"{served.url}/#/c/c1") as page:
        await page.type(BOX, "/rep")
        await expect(page.locator("#mentions li")).to_have_count(2)  # /repo and /report
        await page.type(BOX, "o")
        await expect(page.locator("#mentions li")).to_have_count(0)
        await page.press(BOX, "Enter")
        await expect(page.locator(".answer")).to_have_count(1)
    assert [command.name for command in served.inlet.commands] == [CommandName.REPO]


@pytest.mark.parametrize("text", ["/etc/hosts is wrong", "/etc is full", "see /status"])
async def test_what_is_no_command_is_a_message(served: Served, browser: Browser, text: str) -> None:
    async with open_page(browser, f"{served.url}/#/c/c1") as page:
        await page.fill(BOX, text)
        await page.press(BOX, "Enter")
        message = await served.delivered(1)
    assert message.text == text
    assert served.inlet.commands == []


@pytest.mark.parametrize(
    ("text", "asked"), [("/nonsense", "/nonsense"), ("/stauts", "/stauts"), ("/usgae 30", "/usgae")]
)
async def test_what_is_nearly_a_command_asks_for_help_with_it(
    served: Served, browser: Browser, text: str, asked: str
) -> None:
    async with open_page(browser, f"{served.url}/#/c/c1") as page:
        await page.fill(BOX, text)
        await page.press(BOX, "Enter")
        await expect(page.locator(".answer")).to_have_count(1)
    [command] = served.inlet.commands
    assert (command.name, command.argument) == (CommandName.HELP, asked)
    assert served.inlet.delivered == []


async def test_a_command_in_korean_asks_for_korean(served: Served, browser: Browser) -> None:
    async with open_page(browser, f"{served.url}/#/c/c1", locale="ko-KR") as page:
        await page.type(BOX, "/st")
        await expect(page.locator("#mentions li").first).to_contain_text("이 대화에서")
        await page.fill(BOX, "/status")
        await page.press(BOX, "Enter")
        await expect(page.locator(".answer")).to_have_count(1)
    assert served.inlet.commands[0].language == Language.KOREAN


async def test_a_command_that_fails_comes_back_with_the_sentence(served: Served, browser: Browser) -> None:
    served.inlet.refusal = StoreUnavailable(url="sqlite://", reason="locked", remedy="Wait.")
    async with open_page(browser, f"{served.url}/#/c/c1") as page:
        await page.fill(BOX, "/status")
        await page.press(BOX, "Enter")
        await expect(page.locator("#refusal")).to_contain_text("locked")
        await expect(page.locator(BOX)).to_have_value("/status")


async def test_files_are_chosen_sent_and_shown_with_the_message(served: Served, browser: Browser) -> None:
    async with open_page(browser, f"{served.url}/#/c/c1") as page:
        await expect(page.locator("#attach")).to_have_attribute("title", "Attach files: at most 10, 10 MB each")
        await page.set_input_files("#file-input", [PICTURE, NOTES])
        await expect(page.locator("#attached .file-name")).to_have_text(["고양이.png", "notes.txt"])
        await page.press(BOX, "Enter")
        message = await served.delivered(1)
        image = page.locator(".message .picture img")
        await expect(image).to_be_visible()
        await expect(image).to_have_js_property("naturalWidth", 1)
        async with page.expect_download() as download:
            await page.locator(".message a.file").click()
        saved = await (await download.value).path()
        assert Path(saved).read_bytes() == b"remember"
        await expect(page.locator("#attached")).to_be_hidden()
    assert [file.name for file in message.attachments] == ["고양이.png", "notes.txt"]


async def test_dropped_files_are_attached_and_can_be_taken_off(served: Served, browser: Browser) -> None:
    async with open_page(browser, f"{served.url}/#/c/c1") as page:
        await expect(page.locator("#empty")).to_be_visible()
        carried = await page.evaluate_handle(
            "() => { const all = new DataTransfer(); all.items.add(new File(['x'], 'dropped.txt')); return all; }"
        )
        await page.dispatch_event(".main", "dragenter", {"dataTransfer": carried})
        await expect(page.locator(".main.dropping")).to_be_visible()
        await page.dispatch_event(".main", "drop", {"dataTransfer": carried})
        await expect(page.locator("#attached .file-name")).to_have_text(["dropped.txt"])
        await page.locator("#attached button").click()
        await expect(page.locator("#attached")).to_be_hidden()


async def test_too_large_a_file_is_refused_before_it_is_sent(served: Served, browser: Browser) -> None:
    async with open_page(browser, f"{served.url}/#/c/c1") as page:
        await expect(page.locator("#empty")).to_be_visible()
        await page.evaluate(
            """() => { const all = new DataTransfer();
            all.items.add(new File([new Uint8Array(10485761)], 'big.bin'));
            const drop = new DragEvent('drop', {dataTransfer: all, bubbles: true});
            document.querySelector('.main').dispatchEvent(drop); }"""
        )
        await expect(page.locator("#refusal")).to_contain_text("big.bin is larger than 10 MB")
        await expect(page.locator("#attached")).to_be_hidden()


async def test_the_files_of_a_refused_message_come_back(served: Served, browser: Browser) -> None:
    served.inlet.refusal = QueueFull(scope="this conversation", limit=3)
    async with open_page(browser, f"{served.url}/#/c/c1") as page:
        await page.set_input_files("#file-input", [NOTES])
        await page.fill(BOX, "see")
        await page.press(BOX, "Enter")
        await expect(page.locator("#refusal")).to_be_visible()
        await expect(page.locator("#attached .file-name")).to_have_text(["notes.txt"])
        served.inlet.refusal = None
        await page.press(BOX, "Enter")
        message = await served.delivered(1)
    assert (message.text, len(message.attachments)) == ("see", 1)


async def test_platforms_show_whether_they_hear_and_requests_are_confirmed(browser: Browser) -> None:
    pairings = MemoryPairings()
    await pairings.ask(Platform("slack"), "U1", "Kim", code="ABCD-EFGH")
    await pairings.ask(Platform("slack"), "U2", "<b>Lee</b>", code="JKLM-NPQR")
    heard = {
        Platform("web"): Hearing(ok=True),
        Platform("discord"): Hearing(ok=True),
        Platform("slack"): Hearing(ok=False, reasons=(Said("The token was revoked.", "토큰이 취소되었습니다."),)),
    }
    async with (
        serve(pairings=pairings, hearing=lambda: heard) as served,
        open_page(browser, f"{served.url}/#/c/c1") as page,
    ):
        await expect(page.locator("#platforms li")).to_have_count(2)
        await expect(page.locator("#platforms .deaf")).to_contain_text("The token was revoked.")
        await expect(page.locator("#requests li").first).to_contain_text("<b>Lee</b>")
        await page.locator("#requests .deny").first.click()
        await expect(page.locator("#requests li")).to_have_count(1)
        await page.locator("#requests .approve").click()
        await expect(page.locator("#people li")).to_contain_text("Kim")
        await expect(page.locator("#requests li")).to_have_count(0)


async def test_without_chat_platforms_there_is_no_panel(served: Served, browser: Browser) -> None:
    async with open_page(browser, f"{served.url}/#/c/c1") as page:
        await expect(page.locator("#team .member").first).to_be_visible()
        await expect(page.locator("#access")).to_be_hidden()


async def test_a_line_that_asks_for_a_decision_has_buttons(served: Served, browser: Browser) -> None:
    message = await served.write("c1", "go")
    notice = Notice(
        id=PostId("n1"), key=web_key("c1"), notice=NoticeKind.PAIRING, text="Kim asks.", approval="ABCD-EFGH"
    )
    served.history.posts.append(OutboxEntry(post=notice, created_at=message.received_at))
    async with open_page(browser, f"{served.url}/#/c/c1") as page:
        await page.locator(".notice .approve").click()
        await until(lambda: bool(served.inlet.commands))
        await expect(page.locator(".answer")).to_have_count(1)
    [command] = served.inlet.commands
    assert (command.name, command.argument) == (CommandName.APPROVE, "ABCD-EFGH")


async def test_a_question_shows_all_that_would_run_and_then_who_answered_it(served: Served, browser: Browser) -> None:
    message = await served.write("c1", "go")
    hidden = "make deploy" + " " * 300 + "; echo paid"
    question = a_question(web_key("c1"), text=f"**#3 · Developer** asks.\n\n```sh\n{hidden}\n```")
    served.history.posts.append(OutboxEntry(post=question, created_at=message.received_at))
    async with open_page(browser, f"{served.url}/#/c/c1") as page:
        asked = page.locator(".question.open")
        await expect(asked).to_contain_text("Answer within 10 min.")
        await expect(asked.locator(".settle")).to_have_text(["Approve", "Deny", "Always here"])
        code = asked.locator("pre")
        assert await code.evaluate("node => node.scrollWidth <= node.clientWidth")  # nothing beyond the edge
        await asked.locator(".approve").click()
        await until(lambda: bool(served.inlet.commands))
        answer = an_answer(question)
        served.history.posts.append(OutboxEntry(post=answer, created_at=message.received_at))
        assert await served.gateway.settle(question, answer, question.id)
        await expect(page.locator(".question.settled .answered-by")).to_contain_text("#3: approved by Kim.")
        await expect(page.locator(".question .settle")).to_have_count(0)
        await expect(page.locator(".notice.answered")).to_have_count(0)
        asks = replace(
            question, id=PostId("question.4"), notice=NoticeKind.ASKED, approval="tool-4", choices=("예 {}", "No")
        )
        served.history.posts.append(OutboxEntry(post=asks, created_at=message.received_at))
        await page.reload()
        asked = page.locator(".question.open")
        await expect(asked.locator(".settle")).to_have_text(["예 {}", "No"])
        await asked.locator(".settle").nth(1).click()
        await until(lambda: len(served.inlet.commands) == 2)
    commands = [(command.name, command.argument) for command in served.inlet.commands]
    assert commands == [(CommandName.APPROVE, "tool-3"), (CommandName.ANSWER, "tool-4 2")]


@pytest.mark.parametrize("locale", ["en-US", "ko-KR"])
async def test_nothing_of_it_scrolls_sideways_on_a_phone(browser: Browser, locale: str) -> None:
    pairings = MemoryPairings()
    await pairings.ask(Platform("slack"), "U1", "x" * 80, code="ABCD-EFGH")
    deaf = {
        Platform("slack"): Hearing(ok=False, reasons=(Said("The token was revoked.", "토큰이 취소되었습니다."),) * 20)
    }
    phone = {"viewport": {"width": 360, "height": 740}, "locale": locale}
    long: FilePayload = {"name": "x" * 90 + ".txt", "mimeType": "text/plain", "buffer": b"x"}
    async with serve(pairings=pairings, hearing=lambda: deaf) as served:
        served.inlet.answer = Answer(text="| a | b |\n|---|---|\n| " + "x" * 300 + " | `" + "y" * 300 + "` |")
        async with open_page(browser, f"{served.url}/#/c/c1", **phone) as page:
            await page.set_input_files("#file-input", [long, PICTURE])
            await page.press(BOX, "Enter")
            await served.delivered(1)
            await page.fill(BOX, "/usage")
            await page.press(BOX, "Enter")
            await expect(page.locator(".answer")).to_have_count(1)
            await page.set_input_files("#file-input", [long])
            await page.fill(BOX, "/")
            assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            await page.click("#open-menu")
            await expect(page.locator("#requests .approve")).to_be_visible()
            assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def test_what_failed_is_asked_again_or_goes_on_from_the_page(served: Served, browser: Browser) -> None:
    notice = Notice(
        id=PostId("m1.0.failed"),
        key=web_key("c1"),
        notice=NoticeKind.FAILED,
        text="developer 에이전트가 시간 안에 답하지 못했습니다.",
        turn_id=TurnId("m1.0"),
        answers=MessageId("m1"),
    )
    served.history.posts.append(OutboxEntry(post=notice, created_at=datetime.now(UTC)))
    async with open_page(browser, f"{served.url}/#/c/c1") as page:
        await page.click(".settle.retry")
        await expect(page.locator(".answer")).to_have_count(1)
        await page.click(".settle.continue")
        await expect(page.locator(".answer")).to_have_count(2)
    asked = [(command.name, command.post_id) for command in served.inlet.commands]
    assert asked == [(CommandName.RETRY, notice.id), (CommandName.CONTINUE, notice.id)]


async def test_a_message_in_line_says_where_it_stands_and_can_be_handed_over(served: Served, browser: Browser) -> None:
    first, second = await served.write("c1", "하나"), await served.write("c1", "둘")
    async with open_page(browser, f"{served.url}/#/c/c1") as page:
        lines = page.locator(".message .waiting")
        await expect(lines).to_have_text(["Waits for a free agent", "Number 2 in line"])
        await expect(page.locator(".settle.tell")).to_have_count(1)
        await page.click(".settle.tell")
        await until(lambda: len(served.inlet.commands) == 1)
        # What a person wrote is taken back as a message: it is edited and deleted.
        await expect(page.locator(".settle.remove")).to_have_count(2)
        await expect(page.locator(".settle.cancel")).to_have_count(0)
        served.history.added.add(second.id)
        for message, state in ((first, StandingState.WORKING), (second, StandingState.ADDED)):
            served.history.answered.add(message.id)
            await served.gateway.mark(MessageStanding(message_id=message.id, key=message.key, state=state))
        await expect(lines).to_have_text(["The agent at work was told"])
    assert [command.name for command in served.inlet.commands] == [CommandName.TELL]
