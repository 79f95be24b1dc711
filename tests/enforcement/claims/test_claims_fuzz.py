"""Random and mutated texts: no exception, every span is the text that it points to, the same claims twice."""

import os
import random

import pytest

from mama_bot.enforcement.claims.prose_claims import MOST_CLAIMS, admissions_in, claims_in
from mama_bot.text.normalise import normalise
from mama_bot.text.sentences import Reading
from tests.enforcement.claims.test_prose_claims import ASSERTED, NOT_ASSERTED
from tests.enforcement.examples import draft

TEXTS = int(os.environ.get("FUZZ_TEXTS", "4000")) // 4
SENTENCES = (*(text for text, _ in ASSERTED), *NOT_ASSERTED)
PIECES = (
    *("```\n", "~~~\n", "`", "``", "> ", "| a | b |\n", "\n\n", "    ", "- ", "1. ", "[x] ", "- [ ] ", "**", "## "),
    *(
        "45 passed ",
        "3/4 ",
        "628개 중 ",
        "Changed files:\n",
        "변경 파일:\n",
        "(",
        ")",
        '"',
        "“",
        "，",
        " · ",
        "✅",
        "❌",
    ),
    *("\ud800", "\x00", "\ue000", "\ue001", "\ue011", "\u200b", "\u2028", "ﬁ", "ＡＬＬ", "\u1112\u1161\u11ab", "𝐏𝐀𝐒𝐒"),
)


def mutated(chance: random.Random) -> str:
    parts = [chance.choice(SENTENCES) for _ in range(chance.randint(1, 6))]
    parts += [chance.choice(PIECES) for _ in range(chance.randint(0, 8))]
    chance.shuffle(parts)
    text = chance.choice(("", " ", "\n")).join(parts)
    for _ in range(chance.randint(0, 4)):
        begin = chance.randrange(len(text) + 1)
        text = text[:begin] + chance.choice(PIECES) + text[begin + chance.randint(0, 5) :]
    return text


def read(text: str) -> Reading:
    return Reading(normalise(text))


@pytest.mark.parametrize("seed", range(4))
def test_any_text_has_claims_inside_it(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(TEXTS // 4):
        text = draft(mutated(chance)).text
        claims = claims_in(read(text))
        assert all(text[claim.start : claim.end] == claim.text and claim.text for claim in claims), text
        assert [claim.start for claim in claims] == sorted(claim.start for claim in claims), text
        assert claims_in(read(text)) == claims
        assert admissions_in(read(text)) == admissions_in(read(text))


@pytest.mark.parametrize("text", ["", " ", "\n", "```", "|", "> ", "`", "(" * 5000, "테스트 " * 5000, "1/1 " * 5000])
def test_empty_and_monotonous_texts(text: str) -> None:
    assert all(text[claim.start : claim.end] == claim.text for claim in claims_in(read(text)))


def test_very_many_claims_are_bounded() -> None:
    assert len(claims_in(read("All 45 tests pass.\n" * 1000))) <= MOST_CLAIMS
