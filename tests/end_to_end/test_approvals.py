"""A call that a rule asks about waits for a person: from the chat to the real CLI and back."""

import re
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from mama_bot.demo.model_script import ModelReply
from mama_bot.model import Answer, Author, Command, CommandName, Exchange, Notice, NoticeKind, Origin, PostId, ToolRun
from tests.end_to_end.rule_scenes import bash
from tests.end_to_end.team import Team, key, running_team
from tests.end_to_end.test_rules import Watched
from tests.waiting import until, until_stored

pytestmark = pytest.mark.cli

RULES = """
rules:
  - {name: paid, match: Bash, when: command.text.contains("paid"), decision: ask, message: This costs money.,
     person: {en: This costs money., ko: 돈이 듭니다.}}
  - {name: planned, match: Bash, when: command.text.startsWith("echo work"), decision: ask, checkpoint: plan_approved,
     message: A plan is approved first., person: {en: "Is the plan approved?", ko: "계획을 승인하나요?"}}
  - {name: own, match: Bash, when: command.text == "echo own", decision: ask, message: Yours., approvers: [memory/lee]}
"""


def with_rules(directory: Path) -> Path:
    (directory / "rules").mkdir(exist_ok=True)
    (directory / "rules" / "own.yaml").write_text(RULES, encoding="utf-8")
    return directory


def scripted(*commands: str) -> Watched:
    """A model that makes calls one after the other, and then tells that it did."""
    model = Watched()
    model.push(*[ModelReply(tool_calls=(bash(command),)) for command in commands])
    model.push(ModelReply(text="I was asked to look, and looked at 1 thing."))
    return model


async def question(team: Team, number: int = 1) -> Notice:
    """The post that asks, once it is there."""

    return await until(lambda: next((post for post in team.notices() if post.approval == f"tool-{number}"), None))


async def give(team: Team, name: CommandName, argument: str, *, by: str = "kim", about: PostId | None = None) -> Answer:
    command = Command(
        name=name,
        key=key(),
        author=Author(id=by, name=by.title()),
        origin=Origin(channel="general"),
        argument=argument,
        post_id=about,
    )
    return await team.gateway.command(command)


def runs(exchange: Exchange) -> tuple[ToolRun, ...]:
    return exchange.turns[0].attempts[-1].draft.record.runs


def asking_team(directory: Path, model: Watched, **settings: object) -> AbstractAsyncContextManager[Team]:
    """A service whose rules ask."""
    place = {"default_persona": "developer"}
    return running_team(with_rules(directory), script=model, router=place, **settings)  # type: ignore[arg-type]


async def test_an_approved_call_runs_and_each_further_answer_is_told_so(tmp_path: Path) -> None:
    model = scripted("echo paid > paid.txt; cat paid.txt")
    async with asking_team(tmp_path, model) as team:
        message = await team.say("정리해 주세요")
        post = await question(team)
        assert post.notice is NoticeKind.QUESTION
        assert "돈이 듭니다." in post.text
        assert "echo paid > paid.txt; cat paid.txt" in post.text
        status = await give(team, CommandName.STATUS, "")
        unknown = await give(team, CommandName.APPROVE, "7")
        nothing = await give(team, CommandName.APPROVE, "")
        approved = await give(team, CommandName.APPROVE, post.approval)
        again = await give(team, CommandName.DENY, "1 no")
        (run,) = runs(await team.settled(message))
        reply = team.replies()[-1].id
        receipt = await give(team, CommandName.RECEIPT, "", about=reply)
    waits = r"⏸ #1 waits for an answer of an owner, for \d+ s now\. · `echo paid > paid\.txt; cat paid\.txt`"
    assert re.search(waits, status.text)
    assert re.search(r"- #1: approved by Kim, memory kim\. \(\d\d:\d\d UTC\) · `echo paid >", receipt.text)
    assert (unknown.done, nothing.done, approved.done, again.done) == (False, False, True, False)
    assert "no question #7" in unknown.text
    assert again.text.startswith("That is settled already. #1: approved by")
    assert (run.ok, run.output_head.strip()) == (True, "paid")
    assert team.gateway.settled[post.id].text.startswith("#1: Kim, memory kim 님이 승인했습니다.")
    assert all(post.notice is not NoticeKind.ANSWERED for post in team.notices())


async def test_an_agent_is_told_that_a_person_denied_its_call_and_why(tmp_path: Path) -> None:
    async with asking_team(tmp_path, scripted("echo paid")) as team:
        message = await team.say("Please tidy up.")
        await question(team)
        assert (await give(team, CommandName.DENY, "1 use the free one")).done
        (run,) = runs(await team.settled(message))
    assert run.ok is False
    assert "This costs money. A person was asked, and denied it" in run.output_head
    assert "use the free one" in run.output_head


async def test_no_answer_in_time_is_a_no_and_a_late_one_is_told_so(tmp_path: Path) -> None:
    rules = {"approval_seconds": 1}
    turns = {"deadline_seconds": 60}
    async with asking_team(tmp_path, scripted("echo paid"), rules=rules, turns=turns) as team:
        message = await team.say("Please tidy up.")
        (run,) = runs(await team.settled(message))
        late = await give(team, CommandName.APPROVE, "1")
    assert "nobody answered in time" in run.output_head
    assert (late.done, "nobody answered in time" in late.text) == (False, True)


async def test_what_was_kept_from_running_is_no_run_in_the_record(tmp_path: Path) -> None:
    tests = "python3 -m unittest discover  # paid"
    async with asking_team(tmp_path, scripted(tests), rules={"approval_seconds": 1}) as team:
        (run,) = runs(await team.settled(await team.say("Please run the tests.")))
        (reply,) = team.replies()
    assert (run.refused, run.ok, run.ran) == (True, False, ())
    assert "unittest" not in reply.record_line


async def test_always_here_is_asked_no_more_until_it_is_taken_back(tmp_path: Path) -> None:
    model = scripted("echo paid 1", "echo paid 2", "echo paid 3")
    async with asking_team(tmp_path, model) as team:
        message = await team.say("Please tidy up.")
        await question(team)
        assert (await give(team, CommandName.ALWAYS, "tool-1")).done
        made = runs(await team.settled(message))
        assert [run.output_head.strip() for run in made] == ["paid 1", "paid 2", "paid 3"]
        assert (await give(team, CommandName.DENY, "1")).done
        model.push(ModelReply(tool_calls=(bash("echo paid 4"),)), ModelReply(text="I looked at 1 thing."))
        message = await team.say("Please tidy up again.")
        await question(team, 2)
        assert (await give(team, CommandName.APPROVE, "2")).done
        assert runs(await team.settled(message))[0].ok


async def test_only_whom_a_rule_names_may_answer(tmp_path: Path) -> None:
    async with asking_team(tmp_path, scripted("echo own")) as team:
        message = await team.say("Please tidy up.")
        await question(team)
        refused = await give(team, CommandName.APPROVE, "1")
        accepted = await give(team, CommandName.APPROVE, "1", by="lee")
        (run,) = runs(await team.settled(message))
    assert (refused.done, accepted.done, run.ok) == (False, True, True)
    assert "You may not answer #1" in refused.text


async def test_a_stop_ends_the_wait(tmp_path: Path) -> None:
    async with asking_team(tmp_path, scripted("echo paid")) as team:
        message = await team.say("Please tidy up.")
        await question(team)
        assert await team.stop()
        exchange = await team.settled(message)
        late = await give(team, CommandName.APPROVE, "1")
    assert exchange.turns[0].state.value == "stopped"
    assert (late.done, "the work ended before anybody answered" in late.text) == (False, True)


async def test_a_checkpoint_waits_once_and_in_a_project_that_says_soft_only_the_agent_is_told(tmp_path: Path) -> None:
    (shop := tmp_path / "shop").mkdir()
    work = ["echo work 1", "echo work 2"]
    async with asking_team(tmp_path, scripted(*work)) as team:
        message = await team.say("진행해 주세요")
        post = await question(team)
        assert (post.notice, "계획을 승인하나요?" in post.text) == (NoticeKind.CHECKPOINT, True)
        assert (await give(team, CommandName.APPROVE, post.approval)).done
        assert [run.ok for run in runs(await team.settled(message))] == [True, True]
        told = team.gateway.settled[post.id].text
        assert len([each for each in team.notices() if each.approval]) == 1
    assert "`plan_approved` 승인을 했습니다" in told
    settings = {
        "repositories": {"shop": {"source": str(shop), "mode": "in_place", "checkpoints": {"plan_approved": "soft"}}},
        "personas": {"developer": "workspace: shop"},
    }
    model = scripted(*work)
    async with asking_team(tmp_path, model, **settings) as team:
        made = runs(await team.settled(await team.say("Go on, please.", channel="elsewhere")))
        assert not [each for each in team.notices() if each.approval]
    assert [run.ok for run in made] == [True, True]
    assert any("A plan is approved first." in str(request.messages) for request in model.requests)


async def test_on_the_page_a_question_is_answered_and_nothing_that_happens_meanwhile_takes_it_away(
    tmp_path: Path,
) -> None:
    here = "/api/conversations/c1"
    model = scripted("echo paid > paid.txt; cat paid.txt")
    async with asking_team(tmp_path, model) as team, team.client() as client, team.stranger() as shell:

        async def post_of(kind: str) -> dict[str, object] | None:
            posts = (await client.get(here)).json()["posts"]
            return next((post for post in posts if post.get("notice") == kind), None)

        async def commanded(name: str, argument: object = "") -> bool:
            given = {"name": name, "argument": argument}
            return bool((await client.post(f"{here}/commands", json=given)).json()["done"])

        await client.post(f"{here}/messages", json={"id": "m1", "text": "Please tidy up."})
        asked = await until_stored(lambda: post_of("question"))
        assert asked["deciding"] == ["approve", "deny", "always"]
        pressed = {"name": "approve", "argument": asked["approval"]}
        assert (await shell.post(f"{here}/commands", json=pressed)).status_code == 401  # who has no key is nobody
        assert [await commanded(name) for name in ("delete", "reset")] == [False, False]
        await client.post(f"{here}/messages", json={"id": "m2", "text": "And look at the file."})
        assert await commanded("approve", asked["approval"])
        told = await until_stored(lambda: post_of("answered"))
        await until(lambda: any("And look at the file." in str(request.messages) for request in model.requests))
    assert str(told["text"]).startswith("#1: approved by")
    assert told["settles"] == asked["id"]
