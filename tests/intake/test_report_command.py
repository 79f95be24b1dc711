"""`/report` and its button: a draft that was sent back wrongly, and a reply that should not have passed."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mama_bot.model import CommandName, ReportState, Verdict
from mama_bot.testing.scripted_agent import ScriptedAgentBackend
from mama_bot.wording import Language
from tests.end_to_end.team import Team, running_team
from tests.intake.test_chat_commands import KIM, give, script


@pytest.fixture
async def team(tmp_path: Path) -> AsyncIterator[Team]:
    async with running_team(tmp_path, backends={"claude": ScriptedAgentBackend(script=script)}) as team:
        yield team


async def test_a_verdict_is_reported_by_its_button_and_once(team: Team) -> None:
    await team.settled(await team.say("Praise me"))
    [reply] = team.replies()
    reported = await give(team, CommandName.REPORT, "it was meant so", platform_id=f"memory-{reply.id}")
    assert (reported.done, reported.text[:19]) == (True, "Reported as no. 1. ")
    again = await give(team, CommandName.REPORT, post_id=reply.id)
    hangul = await give(team, CommandName.REPORT, "칭찬이 아니라 사실입니다", post_id=reply.id)
    assert not again.done
    assert "신고 1번에 추가했습니다" in hangul.text
    [report] = await team.store.reports.reports(settled=False, limit=10)
    assert (report.note, report.reporter) == ("it was meant so", KIM)
    assert [note.text for note in report.further_notes] == ["칭찬이 아니라 사실입니다"]


async def test_the_button_of_a_reply_that_passed_reports_the_draft_that_was_sent_back(team: Team) -> None:
    await team.settled(await team.say("Do better after the first try"))
    [reply] = team.replies()
    assert reply.verdict is Verdict.PASSED
    reported = await give(team, CommandName.REPORT, "the praise was right", platform_id=f"memory-{reply.id}")
    assert reported.text.startswith("Reported as no. 1: attempt 1, which was sent back.")
    [report] = await team.store.reports.reports(settled=False, limit=10)
    assert (report.attempt, report.note) == (0, "the praise was right")
    assert report.text.startswith("Excellent")
    assert "`/report missed NOTE`" in reported.text
    missed = await give(team, CommandName.REPORT, "missed it says nothing", platform_id=f"memory-{reply.id}")
    assert missed.text.startswith("Reported as no. 2: the reply passed, and should not have.")
    [newer, _] = await team.store.reports.reports(settled=False, limit=10)
    assert (newer.attempt, newer.missed, newer.note) == (1, True, "it says nothing")


@pytest.mark.parametrize(
    ("language", "argument", "told"),
    [
        (Language.ENGLISH, "it counted wrongly", "the reply passed, and should not have"),
        (Language.KOREAN, "놓침 개수가 틀렸어요", "통과하지 말았어야 할 답변"),
    ],
)
async def test_the_latest_reply_that_passed_is_reported_as_missed(
    team: Team, language: Language, argument: str, told: str
) -> None:
    await team.settled(await team.say("Praise me"))
    await team.settled(await team.say("How many?"))
    answer = await give(team, CommandName.REPORT, argument, language=language)
    assert (answer.done, told in answer.text) == (True, True)
    [report] = await team.store.reports.reports(settled=False, limit=10)
    assert (report.missed, report.objections) == (True, ())
    assert report.note == argument.removeprefix("놓침 ")
    now = datetime.now(UTC)
    measures = await team.store.measures.measure(since=now - timedelta(hours=1), until=now + timedelta(hours=1))
    assert measures.total.missed == 1
    await team.store.reports.settle(report.number, ReportState.DISMISSED)
    measures = await team.store.measures.measure(since=now - timedelta(hours=1), until=now + timedelta(hours=1))
    assert measures.total.missed == 0


async def test_without_a_button_the_latest_objection_is_reported(team: Team) -> None:
    nothing = await give(team, CommandName.REPORT)
    assert (nothing.done, "there is nothing to report" in nothing.text) == (False, True)
    await team.settled(await team.say("Praise me"))
    assert (await give(team, CommandName.REPORT, "wrong")).done
    [report] = await team.store.reports.reports(settled=False, limit=10)
    assert report.objections
