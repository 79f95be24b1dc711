"""People see who of an exchange works on what and who waits for whom, and stop a branch of it alone."""

from collections.abc import Sequence
from pathlib import Path

from mama_bot.intake.team_tree import branch_named, tree_lines
from mama_bot.model import AgentPersona, Answer, Command, CommandName, Origin, Reply, TurnState
from mama_bot.testing.scripted_agent import ScriptedAgentBackend, ScriptedReply
from mama_bot.wording import Language
from tests.end_to_end.team import Team, key, running_team
from tests.store.making import PERSON
from tests.waiting import until_stored

HANDED_ON = "DELEGATE::developer::Add the rates\nDELEGATE::reviewer::Read `a.py`"


def script(persona: AgentPersona, prompt: str, history: Sequence[str]) -> ScriptedReply:
    if persona.name == "developer":
        return ScriptedReply(text="`rates.py` is there.", delay_seconds=60)
    if persona.name == "reviewer":
        return ScriptedReply(text="`a.py:3` divides by zero.")
    if "What came of your delegations" in prompt:
        stopped = "developer, on the part “Add the rates”, did not answer (stopped)." in prompt
        return ScriptedReply(text=f"The developer was {'stopped' if stopped else 'heard'}; `a.py:3` divides by zero.")
    return ScriptedReply(text=HANDED_ON)


async def give(team: Team, name: CommandName, argument: str = "", language: Language = Language.ENGLISH) -> Answer:
    command = Command(name=name, key=key(), author=PERSON, origin=Origin(), argument=argument, language=language)
    return await team.gateway.command(command)


async def test_the_tree_shows_who_waits_for_whom_and_a_branch_is_stopped_alone(tmp_path: Path) -> None:
    backend = ScriptedAgentBackend(script=script)
    async with running_team(tmp_path, backends={"claude": backend}) as team:
        message = await team.say("Add the rates and look at a.py")

        async def developer_works() -> bool:
            exchange = await team.store.turns.load(message)
            return any(each.turn.persona == "developer" and each.state is TurnState.RUNNING for each in exchange.turns)

        await until_stored(developer_works)
        tree = (await give(team, CommandName.STATUS)).text.splitlines()
        korean = (await give(team, CommandName.STATUS, language=Language.KOREAN)).text.splitlines()
        assert tree[0] == "- **Lead** waits for Developer, Reviewer"
        assert korean[0] == "- **Lead**: 대기 중 (Developer, Reviewer)"
        assert tree[1].startswith("  - #1 **Developer** has been at work for")
        assert tree[1].endswith("· Add the rates")
        assert tree[2] == "  - #2 **Reviewer**: next · Read 'a.py'"
        for word in ("9", "#9", "somebody"):
            refused = await give(team, CommandName.STOP, word)
            assert word in refused.text
            assert "Open: #1 (Developer), #2 (Reviewer)." in refused.text
        korean_refusal = await give(team, CommandName.STOP, "9", Language.KOREAN)
        assert "열린 위임: #1 (Developer), #2 (Reviewer)" in korean_refusal.text
        stopping = await give(team, CommandName.STOP, "#1")
        assert stopping.text == "Stopping #1 (Developer); the rest goes on."
        exchange = await team.settled(message)
        replies = [post for post in team.posts() if isinstance(post, Reply)]
    states = [(stored.turn.persona, stored.state) for stored in exchange.turns]
    assert states == [
        ("lead", TurnState.ANSWERED),
        ("developer", TurnState.STOPPED),
        ("reviewer", TurnState.ANSWERED),
        ("lead", TurnState.ANSWERED),
    ]
    assert not exchange.stopped
    assert replies[0].record_line.endswith("Waits for Developer, Reviewer")
    assert replies[-1].text == "The developer was stopped; `a.py:3` divides by zero."
    assert branch_named("1", exchange.turns) is None  # nothing of it is left to stop
    assert list(tree_lines(exchange.turns, {}, str.title, Language.ENGLISH))[1:3] == [
        "  - #1 **Developer**: stopped · Add the rates",
        "  - #2 **Reviewer**: done · Read 'a.py'",
    ]
