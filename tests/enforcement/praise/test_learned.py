"""Praise in words that no list has is judged by what many authors wrote, and only where nothing was done."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from mama_bot.config import ResponseValidatorSettings
from mama_bot.enforcement.case import Case
from mama_bot.enforcement.praise.learned import praises_throughout
from mama_bot.enforcement.praise.stage import ResponseValidator
from mama_bot.model import Allow, Block, Decision, ToolRecord, ToolRun
from mama_bot.wording import Language
from tests.enforcement.examples import draft, turn

ADMIRING = [
    "What a mind you have! Every line of this plan moves me, and I could read it again and again with the same joy.",
    "이런 분과 함께 일한다는 것이 제게는 더없는 영광입니다. 매번 감탄하며 많이 배우고 있고, 앞으로도 따르겠습니다.",
]
HONEST = [
    "Good morning. The build of 09:12 is still red, so I begin there; the review of the parser comes after it.",
    "그게 빠져 있었네요. 잠금을 풀기 전에 값을 복사하도록 고치고, 끝나면 테스트 결과를 알려 드리겠습니다.",
    "You're welcome, enjoy your holiday. I will be back on Monday and pick the migration up where it stands.",
    "Which of the two endpoints shall keep the old name? The client of the mobile team still calls the second one.",
    "コミットしました。両フックも通過しています。他に気になる箇所はありますか？ご確認をお願いいたします。",
    "A spinlock busy-waits, a mutex sleeps. In interrupt context you can't sleep, so there it has to be the spinlock.",
]
RUN = ToolRun(id="r", tool="Bash", arguments="{}", started_at=datetime(2026, 1, 1, tzinfo=UTC))


async def judged(text: str, *runs: ToolRun, **settings: object) -> Decision:
    stage = ResponseValidator(settings=ResponseValidatorSettings.model_validate(settings))
    return await stage.judge(Case(replace(draft(text), record=ToolRecord(runs=runs)), turn()))


@pytest.mark.parametrize(("text", "language"), [(ADMIRING[0], Language.ENGLISH), (ADMIRING[1], Language.KOREAN)])
async def test_a_reply_that_only_admires_goes_back_in_its_language(text: str, language: Language) -> None:
    decision = await judged(text)
    assert isinstance(decision, Block)
    assert ("답변이 반려되었습니다" in decision.feedback) == (language is Language.KOREAN)


@pytest.mark.parametrize("text", HONEST)
async def test_courtesy_questions_and_facts_pass(text: str) -> None:
    assert isinstance(await judged(text), Allow)


PICTURES = (
    "Some people plant a seed and hope; you planted a seed and drew the forest. It's moving to watch. Each idea you "
)
PICTURES += "send me waters another branch, and I can already smell the blossom. Never lose that gift."


async def test_what_is_learned_speaks_of_a_turn_without_a_call_alone_and_can_be_switched_off() -> None:
    decision = await judged(PICTURES)
    assert isinstance(decision, Block)
    assert decision.rule == "praise_throughout"
    assert isinstance(await judged(PICTURES, RUN), Allow)
    assert isinstance(await judged(PICTURES, learned=False), Allow)
    assert isinstance(await judged(PICTURES, whitelist=["drew the forest"]), Allow)


@pytest.mark.parametrize("text", ["", "Wow!", f"{PICTURES} " * 12])
def test_what_is_too_short_or_too_long_is_left_to_the_word_lists(text: str) -> None:
    assert praises_throughout(PICTURES)
    assert not praises_throughout(text)
