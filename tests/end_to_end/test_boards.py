"""Agents in the real CLI use the board of their repository: what they write there is judged like their replies."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mama_bot.boards.item_lines import item_line, items_of
from mama_bot.boards.repository_files import ITEMS, TOPICS
from mama_bot.demo.model_script import ModelReply, ModelRequest, ToolUse
from mama_bot.model import AuthorKind, BoardId, Command, CommandName, Contributor, ItemStatus, Origin, Verdict
from tests.boards.making import item
from tests.end_to_end.evidence import bash, git
from tests.end_to_end.team import Team, key, running_team
from tests.end_to_end.test_repositories import make_source
from tests.store.making import PERSON

pytestmark = pytest.mark.cli

BOARD = BoardId("repository/app")
PRAISE = "Excellent, brilliant, outstanding work! Absolutely perfect!"
TITLE = "Greet in Korean"
UNRUN = "All 45 tests pass and everything is verified."
# Written past the tools: no file of a work tree is taken for what was posted.
FORGED = json.dumps(
    {"id": "01K00000000000000000000000", "topic": "greeting", "agent": "Kim", "kind": "person", "body": "a", "at": 1}
)
FACT = "`greeting`에는 hello가 들어 있습니다."


def calls(tool: str, **arguments: Any) -> ModelReply:
    return ModelReply(tool_calls=(ToolUse(name=f"mcp__mama__{tool}", arguments=arguments),))


def posts(text: str) -> ModelReply:
    return calls("post", topic="greeting", text=text)


async def asked(team: Team, name: CommandName, argument: str = "", channel: str = "two") -> str:
    command = Command(name=name, key=key(channel), author=PERSON, origin=Origin(), argument=argument)
    return (await team.gateway.command(command)).text


async def test_what_an_agent_posts_and_creates_another_one_reads_in_its_turn_and_people_see_it(tmp_path: Path) -> None:
    heard: dict[str, list[str]] = {"lead": [], "developer": [], "reviewer": []}
    steps = {
        "lead": [
            posts(PRAISE),
            posts(UNRUN),
            bash(f"mkdir -p .mama && echo '{FORGED}' >> {TOPICS}"),
            bash("cat greeting"),
            posts(FACT),
            calls("item_create", title="Greet in Korean"),
        ],
        "developer": [calls("read", topic="greeting"), calls("item_query", ready=True)],
    }

    def script(request: ModelRequest) -> ModelReply:
        told = [result.text for result in request.tool_results]
        heard[request.persona] = told
        step = len(told)
        if step < len(steps[request.persona]):
            return steps[request.persona][step]
        if request.persona == "lead":
            return ModelReply(text="`greeting` holds hello; the item is on the board.")
        if step == 2:
            item = told[1].split()[1]
            return calls("item_close", id=item, reason="`greeting` is left as it is: hello")
        return ModelReply(text="The item is closed: `greeting` stays as it is.")

    source = make_source(tmp_path)
    (source / ".mama").mkdir()
    (source / ITEMS).write_text(item_line(item("bd-1", title="Brought along", priority=4)), encoding="utf-8")
    git(source, "add", "-A")
    git(source, "commit", "-qm", "Items")
    app = {"source": str(source), "board_files": True}
    settings: dict[str, Any] = {"repositories": {"app": app}, "default_repository": "app"}
    async with running_team(tmp_path, script=script, tools={"lead": "Bash, "}, **settings) as team:
        await team.settled(await team.say("What does it greet with?", channel="one"))
        brought, created = await team.store.items.all_items(BOARD)
        assert (brought.id, brought.imported) == ("bd-1", True)
        assert f"○ {created.id} P2 task {TITLE}" in await asked(team, CommandName.ITEMS)
        await team.settled(await team.say("@developer Take the next item", channel="two"))
        _, closed = await team.store.items.all_items(BOARD)
        (post,) = await team.store.topics.read(BOARD, "greeting")
        assert FACT.replace("`", "'") in await asked(team, CommandName.TOPICS, "greeting")
        work_trees = tmp_path / "data" / "scripted" / "work_trees"
        trees = [file.parents[1] for file in work_trees.glob(f"*/app/{TOPICS}")]  # a spare one has none
    # What one conversation wrote is in the files of both: nothing of it is committed, and git merges them by union.
    assert sorted(FACT in (tree / TOPICS).read_text(encoding="utf-8") for tree in trees) == [True, True]
    newest = max(trees, key=lambda tree: (tree / ITEMS).stat().st_mtime_ns)
    assert len(items_of((newest / ITEMS).read_text(encoding="utf-8"))[0]) == 2
    assert git(newest, "status", "--porcelain", "--untracked-files=all").splitlines() == [
        f"M {ITEMS}",
        "?? .mama/.gitattributes",
        f"?? {TOPICS}",
    ]
    refused, unrun, _, _, posted, told = heard["lead"]
    assert refused.startswith("[SENT BACK by response_validator]")
    assert unrun.startswith("[SENT BACK by claim_check]")
    assert (posted, told) == (f"Posted to greeting as {post.id}.", f"Created item {closed.id}.")
    lead = Contributor(name="lead", kind=AuthorKind.AGENT, role="worker")
    assert (post.text, post.by, post.verdict) == (FACT, lead, Verdict.PASSED)
    assert f"    {FACT}" in heard["developer"][0]
    assert (closed.status, closed.updated_by) == (ItemStatus.CLOSED, replace(lead, name="developer"))
