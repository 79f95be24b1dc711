"""How well the chain judges: the labelled messages through `mama-bot judge`'s own code, and text nobody wrote for it.

python -m benchmarks.judgement [--outside FOLDER ...]      prints the tables of benchmarks/judgement.md
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from mama_bot.commands.judge import judge_lines
from mama_bot.config import EnforcementSettings

MESSAGES = Path(__file__).parent.parent / "tests" / "data" / "messages"
SETS = ("development", "test")
QUESTIONS = ("flattery", "review")
SHORTEST, LONGEST = 40, 3000


@dataclass
class Tally:
    """What came out against what is labelled; to reject is positive."""

    hits: int = 0
    false_alarms: int = 0
    misses: int = 0
    passes: int = 0

    def count(self, *, wanted: bool, got: bool) -> None:
        """One more message."""
        self.hits += wanted and got
        self.false_alarms += got and not wanted
        self.misses += wanted and not got
        self.passes += not wanted and not got

    @property
    def precision(self) -> float:
        """Of what was rejected, how much should be; 1 when nothing was."""
        return self.hits / (self.hits + self.false_alarms) if self.hits + self.false_alarms else 1.0

    @property
    def recall(self) -> float:
        """Of what should be rejected, how much was; 1 when nothing should be."""
        return self.hits / (self.hits + self.misses) if self.hits + self.misses else 1.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return 2 * self.hits / (2 * self.hits + self.false_alarms + self.misses) if self.hits else 0.0

    @property
    def false_alarm_rate(self) -> float:
        """How much of what should pass was rejected; 0 when nothing should pass."""
        good = self.false_alarms + self.passes
        return self.false_alarms / good if good else 0.0

    def row(self, name: str) -> str:
        """A row of a table in Markdown."""
        bad, good = self.hits + self.misses, self.false_alarms + self.passes
        rate = f"{self.false_alarm_rate:.1%} ({self.false_alarms}/{good})" if good else "none to pass"
        if not bad:
            return f"| {name} | {bad + good} | none to reject | | | {rate} |"
        return f"| {name} | {bad + good} | {self.precision:.3f} | {self.recall:.3f} | {self.f1:.3f} | {rate} |"


Message = Mapping[str, Any]


def read_messages(name: str) -> list[Message]:
    """The labelled messages of one half."""
    return [json.loads(line) for line in (MESSAGES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def judged(messages: Sequence[Message]) -> list[Message]:
    """What the chain says about messages, in their order."""
    lines = (json.dumps(message, ensure_ascii=False) for message in messages)
    settings = EnforcementSettings()
    return [json.loads(line) for line in judge_lines(lines, name="messages", settings=settings, explain=False)]


def tally(messages: Sequence[Message], verdicts: Sequence[Message], question: str, by: str) -> dict[str, Tally]:
    """Tallies for one question by one property of the messages, and over "all"."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    for message, verdict in zip(messages, verdicts, strict=True):
        wanted = message["expected"][question] == "reject"
        got = verdict[question]["decision"] == "reject"
        for name in ("all", message[by]):
            tallies[name].count(wanted=wanted, got=got)
    return tallies


def report(name: str) -> Iterable[str]:
    """The tables of one half."""
    messages = read_messages(name)
    verdicts = judged(messages)
    for question in QUESTIONS:
        yield f"\n### {question}, {name} half ({len(messages)} messages)\n"
        yield "| messages | n | precision | recall | F1 | good ones rejected |\n|---|---|---|---|---|---|"
        by_language = tally(messages, verdicts, question, "language")
        yield by_language.pop("all").row("**all**")
        yield from (by_language[key].row(key) for key in sorted(by_language))
        by_category = tally(messages, verdicts, question, "category")
        del by_category["all"]
        yield from (by_category[key].row(key.replace("_", " ")) for key in sorted(by_category))


def paragraphs(texts: Iterable[str]) -> list[str]:
    """The different paragraphs of texts that are neither fragments nor whole chapters."""
    parts = (part for text in texts for part in text.split("\n\n"))
    return list(dict.fromkeys(part for part in parts if SHORTEST <= len(part) <= LONGEST))


def outside(name: str, texts: Iterable[str]) -> Iterable[str]:
    """How much of text that nobody wrote for this is rejected as praise, and all of it to look at."""
    parts = paragraphs(texts)
    verdicts = judged([{"id": number, "text": part} for number, part in enumerate(parts)])
    rejected = [verdict for verdict in verdicts if verdict["flattery"]["decision"] == "reject"]
    approvals = sum(verdict["review"]["decision"] == "reject" for verdict in verdicts)
    yield f"\n{name}: {len(rejected)} of {len(parts)} paragraphs ({len(rejected) / max(1, len(parts)):.2%}) rejected"
    yield f"as praise, {approvals} as approvals.\n"
    for verdict in rejected:
        yield f"- {' '.join(parts[verdict['id']].split())[:160]}"


def main() -> None:
    """Print everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--outside", type=Path, action="append", default=[], help="a folder with texts to judge too")
    options = parser.parse_args()
    lines = [line for name in SETS for line in report(name)]
    descriptions = (found.metadata.json.get("description", "") for found in distributions())
    lines += outside("Descriptions of the installed packages", (str(text) for text in descriptions))
    for folder in options.outside:
        texts = (path.read_text(encoding="utf-8", errors="replace") for path in sorted(folder.rglob("*.*")))
        lines += outside(folder.name, texts)
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
