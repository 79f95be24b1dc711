"""Each conversation works on a branch of its own of the repository of its channel, and a restart finds its work."""

import itertools
from pathlib import Path
from typing import Any

from mama_bot.demo.model_script import ModelReply, ModelRequest, ModelScript
from mama_bot.model import MessageId
from tests.end_to_end.evidence import bash, git
from tests.end_to_end.team import running_team
from tests.walls import refusals

ENVIRONMENT = {"MAMA_ENFORCEMENT__ENABLED": "false"}


def make_source(directory: Path, **files: str) -> Path:
    """A repository with one commit on `main`."""
    source = directory / "source"
    source.mkdir(parents=True)
    git(source, "init", "-q", "-b", "main")
    for name, text in (files or {"greeting": "hello\n"}).items():
        (source / name).write_text(text)
    git(source, "add", "-A")
    git(source, "commit", "-qm", "Begin")
    return source


def obeying() -> ModelScript:
    """A model that runs what stands behind `run ` in a message, and answers with what that printed."""

    def reply(request: ModelRequest) -> ModelReply:
        if request.tool_results:
            return ModelReply(text=f"It printed: {request.tool_results[-1].text}")
        return bash(request.last_user_text.rpartition("run ")[2])

    return reply


def settings_for(source: Path | str, **repository: Any) -> dict[str, Any]:
    return {
        "repositories": {"app": {"source": str(source)} | repository},
        "default_repository": "app",
        "enforcement": {"enabled": False},
        "router": {"default_persona": "developer"},
    }


async def test_two_conversations_never_see_each_other_and_a_restart_finds_both(tmp_path: Path) -> None:
    source = make_source(tmp_path)
    settings = settings_for(source)
    async with running_team(tmp_path, script=obeying(), **settings) as team:
        for channel in ("one", "two"):
            told = await team.say(
                f"run echo {channel} > note; cat greeting note; git branch --show-current", channel=channel
            )
            await team.settled(told)
        first, second = (team.replies(channel)[-1].text for channel in ("one", "two"))
    assert "hello\none\nmama/memory-one-" in first
    assert "hello\ntwo\nmama/memory-two-" in second
    assert git(source, "status", "--porcelain") == ""
    assert git(source, "branch", "--format=%(refname:short)") == "main"
    async with running_team(tmp_path, script=obeying(), **settings) as team:
        team.numbers = itertools.count(100)
        await team.settled(await team.say("run cat note; git log --format=%s origin/main", channel="one"))
        assert "one\nBegin" in team.replies("one")[-1].text


async def test_what_is_borrowed_is_read_and_never_written_and_others_are_out_of_reach(tmp_path: Path) -> None:
    source = make_source(tmp_path)
    async with running_team(tmp_path, script=obeying(), **settings_for(source)) as team:
        await team.settled(await team.say("run echo secret > note", channel="one"))
        trees = tmp_path / "data" / "scripted" / "work_trees"
        (note,) = trees.glob("*/app/note")
        store = tmp_path / "data" / "scripted" / "repositories" / "app" / "store.git"
        tries = f"cat {note}; touch {store}/objects/x; echo x > {store}/HEAD; ls {trees}; git show HEAD:greeting"
        await team.settled(await team.say(f"run {tries}", channel="two"))
        text = team.replies("two")[-1].text
    assert "hello" in text
    assert "secret" not in text
    assert refusals(text) == 4
    assert not (store / "objects" / "x").exists()


async def test_a_source_that_is_out_of_reach_is_told_in_a_sentence(tmp_path: Path) -> None:
    gone = "file:///nonexistent/app.git"
    async with running_team(tmp_path, script=obeying(), **settings_for(gone)) as team:
        await team.settled(await team.say("run true"))
        (line,) = team.notices()
    assert (
        f"The repository app cannot be fetched from {gone}: '/nonexistent/app.git' does not appear to be" in line.text
    )


async def test_an_owner_chooses_another_repository_and_the_next_message_works_there(tmp_path: Path) -> None:
    settings = settings_for(make_source(tmp_path))
    settings["repositories"]["other"] = {"source": str(make_source(tmp_path / "second", greeting="bonjour\n"))}
    async with running_team(tmp_path, script=obeying(), **settings) as team, team.client() as client:
        here = "/api/conversations/c1"

        async def asked(argument: str = "") -> str:
            response = await client.post(f"{here}/commands", json={"name": "repo", "argument": argument})
            return str(response.json()["text"])

        async def answer(number: int, text: str) -> str:
            await client.post(f"{here}/messages", json={"id": f"m{number}", "text": f"run {text}"})
            exchange = await team.settled(MessageId(f"m{number}"))
            return exchange.turns[-1].attempts[-1].draft.text

        assert "Nothing has been done here yet." in await asked()
        assert (await client.get(here)).json()["repository"] == {"name": "app", "in_place": False}
        await answer(1, "echo mine > note; git add note; git commit -qm Mine; touch new other")
        assert "1 commit ahead · 2 uncommitted files" in await asked()
        assert await asked("othr") == "There is no repository othr. Did you mean 'other'?"
        assert "This channel works in **other** from now on" in await asked("other")
        assert "bonjour" in await answer(2, "cat greeting note")
        assert "**other**" in await asked()
        await asked("app")
        assert "mine\nnew" in await answer(3, "cat note; ls new")


async def test_a_fresh_work_tree_is_set_up_in_the_sandbox_and_what_fails_is_told(tmp_path: Path) -> None:
    secret = tmp_path / "data" / "secret"
    commands = ["echo installed in $PWD > built; echo tool > ~/tool", f"cat {secret}"]
    settings = settings_for(make_source(tmp_path), set_up=commands, environment={"WHERE": "here"})
    secret.parent.mkdir(parents=True)
    secret.write_text("swordfish")
    async with running_team(tmp_path, script=obeying(), **settings) as team, team.client() as client:
        await team.settled(await team.say("run cat built ../home/tool; touch ../home/x"))
        text = team.replies()[-1].text
        shown = await client.post("/api/conversations/c1/commands", json={"name": "repo"})
    (tree,) = (tmp_path / "data" / "scripted" / "work_trees").glob("*/app/.git/refs/heads/mama")
    assert f"installed in {tree.parents[3]}\ntool\n" in text
    assert refusals(text) == 1
    assert (
        f"Its set-up failed: `cat {secret}` ended with exit status 1: cat: {secret}: Permission" in shown.json()["text"]
    )


async def test_checks_and_the_line_of_facts_look_at_the_work_tree_of_the_conversation(tmp_path: Path) -> None:
    check = {"name": "greets", "argv": ["grep", "-q", "bonjour", "greeting"]}
    settings = settings_for(make_source(tmp_path), checks=[check]) | {"enforcement": {"enabled": True}}
    asked: list[str] = []

    def working(request: ModelRequest) -> ModelReply:
        if request.tool_results:
            return ModelReply(text="Done: `greeting` says bonjour now.")
        asked.append(request.last_user_text)
        return bash("echo hi > greeting" if len(asked) == 1 else "echo bonjour > greeting")

    async with running_team(tmp_path, script=working, **settings) as team:
        exchange = await team.settled(await team.say("Let it say bonjour"))
        (reply,) = team.replies()
    assert len(exchange.turns[-1].attempts) == 2
    assert 'The check "greets", which the service itself ran, failed' in asked[1]
    assert "1 file +1 −1" in reply.record_line
