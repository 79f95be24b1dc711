"""Each rule of the pack, from a message in a chat to the real CLI: all its examples, after what they say was before.

Nothing is put into the state of a session: files are read and written, branches checked out and checks run by calls of
its own. An agent makes them all in one turn, since the CLI takes long to start.
"""

from pathlib import Path

import pytest

from mama_bot.demo.model_script import ModelReply
from mama_bot.model import Phase, TurnKind
from mama_bot.rules.rule import Rule, Verb
from mama_bot.rules.rule_set import shipped_rules
from mama_bot.tool_names import SHELL_TOOL
from tests.end_to_end.reviewing import APPROVAL
from tests.end_to_end.rule_scenes import CHECKS, Player, Scene, bash, lay_out, scenes_of
from tests.end_to_end.team import Team, running_team

pytestmark = pytest.mark.cli

FULL = "prompt is too long: 213000 tokens > 200000 maximum"  # where the CLI makes the session's memory shorter
SECONDS = 150.0  # some 170 calls


def rules_of(*verbs: Verb, phase: Phase = Phase.TOOL) -> list[Rule]:
    return [rule for rule in shipped_rules() if rule.verb in verbs and rule.phase is phase]


def worker(scenes: list[Scene]) -> Player:
    """Plays what is blocked or let pass, first what says nothing of what came before."""
    player = Player()
    plain = [scene for scene in scenes if not scene.example.given]
    player.plays_scenes([scene for scene in plain if not scene.upsets])
    for checks, calls in CHECKS.items():
        player.plays(calls)
        given = [scene for scene in scenes if scene.example.given and scene.checks == checks]
        for scene in sorted(given, key=lambda scene: scene.example.tool != SHELL_TOOL):  # an edit makes checks stale
            player.plays_scenes([scene])
            if "branch" in scene.example.given:
                player.plays([bash("git checkout -q work")])
    player.plays_scenes([scene for scene in plain if scene.upsets])
    return player


async def matches_of(team: Team, rule: Rule) -> int:
    return sum(record.matches for record in await team.store.rule_records.load() if record.rule == rule.name)


async def test_each_example_of_each_rule_comes_out_as_it_says_after_what_it_says_was_before(tmp_path: Path) -> None:
    shop, plans = tmp_path / "shop", tmp_path / "plans"
    (strikes,), (after,) = rules_of(Verb.BLOCK, phase=Phase.AFTER_TOOL), rules_of(Verb.TELL, phase=Phase.SESSION_START)
    (counting,), held = rules_of(Verb.COUNT), scenes_of(rules_of(Verb.BLOCK), shop)
    asking = scenes_of([counting, *rules_of(Verb.ASK)], plans)
    in_review = [scene for scene in asking if scene.example.given.get("read_only")]
    asked = [scene for scene in asking if scene not in in_review]
    lay_out(shop, held)
    lay_out(plans, asked)

    developer = worker(held)
    assert {rule.name for rule in shipped_rules()} == {
        *(scene.rule.name for scene in (*held, *asked, *in_review)),
        *(strikes.name, after.name),
    }
    assert len(developer.scenes) == len(held)
    again, fails = strikes.passes[0].given["strikes"], bash(str(strikes.blocks[0].arguments["command"]))
    twice = developer.plays([fails] * again)
    thrice = developer.plays([fails] * (strikes.blocks[0].given["strikes"] - again))
    developer.plays(CHECKS[after.blocks[0].given["checks"]])
    developer.replies += [ModelReply(status=400, error_message=FULL), ModelReply(text="<summary>Tried.</summary>")]

    lead, reviewer = Player(), Player(end=APPROVAL)
    lead.plays_scenes(sorted(asked, key=lambda scene: scene.rule is not counting))
    lead.plays([bash("python3 -c \"open('made.py', 'w').write('x = 1')\"")])  # no rule sees that, and it is reviewed
    reviewer.plays_scenes(in_review)
    players = {"developer": developer, "lead": lead, "reviewer": reviewer}
    async with running_team(
        tmp_path,
        script=lambda request: players[request.persona](request),
        router={"default_persona": "developer"},
        repositories={
            "shop": {"source": str(shop), "mode": "in_place", "checkpoints": {"plan_approved": "off"}},
            "plans": {"source": str(plans), "mode": "in_place"},
        },
        personas={"developer": "workspace: shop", "lead": "workspace: plans", "reviewer": "workspace: plans"},
        tools={"developer": "Edit, Grep, ", "lead": "Bash, Write, Edit, ", "reviewer": "Write, "},
        rules={"enabled": ["plan_first", "network_install"], "approval_seconds": 1},
        reviews={"require_review_for": [{"personas": ["lead"]}]},
    ) as team:
        work = await team.settled(await team.say("차례로 해 주세요"), seconds=SECONDS)
        counted = await matches_of(team, counting)
        plan = await team.settled(await team.say("@lead 차례로 해 주세요", channel="plans"), seconds=SECONDS)
        counted = await matches_of(team, counting) - counted

    (review,) = [stored for stored in plan.turns if stored.turn.kind is TurnKind.REVIEW]
    for player, stored in ((developer, work.turns[0]), (lead, plan.turns[0]), (reviewer, review)):
        assert list(player.went_otherwise(stored.attempts[-1].draft.record.runs)) == []
    assert counted == len(counting.blocks)
    assert ["STOP. The same call" in developer.told(number) for number in (twice, thrice)] == [False, True]
    summed = "Of this session so far, as its record shows: checks passed"
    assert [summed in developer.told(number) for number in (0, len(developer.replies))] == [False, True]
