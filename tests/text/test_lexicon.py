"""The lexicon finds what RE2 finds with one expression of all entries, and asks it about few of them."""

import json
from itertools import islice
from pathlib import Path

import pytest

from mama_bot.enforcement.stage_lexicon import lexicon
from mama_bot.text.entries import Phrases, entry_of
from mama_bot.text.lexicon import PLAIN_KINDS, Kind
from mama_bot.text.needed_words import anchors, phrases
from mama_bot.text.patterns import any_of, compiled
from mama_bot.text.sentences import reading_of

MESSAGES = Path(__file__).parents[1] / "data" / "messages" / "development.jsonl"
EVERY = 25


def sample() -> list[str]:
    with MESSAGES.open(encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in islice(lines, 0, None, EVERY)]
    return [sentence.text for text in texts for sentence in reading_of(text).sentences]


SENTENCES = sample()


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind not in PLAIN_KINDS])
def test_every_kind_is_found_where_one_expression_of_its_entries_finds_it(kind: Kind) -> None:
    plain = compiled(any_of(lexicon().of(kind)), groups=False)
    for sentence in SENTENCES:
        expected = [(match.start(), match.end()) for match in plain.finditer(sentence)]
        assert [(match.start(), match.end()) for match in lexicon()[kind].finditer(sentence)] == expected, sentence
        first = lexicon()[kind].search(sentence)
        assert ((first.start(), first.end()) if first else None) == (expected[0] if expected else None), sentence
        assert (lexicon()[kind].match(sentence) is None) == (plain.match(sentence) is None), sentence


@pytest.mark.parametrize(
    ("entry", "needed"),
    [
        ("in awe", [{"^awe$"}, {"^in$"}]),
        ("delight(s|ed)?", [{"^delights$", "^delighte", "^delight$"}]),
        ("완벽 ?해시", [{"완벽"}, {"해시"}]),
        (r"(giv|show)ing \S+ a (nod|pass)", [{"^a$"}, {"^giving$", "^showing$"}, {"^nod$", "^pass$"}]),
        (r"\d+ of \d+", [{"0"}, {"^of$"}]),
        (r"[?]+", []),
    ],
)
def test_what_a_text_needs_to_hold_an_entry(entry: str, needed: list[set[str]]) -> None:
    assert sorted(map(sorted, anchors(entry))) == sorted(map(sorted, needed))


@pytest.mark.parametrize("entry", [r"(a", r"a\pL", "(?i:a)", "[[:alpha:]]", "a{2", "*"])
def test_an_entry_that_is_not_read_is_searched_for_everywhere(entry: str) -> None:
    assert not anchors(entry)
    assert not phrases(entry)


@pytest.mark.parametrize(
    "text", ["A JOY  to read", "a\njoy to read", "what a joy to READ", "a joy toread", "pa joy to read"]
)
def test_phrases_are_found_as_re2_finds_them(text: str) -> None:
    entry = entry_of("a (joy|pleasure) to read")
    assert isinstance(entry, Phrases)
    expected = compiled(any_of(["a (joy|pleasure) to read"]), groups=False).search(text)
    lexicon_of_one = lexicon((("praise", ("a (joy|pleasure) to read",)),))
    match = lexicon_of_one[Kind.PRAISE].search(text)
    assert (match and (match.start(), match.end())) == (expected and (expected.start(), expected.end()))


@pytest.mark.parametrize("filler", ["a", "가나", "완벽하", "0x"])
def test_an_entry_is_found_in_a_word_of_any_length(filler: str) -> None:
    word = f"{filler * 3_000}완벽합니다{filler}"
    assert lexicon()[Kind.EVALUATION].search(word) is not None or lexicon()[Kind.PRAISE].search(word) is not None
    for kind in (Kind.PRAISE, Kind.EVALUATION, Kind.APPROVAL, Kind.FACT):
        plain = compiled(any_of(lexicon().of(kind)), groups=False)
        assert (lexicon()[kind].search(word) is None) == (plain.search(word) is None), kind
