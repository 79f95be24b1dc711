"""What single sentences do, in both languages, by grammar more than by word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mama_bot.enforcement.praise.acts import EMPTY, Act, act_of
from mama_bot.enforcement.praise.shares import shares
from mama_bot.enforcement.stage_lexicon import lexicon
from mama_bot.text.sentences import reading_of

ACTS = [
    (Act.PRAISE, "The way you split the scheduler from the runner shows real taste."),
    (Act.PRAISE, "Clean separation of concerns and lovely naming!"),
    (Act.PRAISE, "I can't praise this refactoring highly enough."),
    (Act.PRAISE, "You have outdone yourself with this one."),
    (Act.PRAISE, "이렇게까지 섬세하게 다듬으신 분은 처음입니다."),
    (Act.PRAISE, "구조가 아주 체계적이고 읽기 편하네요."),
    (Act.PRAISE, "감탄하지 않을 수 없는 설계입니다."),
    (Act.PRAISE, "역시 믿고 맡길 수 있습니다!"),
    (Act.SELF_PRAISE, "I crafted a robust, scalable and maintainable solution that exceeds every expectation."),
    (Act.SELF_PRAISE, "제가 자부하는 역작입니다."),
    (Act.FILLER, "Hello there! "),
    (Act.FILLER, "Feel free to reach out whenever something comes up."),
    (Act.FILLER, "언제든지 편하게 말씀해 주세요."),
    (Act.CONFIRMATION, "Got it, will do!"),
    (Act.CONFIRMATION, "Makes total sense, consider it handled!"),
    (Act.CONFIRMATION, "네, 말씀하신 대로 차질 없이 진행하겠습니다."),
    (Act.CONFIRMATION, "알겠습니다!"),
    (Act.CONTENT, "The hit rate is excellent: 98 % after warm-up."),
    (Act.CONTENT, "This is far from perfect: the cache key leaves out the tenant."),
    (Act.CONTENT, "Great, so the race is in the flush path: two writers hold the same lock."),
    (Act.CONTENT, "The server drains its connections and shuts down gracefully."),
    (Act.CONTENT, "Replaced the lookup table by a perfect hash, which halves its size."),
    (Act.CONTENT, "완벽하지 않습니다: 42행에서 None 처리가 빠졌습니다."),
    (Act.CONTENT, "같은 시드로 돌리면 완벽히 동일한 체크섬이 3번 나옵니다."),
    (Act.CONTENT, "우아한 종료가 SIGTERM 뒤 20초 안에 끝납니다."),
    (Act.CONTENT, "I reviewed the changes in the parser and traced every caller."),
    (Act.CONTENT, "변경된 코드를 모두 확인했습니다."),
    (Act.CONTENT, "Could you look at the failing test?"),
    (Act.CONTENT, "Approved."),
]


@pytest.mark.parametrize(("act", "sentence"), ACTS)
def test_what_a_sentence_does(act: Act, sentence: str) -> None:
    assert act_of(sentence.strip(), lexicon()) is act


def share(text: str) -> float:
    return shares(reading_of(text), lexicon()).empty_share


def test_neutral_sentences_among_praise_are_part_of_it() -> None:
    praise = "What a marvellous piece of work! Nothing is forced. I adore every line of it."
    assert share(praise) == 1


def test_neutral_sentences_beside_a_courtesy_are_not() -> None:
    assert share("Hello! The diagram shows two boxes.") < 0.5


def test_a_plan_after_a_confirmation_says_nothing_yet() -> None:
    assert share("네, 확인했습니다! 3개 파일을 리팩토링하겠습니다.") == 1
    assert share("3개 파일을 리팩토링하겠습니다. `src/a.py`의 누수를 먼저 고칩니다.") == 0


def test_a_list_of_quotations_is_no_praise() -> None:
    assert share("'훌륭합니다', '멋진 질문이에요'") == 0
    assert share("'Excellent work, everyone!'") == 1


def test_words_of_the_configuration_count() -> None:
    own = lexicon((("admiration", ("galaxy-brained",)), ("fact", ("기동",))))
    assert act_of("Truly galaxy-brained stuff.", own) in EMPTY
    assert act_of("Truly galaxy-brained stuff.", lexicon()) not in EMPTY


@given(st.lists(st.sampled_from([sentence for _, sentence in ACTS]), min_size=1, max_size=12))
def test_shares_lie_between_none_and_all(sentences: list[str]) -> None:
    assert 0 <= share(" ".join(sentences)) <= 1
    assert share("\n".join(f"- {sentence}" for sentence in sentences)) >= 0


@pytest.mark.parametrize("lines", [100, 1000, 5000])
def test_a_sample_of_a_very_long_text_has_its_share(lines: int) -> None:
    half = "What a wonderful piece of work this is!\nThe lock in pool.py is held across 2 awaits.\n"
    assert share(half * lines) == pytest.approx(share(half), abs=0.08)
