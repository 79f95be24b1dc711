"""How much an agent may hand on with one reply."""

from collections.abc import Sequence
from pathlib import Path

from mama_bot.model import AgentPersona, NoticeKind, TurnKind
from mama_bot.testing.scripted_agent import ScriptedAgentBackend, ScriptedReply
from tests.end_to_end.team import running_team

LINES = "\n".join(f"DELEGATE::developer::Count the lines of `file{number}.py`" for number in range(50))


async def test_of_fifty_delegations_in_one_reply_the_budget_is_carried_out_and_a_line_tells_of_the_rest(
    tmp_path: Path,
) -> None:
    def script(persona: AgentPersona, prompt: str, history: Sequence[str]) -> ScriptedReply:
        if persona.name == "lead" and not history:
            return ScriptedReply(text=f"The developer counts.\n\n{LINES}")
        return ScriptedReply(text="`a.py` has 3 functions.")

    backends = {"claude": ScriptedAgentBackend(script=script)}
    async with running_team(tmp_path, backends=backends, turns={"hop_budget": 4}) as team:
        exchange = await team.settled(await team.say("Count all"))
        kinds = [notice.notice for notice in team.notices()]
    delegations = [stored for stored in exchange.turns if stored.turn.kind is TurnKind.DELEGATION]
    assert len(delegations) == 4
    assert kinds == [NoticeKind.HOPS_SPENT]
