"""Worker, reviewer, and back, with the real CLI: who is asked what, what counts, and who is asked in the end."""

from pathlib import Path

import pytest

from mama_bot.model import ReviewStatus, TurnKind, TurnState
from mama_bot.testing.model_script import ModelReply, ModelRequest, ToolCall
from tests.end_to_end.team import Team, running_team

pytestmark = pytest.mark.cli

REVIEWED = {"require_review_for": [{"personas": ["developer"]}]}
READER = {"reviewer": "tier: reader\nworkspace: team"}
TO_DEVELOPER = {"router": {"default_persona": "developer"}, "reviews": REVIEWED, "personas": READER}
PRAISE = "brilliant"
CLAIM = "all tests pass"
WORK = "`shop/rates.py` holds the rates now: DONE. 3 files read, `python3 -m unittest`: 8 tests, OK. Zebrafink."
APPROVAL = "Verdict: APPROVE\n\nEvidence:\n- `python3 -m unittest`: Ran 8 tests, OK (run here)\n\nFindings: none."
REJECTION = (
    "Verdict: REJECT\n\nEvidence:\n- `python3 -m unittest`: Ran 8 tests, OK\n\nFindings:\n- `shop/rates.py:1`: {}"
)
CHECKS = ToolCall(name="Bash", arguments={"command": "python3 -m unittest", "description": "run the tests"})


def writes(content: str) -> tuple[ToolCall, ...]:
    tests = f"echo {PRAISE}, {CLAIM} && python3 -m unittest # {CLAIM}"
    return (
        ToolCall(name="Bash", arguments={"command": f"printf '%s' '{content}' > shop/rates.py"}),
        ToolCall(name="Bash", arguments={"command": tests, "description": f"{CLAIM}"}),
    )


def developer(request: ModelRequest) -> ModelReply:
    """Writes something else in each round."""
    if request.tool_results:
        return ModelReply(text=WORK)
    return ModelReply(tool_calls=writes(f"RATE_{len(request.user_texts)} = 1"))


def reviewer_that_approves_at(number: int, asked: list[str]):  # type: ignore[no-untyped-def]
    def reviewer(request: ModelRequest) -> ModelReply:
        if not request.tool_results:
            asked.append("\n".join(request.user_texts) + "\n" + "\n".join(request.assistant_texts))
            return ModelReply(tool_calls=(CHECKS,))
        count = len(request.user_texts)
        return ModelReply(text=APPROVAL if count >= number else REJECTION.format(f"wrong in {count} places"))

    return reviewer


def team_of(reviewer, lead=None):  # type: ignore[no-untyped-def]
    def script(request: ModelRequest) -> ModelReply:
        if request.persona == "lead":
            reply: ModelReply = lead(request)
            return reply
        done: ModelReply = developer(request) if request.persona == "developer" else reviewer(request)
        return done

    return script


async def status(team: Team, session_id: str) -> tuple[ReviewStatus, int]:
    review = await team.store.reviews.review(session_id)
    assert review is not None
    return review.status, review.attempts


async def test_rejected_work_goes_back_with_the_issues_until_the_reviewer_approves(tmp_path: Path) -> None:
    asked: list[str] = []
    script = team_of(reviewer_that_approves_at(2, asked))
    async with running_team(tmp_path, script=script, **TO_DEVELOPER) as team:
        exchange = await team.settled(await team.say("Add the rates, 정확히 이대로"))
        work = exchange.turns[0].turn
        stands = await status(team, work.id)
        notices = team.notices()
    kinds = [stored.turn.kind for stored in exchange.turns]
    assert kinds == [TurnKind.REQUEST, TurnKind.REVIEW, TurnKind.REWORK, TurnKind.REVIEW]
    assert {stored.state for stored in exchange.turns} == {TurnState.ANSWERED}
    assert stands == (ReviewStatus.APPROVED, 2)
    assert notices == []
    rework = exchange.turns[2].turn
    assert "1. `shop/rates.py:1`: wrong in 1 places" in rework.prompt
    assert rework.baseline == work.baseline != ""
    first, second = asked
    assert "> Add the rates, 정확히 이대로" in first
    assert "+RATE_1 = 1" in first
    assert "python3 -m unittest" in first
    assert "-> exit status 0" in first
    assert "wrong in 1 places" in second
    assert "+RATE_2 = 1" in second
    for prompt in asked:
        assert not any(word in prompt for word in (PRAISE, CLAIM, "Zebrafink", "DONE", "8 tests, OK. Zebra"))
