"""A review that consents and says nothing else is an approval, whatever its words; one that says anything is none."""

import pytest

from mama_bot.enforcement.approval.rubber_stamps import is_rubber_stamp
from mama_bot.text.sentences import reading_of


@pytest.mark.parametrize(
    "text",
    [
        "Fine, off it goes 👍",
        "+2, submit",
        "rs+ , trust you on this one",
        "Green light from the platform team.",
        "I am convinced. No further remarks.",
        "의견 없음. 찬성.",
        "특별한 이견 없어요. 진행하시죠.",
        "🆗 👌",
    ],
)
def test_consent_and_nothing_else_is_a_rubber_stamp(text: str) -> None:
    assert is_rubber_stamp(reading_of(text))


@pytest.mark.parametrize(
    "text",
    [
        "Fine with me once the null check is in.",
        "Good direction, but the lock is taken twice.",
        "Is the retry bounded? Otherwise fine.",
        "I haven't read the second half yet, good so far.",
        "Kim is happy with it; I will look tomorrow.",
        "`parse` is good now.",
        "Replayed 1,200 frames, same count out. Ship it.",
        "방향은 좋은데 락을 두 번 잡습니다.",
        "테스트가 없습니다. 좋은 방향이네요.",
        "승인해 주세요.",
        "찬성 여부는 내일 말씀드리겠습니다.",
        "",
    ],
)
def test_who_holds_back_asks_or_names_anything_does_more_than_stamp(text: str) -> None:
    assert not is_rubber_stamp(reading_of(text))
