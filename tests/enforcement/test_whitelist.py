"""A whitelist entry means the phrase literally, whatever it holds, with any white space."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mama_bot.enforcement.whitelisted_phrases import is_nothing_but_approval, says_too_little, whitelist_entry
from mama_bot.text.normalise import normalise
from mama_bot.text.patterns import alternation, compiled


@pytest.mark.parametrize(
    ("phrase", "entry"),
    [
        ("What an excellent question!", r"What\s+an\s+excellent\s+question"),
        ("정말  훌륭합니다.", r"정말\s+훌륭합니다"),
        ("a **bold** claim", r"a\s+\**bold\**\s+claim"),
        ("**All of it is bold!**", r"All\s+of\s+it\s+is\s+bold"),
        ("zero\u200bwidth", "zerowidth"),
        ("C++ (v1.2) [x] {y} ^$ a|b", r"C\+\+\s+\(v1\.2\)\s+\[x\]\s+\{y\}\s+\^\$\s+a\|b"),
        ("`git push` is perfect", r"(?:`[^`]+`|\S+)\s+is\s+perfect"),
        ("!!!", "!!!"),
        (" \n ", ""),
        ("***", ""),
        ("`a`, `b`.", ""),
        ("👏", "👏"),
    ],
)
def test_the_entry_is_the_phrase_escaped_and_loosened(phrase: str, entry: str) -> None:
    assert whitelist_entry(phrase) == entry


@settings(deadline=None)
@given(st.text(min_size=1, max_size=200))
def test_every_entry_is_re2_and_finds_its_phrase(phrase: str) -> None:
    entry = whitelist_entry(phrase)
    if entry:
        assert compiled(entry).search("") is None
        assert compiled(entry).search(normalise(phrase).text) is not None
        assert alternation([entry]) is not None


@pytest.mark.parametrize(
    ("phrase", "nothing_else"),
    [
        *((bare, True) for bare in ("LGTM", "Approved.", "LGTM 🎉", "**Verdict:** approved", "I approve this PR")),
        *((bare, True) for bare in ("Looks good to me, ship it", '"verdict": "approved"', "LGTM for the draft")),
        *(
            (bare, True)
            for bare in ("승인합니다.", "PR 승인합니다", "머지하셔도 됩니다", "판정: 승인", "이 변경을 승인했습니다")
        ),
        ("Approved vendors are listed in the table", False),
        ("The customer wrote LGTM under the old draft", False),
        ("어제 승인된 요청은 두 건입니다", False),
        ("고객이 '승인합니다'라고 답한 메일을 첨부합니다", False),
    ],
)
def test_an_approval_that_says_nothing_else_is_told_from_a_sentence(phrase: str, nothing_else: bool) -> None:
    assert is_nothing_but_approval(phrase) is nothing_else


def test_words_of_the_configuration_are_approvals_too() -> None:
    assert not is_nothing_but_approval("Zug um Zug abgenickt")
    assert is_nothing_but_approval("Zug um Zug abgenickt", (("approval", ("Zug um Zug abgenickt",)),))


@pytest.mark.parametrize(
    ("phrase", "too_little"),
    [("ok", True), ("a.b", True), ("네", True), ("👏", True), ("yes", False), ("좋음", False), ("완벽", False)],
)
def test_a_phrase_has_three_letters_or_two_syllables(phrase: str, too_little: bool) -> None:
    assert says_too_little(phrase) is too_little
