"""What became of every number that was asked: read from what was posted, and from the store for what was told."""

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from benchmarks.chaos.speech import LABEL, NUMBER, Conversation

ASKED = re.compile(r"count (\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """The numbers of one conversation that fared badly; `told` are those that a line speaks of instead of an answer."""

    name: str
    asked: int
    answered: int
    told: Sequence[int]
    lost: Sequence[int]
    doubled: Sequence[int]
    disordered: Sequence[int]
    labelled: int

    @property
    def bad(self) -> int:
        """How many numbers were lost, doubled without a label or out of order."""
        return len(self.lost) + len(self.doubled) + len(self.disordered)

    def line(self) -> str:
        """Return the figures in one line."""
        return (
            f"{self.name:10} asked {self.asked:4}  answered {self.answered:4}  told of {len(self.told):3}  "
            f"labelled {self.labelled:3}  LOST {list(self.lost)}  DOUBLED {list(self.doubled)}  "
            f"OUT OF ORDER {list(self.disordered)}"
        )


def tally(conversation: Conversation, texts: Sequence[str], told: Mapping[str, set[int]]) -> Tally:
    """Return what became of the numbers of a conversation by its posts in their order."""
    seen: list[int] = []
    times: Counter[int] = Counter()
    labelled = 0
    for text in texts:
        match = NUMBER.search(text)
        if match is None:
            continue
        number = int(match[1])
        if LABEL in text:
            labelled += 1
        else:
            times[number] += 1
        if number not in seen:
            seen.append(number)
    asked = set(conversation.asked)
    without = asked - set(seen)
    spoken_of = without & told.get(conversation.name, set())
    disordered = [later for earlier, later in pairwise(seen) if later < earlier]
    return Tally(
        name=conversation.name,
        asked=len(asked),
        answered=len(asked & set(seen)),
        told=sorted(spoken_of),
        lost=sorted(without - spoken_of),
        doubled=sorted(number for number, count in times.items() if count > 1),
        disordered=disordered,
        labelled=labelled,
    )


def told_numbers(database: Path) -> dict[str, set[int]]:
    """Return for each conversation the numbers of which the store knows a posted line or reply."""
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        rows = connection.execute(
            "SELECT m.platform, m.conversation, m.body FROM messages m WHERE EXISTS ("
            " SELECT 1 FROM turns t JOIN outbox o ON o.turn_id = t.id"
            " WHERE t.message_id = m.id AND o.posted_at IS NOT NULL AND o.failure = '')"
        ).fetchall()
    finally:
        connection.close()
    numbers: dict[str, set[int]] = {}
    for platform, key, body in rows:
        asked = ASKED.search(json.loads(body)["text"])
        if asked:
            name = _channel(key) if platform == "web" else platform
            numbers.setdefault(name, set()).add(int(asked[1]))
    return numbers


def _channel(key: str) -> str:
    parsed = json.loads(key)
    return str(parsed["channel"] if isinstance(parsed, dict) else parsed[1])
