"""`mama-bot topic` and `mama-bot item`, and boards in repositories that git merges."""

import json
import subprocess
from pathlib import Path

import pytest

from mama_bot.store import Store
from tests.commands.places import Place, Told
from tests.repositories.making import git

SHOP = "repository/shop"


@pytest.fixture
def served(place: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A place whose service has run, with one repository."""
    with place.file.open("a", encoding="utf-8") as file:
        file.write("repositories: {shop: {source: https://git.example.org/team/shop.git}}\n")
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "t")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "t@t.invalid")

    async def nothing(store: Store) -> None:
        assert await store.items.boards() == []

    place.left_behind(nothing)
    return place


def fields(told: Told) -> list[dict[str, object]]:
    assert (told.status, told.complaint) == (0, "")
    return [json.loads(line) for line in told.output.splitlines()]


def test_what_is_posted_is_read_and_since_tells_what_came_after(served: Place) -> None:
    (first,) = fields(served.run("topic", "post", "배포", "두 개가 남았습니다.", "--as", "Kim", "--json"))
    (second,) = fields(served.run("topic", "post", "배포", "Which?", "--reply-to", str(first["id"]), "--json"))
    assert (first["agent"], second["in_reply_to"]) == ("Kim", first["id"])
    assert fields(served.run("topic", "read", "배포", "--json")) == [first, second]
    assert fields(served.run("topic", "read", "배포", "--since", str(first["id"]), "--json")) == [second]
    assert "두 개가 남았습니다." in served.run("topic", "read", "배포").output
    assert f"{SHOP}  배포  2 posts" in served.run("topic", "list").output


def test_a_topic_that_nobody_posted_to_names_the_nearest(served: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    assert served.run("topic", "read", "deploy").status == 0
    fields(served.run("topic", "post", "deploy", "Two are left.", "--json"))
    told = served.run("topic", "read", "deplyo")
    assert (told.status, "Nothing was posted to deplyo yet. Did you mean 'deploy'?" in told.complaint) == (2, True)
    monkeypatch.setenv("LC_ALL", "ko_KR.UTF-8")
    korean = served.run("topic", "read", "deplyo").complaint
    assert "deplyo에는 아직 글이 없습니다." in korean
    assert "'deploy'" in korean


def test_an_item_waits_for_its_blocker_and_is_closed_with_a_reason(served: Place) -> None:
    (rates,) = fields(served.run("item", "create", "환율을 찾는다", "--priority", "0", "--json"))
    (prices,) = fields(
        served.run("item", "create", "Convert", "--type", "feature", "--blocked-by", str(rates["id"]), "--json")
    )
    assert [each["id"] for each in fields(served.run("item", "list", "--ready", "--json"))] == [rates["id"]]
    assert f"waits for {rates['id']}" in served.run("item", "list").output
    assert f"대기: {rates['id']}" in served.run("item", "list", "--language", "ko").output
    refusal = served.run("item", "update", str(rates["id"]), "--blocked-by", str(prices["id"]))
    assert refusal.status == 2
    assert f"{rates['id']} → {prices['id']} → {rates['id']}" in refusal.complaint
    assert "closed" in served.run("item", "close", str(rates["id"]), "in rates.py").output
    assert [each["id"] for each in fields(served.run("item", "list", "--ready", "--json"))] == [prices["id"]]
    (began,) = fields(served.run("item", "update", str(prices["id"]), "--status", "in-progress", "--json"))
    assert began["status"] == "in_progress"


def test_what_cannot_be_used_is_said_in_one_sentence(served: Place) -> None:
    for arguments, sentence in (
        (("topic", "post", "two words", "a"), "A topic is named by one word"),
        (("topic", "read", "a", "--since", "01ARYZ6S410000000000000000"), "There is no post"),
        (("item", "show", "mb-1"), "There is no item mb-1"),
        (("item", "update", "mb-1", "--status", "finished"), "There is no status finished"),
        (("item", "list", "--repository", "shpo"), "There is no repository shpo"),
        (("item", "list", "--board", "repository/none"), "There is no board repository/none"),
        (("item", "import", "/nowhere"), "There is nothing to read or write at /nowhere"),
    ):
        told = served.run(*arguments)
        assert (told.status, told.output) == (2, ""), arguments
        assert sentence in told.complaint


def commit(clone: Path) -> None:
    git(clone, "add", "--all")
    git(clone, "commit", "-qm", "boards")


def test_two_clones_that_both_wrote_merge_without_a_conflict(served: Place, tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    git(tmp_path, "init", "-qb", "main", str(ours))
    (shared,) = fields(served.run("item", "create", "shared", "--json"))
    served.run("topic", "post", "deploy", "before")
    # Whatever is configured there, for git to run, is not run: agents may have worked in it.
    marks = {name: tmp_path / f"ran-{name}" for name in ("hook", "monitor", "filter")}
    for name, mark in marks.items():
        script = ours / ".git" / name
        script.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n", encoding="utf-8")
        script.chmod(0o755)
    (ours / ".git/hooks").mkdir(exist_ok=True)
    (ours / ".git/hook").rename(ours / ".git/hooks/pre-commit")
    git(ours, "config", "core.fsmonitor", str(ours / ".git/monitor"))
    git(ours, "config", "filter.own.clean", str(ours / ".git/filter"))
    (ours / ".git/info/attributes").write_text("*.jsonl filter=own\n", encoding="utf-8")
    for kind in ("topic", "item"):
        assert served.run(kind, "export", str(ours), "--commit").output.endswith("Committed.\n")
    assert [name for name, mark in marks.items() if mark.exists()] == []
    for setting in ("core.fsmonitor", "filter.own.clean"):
        git(ours, "config", "--unset", setting)
    assert git(ours, "status", "--porcelain") == ""
    git(tmp_path, "clone", "-q", str(ours), str(theirs))

    # Another service on the other clone: it posts, and closes what this one only begins.
    file = theirs / ".mama/topics.jsonl"
    lines = file.read_text(encoding="utf-8")
    other = {"id": "01K00000000000000000000000", "body": "다른 쪽에서", "agent": "them"}
    line = json.dumps(json.loads(lines.splitlines()[0]) | other)
    file.write_text(f'{lines}{line}\n<!-- SENTINEL -->\n{{"id":"01K000', encoding="utf-8")
    closed = shared | {"status": "closed", "close_reason": "done there", "updated_at": "2100-01-01T00:00:00+00:00"}
    (theirs / ".mama/items.jsonl").write_text(f"{json.dumps(closed)}\n", encoding="utf-8")
    commit(theirs)

    served.run("topic", "post", "deploy", "here")
    served.run("item", "update", str(shared["id"]), "--status", "in_progress")
    for kind in ("topic", "item"):
        served.run(kind, "export", str(ours))
    commit(ours)
    git(ours, "pull", "-q", "--no-rebase", "--no-edit", str(theirs), "main")  # fails on a conflict
    assert "<<<<" not in (ours / ".mama/topics.jsonl").read_text(encoding="utf-8")

    told = served.run("topic", "import", str(ours)).output
    assert told.startswith("repository/shop: 1 new, 0 newer than here, 2 known already.")
    assert "left out" in told
    bodies = [post["body"] for post in fields(served.run("topic", "read", "deploy", "--json"))]
    assert bodies == ["before", "here", "다른 쪽에서"]
    assert "not judged here" in served.run("topic", "read", "deploy").output
    assert "1 newer than here" in served.run("item", "import", str(ours)).output
    (item,) = fields(served.run("item", "show", str(shared["id"]), "--json"))
    assert (item["status"], item["close_reason"]) == ("closed", "done there")
    # What was torn is written whole once more by whoever has it, and nothing that is there is touched.
    before = (ours / ".mama/topics.jsonl").read_text(encoding="utf-8")
    assert served.run("topic", "export", str(ours)).output.startswith("Nothing is new")
    assert (ours / ".mama/topics.jsonl").read_text(encoding="utf-8") == before


def test_a_post_is_added_behind_a_torn_line_not_to_it(served: Place, tmp_path: Path) -> None:
    (tmp_path / ".mama").mkdir()
    (tmp_path / ".mama/topics.jsonl").write_text('{"id":"01K0', encoding="utf-8")
    served.run("topic", "post", "deploy", "whole")
    served.run("topic", "export", str(tmp_path))
    lines = (tmp_path / ".mama/topics.jsonl").read_text(encoding="utf-8").splitlines()
    assert lines[0] == '{"id":"01K0'
    assert json.loads(lines[1])["body"] == "whole"


def test_an_export_of_beads_is_taken_in(served: Place, tmp_path: Path) -> None:
    export = tmp_path / "issues.jsonl"
    fields_ = {"created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z", "issue_type": "bug"}
    blocked = {"issue_id": "bd-2", "depends_on_id": "bd-1", "type": "blocks"}
    lines = (
        {"id": "bd-1", "title": "first", "status": "open", **fields_},
        {"id": "bd-2", "title": "second", "status": "open", "dependencies": [blocked], **fields_},
    )
    export.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    assert served.run("item", "import", str(export)).output.startswith("repository/shop: 2 new")
    assert [each["id"] for each in fields(served.run("item", "list", "--ready", "--json"))] == ["bd-1"]


def test_nothing_is_read_or_written_through_a_link(served: Place, tmp_path: Path) -> None:
    served.run("topic", "post", "deploy", "a")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "repository").mkdir()
    (tmp_path / "repository/.mama").symlink_to(tmp_path / "elsewhere")
    told = served.run("topic", "export", str(tmp_path / "repository"))
    assert (told.status, told.output) == (2, "")
    assert not list((tmp_path / "elsewhere").iterdir())
    (tmp_path / "repository/.mama").unlink()
    (tmp_path / "repository/.mama").mkdir()
    subprocess.run(["mkfifo", str(tmp_path / "repository/.mama/topics.jsonl")], check=True)
    assert served.run("topic", "import", str(tmp_path / "repository")).status == 2
