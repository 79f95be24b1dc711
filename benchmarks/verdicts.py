"""Every judgement of all labelled texts, to compare two trees: `python -m benchmarks.verdicts OUT [TURNS.jsonl.gz]`.

Run it in both trees with `PYTHONHASHSEED=0` and `cmp` what they wrote: outcome, stage, rule, verdict, spans, claims and
figures of each text, said to an agent and to a person; beside them texts that were made, and hostile ones. A change
that should only make reading quicker leaves no difference.
"""

import asyncio
import gzip
import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.chain import HOSTILE, NoRepository, ProcessorClock, judged, record
from benchmarks.unseen_texts import UnseenTexts
from mama_bot.app.system_clock import SystemClock
from mama_bot.config import EnforcementSettings
from mama_bot.enforcement import build_chain
from mama_bot.trial.given_messages import read_message
from mama_bot.trial.trial_chain import TrialChain

LABELLED = ("messages/*.jsonl", "turns/*.jsonl", "approvals/*.jsonl", "judged_messages.jsonl")
MADE = {2_000: 60, 20_000: 20, 200_000: 1}
HOSTILE_CHARACTERS = 20_000
TIMES = re.compile(r"elapsed_ms=[^,)]*")


def lines_of(path: Path) -> Sequence[str]:
    """The lines of a file, which may be packed."""
    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text(encoding="utf-8")
    return text.strip().split("\n")


async def labelled(paths: Sequence[Path]) -> list[str]:
    """The judgements of given texts, in both settings."""
    chain, told = TrialChain(settings=EnforcementSettings(), clock=SystemClock()), []
    for path in paths:
        for line in lines_of(path):
            for to_agent in (True, False):
                message = read_message(json.dumps({**json.loads(line), "agent_to_agent": to_agent}))
                told.append(repr((await chain.judge(message)).judgement))
    return told


async def made() -> list[str]:
    """The judgements of texts that nobody wrote."""
    chain = build_chain(settings=EnforcementSettings(), changed_files=NoRepository(), clock=ProcessorClock())
    return [repr((await judged(chain, text, record()))[0]) for text in unwritten()]


def unwritten() -> Iterator[str]:
    """Texts dense with claims and verdicts, and hostile ones."""
    maker = UnseenTexts(seed=99)
    for size, count in MADE.items():
        yield from (maker.text(size) for _ in range(count))
    yield from (make(HOSTILE_CHARACTERS) for make in HOSTILE.values())


async def main(out: Path, further: Sequence[Path]) -> None:
    """Write a line for each judgement."""
    root = Path("tests/data")
    paths = [path for pattern in LABELLED for path in sorted(root.glob(pattern))]
    told = [*await labelled([*paths, *further]), *await made()]
    out.write_text("\n".join(TIMES.sub("", one) for one in told) + "\n", encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]]))
