"""A worker and a reviewer, played by the scripted model."""

from typing import Any

from mama_bot.demo.model_script import ModelReply, ModelRequest, ModelScript, ToolUse
from mama_bot.model import (
    Review,
    StoredTurn,
    TurnKind,
)
from tests.end_to_end.team import Team

READER = {"reviewer": "tier: reader\nworkspace: team"}

SETTINGS: dict[str, Any] = {
    "router": {"default_persona": "developer"},
    "reviews": {"require_review_for": [{"personas": ["developer"]}]},
}

KINDS = [TurnKind.REQUEST, TurnKind.REVIEW, TurnKind.REWORK, TurnKind.REVIEW]

PRAISE = "brilliant"

CLAIM = "all tests pass"

WORK = "`shop/rates.py` holds the rates now: DONE. `python3 -m unittest`: 8 tests, OK. Zebrafink."

APPROVAL = "Verdict: APPROVE\n\nEvidence:\n- `python3 -m unittest`: Ran 8 tests, OK (run here)\n\nFindings: none."

REJECTION = (
    "Verdict: REJECT\n\nEvidence:\n- `python3 -m unittest`: Ran 8 tests, OK\n\nFindings:\n- `shop/rates.py:1`: {}"
)


def runs(*commands: str) -> ModelReply:
    calls = (ToolUse(name="Bash", arguments={"command": command, "description": CLAIM}) for command in commands)
    return ModelReply(tool_calls=tuple(calls))


def developer(request: ModelRequest) -> ModelReply:
    """Writes something else in each round, and praises itself where nobody should hear it."""
    if request.tool_results:
        return ModelReply(text=WORK)
    content = f"RATE_{len(request.user_texts)} = 1"
    return runs(f"printf '%s' '{content}' > shop/rates.py", f"echo {PRAISE} && python3 -m unittest # {CLAIM}")


def approving_at(number: int, asked: list[str] | None = None) -> ModelScript:
    """A reviewer that runs the tests, and approves the so manieth time it is asked."""

    def reviewer(request: ModelRequest) -> ModelReply:
        if not request.tool_results:
            if asked is not None:
                asked.append("\n".join((*request.user_texts, *request.assistant_texts)))
            return runs("python3 -m unittest", "cat shop/rates.py")
        count = len(request.user_texts)
        return ModelReply(text=APPROVAL if count >= number else REJECTION.format(f"wrong in {count} places"))

    return reviewer


def team_of(reviewer: ModelScript, *, worker: ModelScript = developer, lead: ModelScript = developer) -> ModelScript:
    members = {"lead": lead, "developer": worker, "reviewer": reviewer}
    return lambda request: members[request.persona](request)


def kinds(turns: tuple[StoredTurn, ...]) -> list[TurnKind]:
    return [stored.turn.kind for stored in turns]


async def review_of(team: Team, session_id: str) -> Review:
    review = await team.store.reviews.review(session_id)
    assert review is not None
    return review
