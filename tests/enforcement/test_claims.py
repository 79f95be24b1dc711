"""What a reply claims that a record could show."""

import pytest

from mama_bot.enforcement.claims import claims_in
from mama_bot.enforcement.language.claiming.vocabulary import listed
from mama_bot.enforcement.language.patterns import alternation


def kinds(text: str) -> list[str]:
    return [claim.kind.value for claim in claims_in(text)]


@pytest.mark.parametrize(("term", "entry", "example"), list(listed()))
def test_every_entry_finds_its_example(term: str, entry: str, example: str) -> None:
    assert example, f"{term} {entry} has no example"
    assert alternation([entry]).search(example) is not None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("All 45 tests pass and mypy is clean, committed as 3fa2c1d and pushed.", "tests types committed pushed"),
        ("테스트 45개 모두 통과했고 3fa2c1d로 커밋했습니다.", "tests committed"),
    ],
)
def test_a_sentence_can_hold_several_claims(text: str, expected: str) -> None:
    assert kinds(text) == expected.split()
