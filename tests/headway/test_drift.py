"""When an agent is told that it is stuck."""

from collections import Counter

import pytest

from benchmarks.drift import measured
from mama_bot.config import DriftSettings
from mama_bot.headway.drift import STUCK, AgentOutput, Drift, Stuckness, output_of
from mama_bot.headway.likeness import character_likeness
from mama_bot.model import ToolRun
from tests.headway.making import attempt, ran

FAILS = "The build still stops at the linker step because the symbol is missing."
FAILS_KO = "설정 파일을 읽지 못해서 서버가 여전히 시작되지 않습니다."


def drift(**settings: object) -> Drift:
    return Drift(settings=lambda: DriftSettings.model_validate(settings))


def put_out(text: str, *runs: ToolRun, turn: int = 0, number: int = 0) -> AgentOutput:
    return output_of(attempt(text, runs, turn=f"m.{turn}", number=number))


@pytest.mark.parametrize("half", ["development", "test"])
async def test_most_labelled_sequences_are_told_apart(half: str) -> None:
    told: Counter[tuple[bool, bool]] = Counter()
    for (kind, is_stuck, called), number in (await measured(half)).items():
        # By the words alone nobody tells a talk from an excuse; looks that differ are calls that were not made before.
        assert called == is_stuck or kind in {"excuses", "looks_that_differ_and_tell_nothing"}, kind
        told[is_stuck, called] += number
    assert told[True, True] >= 42
    assert told[False, True] == 0


async def test_whoever_talks_of_one_thing_after_the_other_is_not_stuck_and_who_says_one_thing_in_part_anew_is() -> None:
    talk = ("The cache belongs before the rest.", "I would leave the router as it is.", "파서는 나누는 편이 낫습니다.")
    assert await drift().stuck([put_out(text, turn=n) for n, text in enumerate(talk)]) is None
    again = (FAILS, f"I looked at it again. {FAILS}", f"{FAILS} I see no other reason for it than that.")
    assert await drift().stuck([put_out(text, turn=n) for n, text in enumerate(again)]) is Stuckness.NOTHING_NEW
    assert await drift().stuck([put_out(text, number=n) for n, text in enumerate(again)]) is None


@pytest.mark.parametrize("text", [FAILS, FAILS_KO])
async def test_three_outputs_of_nearly_the_same_words_are_stuck_also_within_one_turn(text: str) -> None:
    calls = [ran(f"ls {n}") for n in range(3)]
    outputs = [put_out(f"{text} {'!' * n}", *calls[: n + 1], number=n) for n in range(3)]
    assert await drift().stuck(outputs) is Stuckness.REPEATED
    assert await drift().stuck(outputs[:2]) is None
    assert await drift(enabled=False).stuck(outputs) is None
    assert (await drift().words(outputs)).startswith(STUCK)


async def test_a_draft_that_goes_back_for_its_words_is_no_turn_without_progress() -> None:
    texts = ("Excellent, the parser stands!", "It is there, as asked.", "What you wanted is done in full.")
    within = [put_out(text, ran("make"), number=n) for n, text in enumerate(texts)]
    apart = [put_out(text, ran("make"), turn=n) for n, text in enumerate(texts)]
    assert await drift().stuck(within) is None
    assert await drift().stuck(apart) is Stuckness.NOTHING_NEW


async def test_fewer_failures_are_progress_in_the_same_words() -> None:
    outputs = [
        put_out(FAILS, ran("pytest", f"{failed} failed", failed=failed), turn=n) for n, failed in enumerate((3, 2, 1))
    ]
    assert await drift().stuck(outputs) is None


async def test_a_plug_in_tells_how_alike_texts_are() -> None:
    async def alike(text: str, other: str) -> float:
        return float(("linker" in text and "binder" in other) or "binder" in text)

    outputs = [put_out(text, ran(f"ls {n}"), number=n) for n, text in enumerate(("the linker", "a binder", "linker!"))]
    assert await Drift(settings=DriftSettings, likeness=alike).stuck(outputs) is Stuckness.REPEATED
    assert await drift().stuck(outputs) is None


def test_the_same_call_with_the_same_end_is_told_whatever_time_it_took() -> None:
    calls = [ran("make", f"no rule to make it, {n}.2s", minute=n) for n in range(3)]
    assert "3 times in a row" in drift().words_of_calls(calls)
    assert drift().words_of_calls(calls[:2]) == ""
    assert drift().words_of_calls([*calls[:2], ran("make", "done", minute=3)]) == ""


@pytest.mark.parametrize(
    ("text", "other", "least", "most"),
    [
        (FAILS, FAILS, 1, 1),
        (FAILS, f"{FAILS.upper()} (4)", 0.9, 1),
        (FAILS_KO, FAILS_KO.replace("여전히", "아직"), 0.6, 0.95),
        (FAILS, "The page renders without its style sheet.", 0, 0.1),
        ("ok", "OK!", 1, 1),
        ("", "x", 0, 0),
    ],
)
def test_likeness_is_of_characters_without_case_signs_and_numbers(
    text: str, other: str, least: float, most: float
) -> None:
    assert least <= character_likeness(text, other) <= most
