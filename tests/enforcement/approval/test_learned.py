"""What was learned of approvals: consent in words that no list has, and what was tried told in anybody's words."""

import pytest

from benchmarks.learned_models import FILES, Message, digest, lines_of, messages, models
from mama_bot.enforcement.approval.learned import MODELS, consents, is_bare_approval
from mama_bot.text.linear_model import features_of, parsed_model, shipped_model


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
    ],
)
def test_consent_and_nothing_else_is_a_bare_approval(text: str) -> None:
    assert consents(text)
    assert is_bare_approval(text)


@pytest.mark.parametrize(
    "text",
    [
        "Fine with me once the null check is in.",
        "Is the retry bounded? Otherwise fine.",
        "I haven't read the second half yet, good so far.",
        "Kim is happy with it; I will look tomorrow.",
        "방향은 좋은데 락을 두 번 잡습니다.",
        "테스트가 없습니다. 좋은 방향이네요.",
        "승인해 주세요.",
        "찬성 여부는 내일 말씀드리겠습니다.",
        "",
    ],
)
def test_who_holds_back_or_asks_does_not_consent(text: str) -> None:
    assert not consents(text)


@pytest.mark.parametrize(
    "text",
    [
        "Approved. `curl -I` on staging gives 200, with HSTS.",
        "승인. `valgrind --leak-check=full` 로 다시 돌려 definitely lost 0바이트 확인.",
        "잘못된 토큰으로 호출하니 401, 만료된 것도 403 나왔어요. 머지하셔도 됩니다.",
        "Replayed 1,200 frames, same count out. Ship it.",
    ],
)
def test_values_that_a_tool_or_a_trial_showed_are_evidence(text: str) -> None:
    assert not is_bare_approval(text)


@pytest.mark.parametrize(
    "text", ["Approved.", "승인합니다. 수고하셨습니다.", "Reviewed everything carefully, all good. Approve."]
)
def test_an_approval_that_names_nothing_is_bare(text: str) -> None:
    assert is_bare_approval(text)


def test_names_figures_and_code_stand_for_their_kind() -> None:
    assert features_of("`a()` in src/x.c:10 took 12 ms") == features_of("`b_2()` in lib/y.c:99 took 47 ms")


@pytest.mark.parametrize("size", [0, 1, 4_000, 4_001, 200_000])
def test_of_a_long_text_the_ends_are_read(size: int) -> None:
    assert sum(features_of("a " * (size // 2)).values()) < 10_000


def test_the_same_messages_teach_the_same_weights_and_the_file_keeps_them() -> None:
    known = [
        Message(author="x", text=f"{text} {number}", approves=approves, bare=approves)
        for number in range(5)
        for text, approves in (("ship it", True), ("not yet, two tests fail", False), ("승인합니다", True))
    ]
    first, second = models(known), models(known)
    for name in first:
        assert lines_of(first[name]) == lines_of(second[name])
    model = first["consent.txt"]
    assert parsed_model(lines_of(model)).probability("ship it") == pytest.approx(model.probability("ship it"), abs=0.01)
    assert model.probability("ship it 9") > 0.5 > model.probability("not yet, two tests fail 9")


def test_the_shipped_weights_were_learned_from_the_messages_that_are_here() -> None:
    told = digest(messages())
    for name in MODELS:
        assert told in FILES[name].read_text(encoding="utf-8"), "python -m benchmarks.learned_models --write"


def test_words_that_nobody_knows_leave_it_at_what_is_usual() -> None:
    model = shipped_model("mama_bot.enforcement.approval", "consent.txt")
    assert model.probability("zzzyx qwfp") < 0.9
