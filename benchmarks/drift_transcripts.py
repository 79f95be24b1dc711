"""How well it is told that an agent is stuck, on turns that real agents took.

    python -m benchmarks.drift_transcripts FILE

The file holds a turn a line (gzip, JSON): `id` ("session-number"), `text`, `record` of calls. Whoever works on in a
session is not stuck: three turns of a session in a row, and three that only talked. A turn is stuck that is taken again
and again: word for word, with its calls made once more in other words, or its words alone with a little changed.
"""

import argparse
import asyncio
import gzip
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.drift import lines
from mama_bot.config import ClaimCheckSettings, DriftSettings
from mama_bot.headway.drift import AgentOutput, Drift
from mama_bot.headway.work_marks import WorkMarks, figures_in, marks_of_calls
from mama_bot.model import TurnId
from mama_bot.trial.given_messages import read_message
from mama_bot.trial.given_records import given_record

OUTPUTS = 3
ASIDES = (
    "I looked at it once more.",
    "Sorry, this is where it stands.",
    "That is all that I can say of it now.",
    "확인해 보았습니다.",
    "다시 말씀드립니다.",
    "I will try that again.",
)
Given = Mapping[str, Any]
Labelled = tuple[str, bool, Sequence[AgentOutput]]


def output(turn: Given, number: int, *, text: str | None = None, calls: bool = True) -> AgentOutput:
    """Return a turn as an output of an agent, with another text or without its calls where that is asked for."""
    message = read_message(json.dumps(turn))
    runs = given_record(message, message.record or (), ClaimCheckSettings()).runs if calls else ()
    said = turn["text"] if text is None else text
    marks = marks_of_calls(runs) | WorkMarks(figures=figures_in(said))
    return AgentOutput(turn=TurnId(f"m.{number}"), text=said, marks=marks)


def moving(sessions: Mapping[str, Sequence[Given]]) -> Iterator[Labelled]:
    """Yield what is not stuck: three turns in a row, those of a talk apart."""
    for turns in sessions.values():
        for start in range(len(turns) - OUTPUTS + 1):
            three = turns[start : start + OUTPUTS]
            if len({turn["text"] for turn in three}) == OUTPUTS:  # else it repeats itself
                yield "three turns in a row", False, [output(turn, number) for number, turn in enumerate(three)]
        talk = [turn for turn in turns if not turn["record"]]
        for start in range(len(talk) - OUTPUTS + 1):
            three = talk[start : start + OUTPUTS]
            if len({turn["text"] for turn in three}) == OUTPUTS:
                yield "three that only talked", False, [output(turn, number) for number, turn in enumerate(three)]


def words_alone(sessions: Mapping[str, Sequence[Given]]) -> Iterator[Labelled]:
    """Yield three turns in a row as if nothing had been called: the words of somebody who gets on."""
    for turns in sessions.values():
        for start in range(len(turns) - OUTPUTS + 1):
            three = turns[start : start + OUTPUTS]
            if len({turn["text"] for turn in three}) == OUTPUTS:
                outputs = [output(turn, number, calls=False) for number, turn in enumerate(three)]
                yield "the words alone of three in a row", False, outputs


def stuck(sessions: Mapping[str, Sequence[Given]], chance: random.Random, count: int) -> Iterator[Labelled]:
    """Yield what is stuck: one turn three times, in three ways."""
    turns = [turn for each in sessions.values() for turn in each]
    for turn in chance.sample(turns, count):
        yield "word for word", True, [output(turn, number) for number in range(OUTPUTS)]
    for turn in chance.sample([turn for turn in turns if turn["record"]], count):
        others = chance.sample(ASIDES, OUTPUTS)
        outputs = [output(turn, number, text=others[number]) for number in range(OUTPUTS)]
        yield "the same calls in other words", True, outputs
    for turn in chance.sample(turns, count):
        others = [f"{turn['text']} {aside}" for aside in chance.sample(ASIDES, OUTPUTS)]
        outputs = [output(turn, number, text=others[number], calls=False) for number in range(OUTPUTS)]
        yield "the same words with a little changed", True, outputs


def sessions_of(file: Path) -> Mapping[str, Sequence[Given]]:
    """Return the turns of each session in their order."""
    numbered: dict[str, list[tuple[int, Given]]] = defaultdict(list)
    with gzip.open(file, "rt", encoding="utf-8") as text:
        for turn in map(json.loads, text):
            session, _, number = turn["id"].rpartition("-")
            numbered[session].append((int(number), turn))
    return {
        session: [turn for _, turn in sorted(turns, key=lambda each: each[0])] for session, turns in numbered.items()
    }


async def measured(file: Path, *, seed: int, count: int) -> Counter[tuple[str, bool, bool]]:
    """Return how many sequences of each kind there are, by whether they are stuck and were called so."""
    drift, sessions, told = Drift(settings=DriftSettings), sessions_of(file), Counter[tuple[str, bool, bool]]()
    for made in (moving(sessions), words_alone(sessions), stuck(sessions, random.Random(seed), count)):
        for kind, is_stuck, outputs in made:
            told[kind, is_stuck, await drift.stuck(outputs) is not None] += 1
    return told


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.drift_transcripts", description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=50, help="how many sequences of each way to be stuck")
    arguments = parser.parse_args()
    told = asyncio.run(measured(arguments.file, seed=arguments.seed, count=arguments.count))
    sys.stdout.write("\n".join(lines(told)) + "\n")


if __name__ == "__main__":
    main()
