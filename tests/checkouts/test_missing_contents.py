"""Submodules and large files are not in a work tree: who begins in such a repository is told."""

from pathlib import Path

import pytest

from mama_bot.checkouts.absent_contents import missing_told
from mama_bot.checkouts.file_commits import LargeFilesInside
from mama_bot.model import ConversationKey, MissingContents
from mama_bot.wording import Language
from tests.checkouts.making import ONE, Life, make_source
from tests.end_to_end.evidence import git


async def test_what_a_work_tree_will_not_hold_is_told(tmp_path: Path) -> None:
    source = make_source(tmp_path)
    git(source, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(source), "libs/core")
    (source / ".gitattributes").write_text("*.bin filter=lfs diff=lfs merge=lfs -text\n")
    git(source, "add", "-A")
    git(source, "commit", "-qm", "Add a submodule and large files")
    told: list[tuple[str, MissingContents]] = []

    async def tell(key: ConversationKey, name: str, missing: MissingContents) -> None:
        assert key == ONE
        told.append((name, missing))

    checkouts = Life(tmp_path, source).begun(tell_missing=tell)
    tree = await checkouts.prepare(ONE, "app")
    await checkouts.prepare(ONE, "app")
    missing = MissingContents(submodules=("libs/core",), large_files=True)
    assert told == [("app", missing)]
    assert [*(tree / "libs" / "core").iterdir()] == []
    assert (await checkouts.view(ONE, "u1")).missing == missing
    english, korean = (missing_told(missing, "app", language) for language in (Language.ENGLISH, Language.KOREAN))
    assert "Submodules of app are empty directories here: `libs/core`." in english
    assert "Large files of app (git LFS) are here as pointers" in english
    assert "빈 디렉터리입니다: `libs/core`" in korean


async def test_of_a_repository_that_is_whole_nothing_is_told(tmp_path: Path) -> None:
    async def tell(key: ConversationKey, name: str, missing: MissingContents) -> None:
        raise AssertionError(key, name, missing)

    await Life(tmp_path, make_source(tmp_path)).begun(tell_missing=tell).prepare(ONE, "app")
    assert missing_told(MissingContents(), "app", Language.ENGLISH) == ""


async def test_the_contents_of_a_large_file_are_in_no_commit_of_the_service(tmp_path: Path) -> None:
    source = make_source(tmp_path)
    (source / ".gitattributes").write_text("*.bin filter=lfs diff=lfs merge=lfs -text\n")
    git(source, "add", "-A")
    git(source, "commit", "-qm", "Large files")
    checkouts = Life(tmp_path, source).begun()
    tree = await checkouts.prepare(ONE, "app")
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12\n"
    (tree / "a.bin").write_text(pointer)
    (tree / "empty.bin").touch()
    (tree / "link.bin").symlink_to("a.bin")
    assert (await checkouts.outgoing(ONE, "app", message="Save")).committed == 3
    (tree / "a.bin").write_text("the contents")
    (tree / "link.bin").unlink()
    (tree / "link.bin").write_text("in place of a link")
    (tree / "한글.bin").write_text("others")
    with pytest.raises(LargeFilesInside) as refused:
        await checkouts.outgoing(ONE, "app", message="Save")
    assert refused.value.paths == ("a.bin", "link.bin", "한글.bin")
    assert git(tree, "show", "HEAD:a.bin") == pointer.strip()
    checkout = await checkouts.known(ONE, "app")
    assert checkout is not None
    assert await checkouts.put_away(checkout)  # what is kept is for nobody else: nothing is refused there
    assert (await checkouts.prepare(ONE, "app") / "a.bin").read_text() == "the contents"
