"""How long the whole chain takes on replies that were never seen, and how long hostile ones hold it.

python -m benchmarks.chain [TEXTS]

Each text is judged once, with the record of a turn of 60 calls. Every stage is asked, those after a rejection too.
Times are the processor's, so that others on the machine count for less. The ratio is to the standard library's `re`
finding the words of the same text (`\\w+`), in the same run.
"""

import asyncio
import re
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.unseen_texts import UnseenTexts
from mama_bot.app.service_process import SWITCH_SECONDS
from mama_bot.app.system_clock import SystemClock
from mama_bot.config import EnforcementSettings
from mama_bot.enforcement import Chain, build_chain, read_word_lists
from mama_bot.model import (
    Audience,
    Author,
    ConversationKey,
    Delegation,
    DelegationForm,
    Draft,
    Facts,
    Judgement,
    MessageId,
    Platform,
    ToolRecord,
    ToolRun,
    Turn,
    TurnId,
    TurnKind,
)
from mama_bot.runs import RunReader
from mama_bot.tool_names import with_kind

TEXTS = 60
SIZES = {2_000: 1, 20_000: 8, 200_000: 80}  # bytes, and the goal in ms
HOSTILE_SIZE, HOSTILE_GOAL = 200_000, 50
WORDS = re.compile(r"\w+")
ITEMS = "- Create src/auth.py\n- Write tests for auth\n- 버그 수정\n- Run npm test"
BEGINNING = datetime(2026, 1, 1, 12, tzinfo=UTC)
CALLS = 60


def repeated(piece: str) -> Callable[[int], str]:
    """A text of a size made of one piece."""
    return lambda size: (piece * (size // len(piece) + 1))[:size]


HOSTILE: dict[str, Callable[[int], str]] = {
    "digits": repeated("1"),
    "test test": repeated("test test "),
    "one word": repeated("a"),
    "nested fences": repeated("````\n```\nx = 1\n```\n````\n"),
    "bullets": lambda size: "".join(f"- item number {number}\n" for number in range(size // 20))[:size],
    "bullets, done": lambda size: "".join(f"- [x] item {number} done\n" for number in range(size // 22))[:size],
    "Perfect work!": repeated("Perfect work! "),
    "Approved.": repeated("Approved. "),
    "Verdict: approved": repeated("Verdict: approved\n"),
    "1/2 tests failed": repeated("1/2 tests failed. "),
    "완벽합니다.": repeated("완벽합니다.확인했습니다."),
    "zero width": repeated("a\u200b"),
    "spaced syllables": repeated("완 벽 합 니 다 "),
    "emphasis": repeated("완**벽** "),
    "decomposed Hangul": repeated("\u1112\u1161\u11ab"),
    "emoji": repeated("🎉 "),
    "empty lines": repeated("\n"),
}


class NoRepository:
    """git's part is measured elsewhere."""

    async def since(self, turn: Turn) -> frozenset[str] | None:  # noqa: ARG002
        """Nothing changed."""
        return frozenset()

    async def generated(self, turn: Turn, paths: Sequence[str]) -> frozenset[str]:  # noqa: ARG002
        """None of them."""
        return frozenset()

    async def places(self, turn: Turn) -> tuple[str, ...]:  # noqa: ARG002
        """None."""
        return ()


def delegated_turn() -> Turn:
    """A delegated turn with four items to tick, the first of its conversation."""
    return Turn(
        id=TurnId("turn"),
        message_id=MessageId("message"),
        key=ConversationKey(Platform("web"), "general"),
        persona="developer",
        kind=TurnKind.DELEGATION,
        audience=Audience.AGENT,
        asker=Author(id="lead", name="Lead"),
        prompt="",
        earlier=Facts(),
        delegation=Delegation(
            sender="lead",
            recipient="developer",
            task="Fix the session token",
            form=DelegationForm.DIRECTIVE,
            expected_outcome=ITEMS,
        ),
    )


def record() -> ToolRecord:
    """The record of a turn of work: files read and edited, tests, linters, a commit."""
    reader = RunReader(commands=EnforcementSettings().claim_check.commands, workspace=Path("/workspace"))
    return ToolRecord(runs=tuple(call(reader, number) for number in range(CALLS)))


def call(reader: RunReader, number: int) -> ToolRun:
    """One call of the turn, as it was read when it ended."""
    file = f"/workspace/src/module_{number % 7}.py"
    tool, arguments, output = (
        ("Read", {"file_path": file}, "     1\timport hmac\n" * 40),
        ("Edit", {"file_path": file, "old_string": "a", "new_string": "b"}, f"The file {file} has been updated."),
        ("Bash", {"command": "pytest -q 2>&1 | tail -5"}, "........\n214 passed, 2 skipped in 8.41s\n"),
        ("Grep", {"pattern": "compare", "path": "src"}, "src/auth.py\nsrc/token.py\n"),
        ("Bash", {"command": "ruff check . && mypy src"}, "All checks passed!\nSuccess: no issues found in 41 files\n"),
        ("Bash", {"command": "git commit -qam 'Fix it' && git push"}, "[main 1a2b3c4] Fix it\n 2 files changed\n"),
    )[number % 6]
    begun = BEGINNING + timedelta(seconds=10 * number)
    made = with_kind(
        ToolRun(
            id=f"run-{number}",
            tool=tool,
            arguments=str(arguments).replace("'", '"'),
            working_directory="/workspace",
            started_at=begun,
            ended_at=begun + timedelta(seconds=4),
            ok=True,
            exit_status=0 if tool == "Bash" else None,
            output_head=output,
            output_size=len(output),
        )
    )
    read = reader.read(made, arguments=arguments, output=output)
    return replace(made, ran=read.ran, touched=read.touched, looked=read.looked)


class ProcessorClock(SystemClock):
    """Tells the processor time, so that what the stages take is told in it."""

    def monotonic(self) -> float:
        """Return the seconds that this process worked."""
        return time.process_time()


class Measurement:
    """The times of texts of one size, in ms."""

    def __init__(self) -> None:
        self.whole: list[float] = []
        self.plain: list[float] = []
        self.stages: dict[str, list[float]] = defaultdict(list)

    def add(self, judgement: Judgement, whole: float, plain: float) -> None:
        """Take one text."""
        self.whole.append(whole)
        self.plain.append(plain)
        for verdict in judgement.stages:
            self.stages[verdict.stage].append(verdict.elapsed_ms)
        self.stages["lines and the rest"].append(whole - sum(verdict.elapsed_ms for verdict in judgement.stages))

    @property
    def medians(self) -> Mapping[str, float]:
        """The median of each stage."""
        return {name: statistics.median(times) for name, times in self.stages.items()}


async def judged(chain: Chain, text: str, known: ToolRecord) -> tuple[Judgement, float]:
    """Judge a text; return how long it took, in ms."""
    draft = Draft(turn_id=TurnId("turn"), attempt=0, text=text, record=known)
    turn = delegated_turn()
    started = time.process_time()
    judgement = await chain.survey(draft, turn)
    return judgement, (time.process_time() - started) * 1000


def plain_pass(text: str) -> float:
    """How long one trivial pass of the standard library takes, in ms: the words of a text."""
    started = time.process_time()
    WORDS.findall(text)
    return (time.process_time() - started) * 1000


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which a share of them lies."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


async def late(chain: Chain | None, text: str, known: ToolRecord) -> list[float]:
    """How many ms late a timer of 1 ms is while a text is judged (100 ms without a chain), each time it rings."""
    delays: list[float] = []
    async with asyncio.TaskGroup() as group:
        work = group.create_task(asyncio.sleep(0.1) if chain is None else judged(chain, text, known))
        while not work.done():
            started = time.perf_counter()
            await asyncio.sleep(0.001)
            delays.append((time.perf_counter() - started) * 1000 - 1)
    return delays


async def main(texts: int) -> None:
    """Print the tables."""
    settings = EnforcementSettings()
    chain = build_chain(settings=settings, changed_files=NoRepository(), clock=ProcessorClock())
    known, maker, say = record(), UnseenTexts(seed=2026), sys.stdout.write
    first = (await judged(chain, maker.text(2_000), known))[1]
    second = (await judged(chain, maker.text(2_000), known))[1]
    say(f"The first text of the process took {first:.0f} ms, the second {second:.1f} ms.\n")
    read_word_lists(settings)  # as the service does when it starts
    empty = statistics.median([(await judged(chain, "Ok.", known))[1] for _ in range(texts)])
    say(f"A reply of one word takes {empty:.2f} ms.\n\n")
    say("| size | median | p95 | `re` | ratio | goal | by stage, medians |\n|---|---|---|---|---|---|---|\n")
    for size, goal in SIZES.items():
        measured = Measurement()
        for _ in range(texts):
            text = maker.text(size)
            measured.add(*await judged(chain, text, known), plain_pass(text))
        median, plain = statistics.median(measured.whole), statistics.median(measured.plain)
        stages = ", ".join(f"{name} {ms:.2f}" for name, ms in measured.medians.items() if ms >= median / 50)
        say(
            f"| {size // 1000} KB | {median:.2f} ms | {percentile(measured.whole, 0.95):.2f} ms | {plain:.3f} ms "
            f"| {median / plain:.0f} | {goal} ms | {stages} |\n"
        )
        sys.stdout.flush()
    sys.setswitchinterval(SWITCH_SECONDS)
    for name, judge in (("nothing is judged", None), ("200 KB are judged", chain)):
        delays = await late(judge, maker.text(HOSTILE_SIZE), known)
        say(f"\nA timer of the event loop while {name}: {statistics.median(delays):.1f} ms late, ")
        say(f"p99 {percentile(delays, 0.99):.1f} ms.\n")
    say(f"\n| hostile, {HOSTILE_SIZE // 1000} KB | ms (goal {HOSTILE_GOAL}) |\n|---|---|\n")
    for name, make in HOSTILE.items():
        say(f"| {name} | {(await judged(chain, make(HOSTILE_SIZE), known))[1]:.1f} |\n")


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else TEXTS))
