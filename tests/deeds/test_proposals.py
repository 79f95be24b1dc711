"""A pull request is titled by its thread, and its body reaches nobody and closes nothing."""

from dataclasses import replace

import pytest

from mama_bot.deeds.proposals import BREAK, neutral, proposal_body, proposal_title
from mama_bot.model import Author
from mama_bot.wording import Language
from tests.store.making import HERE, message, reply, turn

KIM = Author(id="u1", name="Kim @all")
EN, KO = Language.ENGLISH, Language.KOREAN


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("<@U0BOT> fix the login\nplease", "fix the login please"),
        ("@mama_bot: 로그인을 고쳐 주세요", "로그인을 고쳐 주세요"),
        ('<foreign-3f2a91bc field="issue.title">Login fails</foreign-3f2a91bc> <b', "Login fails <\u200bb"),
        ("x" * 100, "x" * 71 + "…"),
        ("like in #12", f"like in #{BREAK}12"),
        ("  \n ", "Work of a conversation"),
    ],
)
def test_the_title_is_how_the_thread_begins(text: str, title: str) -> None:
    asked = [replace(message(1), text=text)]
    assert proposal_title("", asked, EN) == title


def test_a_title_that_is_given_stands() -> None:
    assert proposal_title("Greet\n", [message(1)], EN) == "Greet"
    assert proposal_title("", [], KO) == "대화에서 한 작업"


@pytest.mark.parametrize(
    "text", ["@kim", "#12", "GH-12", "!7", "<script>", "<!-- x", "</details>", "team/app#3", "~bug"]
)
def test_nothing_that_a_forge_acts_on_is_left_whole(text: str) -> None:
    assert text not in neutral(f"see {text} there")
    assert neutral(f"see {text} there").replace(BREAK, "") == f"see {text} there"


@pytest.mark.parametrize("text", ["a # b", "1 < 2", "`x = y`", "50 %", "감사합니다!"])
def test_other_words_stay_as_they_are(text: str) -> None:
    assert neutral(text) == text


def test_the_body_quotes_the_reply_with_its_line_of_facts() -> None:
    answer = replace(reply(turn(message(1))), text="Done.\n/merge\n@team", record_line="Record: 1 file +1 −1")
    lines = proposal_body(answer, by=KIM, key=HERE, language=EN).splitlines()
    assert lines[:3] == ["> Done.", "> /merge", f"> @{BREAK}team"]
    assert "Record: 1 file +1 −1" in lines
    assert lines[-1] == f"Opened by mama-bot from a conversation on web, as Kim @{BREAK}all asked."
    assert not [line for line in lines if line.startswith("/")]


def test_a_long_reply_is_cut() -> None:
    answer = replace(reply(turn(message(1))), text="word " * 10_000)
    assert len(proposal_body(answer, by=KIM, key=HERE, language=KO)) < 5_000
    assert "mama-bot" in proposal_body(None, by=KIM, key=HERE, language=KO)
