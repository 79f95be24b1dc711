"""What an agent may do, from a message in a chat to the real CLI: rules decide about each call before it is made."""

import itertools
from pathlib import Path

import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest, ToolUse
from mama_bot.model import Author, Command, CommandName, ConversationKey, Origin, Platform, ToolRun
from tests.end_to_end.rule_scenes import bash
from tests.end_to_end.team import Team, running_team
from tests.scripted_queue import ScriptedQueue
from tests.walls import refusals

pytestmark = pytest.mark.cli


def report_of(note: str) -> Command:
    return Command(
        name=CommandName.REPORT,
        key=ConversationKey(platform=Platform("memory"), channel="general"),
        author=Author(id="kim", name="Kim"),
        origin=Origin(channel="general"),
        argument=note,
    )


async def runs_of(team: Team, model: ScriptedQueue, *calls: ToolUse) -> tuple[ToolRun, ...]:
    """What became of calls that a message of a person led to."""
    model.push(ModelReply(tool_calls=calls), ModelReply(text="I looked at the folder `build`: 1 of 2 commands ran."))
    exchange = await team.settled(await team.say("정리해 주세요"))
    return exchange.turns[0].attempts[-1].draft.record.runs


async def test_a_message_leads_to_a_call_that_a_rule_blocks_with_its_reason(tmp_path: Path) -> None:
    model = ScriptedQueue()
    async with running_team(tmp_path, script=model, router={"default_persona": "developer"}) as team:
        blocked, ran = await runs_of(team, model, bash("bash -c 'rm  -r -f /opt/other'"), bash("rm -rf build; echo ok"))
        told = await team.gateway.command(report_of("내 폴더였어요"))
        again = await team.gateway.command(report_of(""))
        (kept,) = [record for record in await team.store.rule_records.load() if record.reported]
    assert (told.done, f"규칙 `{kept.rule}`" in told.text) == (True, True)
    assert (again.done, "reported already" in again.text) == (False, True)
    assert (kept.blocks, kept.reported, kept.complaint) == (1, 1, "내 폴더였어요")
    assert blocked.ok is False
    assert "This would remove something outside of your workspace" in blocked.output_head
    assert (ran.ok, ran.output_head.strip()) == (True, "ok")


async def test_a_file_with_secrets_is_not_read(tmp_path: Path) -> None:
    model, secret = ScriptedQueue(), tmp_path / "shop" / ".env"
    secret.parent.mkdir()
    secret.write_text("KEY=sesame\n", encoding="utf-8")
    async with running_team(
        tmp_path,
        script=model,
        router={"default_persona": "developer"},
        repositories={"shop": {"source": str(secret.parent), "mode": "in_place"}},
        personas={"developer": "workspace: shop"},
    ) as team:
        (refused,) = await runs_of(team, model, ToolUse(name="Read", arguments={"file_path": str(secret)}))
    assert refused.ok is False
    assert "Such a file holds secrets" in refused.output_head
    assert "sesame" not in refused.output_head


async def test_what_a_makefile_would_remove_no_rule_reads_and_the_walls_hold(tmp_path: Path) -> None:
    model, kept = ScriptedQueue(), tmp_path / "elsewhere" / "kept.txt"
    kept.parent.mkdir()
    kept.write_text("x", encoding="utf-8")
    recipe = f"printf 'clean:\\n\\trm -rf {kept.parent}\\n' > Makefile"
    async with running_team(tmp_path, script=model, router={"default_persona": "developer"}) as team:
        written, cleaned = await runs_of(team, model, bash(recipe), bash("make clean"))
    assert (written.ok, cleaned.ok) == (True, False)
    assert refusals(cleaned.output_head)
    assert "hook error" not in cleaned.output_head
    assert kept.read_text(encoding="utf-8") == "x"


async def test_work_is_done_in_order(tmp_path: Path) -> None:
    """Look before anything is made, as the repository's workflow says; read, then change; check, then commit."""
    model, shop = ScriptedQueue(), tmp_path / "shop"
    shop.mkdir()
    (shop / "pay.py").write_text("x = 0\n", encoding="utf-8")
    async with running_team(
        tmp_path,
        script=model,
        router={"default_persona": "developer"},
        repositories={"shop": {"source": str(shop), "mode": "in_place", "workflow": "full"}},
        personas={"developer": "workspace: shop"},
    ) as team:
        new = ToolUse(name="Write", arguments={"file_path": f"{shop}/new.py", "content": "y = 1\n"})
        known = ToolUse(name="Write", arguments={"file_path": f"{shop}/pay.py", "content": "x = 1\n"})
        read = ToolUse(name="Read", arguments={"file_path": f"{shop}/pay.py"})
        failing, commit = bash("python3 -m unittest nothing_here 2>&1"), bash("git add -A && git commit -qm x")
        runs = await runs_in_turn(team, model, new, read, known, new, failing, commit)
    unseen, _, changed, made, checked, uncommitted = runs
    assert "its step investigate comes before implement" in unseen.output_head
    assert (changed.ok, made.ok, checked.ok) == (True, True, False)
    assert "The last run of a check in this session failed" in uncommitted.output_head


async def test_a_call_that_is_too_large_for_a_condition_does_not_run_where_its_rule_says_so(tmp_path: Path) -> None:
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "own.yaml").write_text(
        "rules:\n  - name: no_word_twice\n    match: Bash\n    decision: block\n    message: No.\n"
        "    when: commands.map(c, c.words).exists(a, commands.map(c, c.words).exists(b, a == b && b == ['x']))\n",
        encoding="utf-8",
    )
    model = ScriptedQueue()
    async with running_team(
        tmp_path, script=model, router={"default_persona": "developer"}, rules_directory=str(tmp_path / "rules")
    ) as team:
        small, large = await runs_of(team, model, bash("echo ok"), bash(f"echo {'a ' * 3_000}; {'echo b;' * 40}"))
    assert (small.ok, large.ok) == (True, False)
    assert "no_word_twice" in large.output_head
    assert "it may take" in large.output_head


async def runs_in_turn(team: Team, model: ScriptedQueue, *calls: ToolUse) -> tuple[ToolRun, ...]:
    """What became of calls that were made one after the other."""
    for call in calls:
        model.push(ModelReply(tool_calls=(call,)))
    model.push(ModelReply(text="I read `pay.py` and changed 1 line."))
    exchange = await team.settled(await team.say("고쳐 주세요"))
    return exchange.turns[0].attempts[-1].draft.record.runs


async def test_the_third_strike_is_told_to_the_agent(tmp_path: Path) -> None:
    model = Watched()
    async with running_team(tmp_path, script=model, router={"default_persona": "developer"}) as team:
        await runs_in_turn(team, model, *[bash("ls nowhere")] * 4)
    asked = [request for request in model.requests if "ls nowhere" in str(request.messages)]
    told = ["STOP. The same call (Bash) failed three times" in str(request.messages) for request in asked]
    assert told == [False, False, True, True]


class Watched(ScriptedQueue):
    """A model that remembers what it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.requests: list[ModelRequest] = []

    def __call__(self, request: ModelRequest) -> ModelReply:
        self.requests.append(request)
        return super().__call__(request)


OWN = """
rules:
  - {name: instead, match: Bash, when: command.text == "echo before", decision: modify,
     set: {command: '"echo instead"'}}
  - {name: hint, match: Bash, when: command.text == "echo soft", decision: block, tier: soft, message: A soft word.}
  - {name: asking, match: Bash, when: command.text == "echo asked", decision: ask, message: This costs money.}
  - {name: broken, match: Bash, when: arguments.nowhere == 1 && command.text != "", decision: block, message: No.,
     on_failure: allow}
  - {name: seen, match: Bash, when: command.text == "echo once", decision: count, counts: once}
  - {name: once, match: Bash, when: command.text == "echo once" && counters.once > 0, decision: block,
     message: This was run before.}
"""


def with_own_rules(directory: Path) -> Path:
    (directory / "rules").mkdir()
    (directory / "rules" / "own.yaml").write_text(OWN, encoding="utf-8")
    return directory


async def test_a_rule_of_ones_own_changes_warns_asks_and_fails_as_it_says(tmp_path: Path) -> None:
    model = Watched()
    async with running_team(
        with_own_rules(tmp_path),
        script=model,
        router={"default_persona": "developer"},
        rules={"approval_seconds": 1},
    ) as team:
        calls = [bash(f"echo {word}") for word in ("before", "soft", "asked", "else")]
        changed, soft, asked, broken = await runs_in_turn(team, model, *calls)
    assert (changed.ok, changed.command, changed.output_head.strip()) == (True, "echo instead", "instead")
    assert (soft.ok, soft.output_head.strip()) == (True, "soft")
    assert any("A soft word." in str(request.messages) for request in model.requests)
    assert asked.ok is False
    assert "This costs money. A person was asked, and nobody answered in time" in asked.output_head
    assert (broken.ok, broken.output_head.strip()) == (True, "else")
    # It failed too often: it is opened, the agent keeps to it by itself, and the turn went on.
    assert any("The rule broken cannot be checked at present" in str(request.messages) for request in model.requests)


async def test_what_rules_remember_of_a_session_outlives_the_service(tmp_path: Path) -> None:
    with_own_rules(tmp_path)
    outcomes = []
    for life in range(2):
        model = ScriptedQueue()
        async with running_team(tmp_path, script=model, router={"default_persona": "developer"}) as team:
            team.numbers = itertools.count(life)  # the second message is another one
            (run,) = await runs_in_turn(team, model, bash("echo once"))
            outcomes.append((run.ok, "This was run before" in run.output_head))
    assert outcomes == [(True, False), (False, True)]


async def test_a_subagent_is_held_by_the_same_rules(tmp_path: Path) -> None:
    def script(request: ModelRequest) -> ModelReply:
        if any("SUBTASK" in text for text in request.user_texts[:3]):
            calls = (bash("rm -rf /opt/other"),)
            return ModelReply(text="Refused, see above.") if request.tool_results else ModelReply(tool_calls=calls)
        arguments = {"description": "look", "prompt": "SUBTASK: remove it", "subagent_type": "general-purpose"}
        calls = (ToolUse(name="Task", arguments=arguments),)
        return ModelReply(text="1 of 1 commands was refused.") if request.tool_results else ModelReply(tool_calls=calls)

    async with running_team(
        tmp_path, script=script, tools={"developer": "Task, "}, router={"default_persona": "developer"}
    ) as team:
        exchange = await team.settled(await team.say("맡겨 주세요"))
    runs = exchange.turns[0].attempts[-1].draft.record.runs
    (removal,) = [run for run in runs if run.command]
    assert "/" in removal.agent
    assert "This would remove something outside of your workspace" in removal.output_head


ELSEWHERE = """
rules:
  - {name: elsewhere, match: Write, decision: modify, set: {file_path: '"/opt/elsewhere.txt"'}}
"""


async def test_other_arguments_bring_no_permission_with_them(tmp_path: Path) -> None:
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "own.yaml").write_text(ELSEWHERE, encoding="utf-8")
    model = ScriptedQueue()
    write = ToolUse(name="Write", arguments={"file_path": "x.txt", "content": "x"})
    async with running_team(
        tmp_path, script=model, sandbox={"mode": "never"}, router={"default_persona": "developer"}
    ) as team:
        _, run = await runs_in_turn(team, model, bash("pwd"), write)
    assert (run.ok, run.paths) == (False, ("/opt/elsewhere.txt",))
    assert "Permission to use Write has been denied" in run.output_head
