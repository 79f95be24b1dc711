"""Forgeries that were written as sets: what is false in them is hardly ever called shown."""

import json
from pathlib import Path

import pytest

from mama_bot.commands.judge import judge_lines
from mama_bot.config import EnforcementSettings

SETS = Path(__file__).parents[2] / "data" / "forgeries"
OWN_WORD = ("own_runner", "unproven")


def confirmed_though_false(name: str) -> tuple[list[str], int]:
    """Return the forgeries whose false words pass unmarked, and not as the agent's own word, and how many there are."""
    rows = [json.loads(line) for line in (SETS / name).read_text(encoding="utf-8").splitlines()]
    lines = (json.dumps(row, ensure_ascii=False) for row in rows)
    verdicts = judge_lines(lines, name=name, settings=EnforcementSettings(), explain=False)
    found = []
    for row, verdict in zip(rows, map(json.loads, verdicts), strict=True):
        start = row["text"].find(row["false"])
        end = start + len(row["false"])
        claims = [claim for claim in verdict["claims"] if claim["start"] < end and claim["end"] > start]
        shown = bool(claims) and all(claim["state"] == "confirmed" for claim in claims)
        if verdict["decision"] != "reject" and shown and any(claim["grade"] not in OWN_WORD for claim in claims):
            found.append(row["id"])
    return found, len(rows)


@pytest.mark.parametrize("name", ["seventh.jsonl", "eighth.jsonl"])
def test_at_most_two_forgeries_in_a_hundred_are_confirmed(name: str) -> None:
    found, count = confirmed_though_false(name)
    assert len(found) <= 0.02 * count, found
