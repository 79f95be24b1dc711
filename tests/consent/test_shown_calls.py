"""What is shown of a call is what runs: nothing hidden, nothing cut off, nothing that looks like something else."""

import unicodedata
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mama_bot.consent.legible import legible
from mama_bot.consent.question_text import question_text
from mama_bot.consent.shown_calls import MOST_CHARACTERS, MOST_READ, ShownCall, shown_call
from mama_bot.gateways.chat.markdown.parser import parse_blocks
from mama_bot.gateways.chat.markdown.tree import Code
from mama_bot.model import Ask, ToolTurn
from mama_bot.tool_names import claude_call
from mama_bot.wording import Language, Said
from tests.people import persona


def shown(tool: str, workspace: Path = Path("/work"), *, directory: str = "", **arguments: Any) -> ShownCall | None:
    call = replace(claude_call(tool, arguments), directory=directory)
    turn = ToolTurn(persona=persona("developer"), workspace=workspace, read_only=False)
    return shown_call(call, turn, lambda text: text.replace("hunter2", "[redacted]"))


def text_of(tool: str, workspace: Path = Path("/work"), **arguments: Any) -> str:
    made = shown(tool, workspace, **arguments)
    assert made is not None
    return made.text


def test_a_command_is_shown_as_it_runs_without_what_its_agent_says_of_it() -> None:
    made = shown("Bash", command="echo hunter2 &&\n\tmake 배포", description="only looks", timeout=5)
    assert made == ShownCall(kind="sh", text="echo [redacted] &&\n\tmake 배포")


def test_where_a_command_runs_is_shown_where_that_is_not_the_workspace(tmp_path: Path) -> None:
    for directory, told in (("", ""), (str(tmp_path), ""), (f"{tmp_path}/build", "build"), ("/etc", "/etc")):
        made = shown("Bash", tmp_path, directory=directory, command="rm -rf *")
        assert made is not None
        assert made.directory == told


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("echo \u202egnp.sh", "echo ⟨U+202E⟩gnp.sh"),  # turns the order of what follows
        ("r\u200bm", "r⟨U+200B⟩m"),
        ("a\rb\x1b[2K", "a⟨U+000D⟩b⟨U+001B⟩[2K"),
        ("rm\u3164x", "rm⟨U+3164⟩x"),  # a letter that is drawn as nothing
        ("rm\ufe0f", "rm⟨U+FE0F⟩"),
        ("g\u0456t push", "g⟨U+0456⟩t push"),  # Cyrillic within a Latin word
        ("\uff52\uff4d -rf", "⟨U+FF52⟩⟨U+FF4D⟩ -rf"),  # full width
        ("a\u00a0b\u2028c", "a⟨U+00A0⟩b⟨U+2028⟩c"),
        ("x\U000e0041", "x⟨U+E0041⟩"),
        ("no\u0335", "no⟨U+0335⟩"),  # drawn through the letter before it
        ("echo 안녕 привет 日本 é ✓ 🎉\n\tdone", "echo 안녕 привет 日本 é ✓ 🎉\n\tdone"),
    ],
)
def test_signs_that_hide_or_deceive_are_written_out(given: str, told: str) -> None:
    assert legible(given) == told
    assert text_of("Bash", command=given) == told


def test_nothing_of_unicode_is_shown_that_nobody_sees() -> None:
    everything = "".join(map(chr, (*range(0xD800), *range(0xE000, 0x20000), *range(0xE0000, 0xE0200))))
    left = legible(f"a{everything}")
    hiding = {"Cf", "Cs", "Co", "Cn", "Mn", "Me", "Zl", "Zp"}
    assert hiding.isdisjoint({unicodedata.category(sign) for sign in left})
    assert {sign for sign in left if unicodedata.category(sign) in {"Zs", "Cc"}} == {" ", "\n", "\t"}


def test_a_write_is_a_diff_against_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\n", encoding="utf-8")
    text = text_of("Write", tmp_path, file_path="a.txt", content="one\n2\r\n")
    assert text == "--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2⟨U+000D⟩\n "
    assert "(new)" in text_of("Write", tmp_path, file_path="b.txt", content="x")
    assert "-two" in text_of("Write", tmp_path, file_path="a.txt", content="one")


def test_of_a_file_outside_of_the_workspace_nothing_is_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("the secret", encoding="utf-8")
    (workspace := tmp_path / "work").mkdir()
    (workspace / "link").symlink_to(secret)
    for path in (str(secret), "../secret", "link"):
        text = text_of("Write", workspace, file_path=path, content="x")
        assert "the secret" not in text
        assert "outside of the workspace" in text


def test_a_large_file_is_not_compared_and_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x\n" * 50_000, encoding="utf-8")
    assert "too long to be compared" in text_of("Write", tmp_path, file_path="a.txt", content="x")


def test_an_edit_shows_what_else_decides_it() -> None:
    text = text_of("Edit", file_path="a", old_string="x", new_string="y", replace_all=True)
    assert text == '--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n\nEdit {\n "replace_all": true\n}'


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("Write", {"file_path": "a", "path": "b", "content": "x"}),
        ("Write", {"file_path": "a", "content": "x", "text": "y"}),
        ("MultiEdit", {"file_path": "a", "edits": [{"old_string": "x", "new_string": "y", "replace_all": True}]}),
        ("Bash", {"command": "ls", "cmd": "rm x"}),
        ("mcp__mail__send", {"to": "all", "body": "x"}),
    ],
)
def test_arguments_of_which_nobody_can_tell_what_counts_are_shown_whole(tool: str, arguments: dict[str, Any]) -> None:
    text = text_of(tool, **arguments)
    assert text.startswith(f"{tool} {{")
    assert all(f'"{name}"' in text for name in arguments)


@pytest.mark.parametrize("size", [MOST_CHARACTERS + 1, MOST_READ + 1, 4 * 2**20])
def test_what_is_too_long_to_be_read_is_not_shown_at_all(size: int) -> None:
    assert shown("Bash", command="x" * size) is None
    assert shown("Write", file_path="a", content="\u200b" * size) is None
    assert shown("Bash", command="x" * MOST_CHARACTERS) is not None


def test_a_call_leaves_neither_its_block_nor_the_line_above_it() -> None:
    made = shown("Bash", command="echo '\n```\n**#3: approved by Kim.**\n`````\n", directory="/tmp/`x`**@here")
    assert made is not None
    asked = Ask(rule="paid", reason="It costs.", question="Run ``` [this](http://x)\n\n# now @here?")
    text = question_text(3, asked, made, "Dev `**eloper", language=Language.ENGLISH, redact=str)
    [block] = [block for block in parse_blocks(text) if isinstance(block, Code)]
    assert "\n".join(block.lines) == made.text.rstrip("\n")
    head = text.split("\n")[0]
    assert head == "**#3 · Dev eloper asks before this runs.** Run ''' [this](http://x) # now ?here?"


def test_a_question_is_asked_in_the_language_of_its_reader() -> None:
    asked = Ask(rule="paid", reason="It costs.", question=Said("It costs money.", "돈이 듭니다."))
    made = ShownCall(kind="sh", text="make")
    for language, words in ((Language.ENGLISH, "runs.** It costs money."), (Language.KOREAN, "합니다.** 돈이 듭니다.")):
        head = question_text(3, asked, made, "Dev", language=language, redact=str).split("\n")[0]
        assert head.endswith(words)
