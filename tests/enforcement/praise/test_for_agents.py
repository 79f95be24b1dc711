"""What other agents read of a reply: what would not pass between agents is left out of it, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mama_bot.enforcement.praise.for_agents import ALL_LEFT_OUT, LEFT_OUT
from mama_bot.model import Allow, Audience, Block, Decision
from tests.enforcement.praise.test_response_validator import judged

ENGLISH = "The lock moved into the pool, and `pytest -q` ended with 12 passed in 3.2 s. The report is still open."
KOREAN = "잠금을 풀로 옮겼고 `pytest -q`는 12개 통과로 끝났습니다. 보고서는 아직 남아 있습니다."


def for_agents(decision: Decision) -> str | None:
    return decision.evidence.for_agents


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"What a brilliant plan, you are amazing! {ENGLISH}", ENGLISH),
        (f"정말 훌륭한 계획입니다! 감탄했습니다. {KOREAN}", KOREAN),
        (
            f"# Result\n\n**Wonderful work!**\n\n- Truly superb!\n- {ENGLISH}\n\n```py\nsay('Great work!')\n```",
            f"# Result\n\n\n- {ENGLISH}\n\n```py\nsay('Great work!')\n```",
        ),
    ],
)
async def test_only_the_sentences_that_say_nothing_are_left_out(text: str, left: str) -> None:
    decision = await judged(text, Audience.PERSON)
    assert isinstance(decision, Allow)
    words = for_agents(decision)
    assert words is not None
    assert words.rpartition("\n\n[")[0] == left
    assert for_agents(await judged(words)) is None, "what is left passes between agents"


async def test_a_reply_that_would_pass_between_agents_is_read_whole() -> None:
    assert for_agents(await judged(ENGLISH, Audience.PERSON)) is None
    assert for_agents(await judged(f"Thanks! {ENGLISH}", Audience.PERSON)) is None


async def test_of_a_reply_that_is_posted_for_all_its_praise_agents_read_what_it_says() -> None:
    decision = await judged(f"Perfect! Amazing! You are brilliant! Great work! {ENGLISH[:33]}.", Audience.PERSON)
    assert isinstance(decision, Block)
    assert for_agents(decision) == f"{ENGLISH[:33]}.\n\n{LEFT_OUT.format(count=4)}"


@pytest.mark.parametrize(
    ("praise", "rest"),
    [
        ("Fantastic work! Truly outstanding!", "Do not touch main before Friday."),
        ("Great plan! Excellent!", "No."),
        ("Wonderful! Superb!", "I can not do this. I need access to the server."),
        ("정말 멋져요! 최고예요! 훌륭해요!", "아니요."),
        ("Great!\n\nAmazing! Superb!", "    a block of code"),
    ],
)
async def test_what_counts_as_filler_only_for_the_praise_around_it_is_read(praise: str, rest: str) -> None:
    words = for_agents(await judged(f"{praise}\n\n{rest}", Audience.PERSON))
    assert words is not None
    assert words.rpartition("\n\n[")[0] == rest.strip()
    assert for_agents(await judged(words)) is None


async def test_of_a_reply_that_does_not_come_to_an_end_with_praise_nothing_is_read() -> None:
    text = "\n".join(f"Wonderful work number {number}, you are amazing!" for number in range(1_000))
    assert for_agents(await judged(text, Audience.PERSON)) == ALL_LEFT_OUT.format(characters=len(text))


PIECES = st.lists(
    st.sampled_from(
        [
            "Great job!",
            "**Perfect!**",
            "- Superb!\n",
            "훌륭합니다!",
            "The lock moved.",
            "`a.py`",
            "\n\n",
            "```py\nx\n```\n",
        ]
    )
)


@given(pieces=PIECES)
async def test_what_is_left_always_passes_between_agents(pieces: list[str]) -> None:
    words = for_agents(await judged(" ".join(pieces), Audience.PERSON))
    if words is not None:
        assert isinstance(await judged(words), Allow)
