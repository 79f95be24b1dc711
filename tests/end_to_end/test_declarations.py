"""Agents in the real CLI declare what came out: it stands on the receipt, or goes back in the same turn."""

from pathlib import Path
from typing import Any

import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest, ModelScript, ToolUse
from mama_bot.model import SCRATCH, ClaimReceipt, ItemStatus, ReviewStatus, SentBack, TurnKind, board_of
from tests.end_to_end.team import Team, attempts, key, running_team
from tests.scripted_queue import ScriptedQueue

pytestmark = pytest.mark.cli

DEVELOPER: dict[str, Any] = {"router": {"default_persona": "developer"}}
REVIEWED: dict[str, Any] = {**DEVELOPER, "reviews": {"require_review_for": [{"personas": ["developer"]}]}}
READER = {"reviewer": "tier: reader\nworkspace: team"}
ENGLISH, KOREAN = 0, 1
TEXT = ("`shop/rates.py` holds the rates.", "`shop/rates.py`에 환율을 넣었습니다.")
WORK = ("printf 'RATE = 1' > shop/rates.py", "python3 -m unittest")


def bash(*commands: str) -> ModelReply:
    calls = (ToolUse(name="Bash", arguments={"command": command, "description": "run"}) for command in commands)
    return ModelReply(tool_calls=tuple(calls))


def report(passed: int, file: str = "shop/rates.py") -> ModelReply:
    outcomes = [{"kind": "tests", "tool": "unittest", "passed": passed}, {"kind": "created", "files": [file]}]
    return ModelReply(tool_calls=(ToolUse(name="mcp__mama__report", arguments={"outcomes": outcomes}),))


def submits(verdict: str, *findings: str) -> ModelReply:
    arguments = {"verdict": verdict, "issues": list(findings)}
    return ModelReply(tool_calls=(ToolUse(name="mcp__mama__submit_review", arguments=arguments),))


async def receipt_of(team: Team) -> ClaimReceipt:
    (receipt,) = await team.store.receipts.latest(key(), 1)
    return receipt


def declared(receipt: ClaimReceipt) -> list[tuple[str, str]]:
    return [(checked.claim.text, checked.state.value) for checked in receipt.claims if checked.claim.declared]


async def test_what_was_declared_stands_on_the_receipt(tmp_path: Path) -> None:
    script = ScriptedQueue(bash(WORK[0]), bash(WORK[1]), report(8), ModelReply(text=TEXT[KOREAN]))
    async with running_team(tmp_path, script=script, **DEVELOPER) as team:
        exchange = await team.settled(await team.say("환율을 추가해 주세요"))
        receipt = await receipt_of(team)
    (stored,) = exchange.turns
    assert attempts(stored) == ["cleared"]
    assert declared(receipt) == [("tests: unittest, 8 passed", "confirmed"), ("created: shop/rates.py", "confirmed")]
    assert "report" not in " ".join(run.command for run in receipt.runs)


async def test_a_false_figure_goes_back_in_the_same_turn(tmp_path: Path) -> None:
    said = ModelReply(text=TEXT[ENGLISH])
    script = ScriptedQueue(bash(WORK[0]), bash(WORK[1]), report(9), said, report(8), said)
    async with running_team(tmp_path, script=script, **DEVELOPER) as team:
        exchange = await team.settled(await team.say("Add the rates"))
        receipt = await receipt_of(team)
    (stored,) = exchange.turns
    assert stored.asked == 1  # both drafts are of one `ask`
    first = stored.attempts[0].judgement.outcome
    assert isinstance(first, SentBack)
    assert first.stage == "claim_check"
    assert "tests: unittest, 9 passed" in first.feedback
    assert attempts(stored) == ["sent_back", "cleared"]
    assert declared(receipt)[0] == ("tests: unittest, 8 passed", "confirmed")


async def test_a_block_declares_where_there_is_no_tool_and_is_not_posted(tmp_path: Path) -> None:
    block = '```report\n{"outcomes": [{"kind": "tests", "passed": 8}]}\n```'
    script = ScriptedQueue(bash(WORK[0]), bash(WORK[1]), ModelReply(text=f"{TEXT[ENGLISH]}\n\n{block}"))
    async with running_team(tmp_path, script=script, **DEVELOPER) as team:
        await team.settled(await team.say("Add the rates"))
        assert [reply.text for reply in team.replies()] == [TEXT[ENGLISH]]
        assert declared(await receipt_of(team)) == [("tests: 8 passed", "confirmed")]
        assert "```report" not in "".join(entry.text for entry in await team.context())


async def test_an_empty_completion_is_asked_for_once(tmp_path: Path) -> None:
    done = ModelReply(text="완료했습니다. 환율을 추가했습니다.")
    async with running_team(tmp_path, script=ScriptedQueue(done, done), **DEVELOPER) as team:
        exchange = await team.settled(await team.say("환율을 추가해 주세요"))
        (reply,) = team.replies()
    (stored,) = exchange.turns
    first = stored.attempts[0].judgement.outcome
    assert isinstance(first, SentBack)
    assert "report(outcomes=[{" in first.feedback
    assert attempts(stored) == ["sent_back", "cleared"]
    assert reply.text == done.text


def members(**scripts: ModelScript) -> ModelScript:
    def script(request: ModelRequest) -> ModelReply:
        return scripts[request.persona](request)

    return script


async def test_a_submitted_approval_holds_once_every_changed_file_was_read(tmp_path: Path) -> None:
    verdict = ModelReply(text="The rate is right; `python3 -m unittest` ran 8 tests here.")
    script = members(
        developer=ScriptedQueue(bash(WORK[0]), bash(WORK[1]), ModelReply(text=TEXT[ENGLISH])),
        reviewer=ScriptedQueue(bash(WORK[1]), submits("approve"), verdict, bash("cat shop/rates.py"), verdict),
    )
    async with running_team(tmp_path, script=script, personas=READER, **REVIEWED) as team:
        exchange = await team.settled(await team.say("Add the rates"))
        review = await team.store.reviews.review(exchange.turns[0].turn.id)
    reviewed = exchange.turns[1]
    assert reviewed.turn.kind is TurnKind.REVIEW
    first = reviewed.attempts[0].judgement.outcome
    assert isinstance(first, SentBack)
    assert first.rule == "approval_unread"
    assert "`shop/rates.py`" in first.feedback
    assert attempts(reviewed) == ["sent_back", "cleared"]
    assert review is not None
    assert review.status is ReviewStatus.APPROVED


async def test_a_submitted_rejection_goes_back_with_its_issues_as_items_until_it_is_approved(tmp_path: Path) -> None:
    finding = "`shop/rates.py:1`: the rate is 2"
    reworked = (bash("printf 'RATE = 2' > shop/rates.py"), bash(WORK[1]), ModelReply(text=TEXT[ENGLISH]))
    script = members(
        developer=ScriptedQueue(bash(WORK[0]), bash(WORK[1]), ModelReply(text=TEXT[ENGLISH]), *reworked),
        reviewer=ScriptedQueue(
            bash("cat shop/rates.py"),
            submits("reject", finding),
            ModelReply(text="One finding."),
            bash("cat shop/rates.py"),
            submits("approve"),
            ModelReply(text="`RATE` is 2 now."),
        ),
    )
    async with running_team(tmp_path, script=script, personas=READER, **REVIEWED) as team:
        exchange = await team.settled(await team.say("Add the rates"))
        review = await team.store.reviews.review(exchange.turns[0].turn.id)
        (item,) = await team.store.items.all_items(board_of(SCRATCH, key()))
    assert f"{item.id}: {finding}" in exchange.turns[2].turn.prompt
    assert (item.title, item.assignee, item.turn_id) == (finding, "developer", exchange.turns[0].turn.id)
    assert (item.status, item.close_reason) == (ItemStatus.CLOSED, "reviewer approved the work.")
    assert review is not None
    assert (review.status, review.attempts) == (ReviewStatus.APPROVED, 2)
