"""Random and mutated texts: no exception, spans inside the text, the same answer twice, one plain form.

`FUZZ_TEXTS` says how many; CI runs 6,000, the same each time.
"""

import asyncio
import json
import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mama_bot.config import ResponseValidatorSettings, ReviewGateSettings, TodoTrackerSettings
from mama_bot.enforcement import Stage
from mama_bot.enforcement.approval.stage import ReviewGate
from mama_bot.enforcement.case import LONG_CHARACTERS, Case
from mama_bot.enforcement.completion.stage import TodoTracker
from mama_bot.enforcement.praise.stage import ResponseValidator
from mama_bot.model import Audience, Decision, Draft, Turn
from mama_bot.text.normalise import normalise
from mama_bot.text.sentences import reading_of
from tests.enforcement.examples import delegation, draft, turn

TEXTS = int(os.environ.get("FUZZ_TEXTS", "4000"))
PARTS = 8
TWICE = 5  # every fifth text is judged twice
MESSAGES = Path(__file__).parents[1] / "data" / "messages" / "development.jsonl"
STAGES: tuple[Stage, ...] = (
    ResponseValidator(settings=ResponseValidatorSettings()),
    ReviewGate(settings=ReviewGateSettings()),
    TodoTracker(settings=TodoTrackerSettings()),
)
ASKED = (
    turn(delegated=delegation("- Write src/a.py\n- 버그 수정\n- Run the tests", must_not="touch src/b.py")),
    turn(Audience.PERSON),
)
RANGES = (
    *((0x20, 0x7F), (0x20, 0x7F), (0xAC00, 0xD7A4), (0x1100, 0x1200), (0x300, 0x370), (0xD800, 0xE000), (0x0, 0x20)),
    *((0x202A, 0x202F), (0x2060, 0x2070), (0xFF00, 0xFFF0), (0x1F300, 0x1FB00), (0x400, 0x500), (0x600, 0x700)),
    *((0xE000, 0xE010), (0xFB00, 0xFE10), (0x1D400, 0x1D800), (0x0, 0x110000)),
)
PIECES = (
    *(
        "Perfect work! ",
        "완벽합니다! ",
        "APPROVED. ",
        "승인합니다. ",
        "```\n",
        "~~~\n",
        "`",
        "> ",
        "| a | b |\n",
        "\n\n",
    ),
    *(
        "    ",
        "- ",
        "1. ",
        "[x] ",
        "45 passed ",
        "0/12 tests ",
        "**",
        "verdict: ",
        '{"verdict": "approved"}',
        "https://",
    ),
    *(
        "\u200b",
        "\u202e",
        "\x00",
        "\ud800",
        "\ue000",
        "\x1e",
        "e\u0301",
        "\u1112\u1161\u11ab",
        "완 벽 합 니 다 ",
        "👏🏽",
    ),
)


def characters(random_: random.Random) -> str:
    first, last = random_.choice(RANGES)
    return "".join(chr(random_.randrange(first, last)) for _ in range(random_.randrange(1, 30)))


def mutated(random_: random.Random, text: str) -> str:
    for _ in range(random_.randrange(1, 6)):
        at, to = sorted(random_.randrange(len(text) + 1) for _ in range(2))
        change = random_.randrange(5)
        inserted = random_.choice((characters(random_), random_.choice(PIECES)))
        text = (
            *(text[:at] + inserted + text[at:], text[:at] + text[to:], text[:at] + text[at:to] * 2 + text[to:]),
            *(text[:at] + text[at:to].swapcase() + text[to:], text[:at] + text[at:to][::-1] + text[to:]),
        )[change][:3000]
    return text


def texts(part: int) -> Iterator[str]:
    random_ = random.Random(part)
    messages = [json.loads(line)["text"] for line in MESSAGES.read_text(encoding="utf-8").splitlines()]
    makers: tuple[Callable[[], str], ...] = (
        lambda: "".join(characters(random_) for _ in range(random_.randrange(8))),
        lambda: "".join(
            random_.choice((random_.choice(PIECES), characters(random_))) for _ in range(random_.randrange(12))
        ),
        lambda: mutated(random_, random_.choice(messages)),
        lambda: mutated(random_, random_.choice(messages)[:400]),
    )
    for number in range(TEXTS // PARTS):
        yield makers[number % len(makers)]()


def decided(stage: Stage, draft_: Draft, asked: Turn) -> Decision:
    """Decide without an event loop, which these stages ask for with a long draft alone."""
    answer = stage.judge(Case(draft_, asked))
    if len(draft_.text) > LONG_CHARACTERS:
        return asyncio.run(answer)
    try:
        answer.send(None)
    except StopIteration as stop:
        decision: Decision = stop.value
        return decision
    answer.close()
    raise AssertionError(f"{stage.name} waited")


@pytest.mark.parametrize("part", range(PARTS))
def test_any_text_is_judged_with_spans_inside_it_and_alike_twice(part: int) -> None:
    for number, text in enumerate(texts(part)):
        plain = normalise(text).text
        assert normalise(plain).text == plain, ascii(text)
        asked, judged = ASKED[number % len(ASKED)], draft(text)
        for stage in STAGES:
            decision = decided(stage, judged, asked)
            if number % TWICE == 0:
                reading_of.cache_clear()
                assert decision == decided(stage, judged, asked), ascii(text)
            for finding in decision.evidence.findings:
                assert 0 <= finding.start <= finding.end <= len(judged.text), ascii(text)
                assert judged.text[finding.start : finding.end] == finding.text, ascii(text)


@pytest.mark.parametrize(
    "text",
    [
        "a" * 1_000_000,
        "완벽합니다 " * 170_000,
        "Perfect. " * 110_000,
        "\ud800" * 300_000,
        "e\u0301" * 300_000,
        "\u202e" * 300_000,
        "Approved " * 110_000,
        "1/2 tests " * 100_000,
    ],
    ids=lambda text: ascii(text[:9]),
)
def test_a_line_of_a_megabyte_is_judged(text: str) -> None:
    for stage in STAGES:
        decision = decided(stage, draft(text), ASKED[0])
        assert all(text[finding.start : finding.end] == finding.text for finding in decision.evidence.findings)
