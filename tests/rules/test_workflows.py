"""Workflows: declared steps, what shows them, and what becomes of a call that comes before its step."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from textwrap import dedent, indent

import pytest

from mama_bot.config import RunCommands
from mama_bot.errors import ConfigurationError
from mama_bot.metrics import Metrics
from mama_bot.model import (
    NO_WORKFLOW,
    AgentPersona,
    AgentStops,
    Amend,
    Ask,
    Block,
    Decision,
    Moment,
    SessionStarts,
    Tier,
    ToolAsked,
    ToolCall,
    ToolEnded,
    ToolTurn,
)
from mama_bot.rules.rule_engine import RuleEngine
from mama_bot.rules.rule_files import read_rule_file
from mama_bot.rules.rule_guard import RuleGuard
from mama_bot.rules.rule_set import load_rules, load_workflows, shipped_workflows
from mama_bot.rules.workflow import Workflow
from mama_bot.runs import RunReader
from mama_bot.tool_names import claude_call
from mama_bot.wording import Language
from tests.agents.conftest import SystemClock
from tests.rules.making import breakers_of
from tests.rules.test_rule_guard import States

OWN = """
workflows:
  - name: release
    about: How a release is made.
    steps:
      - {name: notes, mandate: Read the notes., proof: task.looks > 0, edge: hard}
      - {name: change, mandate: Change it., tools: Write|Edit, proof: task.edits > 0, edge: soft}
      - name: commit
        title: {en: commit it, ko: 커밋}
        mandate: Commit.
        tools: Bash
        when: commands.exists(c, c.program == "git" && c.subcommand == "commit")
        proof: task.commits > 0
        edge: hard
"""
TESTED = "Ran 3 tests in 0.1s\n\nOK\n"


class Session:
    """A session of an agent in a workspace, held to a workflow by the rules that come with it."""

    def __init__(self, directory: Path, workflow: str, *, states: States | None = None, own: str = "") -> None:
        rules = directory / "rules"
        rules.mkdir(exist_ok=True)
        if own:
            (rules / "own.yaml").write_text(own, encoding="utf-8")
        self.workspace = directory / "work"
        self.workspace.mkdir(exist_ok=True)
        (self.workspace / "there.py").write_text("x = 1\n", encoding="utf-8")
        self.persona = AgentPersona(name="developer", display_name="", prompt="", workflow=workflow)
        workflows = load_workflows(rules)
        self.guard = RuleGuard(
            engine=RuleEngine([rule for rule in load_rules(rules) if rule.workflow]),
            states=states or States(),
            reader=lambda workspace: RunReader(commands=RunCommands(), workspace=workspace),
            protected_branches=(),
            now=SystemClock().now,
            metrics=Metrics(),
            breakers=breakers_of(load_rules(rules)),
            workflows=workflows,
            workflow=NO_WORKFLOW,
        )
        self.request = "m1"

    def turn(self) -> ToolTurn:
        return ToolTurn(
            persona=self.persona, workspace=self.workspace, read_only=False, session="s", request=self.request
        )

    async def at(self, moment: Moment) -> Decision:
        return await self.guard.at(moment, self.turn())

    async def asks(self, tool: str, **arguments: object) -> Decision:
        return await self.at(ToolAsked(call=self.call(tool, arguments)))

    async def does(self, tool: str, output: str = "", **arguments: object) -> Decision:
        """A call that runs and ends well."""
        return await self.at(ToolEnded(call=self.call(tool, arguments), ok=True, output=output, exit_status=0))

    def call(self, tool: str, arguments: Mapping[str, object]) -> ToolCall:
        return replace(claude_call(tool, arguments), directory=str(self.workspace))

    async def writes(self) -> Decision:
        return await self.asks("Write", file_path="new.py", content="y = 2\n")

    async def shown(self) -> list[str]:
        standing = await self.guard.standing(self.turn())
        return [step.name for step in standing.steps if step.shown] if standing is not None else ["none"]


async def test_what_comes_before_a_critical_step_is_refused_with_its_reason(tmp_path: Path) -> None:
    session = Session(tmp_path, "full")
    early = await session.writes()
    await session.does("Grep", "there.py:1", pattern="x")
    later = await session.writes()
    assert isinstance(early, Block)
    assert "its step investigate comes before implement" in early.feedback
    assert "Look at what there is" in early.feedback
    assert isinstance(later, Amend)
    assert "step plan before implement" in later.reminder


@pytest.mark.parametrize(
    ("command", "changes"),
    [
        ("echo x | tee new.py", True),
        ("cp /tmp/a.py src/a.py", True),
        ("install -m 755 /tmp/run bin/run", True),
        ("sed -i s/a/b/ there.py", True),
        ("perl -pi -e s/a/b/ there.py", True),
        ("mv there.py here.py", True),
        ("git checkout -- there.py", True),
        ("patch -p1 < a.patch", True),
        ("sed s/a/b/ there.py", False),
        ("cp there.py /tmp/", False),
        ("git checkout main", False),
        ("tee /dev/null", False),
    ],
)
async def test_a_shell_that_changes_files_is_held_to_the_order_like_an_editor(
    tmp_path: Path, command: str, changes: bool
) -> None:
    assert isinstance(await Session(tmp_path, "full").asks("Bash", command=command), Block) is changes


async def test_a_soft_edge_warns_once_in_a_task(tmp_path: Path) -> None:
    session = Session(tmp_path, "light")
    decisions = [await session.writes() for _ in range(2)]
    assert [decision.kind for decision in decisions] == ["amend", "allow"]


async def test_a_plan_that_was_written_down_or_answered_by_a_person_shows_the_step(tmp_path: Path) -> None:
    written, answered = Session(tmp_path, "full"), Session(tmp_path, "full")
    for session in (written, answered):
        await session.does("Read", "x = 1", file_path="there.py")
    await written.does("TodoWrite", todos=[{"content": "change it", "status": "pending"}])
    answered.request = "m2"
    assert [(await session.writes()).kind for session in (written, answered)] == ["allow", "allow"]


async def test_a_person_is_asked_at_a_checkpoint_once_the_plan_is_there(tmp_path: Path) -> None:
    session = Session(tmp_path, "approved")
    await session.does("Read", "x = 1", file_path="there.py")
    unplanned = await session.writes()
    await session.does("TodoWrite", todos=[{"content": "change it", "status": "pending"}])
    planned = await session.writes()
    assert isinstance(unplanned, Block)
    assert "its step plan comes before implement" in unplanned.feedback
    assert isinstance(planned, Ask)
    assert planned.checkpoint == "approved_plan"
    assert planned.asked(Language.KOREAN) == "approved 워크플로의 “계획” 다음인 “구현” 단계로 넘어갑니다."


async def test_the_end_is_kept_back_once_work_began_and_the_last_step_is_not_shown(tmp_path: Path) -> None:
    session = Session(tmp_path, "full")
    await session.does("Read", "x = 1", file_path="there.py")
    asked_only = await session.at(AgentStops())
    await session.does("Write", file_path="new.py", content="y = 2\n")
    untested = await session.at(AgentStops())
    await session.does("Bash", TESTED, command="python3 -m unittest")
    tested = await session.at(AgentStops())
    await session.does("Write", file_path="new.py", content="y = 3\n")
    stale = await session.at(AgentStops())
    assert [decision.kind for decision in (asked_only, untested, tested, stale)] == ["allow", "block", "allow", "block"]


async def test_a_review_leaves_the_task_of_its_persona_as_it_was(tmp_path: Path) -> None:
    session = Session(tmp_path, "full")
    await session.does("Read", "x = 1", file_path="there.py")
    await session.does("TodoWrite", todos=[{"content": "change it", "status": "pending"}])
    before = await session.shown()
    review = replace(session.turn(), read_only=True, request="m9")
    looked = await session.guard.at(
        ToolEnded(call=session.call("Bash", {"command": "ls"}), ok=True, output="x"), review
    )
    assert looked.kind == "allow"
    assert before == await session.shown() == ["investigate", "plan"]


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("echo hi", "block"),
        ("cd src; printf 'I looked at it'; date", "block"),
        ("ls", "amend"),
        ("grep -rn x . | head", "amend"),
        ("echo $(cat there.py)", "amend"),
    ],
)
async def test_a_command_that_prints_its_own_words_alone_has_looked_at_nothing(
    tmp_path: Path, command: str, kind: str
) -> None:
    session = Session(tmp_path, "full")
    await session.does("Bash", "something", command=command)
    assert (await session.writes()).kind == kind


async def test_a_subagent_ends_with_its_part_whatever_is_not_shown_yet(tmp_path: Path) -> None:
    session = Session(tmp_path, "full")
    await session.does("Read", "x = 1", file_path="there.py")
    await session.does("Write", file_path="new.py", content="y = 2\n")
    part = await session.guard.at(AgentStops(), replace(session.turn(), subagent="a1"))
    whole = await session.at(AgentStops())
    assert [part.kind, whole.kind] == ["allow", "block"]


async def test_a_finished_task_ends_with_the_next_message_and_one_that_is_not_goes_on(tmp_path: Path) -> None:
    session = Session(tmp_path, "light")
    await session.does("Read", "x = 1", file_path="there.py")
    session.request = "m2"
    goes_on = await session.shown()
    await session.does("Write", file_path="new.py", content="y = 2\n")
    finished = await session.shown()
    session.request = "m3"
    await session.at(SessionStarts())
    assert (goes_on, finished, await session.shown()) == (
        ["investigate"],
        ["investigate", "implement"],
        ["investigate"],  # who looked at it before knows it
    )


async def test_another_life_and_a_compaction_know_the_step_and_tell_the_agent(tmp_path: Path) -> None:
    states = States()
    await Session(tmp_path, "full", states=states).does("Read", "x = 1", file_path="there.py")
    session = Session(tmp_path, "full", states=states)
    told = await session.at(SessionStarts(source="compact"))
    assert isinstance(told, Amend)
    assert "investigate is shown, plan is not shown yet" in told.reminder
    assert await session.shown() == ["investigate"]


@pytest.mark.parametrize("change", [{"tier": Tier.READER}, {"tier": Tier.LEAD}, {"workflow": NO_WORKFLOW}])
async def test_who_changes_nothing_or_was_given_none_is_held_to_none(tmp_path: Path, change: dict[str, object]) -> None:
    session = Session(tmp_path, "full")
    session.persona = replace(session.persona, **change)  # type: ignore[arg-type]
    assert (await session.writes()).kind == "allow"
    assert await session.shown() == ["none"]


async def test_a_workflow_of_ones_own_holds_its_own_steps(tmp_path: Path) -> None:
    session = Session(tmp_path, "release", own=OWN)
    commit = {"command": "git commit -qm x"}
    kinds = [(await session.asks("Bash", **commit)).kind]
    await session.does("Read", "x", file_path="there.py")
    kinds.append((await session.asks("Bash", **commit)).kind)
    kinds.append((await session.asks("Bash", command="echo 'git commit'")).kind)
    await session.does("Write", file_path="new.py", content="y = 2\n")
    kinds.append((await session.at(AgentStops())).kind)
    await session.does("Bash", "[work 0a1b2c3] x\n 1 file changed, 1 insertion(+)\n", **commit)
    kinds.append((await session.at(AgentStops())).kind)
    assert kinds == ["block", "amend", "allow", "block", "allow"]


def test_an_agent_is_told_each_step_with_what_becomes_of_its_order() -> None:
    full = next(workflow for workflow in shipped_workflows() if workflow.name == "full")
    lines = full.mandates.splitlines()
    assert any(line.startswith("1. investigate: Look") and line.endswith("refused before that.") for line in lines)
    assert any(line.startswith("2. plan: ") and line.endswith("comes before it.") for line in lines)
    assert any(line.startswith("4. test: Run the checks") for line in lines)


WRONG = [
    ("- {name: a, stps: []}", 2, "'stps' is no key of a workflow. Did you mean 'steps'?"),
    ("- {name: a, steps: []}", 2, "steps: "),
    ("- {name: none, steps: [{name: a, mandate: x, proof: 'true'}]}", 2, "has a meaning of its own"),
    (
        "- name: a\n  steps:\n    - name: b\n      mandate: x\n      proof: task.lokks > 0",
        6,
        "a.b.proof: 'lokks' is no field of Task. Did you mean 'looks'?",
    ),
    (
        "- name: a\n  steps:\n    - {name: b, mandate: x, proof: 'true', edge: hrad}",
        4,
        "edge: 'hrad' is not known. Did you mean 'hard'?",
    ),
    (
        "- name: a\n  steps:\n    - {name: b, mandate: x, proof: 'true', tools: Gerp}",
        4,
        "no tool and no kind of tools is called 'Gerp'. Did you mean 'Grep'?",
    ),
    ("- name: a\n  steps:\n    - {name: b, mandate: x, prof: 'true'}", 4, "'prof' is no key of a step"),
    (
        "- name: a\n  steps:\n    - {name: b, mandate: x, proof: 'true'}\n    - {name: b, mandate: x, proof: 'true'}",
        5,
        "the step 'b' stands here twice",
    ),
    ("- name: a\n  steps:\n    - {name: b, mandate: 'at {step}', proof: 'true'}", 4, "no expressions in braces"),
    (
        "- name: a\n  steps:\n    - {name: b, mandate: x, proof: 'true', edge: ask}",
        4,
        "nothing comes after the last step",
    ),
    ("- 3", 2, "Expected a workflow"),
]


@pytest.mark.parametrize(("entry", "line", "problem"), WRONG, ids=lambda value: str(value)[:30])
def test_a_mistake_is_told_with_file_line_and_the_nearest_name(
    tmp_path: Path, entry: str, line: int, problem: str
) -> None:
    file = tmp_path / "own.yaml"
    file.write_text("workflows:\n" + indent(dedent(entry), "  ") + "\n", encoding="utf-8")
    with pytest.raises(ConfigurationError) as raised:
        read_rule_file(file)
    assert raised.value.line == line
    assert problem in str(raised.value)


def test_a_workflow_of_ones_own_stands_in_the_place_of_a_shipped_one(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(OWN.replace("release", "light"), encoding="utf-8")
    workflows: Mapping[str, Workflow] = load_workflows(tmp_path)
    assert [step.name for step in workflows["light"].steps] == ["notes", "change", "commit"]
    assert "light_notes_before_change" in [rule.name for rule in load_rules(tmp_path)]
    assert "light_investigate_before_implement" not in [rule.name for rule in load_rules(tmp_path)]
