"""The demonstration: the seeds' story, from the page, with the real CLI in a real repository."""

import subprocess
from pathlib import Path

import pytest
from playwright.async_api import expect

from mama_bot.demo.story import story
from mama_bot.model import ConversationKey, MessageId, Platform, SentBack, TurnState, Verdict
from tests.end_to_end.team import Team, attempts, running_team
from tests.gateways.web.browser import browse, open_page

pytestmark = pytest.mark.cli

PERSONAS = Path(__file__).parents[2] / "personas"


async def tell(team: Team, text: str, message_id: str = "story") -> None:
    """Write on the page, the way its own script does, and wait for the end of the exchange."""
    async with team.client() as client:
        url = "/api/conversations/one/messages"
        assert (await client.post(url, json={"id": message_id, "text": text})).status_code == 202


@pytest.mark.parametrize(
    ("request_text", "figures"),
    [("Refactor these 3 files", "8 tests, OK"), ("3개 파일을 리팩토링해 주세요", "테스트 8개 통과")],
)
async def test_the_team_refactors_three_files_and_every_weak_reply_is_sent_back(
    tmp_path: Path, request_text: str, figures: str
) -> None:
    async with running_team(tmp_path, script=story(), personas_directory=str(PERSONAS)) as team:
        await tell(team, request_text)
        key = ConversationKey(Platform("web"), "one")
        exchange = await team.settled(MessageId("story"))
        view = await team.store.history.view(key, limit=10)
    personas = [stored.turn.persona for stored in exchange.turns]
    assert personas == ["lead", "developer", "lead", "reviewer", "lead"]
    assert {stored.state for stored in exchange.turns} == {TurnState.ANSWERED}
    assert [attempts(stored) for stored in exchange.turns] == [
        ["cleared"],
        ["sent_back", "cleared"],
        ["cleared"],
        ["sent_back", "cleared"],
        ["cleared"],
    ]
    refused = [exchange.turns[index].attempts[0].judgement.outcome for index in (1, 3)]
    assert [outcome.stage for outcome in refused if isinstance(outcome, SentBack)] == [
        "response_validator",
        "review_gate",
    ]
    replies = [entry.post for entry in view.posts if entry.post.kind == "reply"]
    assert [reply.verdict for reply in replies] == [Verdict.PASSED] * 5
    assert figures in replies[-1].text
    (workspace,) = (tmp_path / "data" / "scripted" / "workspaces").glob("*/team")
    status = subprocess.run(
        ["git", "status", "--porcelain"], cwd=workspace, capture_output=True, text=True, check=True
    ).stdout.split()
    assert sorted(status) == ["??", "M", "M", "M", "shop/cart.py", "shop/money.py", "shop/prices.py", "shop/report.py"]


@pytest.mark.parametrize(
    ("request_text", "words"),
    [
        ("@reviewer Review the last commit. What did you verify?", "There is no change to review"),
        ("@reviewer 마지막 커밋을 리뷰해 주세요. 무엇을 확인했나요?", "리뷰할 변경이 없어"),
    ],
)
async def test_a_reviewer_who_finds_no_change_approves_nothing(tmp_path: Path, request_text: str, words: str) -> None:
    async with running_team(tmp_path, script=story(), personas_directory=str(PERSONAS)) as team:
        await tell(team, request_text)
        exchange = await team.settled(MessageId("story"))
        view = await team.store.history.view(ConversationKey(Platform("web"), "one"), limit=10)
    (turn,) = exchange.turns
    assert attempts(turn) == ["sent_back", "cleared"]
    (reply,) = [entry.post for entry in view.posts if entry.post.kind == "reply"]
    assert reply.verdict is Verdict.PASSED
    assert words in reply.text
    assert "APPROVE" not in reply.text
    assert "money.py" not in reply.text


async def test_a_reviewer_who_finds_another_change_approves_nothing(tmp_path: Path) -> None:
    async with running_team(tmp_path, script=story(), personas_directory=str(PERSONAS)) as team:
        await tell(team, "Refactor these 3 files")
        await team.settled(MessageId("story"))
        (workspace,) = (tmp_path / "data" / "scripted" / "workspaces").glob("*/team")
        (workspace / "tests" / "test_shop.py").write_text("", encoding="utf-8")
        await tell(team, "@reviewer Review it", "again")
        await team.settled(MessageId("again"))
        view = await team.store.history.view(ConversationKey(Platform("web"), "one"), limit=20)
    replies = [entry.post for entry in view.posts if entry.post.kind == "reply"]
    assert "shows another change than that of the script" in replies[-1].text
    assert "APPROVE" not in replies[-1].text


@pytest.mark.browser
async def test_a_person_sees_the_whole_story_on_the_page(tmp_path: Path) -> None:
    async with (
        running_team(tmp_path, script=story(delay_seconds=0.1), personas_directory=str(PERSONAS)) as team,
        browse() as browser,
        open_page(browser, team.running.url, team.running.page_key) as page,
    ):
        await page.fill("#text", "Refactor these 3 files")
        await page.press("#text", "Enter")
        await expect(page.locator(".reply")).to_have_count(5, timeout=30_000)
        await expect(page.locator(".reply .name")).to_have_text(["Lead", "Developer", "Lead", "Reviewer", "Lead"])
        await expect(page.locator(".reply", has_text="1 sent back")).to_have_count(2)
        await expect(page.locator(".reply").last).to_contain_text("8 tests, OK")
        await page.reload()
        await expect(page.locator(".reply")).to_have_count(5)
