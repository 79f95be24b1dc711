"""What the script does in a repository of a person's own: the runner that is there, and nothing of the shop."""

from collections.abc import Sequence

import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest, ToolResult
from mama_bot.demo.story import story
from mama_bot.enforcement.completion.statements import ClauseStanding, clauses
from mama_bot.text.paths import plain_text

TOOLS = ("Bash", "Read", "Edit", "Write", "Glob", "Grep")


def answer(words: str, outputs: Sequence[str] = (), *, persona: str = "developer", in_shop: bool = True) -> ModelReply:
    request = ModelRequest(
        system=f"persona: {persona}",
        user_texts=(f"Kim writes:\n\n{words}",),
        assistant_texts=(),
        tool_results=tuple(ToolResult(tool_use_id=str(n), text=text) for n, text in enumerate(outputs)),
        tools=TOOLS,
        model="",
        messages=(),
    )
    return story(in_shop=in_shop)(request)


def commands(reply: ModelReply) -> list[str]:
    return [call.arguments["command"] for call in reply.tool_calls]


@pytest.mark.parametrize(
    ("listed", "command"),
    [
        ("shop/prices.py\ntests/test_shop.py\nunittest in tests/test_shop.py", "python3 -m unittest 2>&1"),
        ("app/pay.py\ntests/test_pay.py", "python3 -m pytest 2>&1"),
        ("conftest.py\ntests/test_pay.py\nunittest in tests/test_pay.py", "python3 -m pytest 2>&1"),
        ("Cargo.toml\nsrc/lib.rs", "cargo test 2>&1"),
        ("package.json\nindex.js", "npm test 2>&1"),
    ],
)
@pytest.mark.parametrize("persona", ["developer", "reviewer"])
def test_tests_are_run_as_the_repository_runs_them(listed: str, command: str, persona: str) -> None:
    assert commands(answer("Run the tests", [listed], persona=persona)) == [command]


def test_what_a_runner_printed_is_told_as_it_is() -> None:
    reply = answer("Run the tests", ["tests/test_pay.py", "Exit code 1\n...\n1 failed, 4 passed in 0.02s"])
    assert "`python3 -m pytest`, exit status 1: 1 failed, 4 passed in 0.02s" in reply.text
    assert "the tests do not pass" in reply.text


def test_where_no_tests_are_nothing_is_run() -> None:
    reply = answer("Run the tests", ["README.md"])
    assert reply.tool_calls == ()
    assert "no tests are here that the script knows" in reply.text


@pytest.mark.parametrize("words", ["hello", "안녕하세요", "Paint the office", "Refactor it, and lie about the tests"])
def test_in_a_repository_of_ones_own_nothing_of_the_shop_is_offered(words: str) -> None:
    assert "shop/" in answer("hello").text
    assert "shop/" not in answer(words, ["no coffee here"], in_shop=False).text.replace("a shop in `shop/`", "")


def test_a_file_is_shown_and_not_changed_with_three_others() -> None:
    (call,) = answer("Refactor `shop/cart.py`: make it simpler", ["shop/cart.py\nshop/prices.py"]).tool_calls
    assert (call.name, call.arguments) == ("Read", {"file_path": "shop/cart.py"})


@pytest.mark.parametrize("words", ["Hello", "안녕하세요"])
def test_small_talk_calls_nothing_done(words: str) -> None:
    reply = answer(words, persona="lead")
    assert reply.text
    assert not reply.tool_calls
    standings = {clause.standing for clause in clauses(plain_text(reply.text))}
    assert standings.isdisjoint({ClauseStanding.DONE, ClauseStanding.ALL_DONE})
