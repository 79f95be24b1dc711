"""What a repository says of itself is marked as its words and bounded, and read of a commit as plain files alone."""

from functools import partial
from pathlib import Path

from mama_bot.checkouts.own_git import OwnGit
from mama_bot.provisions.instructions import MOST_CHARACTERS, instructions_of
from mama_bot.repositories.committed_files import MOST_BYTES, committed_files, oversized_files
from tests.end_to_end.evidence import git


def test_all_files_together_have_a_bound_and_what_is_left_out_is_said() -> None:
    text = instructions_of(
        {"AGENTS.md": "b" * 100, "CLAUDE.md": "a" * (MOST_CHARACTERS - 10)}, repository="app", branch="main"
    )
    assert text.count("a" * 1000) == (MOST_CHARACTERS - 10) // 1000
    assert f"\n{'b' * 10}\n[The rest of AGENTS.md is left out here: read the file.]\n" in text
    assert len(text) < MOST_CHARACTERS + 1_000
    assert instructions_of({"CLAUDE.md": " \n", "README.md": "x"}, repository="app", branch="main") == ""


def test_a_file_that_nobody_read_for_its_size_is_said_to_be_left_out() -> None:
    text = instructions_of({"AGENTS.md": "Use tabs."}, repository="app", branch="main", oversized=("CLAUDE.md",))
    assert "[CLAUDE.md is too large and left out here: read the file.]" in text
    assert "Use tabs." in text


def test_korean_instructions_stand_as_they_are() -> None:
    assert "\n탭을 쓰세요.\n" in instructions_of({"CLAUDE.md": "탭을 쓰세요.\n"}, repository="app", branch="main")


async def test_links_and_what_is_no_text_or_too_large_are_no_files(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("swordfish")
    source = tmp_path / "source"
    (source / ".claude").mkdir(parents=True)
    (source / "CLAUDE.md").symlink_to("../secret")
    (source / ".claude" / "CLAUDE.md").write_text("plain")
    (source / "AGENTS.md").write_text("x" * (MOST_BYTES + 1))
    (source / "binary").write_bytes(b"a\0b")
    git(source, "init", "-q")
    git(source, "add", "-A")
    git(source, "commit", "-qm", "Begin")
    output = partial(OwnGit(tmp_path / "gitconfig").output, source / ".git")
    paths = ("CLAUDE.md", ".claude/CLAUDE.md", "AGENTS.md", "binary", "absent")
    assert await committed_files(output, "HEAD", paths) == {".claude/CLAUDE.md": "plain"}
    assert await oversized_files(output, "HEAD", paths) == ("AGENTS.md",)


async def test_a_tree_that_leads_elsewhere_brings_no_file(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    git(source, "init", "-q")
    (source / "script").write_text("outside")
    blob = git(source, "hash-object", "-w", "script").strip()

    def tree(*entries: tuple[str, str, str]) -> str:
        content = b"".join(f"{mode} {name}\0".encode() + bytes.fromhex(held) for mode, name, held in entries)
        (source / "raw").write_bytes(content)
        return git(source, "hash-object", "-w", "-t", "tree", "--literally", "raw").strip()

    up = ("40000", "..", tree(("40000", "..", tree(("100644", "script", blob)))))
    whole = tree(("40000", "skills", tree(up, ("100644", "SKILL.md", blob))))
    output = partial(OwnGit(tmp_path / "gitconfig").output, source / ".git")
    assert await committed_files(output, whole, ("skills",)) == {"skills/SKILL.md": "outside"}
