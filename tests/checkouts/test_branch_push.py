"""The commits of a conversation reach the source of its repository on its own branch, never by force."""

import asyncio
from pathlib import Path

import pytest

from mama_bot.checkouts import Checkouts
from mama_bot.errors import PushRefused
from mama_bot.model import SCRATCH, ConversationKey
from mama_bot.repositories.git import GitFailed
from mama_bot.wording import Language
from tests.checkouts.making import ONE, TWO, Life, make_source
from tests.end_to_end.evidence import git


async def begun(tmp_path: Path, key: ConversationKey = ONE) -> tuple[Life, Checkouts, Path]:
    life = Life(tmp_path, make_source(tmp_path))
    checkouts = life.begun()
    return life, checkouts, await checkouts.prepare(key, "app")


def commit(tree: Path, text: str, message: str = "Greet") -> str:
    (tree / "greeting").write_text(text)
    git(tree, "commit", "-qam", message)
    return git(tree, "rev-parse", "HEAD")


def branches(source: Path) -> list[str]:
    return git(source, "branch", "--format=%(refname:short)").splitlines()


async def test_commits_arrive_on_the_branch_of_the_conversation(tmp_path: Path) -> None:
    life, checkouts, tree = await begun(tmp_path)
    head = commit(tree, "bonjour\n")
    outgoing = await checkouts.outgoing(ONE, "app", message="Save")
    assert (outgoing.commit, outgoing.target, outgoing.ahead, outgoing.committed) == (head, "main", 1, 0)
    assert await checkouts.push_of("app").push(outgoing)
    assert git(life.source, "rev-parse", outgoing.branch) == head
    assert git(life.source, "show", f"{outgoing.branch}:greeting") == "bonjour"
    assert outgoing.branch.startswith("mama/slack-C1-1-")
    assert not await checkouts.push_of("app").push(await checkouts.outgoing(ONE, "app", message="Save")), (
        "it is there already"
    )


async def test_what_no_commit_holds_is_committed_first(tmp_path: Path) -> None:
    life, checkouts, tree = await begun(tmp_path)
    (tree / "greeting").write_text("bonjour\n")
    (tree / "new").write_text("new\n")
    (tree / "ignored").write_text("no part of it")
    outgoing = await checkouts.outgoing(ONE, "app", message="Save")
    await checkouts.push_of("app").push(outgoing)
    assert (outgoing.ahead, outgoing.committed) == (1, 2)
    assert git(life.source, "show", "--format=%s", "--name-only", outgoing.branch).split() == [
        "Save",
        "greeting",
        "new",
    ]
    assert git(tree, "status", "--porcelain") == ""
    assert git(tree, "rev-parse", "HEAD") == outgoing.commit


async def test_an_unfinished_merge_is_not_pushed(tmp_path: Path) -> None:
    _, checkouts, tree = await begun(tmp_path)
    (tree / ".git" / "MERGE_HEAD").write_text(git(tree, "rev-parse", "HEAD"))
    with pytest.raises(PushRefused, match="is unfinished"):
        await checkouts.outgoing(ONE, "app", message="Save")


async def test_whatever_is_checked_out_it_goes_to_that_branch_and_the_others_stay(tmp_path: Path) -> None:
    life, checkouts, tree = await begun(tmp_path)
    before = git(life.source, "rev-parse", "main")
    git(tree, "checkout", "-q", "-B", "main")
    head = commit(tree, "bonjour\n")
    outgoing = await checkouts.outgoing(ONE, "app", message="Save")
    await checkouts.push_of("app").push(outgoing)
    assert git(life.source, "rev-parse", "main") == before
    assert git(life.source, "rev-parse", outgoing.branch) == head
    assert branches(life.source) == sorted(["main", "other", outgoing.branch])


async def test_commits_of_others_are_never_overwritten(tmp_path: Path) -> None:
    life, checkouts, tree = await begun(tmp_path)
    commit(tree, "bonjour\n")
    outgoing = await checkouts.outgoing(ONE, "app", message="Save")
    await checkouts.push_of("app").push(outgoing)
    git(tree, "commit", "-q", "--amend", "-m", "Greet again")
    with pytest.raises(PushRefused, match="nothing is overwritten") as error:
        await checkouts.push_of("app").push(await checkouts.outgoing(ONE, "app", message="Save"))
    assert "덮어쓰지 않습니다" in error.value.to(Language.KOREAN)
    assert git(life.source, "rev-parse", outgoing.branch) == outgoing.commit


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ("GH006: Protected branch update failed for refs/heads/x.", "The source protects"),
        ("You are not allowed to push code to this project.", "may read its source, and not push"),
        ("The commit has no ticket.", "was not pushed: The commit has no ticket"),
    ],
)
async def test_what_the_source_refuses_is_a_sentence(tmp_path: Path, told: str, words: str) -> None:
    life, checkouts, tree = await begun(tmp_path)
    commit(tree, "bonjour\n")
    hook = life.source / ".git" / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\necho '{told}'\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(PushRefused, match=words):
        await checkouts.push_of("app").push(await checkouts.outgoing(ONE, "app", message="Save"))
    assert branches(life.source) == ["main", "other"]


async def test_a_source_that_is_gone_is_told(tmp_path: Path) -> None:
    life, checkouts, tree = await begun(tmp_path)
    commit(tree, "bonjour\n")
    outgoing = await checkouts.outgoing(ONE, "app", message="Save")
    life.source.rename(tmp_path / "elsewhere")
    with pytest.raises(PushRefused, match="was not pushed: "):
        await checkouts.push_of("app").push(outgoing)


async def test_a_server_that_wants_to_know_who_pushes(tmp_path: Path) -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b'HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm="x"\r\nContent-Length: 0\r\n\r\n')
        await writer.drain()
        writer.close()

    life, checkouts, tree = await begun(tmp_path)
    commit(tree, "bonjour\n")
    outgoing = await checkouts.outgoing(ONE, "app", message="Save")
    server = await asyncio.start_server(refuse, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        life.source = f"http://127.0.0.1:{port}/team/app.git"  # type: ignore[assignment]
        with pytest.raises(PushRefused, match="has no credentials that it takes"):
            await life.begun().push_of("app").push(outgoing)


async def test_what_an_agent_configured_decides_nothing(tmp_path: Path) -> None:
    life, checkouts, tree = await begun(tmp_path)
    head = commit(tree, "bonjour\n")
    ran = tmp_path / "ran"
    hook = tree / ".git" / "hooks" / "pre-push"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {ran}\n")
    hook.chmod(0o755)
    for name, value in (
        ("core.hooksPath", str(hook.parent)),
        ("core.sshCommand", f"touch {ran}"),
        ("credential.helper", f"!touch {ran}"),
        (f"url.{tmp_path}/stolen.insteadOf", str(life.source)),
        ("remote.origin.pushurl", str(tmp_path / "stolen")),
        ("core.alternateRefsCommand", f"touch {ran}"),
        ("uploadpack.packObjectsHook", f"touch {ran}"),
    ):
        git(tree, "config", name, value)
    outgoing = await checkouts.outgoing(ONE, "app", message="Save")
    await checkouts.push_of("app").push(outgoing)
    assert git(life.source, "rev-parse", outgoing.branch) == head
    assert not ran.exists()


async def test_no_object_of_another_conversation_goes_out(tmp_path: Path) -> None:
    """An agent may write a commit that names a tree which only another work tree holds."""
    _, checkouts, one = await begun(tmp_path)
    two = await checkouts.prepare(TWO, "app")
    commit(two, "secret\n")
    tree = git(two, "rev-parse", "HEAD^{tree}")
    body = (
        f"tree {tree}\nparent {git(one, 'rev-parse', 'HEAD')}\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\n\nx\n"
    )
    (one / "body").write_text(body)
    forged = git(one, "hash-object", "-t", "commit", "-w", "--literally", "body")
    git(one, "update-ref", "HEAD", forged)
    with pytest.raises(GitFailed):
        await checkouts.outgoing(ONE, "app", message="Save")


async def test_a_scratch_repository_and_one_in_place_have_nowhere_to_go(tmp_path: Path) -> None:
    _, checkouts, _ = await begun(tmp_path)
    with pytest.raises(PushRefused, match="scratch repository"):
        await checkouts.outgoing(ONE, SCRATCH, message="Save")
    with pytest.raises(PushRefused, match="Nothing has been done here yet"):
        await checkouts.outgoing(TWO, "app", message="Save")
