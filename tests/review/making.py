"""What the tests of reviews have in common."""

import json
from collections.abc import Sequence

from mama_bot.model import (
    Attempt,
    Cleared,
    Delegation,
    DelegationForm,
    Draft,
    Judgement,
    Run,
    StageVerdict,
    ToolRecord,
    ToolRun,
)
from mama_bot.tool_names import with_kind
from tests.people import START, persona, team, turn

PERSONAS = team(persona("lead"), persona("developer"), persona("reviewer"))


WORK = turn("developer")


ASKED = Delegation(
    sender="lead",
    recipient="developer",
    task="Add the rates",
    form=DelegationForm.DIRECTIVE,
    expected_outcome="- `rates.py`",
    must_not_do="touch tests",
)


def attempt(text: str, record: ToolRecord | None = None, stages: Sequence[StageVerdict] = ()) -> Attempt:
    judgement = Judgement(turn_id=WORK.id, attempt=0, text_sha256="", outcome=Cleared(), stages=tuple(stages))
    draft = Draft(turn_id=WORK.id, attempt=0, text=text, record=record or ToolRecord())
    return Attempt(draft=draft, judgement=judgement, at=START)


def bash(command: str, exit_status: int | None = 0, *ran: Run) -> ToolRun:
    return with_kind(
        ToolRun(
            id=command,
            tool="Bash",
            arguments=json.dumps({"command": command, "description": "Zebrafink runs all tests"}),
            started_at=START,
            ended_at=START,
            ok=exit_status == 0,
            exit_status=exit_status,
            output_tail="Zebrafink: all tests pass",
            ran=ran,
        )
    )
