"""What a turn changed is shown, undone and merged where people talk; with the real CLI, git and a real source."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from httpx import AsyncClient

from mama_bot.demo.model_script import ModelReply, ModelRequest
from mama_bot.model import MessageId, NoticeKind
from tests.end_to_end.evidence import bash, git
from tests.end_to_end.team import Team, running_team
from tests.end_to_end.test_repositories import make_source, obeying, settings_for
from tests.end_to_end.test_team_tools import delegates
from tests.waiting import SECONDS

HERE = "/api/conversations/c1"


async def worked(team: Team, client: AsyncClient, number: int, text: str) -> dict[str, Any]:
    """Let the developer run something, and return the reply as the page has it."""
    await client.post(f"{HERE}/messages", json={"id": f"m{number}", "text": f"run {text}"})
    await team.settled(MessageId(f"m{number}"))
    posts = (await client.get(HERE)).json()["posts"]
    return next(post for post in reversed(posts) if post["kind"] == "reply")


async def asked(client: AsyncClient, name: str, post: str = "", argument: str = "") -> dict[str, Any]:
    given = {"name": name, "post_id": post, "argument": argument}
    answer: dict[str, Any] = (await client.post(f"{HERE}/commands", json=given)).json()
    return answer


async def notices(client: AsyncClient, kind: NoticeKind) -> list[dict[str, Any]]:
    posts = (await client.get(HERE)).json()["posts"]
    return [post for post in posts if post.get("notice") == kind.value]


async def test_a_reply_that_changed_files_can_be_shown_undone_and_merged(tmp_path: Path) -> None:
    source = make_source(tmp_path)
    async with running_team(tmp_path, script=obeying(), **settings_for(source)) as team, team.client() as client:
        reply = await worked(team, client, 1, "echo bonjour > greeting; printf 'a\\nb\\n' > new")
        assert reply["deeds"][:2] == ["undo", "merge"]
        diff = (await client.get(f"{HERE}/changes/{reply['change']}")).json()
        assert (diff["total"], diff["added"], diff["removed"]) == (2, 3, 1)
        assert diff["files"][0] == {
            "path": "greeting",
            "added": 1,
            "removed": 1,
            "patch": "@@ -1 +1 @@\n-hello\n+bonjour\n",
            "unshown": "",
        }

        assert (await asked(client, "diff", reply["id"]))["done"]
        (shown,) = await notices(client, NoticeKind.DIFF)
        assert "- `greeting` +1 −1\n- `new` +2 −0\n" in shown["text"]
        assert "\n-hello\n+bonjour\n" in shown["text"]

        assert not (await asked(client, "redo", reply["id"]))["done"]  # it stands: there is nothing to bring back
        undone = await asked(client, "undo", reply["id"])
        assert undone["done"], undone
        assert "hello" in (await worked(team, client, 2, "cat greeting; ls new"))["text"]
        again = await asked(client, "undo", reply["id"])  # in a chat the button stands there still
        (offer,) = again["offers"]
        assert (offer["name"], offer["label"]) == ("redo", "Redo")
        assert (await asked(client, "redo", argument=offer["argument"]))["done"]
        assert (await asked(client, "undo", reply["id"]))["done"]
        _, redone, line = [post for post in (await client.get(HERE)).json()["posts"] if post.get("undoes")]
        assert "were brought back" in redone["text"]
        assert line["text"].startswith("Changes were undone (2 files): `greeting`, `new`.")
        assert line["deeds"] == ["redo"]
        refused = await asked(client, "redo", argument="now please")
        assert (refused["done"], "stands alone" in refused["text"]) == (False, True)
        assert (await asked(client, "redo", line["id"]))["done"]

        refused = await asked(client, "merge")
        assert not refused["done"]
        assert "no check is known to have passed since Developer changed code here" in refused["text"]
        merged = await asked(client, "merge", argument="anyway")
        assert merged["done"], merged
        _, *told = await notices(client, NoticeKind.DEED)
        assert "were brought back" in told[0]["text"]
        assert told[0]["deeds"] == ["undo"]
        assert "This work was merged into `main`: commit" in told[1]["text"]
        assert (source / "greeting").read_text() == "bonjour\n"  # their own checkout of `main`, which was clean
    merge, work = git(source, "log", "--format=%s", "-2").splitlines()
    assert merge.startswith("Merge mama/web-c1-")
    assert merge.endswith(work)  # the title of the conversation
    assert git(source, "status", "--porcelain") == ""


async def test_what_is_shown_after_an_undo_is_what_the_work_still_changes(tmp_path: Path) -> None:
    settings = settings_for(make_source(tmp_path))
    async with running_team(tmp_path, script=obeying(), **settings) as team, team.client() as client:
        await worked(team, client, 1, "echo bonjour > greeting")
        await worked(team, client, 2, "echo more > note")
        assert (await asked(client, "undo"))["done"]
        assert (await asked(client, "diff"))["done"]
        (shown,) = await notices(client, NoticeKind.DIFF)
        assert shown["text"].startswith("The last change here was an undo or a redo.")
        assert "- `greeting` +1 −1" in shown["text"]
        assert "note" not in shown["text"]
        assert (await asked(client, "undo"))["done"]
        none = await asked(client, "diff")
        assert (none["done"], "Nothing is changed here any more" in none["text"]) == (False, True)


async def test_a_conflict_is_told_by_file_and_nothing_is_merged(tmp_path: Path) -> None:
    source = make_source(tmp_path)
    async with running_team(tmp_path, script=obeying(), **settings_for(source)) as team, team.client() as client:
        await worked(team, client, 1, "echo bonjour > greeting")
        (source / "greeting").write_text("hola\n")
        git(source, "commit", "-qam", "Say hola")
        answer = await asked(client, "merge", argument="anyway")
        assert not answer["done"]
        (line,) = await notices(client, NoticeKind.DEED)
        assert "- `greeting`: changed on both sides" in line["text"]
    assert git(source, "log", "-1", "--format=%s") == "Say hola"


def work_trees(directory: Path) -> list[str]:
    """The conversations that have a work tree, as the store knows them."""
    (database,) = (directory / "data").rglob("mama-bot.sqlite")
    with closing(sqlite3.connect(database)) as connection:
        return [conversation for (conversation,) in connection.execute("SELECT conversation FROM checkouts")]


async def test_discarded_work_is_gone_from_the_next_message_and_back_when_restored(tmp_path: Path) -> None:
    source = make_source(tmp_path)
    async with running_team(tmp_path, script=obeying(), **settings_for(source)) as team, team.client() as client:
        await worked(team, client, 1, "echo mine > note; git add note; git commit -qm Mine; echo more > loose")
        assert (await asked(client, "discard"))["done"]
        assert not (await asked(client, "diff", argument="all"))["done"]
        assert work_trees(tmp_path) == []  # to look makes none anew
        assert "No such file" in (await worked(team, client, 2, "cat note; echo other > second"))["text"]
        assert (await asked(client, "restore"))["done"]
        text = (await worked(team, client, 3, "cat note loose; ls second; git log --format=%s -1"))["text"]
        assert "mine\nmore" in text
        assert "cannot access 'second'" in text
        assert (await asked(client, "restore"))["done"]
        assert "other" in (await worked(team, client, 4, "cat second"))["text"]


async def test_nobody_undoes_while_somebody_works(tmp_path: Path) -> None:
    settings = settings_for(make_source(tmp_path))
    async with running_team(tmp_path, script=obeying(), **settings) as team, team.client() as client:
        reply = await worked(team, client, 1, "echo bonjour > greeting")
        await client.post(f"{HERE}/messages", json={"id": "m2", "text": "run sleep 3; cat greeting"})
        answer = await asked(client, "undo", reply["id"])
        assert not answer["done"]
        assert answer["text"].startswith("Somebody works here just now.")
        await team.settled(MessageId("m2"))


async def test_what_a_run_leaves_is_no_part_of_the_work(tmp_path: Path) -> None:
    source = make_source(tmp_path)
    async with running_team(tmp_path, script=obeying(), **settings_for(source)) as team, team.client() as client:
        work = "mkdir shop && echo 'PRICE = 3' > shop/price.py && python3 -c 'import shop.price'"
        reply = await worked(team, client, 1, work)
        diff = (await client.get(f"{HERE}/changes/{reply['change']}")).json()
        assert [file["path"] for file in diff["files"]] == ["shop/price.py"]
        # A run that knows nothing of where the service wants such files.
        await worked(team, client, 2, "env -u PYTHONPYCACHEPREFIX python3 -c 'import shop.price'; ls shop")
        assert (await asked(client, "merge", argument="anyway"))["done"]
        (line,) = await notices(client, NoticeKind.DEED)
        assert "Left out, because runs leave it behind: `shop/__pycache__`." in line["text"]
    assert git(source, "ls-tree", "-r", "--name-only", "main", "shop") == "shop/price.py"


FAILING = "import unittest\n\n\nclass Shop(unittest.TestCase):\n    def test_price(self):\n        self.fail('3')\n"


async def test_work_whose_last_reply_tells_of_failures_is_merged_only_when_it_is_asked_for_so(tmp_path: Path) -> None:
    source = make_source(tmp_path, **{"greeting": "hello\n", "test_shop.py": FAILING})

    def script(request: ModelRequest) -> ModelReply:
        if request.tool_results:
            return ModelReply(text="Changed the greeting. The tests fail: 1 failed.")
        return bash(request.last_user_text.rpartition("run ")[2])

    settings = settings_for(source) | {"enforcement": {"enabled": True}}
    async with running_team(tmp_path, script=script, **settings) as team, team.client() as client:
        reply = await worked(team, client, 1, "echo bonjour > greeting; python3 -m unittest")
        assert "merge" in reply["deeds"]
        for name, argument in ((reply["id"], ""), ("", "")):
            refused = await asked(client, "merge", name, argument)
            assert not refused["done"]
            assert "unittest 1 failed" in refused["text"]
            assert "`/merge anyway`" in refused["text"]
            [offer] = refused["offers"]
            assert (offer["name"], offer["label"]) == ("merge", "Merge anyway")
            assert offer["argument"].startswith("anyway ")
        assert git(source, "show", "main:greeting") == "hello"
        merged = await asked(client, "merge", "", "anyway")
        assert merged["done"], merged
        async with asyncio.timeout(SECONDS):  # whoever asks is answered after two seconds, done or not
            while not (told := await notices(client, NoticeKind.DEED)):
                await asyncio.sleep(0.05)
        assert "It was not in order, or no check" in told[0]["text"]
        again = await asked(client, "merge")  # the run is red still, and there is nothing to merge
        assert (again["text"], again["offers"]) == (
            "There is nothing to merge: nothing was changed here that the branch lacks. Ask for a change first.",
            [],
        )
    assert git(source, "show", "main:greeting") == "bonjour"
    assert "although it was not in order or no check" in git(source, "log", "-1", "--format=%b", "main")


async def test_work_is_merged_at_once_when_a_check_passed_after_it_and_not_when_code_was_changed_since(
    tmp_path: Path,
) -> None:
    source = make_source(tmp_path, **{"greeting": "hello\n", "test_shop.py": FAILING.replace("self.fail('3')", "pass")})
    async with running_team(tmp_path, script=obeying(), **settings_for(source)) as team, team.client() as client:
        await worked(team, client, 1, "echo 'PRICE = 3' > price.py; echo more > README.md")
        assert not (await asked(client, "merge"))["done"]
        await worked(team, client, 2, "python3 -m unittest")
        await worked(team, client, 3, "echo again > README.md")  # no check says anything of that
        merged = await asked(client, "merge")
        assert merged["done"], merged
        assert "although" not in git(source, "log", "-1", "--format=%b", "main")
        await worked(team, client, 4, "python3 -m unittest; echo 'PRICE = 4' > price.py")
        assert "no check is known" in (await asked(client, "merge"))["text"]
        await worked(team, client, 5, "sed -i 's/pass/self.fail()/' test_shop.py; python3 -m unittest")
        assert "checks failed when" in (await asked(client, "merge"))["text"]


async def test_what_a_delegate_ran_counts_for_the_merge_and_not_for_what_its_sender_changes_later(
    tmp_path: Path,
) -> None:
    source = make_source(tmp_path, **{"greeting": "hello\n", "test_shop.py": FAILING.replace("self.fail('3')", "pass")})

    def script(request: ModelRequest) -> ModelReply:
        done = len(request.tool_results)
        if request.persona == "developer":
            return ModelReply(text="Written.") if done else bash("date +%N > price.py; python3 -m unittest")
        if done == 0:
            return delegates("Write the price")
        is_further = "shop too" in request.last_user_text and done == 1
        return bash("echo 'SHOP = 1' > shop.py") if is_further else ModelReply(text="The price is written.")

    settings = settings_for(source) | {"router": {"default_persona": "lead"}}
    begun = running_team(tmp_path, script=script, tools={"lead": "Bash, "}, **settings)
    async with begun as team, team.client() as client:
        await worked(team, client, 1, "it")
        merged = await asked(client, "merge")
        assert merged["done"], merged
        assert git(source, "show", "main:price.py") != ""
        await worked(team, client, 2, "it, and the shop too")
        refused = await asked(client, "merge")
        assert not refused["done"]
        assert "since Lead changed code here" in refused["text"]
