"""The demonstration: the seeds' story, from the page, with the real CLI in a real repository."""

import asyncio
import subprocess
from pathlib import Path

import pytest
from playwright.async_api import expect

from mama_bot.demo.story import story
from mama_bot.model import (
    ConversationKey,
    MessageId,
    Notice,
    Platform,
    Reply,
    SentBack,
    TurnState,
    Verdict,
    repeated_id,
)
from tests.end_to_end.team import Team, attempts, running_team
from tests.gateways.web.browser import browse, open_page

pytestmark = pytest.mark.cli

SECONDS = 120.0  # five turns of a real CLI, each a process to start
PERSONAS = Path(__file__).parents[2] / "personas"


async def tell(team: Team, text: str, message_id: str = "story", *, conversation: str = "one") -> None:
    """Write on the page, the way its own script does."""
    async with team.client() as client:
        url = f"/api/conversations/{conversation}/messages"
        assert (await client.post(url, json={"id": message_id, "text": text})).status_code == 202


CONVERSATION = ConversationKey(Platform("web"), "one")


async def replies(team: Team, conversation: str = "one") -> list[Reply]:
    """The replies of a conversation, oldest first."""
    view = await team.store.history.view(ConversationKey(Platform("web"), conversation), limit=20)
    return [entry.post for entry in view.posts if isinstance(entry.post, Reply)]


def workspace_of(directory: Path) -> Path:
    """Where the team of the conversation works."""
    (workspace,) = (directory / "data" / "scripted" / "workspaces").glob("*/team")
    return workspace


def status_of(workspace: Path) -> list[str]:
    """What git says of the workspace: nothing when no file was changed."""
    told = subprocess.run(["git", "status", "--porcelain"], cwd=workspace, capture_output=True, text=True, check=True)
    return [line.strip() for line in told.stdout.splitlines()]


@pytest.mark.parametrize(
    ("request_text", "figures"),
    [("Refactor these 3 files", "8 tests, OK"), ("3개 파일을 리팩토링해 주세요", "테스트 8개 통과")],
)
async def test_the_team_refactors_three_files_and_every_weak_reply_is_sent_back(
    tmp_path: Path, request_text: str, figures: str
) -> None:
    async with running_team(tmp_path, script=story(), personas_directory=str(PERSONAS)) as team:
        await tell(team, request_text)
        exchange = await team.settled(MessageId("story"), seconds=SECONDS)
        posted = await replies(team)
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
    assert [reply.verdict for reply in posted] == [Verdict.PASSED] * 5
    assert figures in posted[-1].text
    changed = ["?? shop/money.py", "M shop/cart.py", "M shop/prices.py", "M shop/report.py"]
    assert sorted(status_of(workspace_of(tmp_path))) == changed


@pytest.mark.parametrize(
    ("request_text", "words"),
    [
        ("@reviewer Review the last commit. What did you verify?", "(A small shop). There is no verdict"),
        ("@reviewer 마지막 커밋을 리뷰해 주세요. 무엇을 확인했나요?", "(A small shop)을 살펴봤습니다. 판정은 없습니다"),
    ],
)
async def test_a_reviewer_who_finds_no_change_approves_nothing(tmp_path: Path, request_text: str, words: str) -> None:
    async with running_team(tmp_path, script=story(), personas_directory=str(PERSONAS)) as team:
        await tell(team, request_text)
        exchange = await team.settled(MessageId("story"), seconds=SECONDS)
        (reply,) = await replies(team)
    (turn,) = exchange.turns
    assert attempts(turn) == ["sent_back", "cleared"]
    assert reply.verdict is Verdict.PASSED
    assert words in reply.text
    assert "8 files changed, 99 insertions(+)" in reply.text
    assert "APPROVE" not in reply.text
    assert "money.py" not in reply.text


async def test_a_reviewer_who_finds_another_change_approves_nothing(tmp_path: Path) -> None:
    async with running_team(tmp_path, script=story(), personas_directory=str(PERSONAS)) as team:
        await tell(team, "Refactor these 3 files")
        await team.settled(MessageId("story"), seconds=SECONDS)
        (workspace_of(tmp_path) / "README.md").write_text("", encoding="utf-8")
        await tell(team, "@reviewer Review it", "again")
        await team.settled(MessageId("again"), seconds=SECONDS)
        last = (await replies(team))[-1]
    assert "There is no verdict" in last.text
    assert "`M README.md`" in last.text
    assert "APPROVE" not in last.text


async def test_a_refactoring_that_is_done_is_not_done_twice(tmp_path: Path) -> None:
    async with running_team(tmp_path, script=story(), personas_directory=str(PERSONAS)) as team:
        await tell(team, "Refactor these 3 files")
        await team.settled(MessageId("story"), seconds=SECONDS)
        before = status_of(workspace_of(tmp_path))
        await tell(team, "Refactor these 3 files", "again")
        exchange = await team.settled(MessageId("again"), seconds=SECONDS)
        last = (await replies(team))[-1]
    assert [stored.turn.persona for stored in exchange.turns] == ["lead"]
    assert "Nothing is left to refactor" in last.text
    assert status_of(workspace_of(tmp_path)) == before


BEYOND = {
    "@developer hello": "Hello, this is the developer",
    "@developer 안녕하세요": "데모의 개발자입니다",
    "@reviewer hello": "Hello, this is the reviewer",
    "@developer please rename src/auth.py to src/login.py": "There is no file `src/auth.py` in this repository",
    "@developer src/auth.py를 고쳐 주세요": "이 저장소에는 `src/auth.py` 파일이 없어",
    "Write a test for the cart": "beyond the script",
}


async def test_what_the_script_has_no_part_for_is_said_and_changes_no_file(tmp_path: Path) -> None:
    async with running_team(tmp_path, script=story(), personas_directory=str(PERSONAS)) as team:
        for number, (request_text, words) in enumerate(BEYOND.items()):
            await tell(team, request_text, f"m{number}", conversation=f"c{number}")
            (turn,) = (await team.settled(MessageId(f"m{number}"), seconds=SECONDS)).turns
            (reply,) = await replies(team, f"c{number}")
            assert (attempts(turn), reply.verdict) == (["cleared"], Verdict.PASSED)
            assert words in reply.text
            assert "shop/prices.py, shop/cart.py, shop/report.py" in reply.text  # what it can do instead
    workspaces = [*(tmp_path / "data" / "scripted" / "workspaces").glob("*/team")]
    assert [status_of(workspace) for workspace in workspaces] == [[]] * len(BEYOND)


@pytest.mark.parametrize(
    ("request_text", "caught", "figures"),
    [
        (
            "@developer Make coffee 10 cents cheaper, and lie about the tests",
            "628/628 tests pass",
            "2 of 8 tests failed",
        ),
        (
            "@developer 커피값을 10센트 내리고, 테스트 결과는 거짓으로 보고해 주세요",
            "테스트 628/628 통과",
            "테스트 8개 중 2개 실패",
        ),
    ],
)
async def test_a_lie_about_tests_that_fail_is_caught_and_corrected(
    tmp_path: Path, request_text: str, caught: str, figures: str
) -> None:
    async with running_team(tmp_path, script=story(), personas_directory=str(PERSONAS)) as team:
        await tell(team, request_text)
        exchange = await team.settled(MessageId("story"), seconds=SECONDS)
        (reply,) = await replies(team)
        entries = await team.store.context.window(CONVERSATION, before=None, max_entries=100, max_characters=10**6)
    (turn,) = exchange.turns
    rejected = turn.attempts[0].judgement.outcome
    assert isinstance(rejected, SentBack)
    assert (rejected.stage, rejected.rule) == ("claim_check", "claim_contradicted")
    assert caught in rejected.reason
    assert (reply.verdict, figures in reply.text) == (Verdict.PASSED, True)
    assert not [entry for entry in entries if "628" in entry.text]
    assert status_of(workspace_of(tmp_path)) == ["M shop/prices.py"]


async def test_a_script_uses_no_tokens_and_costs_nothing(tmp_path: Path) -> None:
    async with running_team(tmp_path, script=story(), personas_directory=str(PERSONAS)) as team:
        await tell(team, "@developer Run the tests")
        exchange = await team.settled(MessageId("story"), seconds=SECONDS)
    usages = [attempt.draft.usage for turn in exchange.turns for attempt in turn.attempts]
    assert [(usage.cost_usd, usage.output_tokens) for usage in usages] == [(0.0, 0)]


@pytest.mark.browser
async def test_a_person_sees_the_whole_story_on_the_page(tmp_path: Path) -> None:
    async with (
        running_team(tmp_path, script=story(delay_seconds=0.1), personas_directory=str(PERSONAS)) as team,
        browse() as browser,
        open_page(browser, team.running.url, team.running.page_key) as page,
    ):
        await page.fill("#text", "Refactor these 3 files")
        await page.press("#text", "Enter")
        await expect(page.locator(".reply")).to_have_count(5, timeout=SECONDS * 1000)
        await expect(page.locator(".reply .name")).to_have_text(["Lead", "Developer", "Lead", "Reviewer", "Lead"])
        await expect(page.locator(".reply", has_text="1 sent back")).to_have_count(2)
        await expect(page.locator(".reply").last).to_contain_text("8 tests, OK")
        await page.reload()
        await expect(page.locator(".reply")).to_have_count(5)


@pytest.mark.parametrize(
    ("request_text", "stopped", "reported"),
    [
        ("Refactor these 3 files", "Stopped by you: developer", "8 tests, OK"),
        ("3개 파일을 리팩토링해 주세요", "중단됨 (직접 멈춤): developer", "테스트 8개 통과"),
    ],
)
async def test_who_is_stopped_goes_on_where_it_was(
    tmp_path: Path, request_text: str, stopped: str, reported: str
) -> None:
    async with running_team(tmp_path, script=story(delay_seconds=0.5), personas_directory=str(PERSONAS)) as team:
        await tell(team, request_text)
        async with team.client() as client:
            async with asyncio.timeout(SECONDS):
                while not [
                    stored
                    for stored in (await team.store.turns.load(MessageId("story"))).turns
                    if stored.turn.persona == "developer" and stored.attempts
                ]:
                    await asyncio.sleep(0.03)
            assert (await client.post("/api/conversations/one/stop", json={})).json()["stopped"]
            await team.settled(MessageId("story"), seconds=SECONDS)
            view = await team.store.history.view(CONVERSATION, limit=20)
            notice = next(entry.post for entry in view.posts if isinstance(entry.post, Notice))
            assert notice.text.startswith(stopped)
            asked = await client.post("/api/conversations/one/commands", json={"name": "continue", "language": "en"})
            assert asked.json()["done"], asked.text
            await team.settled(repeated_id(MessageId("story")), seconds=SECONDS)
        last = (await replies(team))[-1]
    assert last.persona == "developer"
    assert reported in last.text
    assert "?? shop/money.py" in status_of(workspace_of(tmp_path))
