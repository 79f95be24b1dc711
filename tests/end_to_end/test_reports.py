"""A wrong verdict, from the page to the whitelist and back: reported, accepted by the command, and then passed."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml
from playwright.async_api import expect

from mama_bot.demo.model_script import ModelReply
from mama_bot.demo.model_server import ModelServer
from mama_bot.demo.story import story
from mama_bot.model import Author, Command, CommandName, Goal, Origin
from mama_bot.wording import Language
from tests.end_to_end.service_process import service_process
from tests.end_to_end.team import running_team, write_configuration
from tests.end_to_end.test_bad_input import command
from tests.gateways.web.browser import browse, open_page
from tests.scripted_queue import ScriptedQueue

pytestmark = pytest.mark.cli

PERSONAS = Path(__file__).parents[2] / "personas"
PRAISE = "What an excellent question! This is truly brilliant work, absolutely outstanding."


@pytest.mark.browser
async def test_a_text_that_was_rejected_passes_after_its_report_was_accepted_and_the_service_restarted(
    tmp_path: Path,
) -> None:
    file = write_configuration(tmp_path, claude={"source": "real", "api_retries": 0})
    file.write_text("# ours\n" + file.read_text(encoding="utf-8"), encoding="utf-8")
    script = ScriptedQueue()
    script.stick(ModelReply(text=PRAISE))
    async with ModelServer(script=script) as server, browse() as browser:
        variables = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "test"}
        async with service_process(file, variables) as service:
            await service.say("Is it safe?", conversation="one")
            async with open_page(browser, f"{service.url}/#/c/one", service.key) as page:
                reply = page.locator(".reply")
                await expect(reply.locator(".chip")).to_have_text("Passed with a note", timeout=30_000)
                await reply.locator(".decision > summary").click()
                await expect(reply.locator(".attempt.sent_back")).to_have_count(1)
                await reply.locator(".report > summary").first.click()
                await reply.locator(".report textarea").first.fill("The customer wrote that: 인용문")
                await reply.locator(".report-send").first.click()
                await expect(reply.locator(".reported").first).to_have_text("Reported as wrong (no. 1)")
                await page.click("#metrics-link")
                await expect(page.locator(".objections")).to_contain_text("praise_share")
            status, listed = await command("reports", "--config", str(file), "--json", **variables)
            assert status == 0
            (report,) = json.loads(listed)
            assert (report["text"], report["note"]) == (PRAISE, "The customer wrote that: 인용문")
            status, output = await command("reports", "accept", "1", "--config", str(file), **variables)
            assert status == 0, output
            assert "started again" in output
            posts = (await service.conversation("one"))["posts"]
            assert [post["kind"] for post in posts] == ["reply"]
            assert not any("brilliant" in json.dumps(event) for event in service.events)
            assert await service.terminate() == 0
        assert file.read_text(encoding="utf-8").startswith("# ours\n")
        accepted = tmp_path / "data" / "accepted.yaml"
        assert yaml.safe_load(accepted.read_text(encoding="utf-8"))["response_validator"]
        async with service_process(file, variables) as service:
            await service.say("And now?", conversation="one", message="second")
            await service.replies(2, "one")
            async with open_page(browser, f"{service.url}/#/c/one", service.key) as page:
                await expect(page.locator(".reply .chip")).to_have_text(["Passed with a note"])
                await expect(page.locator(".reported")).to_have_text(["Report no. 1 was accepted"])
            second = (await service.conversation("one"))["turns"][1]
            status, output = await command("metrics", "--days", "1", "--config", str(file), **variables)
    assert [attempt["outcome"]["kind"] for attempt in second["attempts"]] == ["cleared"]
    assert status == 0, output
    assert "3: 1 passed, 1 noted, 1 sent back" in output


@pytest.mark.parametrize(
    ("argument", "language", "told"),
    [
        ("missed nobody asked for a.py", Language.ENGLISH, "the reply passed, and should not have"),
        ("놓침 a.py를 묻지 않았어요", Language.KOREAN, "통과하지 말았어야 할 답변"),
    ],
)
async def test_a_reply_that_passed_is_reported_from_a_chat_and_counts_as_missed(
    tmp_path: Path, argument: str, language: Language, told: str
) -> None:
    script = ScriptedQueue()
    script.stick(ModelReply(text="`a.py:3` has 3 functions."))
    async with running_team(tmp_path, script=script) as team:
        await team.settled(await team.say("How long is b.py?"))
        [reply] = team.replies()
        kim = Author(id="kim", name="Kim")
        for argued in (argument, f"{argument}!"):
            command = Command(
                name=CommandName.REPORT,
                key=reply.key,
                author=kim,
                origin=Origin(),
                argument=argued,
                platform_id=f"memory-{reply.id}",
                language=language,
            )
            answer = await team.gateway.command(command)
            assert answer.done
            assert (told in answer.text) == (argued == argument)
        [report] = await team.store.reports.reports(settled=False, limit=10)
        now = datetime.now(UTC)
        measures = await team.store.measures.measure(since=now - timedelta(hours=1), until=now + timedelta(hours=1))
    assert (report.missed, report.text, len(report.further_notes)) == (True, reply.text, 1)
    assert (measures.total.missed, measures.total.passed) == (1, 1)


async def test_the_metrics_of_the_story_tell_what_was_written_from_what_was_posted(tmp_path: Path) -> None:
    async with running_team(tmp_path, script=story(), personas_directory=str(PERSONAS)) as team:
        exchange = await team.settled(await team.say("Refactor these 3 files"))
        now = datetime.now(UTC)
        measures = await team.store.measures.measure(since=now - timedelta(hours=1), until=now + timedelta(hours=1))
    total = measures.total
    goals = {measure.goal: measure for measure in total.goals}
    assert [agent.persona for agent in measures.agents] == ["developer", "lead", "reviewer"]
    assert (total.drafts, total.passed, total.sent_back, total.retries) == (7, 5, 2, 2)
    assert {(one.stage, one.effect) for one in total.objections} == {
        ("response_validator", "sent_back"),
        ("review_gate", "sent_back"),
    }
    assert total.turns == (("answered", len(exchange.turns)),)
    # Sent back in the turn: what each took is known by the messages that streamed.
    assert (total.retry_spending.known, total.retry_spending.unknown) == (2, 0)
    for goal in (Goal.FLATTERY, Goal.EMPTY_APPROVALS):
        drafts, posted = goals[goal].drafts.value, goals[goal].posted
        assert drafts is not None
        assert posted is not None
        assert drafts > goals[goal].target
        assert posted.value == 0
    assert goals[Goal.RETRIES].drafts.value == 1
