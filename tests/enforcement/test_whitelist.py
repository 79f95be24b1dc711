"""A whitelist entry means the phrase literally, whatever it holds, with any white space."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mama_bot.enforcement.language.normalise import normalise
from mama_bot.enforcement.language.patterns import alternation, compiled
from mama_bot.enforcement.whitelist import whitelist_entry


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
