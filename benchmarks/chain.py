"""How long the whole chain takes, against plain `re` searching for the same expressions, in one run.

python -m benchmarks.chain
"""

import asyncio
import re
import statistics
import sys
import time
from collections.abc import Callable, Sequence

from mama_bot.app.system_clock import SystemClock
from mama_bot.config import EnforcementSettings
from mama_bot.enforcement import Chain, build_chain
from mama_bot.enforcement.stage_lexicon import entries_of_package
from mama_bot.model import (
    Audience,
    Author,
    ConversationKey,
    Delegation,
    DelegationForm,
    Draft,
    MessageId,
    Platform,
    ToolRecord,
    Turn,
    TurnId,
    TurnKind,
)
from mama_bot.text.lexicon import CUES
from mama_bot.text.patterns import any_of
from mama_bot.text.sentences import reading_of

ROUNDS = 15
REPLY = """\
## What changed

- The session token is compared in constant time now; see `src/auth.py`, lines 40 to 52.
- Expired tokens return 401 instead of 500, and the error body names the reason.

I ran the suite after the last edit: 214 passed, 2 skipped in 8.4s. The flaky test on the upload path
was a race between the two writers; the lock is now taken before the temporary file is renamed.

```python
def compare(left: bytes, right: bytes) -> bool:
    return hmac.compare_digest(left, right)
```

| file | lines |
|---|---|
| src/auth.py | +23 -5 |

남은 작업: 캐시 만료 시간을 설정으로 옮기는 것. 재현 스크립트는 scripts/repro.sh 에 있습니다.
"""
PLAIN_REPLY = """\
- The session token is compared in constant time; see `src/auth.py`, lines 40 to 52.
- Expired tokens return 401 instead of 500, and the error body names the reason.

The upload path had a race between two writers. The lock is taken before the temporary file is renamed.

```python
def compare(left: bytes, right: bytes) -> bool:
    return hmac.compare_digest(left, right)
```

"""
ITEMS = "- Create src/auth.py\n- Write tests for auth\n- 버그 수정\n- Run npm test"


def repeated(piece: str) -> Callable[[int], str]:
    """A text of a size made of one piece."""
    return lambda size: (piece * (size // len(piece) + 1))[:size]


PLAIN = repeated(PLAIN_REPLY)
CLEAN = repeated(REPLY)
FLATTERING = repeated(REPLY + "This is a truly wonderful piece of work, and I am impressed by the care you took!\n\n")
APPROVING = repeated(REPLY + "Everything checks out on my machine.\n\n**Verdict: APPROVED**\n\n")
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


def turn() -> Turn:
    """A delegated turn with four items to tick."""
    return Turn(
        id=TurnId("turn"),
        message_id=MessageId("message"),
        key=ConversationKey(Platform("web"), "general"),
        persona="developer",
        kind=TurnKind.DELEGATION,
        audience=Audience.AGENT,
        asker=Author(id="lead", name="Lead"),
        prompt="",
        delegation=Delegation(
            sender="lead",
            recipient="developer",
            task="Fix the session token",
            form=DelegationForm.DIRECTIVE,
            expected_outcome=ITEMS,
        ),
    )


def seconds_of(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    """The median time of a piece of work, each round long enough to be measured."""
    started = time.perf_counter()
    work()
    times = max(1, int(0.01 / max(1e-7, time.perf_counter() - started)))
    measured = []
    for _ in range(rounds):
        started = time.perf_counter()
        for _ in range(times):
            work()
        measured.append((time.perf_counter() - started) / times)
    return statistics.median(measured)


def judged(runner: asyncio.Runner, chain: Chain, text: str) -> float:
    """The median time of judging a text that was never read before, without the start of an event loop."""
    draft = Draft(turn_id=TurnId("turn"), attempt=0, text=text, record=ToolRecord())
    asked = turn()

    async def rounds() -> float:
        measured = []
        times = max(1, 100_000 // len(text))
        for _ in range(ROUNDS):
            started = time.perf_counter()
            for _ in range(times):
                reading_of.cache_clear()
                await chain.judge(draft, asked)
            measured.append((time.perf_counter() - started) / times)
        return statistics.median(measured)

    return runner.run(rounds())


def plain_expressions() -> list[re.Pattern[str]]:
    """The expressions that decide whether a text is looked at closely, for the standard library."""
    entries = entries_of_package()
    wide = re.compile(r"\\x\{([0-9A-Fa-f]+)\}")
    listed = (any_of([entry]) for kind in CUES for entry in entries[kind])
    return [re.compile(wide.sub(lambda match: chr(int(match[1], 16)), one), re.IGNORECASE) for one in listed]


def searched(expressions: list[re.Pattern[str]], text: str) -> float:
    """The median time of searching a text for each expression."""
    return seconds_of(lambda: [expression.search(text) for expression in expressions], rounds=3)


def main() -> None:
    """Print the table."""
    chain = build_chain(settings=EnforcementSettings(), changed_files=NoRepository(), clock=SystemClock())
    plain = plain_expressions()
    say = sys.stdout.write
    say(f"Medians of {ROUNDS}; plain re: {len(plain)} expressions, one search each, medians of 3.\n\n")
    say("| reply | size | chain | plain re | ratio |\n|---|---|---|---|---|\n")
    with asyncio.Runner() as runner:
        for name, make in (
            ("plain: no word of any list", PLAIN),
            ("with results, Korean too", CLEAN),
            ("flattering", FLATTERING),
            ("approving", APPROVING),
        ):
            for size in (2_000, 20_000, 200_000):
                text = make(size)
                ours, theirs = judged(runner, chain, text), searched(plain, text)
                times = f"{ours * 1e3:.3f} ms | {theirs * 1e3:.1f} ms | {theirs / ours:.0f}"
                say(f"| {name} | {size // 1000} KB | {times} |\n")
        for name, make in HOSTILE.items():
            text = make(200_000)
            say(f"| {name} | 200 KB | {judged(runner, chain, text) * 1e3:.1f} ms | | |\n")


if __name__ == "__main__":
    main()
