"""The diff of a reply on the page: unfolded by file, undone and brought again, in a real browser."""

import os
from pathlib import Path

import pytest
from playwright.async_api import expect

from mama_bot.model import MessageId
from tests.end_to_end.team import running_team
from tests.end_to_end.test_repositories import make_source, obeying, settings_for
from tests.gateways.web.browser import browse, open_page

pytestmark = [pytest.mark.cli, pytest.mark.browser]
HERE = "/api/conversations/c1"


async def test_a_change_is_shown_by_file_undone_and_brought_again(tmp_path: Path) -> None:
    source = make_source(tmp_path, greeting="hello\nworld\n")
    async with running_team(tmp_path, script=obeying(), **settings_for(source)) as team, team.client() as client:
        words = (
            "run printf 'hello\\nall <b>of</b> you\\n' > greeting; echo 안녕 > note; head -c 3000 /dev/zero > data.bin"
        )
        await client.post(f"{HERE}/messages", json={"id": "m1", "text": words})
        await team.settled(MessageId("m1"))
        async with browse() as browser, open_page(browser, f"{team.running.url}/#/c/c1", team.running.page_key) as page:
            reply = page.locator(".reply").first
            await reply.locator(".change > summary").click()
            await expect(reply.locator(".diff-path")).to_have_text(["data.bin", "greeting", "note"])
            await expect(reply.locator(".diff-file.plain")).to_contain_text("not shown")
            await expect(reply.locator(".diff-line.added")).to_have_text(["+all <b>of</b> you", "+안녕"])
            await expect(reply.locator(".diff-line.removed")).to_have_text(["-world"])
            if directory := os.environ.get("SCREENSHOTS"):
                await page.screenshot(path=f"{directory}/diff.png", full_page=True)
            await reply.locator(".settle.undo").click()
            line = page.locator(".notice.undone")
            await expect(line).to_contain_text("Changes were undone (")
            await expect(reply.locator(".settle.undo, .settle.merge")).to_have_count(0)  # there is nothing to undo now
            await reply.locator(".settle.redo").click()
            await expect(page.locator(".notice.deed")).to_have_count(1)
            await expect(line.locator(".settle.redo")).to_have_count(0)
            await reply.locator(".settle.merge").click()
            await expect(page.get_by_text("no check is known to have passed").first).to_be_visible()
            if directory:
                await page.screenshot(path=f"{directory}/anyway.png", full_page=True)
            await page.locator(".answer").get_by_role("button", name="Merge anyway").click()
            await expect(page.locator(".notice.deed")).to_have_count(2)
            if directory:
                await page.screenshot(path=f"{directory}/deeds.png", full_page=True)
    assert (source / "note").read_text() == "안녕\n"
