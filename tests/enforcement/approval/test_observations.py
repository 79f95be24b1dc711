"""Values that a tool or a trial showed are evidence; how much was changed, and what failed, is none."""

import pytest

from mama_bot.config import EvidenceStrength
from mama_bot.enforcement.approval.evidence import grounds_in
from mama_bot.enforcement.stage_lexicon import lexicon
from mama_bot.text.sentences import reading_of


def is_evidence(text: str) -> bool:
    return grounds_in(reading_of(text).plain, lexicon()).at_least(EvidenceStrength.NAMED_CHECK)


@pytest.mark.parametrize(
    "text",
    [
        "`curl -I` on staging gives 200, with HSTS.",
        "`valgrind --leak-check=full` 로 다시 돌려 definitely lost 0바이트 확인.",
        "Checked the trace: SPI clock 8.0MHz, setup 120ns.",
        "잘못된 토큰으로 호출하니 401, 만료된 것도 403 나왔어요.",
        "시드를 바꿔 학습시켜봤고 0.688에서 0.691 사이입니다.",
    ],
)
def test_values_that_a_tool_or_a_trial_showed_are_evidence(text: str) -> None:
    assert is_evidence(text)


@pytest.mark.parametrize(
    "text",
    [
        "`git show --stat` shows 12 files and 3 commits.",
        "The diff counts 340 lines.",
        "`cargo clippy --all` reports 4 warnings, none of them new to me.",
        "파일 3개, 커밋 2개 확인했습니다.",
    ],
)
def test_the_size_of_a_change_and_what_is_wrong_are_none(text: str) -> None:
    assert not is_evidence(text)
