"""What an agent did in earlier turns of a conversation bears out what it says now: real CLI, git and suite."""

from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest
from mama_bot.model import (
    Author,
    CheckedClaim,
    ClaimReason,
    ClaimState,
    Command,
    CommandName,
    Origin,
    StoredTurn,
    TurnState,
)
from tests.end_to_end.evidence import CALC, PYTEST, bash, make_repository, working_in
from tests.end_to_end.team import Team, attempts, key, running_team

pytestmark = pytest.mark.cli

FIXED = f"cat > calc.py <<'END'\n{CALC}END"
PASSED = ("`calc.py` is fixed. pytest: 68 passed.", "`calc.py`를 고쳤습니다. pytest: 68개 통과했습니다.")
STILL = ("The tests pass.", "테스트는 모두 통과합니다.")


@asynccontextmanager
async def developer(directory: Path, *said: ModelReply) -> AsyncIterator[Team]:
    """A life of a service whose developer works in a repository, and does and says this."""
    waiting = deque(said)

    def script(_: ModelRequest) -> ModelReply:
        return waiting.popleft() if waiting else ModelReply(text="I ran nothing, see line 1.")

    async with running_team(directory / "service", script=script, **working_in(directory / "repo")) as team:
        yield team


async def told(team: Team, text: str) -> StoredTurn:
    """The turn in which the developer answers this."""
    exchange = await team.settled(await team.say(f"@developer {text}"))
    (stored,) = exchange.turns
    assert stored.turn.persona == "developer"
    return stored


def claims(stored: StoredTurn, attempt: int = -1) -> Sequence[CheckedClaim]:
    return [claim for stage in stored.attempts[attempt].judgement.stages for claim in stage.decision.evidence.claims]


async def test_tests_of_the_turn_before_bear_out_a_reply_until_the_code_is_changed(tmp_path: Path) -> None:
    make_repository(tmp_path)
    korean = 1
    async with developer(tmp_path, bash(FIXED), bash(PYTEST), ModelReply(text=PASSED[korean])) as team:
        assert attempts(await told(team, "Make half exact")) == ["cleared"]
    # A turn later, in another life of the service, nothing is run.
    change = bash("printf '\\n\\nLIMIT = 1\\n' >> calc.py")
    async with developer(tmp_path, ModelReply(text=STILL[korean]), change, ModelReply(text=STILL[korean])) as team:
        next(team.numbers)  # the first message was of the life before
        second = await told(team, "And the tests?")
        assert (second.state, attempts(second)) == (TurnState.ANSWERED, ["cleared"])
        (claim,) = claims(second)
        assert claim.state is ClaimState.CONFIRMED
        assert "1차례 전" in claim.says
        third = await told(team, "Add a LIMIT")
        assert {claim.reason for claim in claims(third)} == {ClaimReason.BEFORE_LAST_EDIT}
        assert "2차례 전" in claims(third)[0].says


async def test_after_a_reset_nothing_of_before_bears_anything_out(tmp_path: Path) -> None:
    make_repository(tmp_path)
    said = (bash(FIXED), bash(PYTEST), ModelReply(text=PASSED[0]), ModelReply(text="All 68 tests pass."))
    async with developer(tmp_path, *said) as team:
        assert attempts(await told(team, "Make half exact")) == ["cleared"]
        reset = Command(
            name=CommandName.RESET, key=key(), author=Author(id="kim", name="Kim"), origin=Origin(channel="general")
        )
        assert (await team.gateway.command(reset)).done
        again = await told(team, "And the tests?")
        assert attempts(again)[0] == "sent_back"
        assert claims(again, 0)[0].reason is ClaimReason.NO_SUCH_RUN


@pytest.mark.parametrize(
    "text",
    ["Created src/auth.py.", "운영 환경에 배포했습니다."],  # I deployed it to production.
)
async def test_a_first_answer_without_a_call_that_says_what_was_done_is_sent_back(tmp_path: Path, text: str) -> None:
    make_repository(tmp_path)
    async with developer(tmp_path, ModelReply(text=text)) as team:
        first = await told(team, "Add a login")
    assert attempts(first)[0] == "sent_back"
    assert claims(first, 0)[0].reason is ClaimReason.NO_SUCH_RUN
