"""Put nodes under so many faults from one seed, and say what became of every message.

`python -m benchmarks.cluster --faults 500 --seed 1`: exit status 1 where anything was lost, doubled without a label or
out of order. `--workers 1 2 4` measures instead how many turns a second so many workers do, whose agents take 2 s each,
`--writers 1 2 4` how many units a second so many nodes write.
"""

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path

from benchmarks.cluster import writers
from benchmarks.cluster.kills import run
from benchmarks.cluster.throughput import measured


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster", description=__doc__)
    parser.add_argument("--faults", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cli", action="store_true", help="agents are processes of the real CLI, not in memory")
    parser.add_argument("--keep", type=Path, default=None, help="keep data directories and the log here")
    parser.add_argument("--workers", type=int, nargs="+", default=())
    parser.add_argument("--conversations", type=int, default=None, help="how many of them speak at once to workers")
    parser.add_argument("--writers", type=int, nargs="+", default=(), help="how many units so many nodes write")
    arguments = parser.parse_args()
    if arguments.writers:
        for nodes in arguments.writers:
            print(asyncio.run(writers.measured(nodes)))
        return
    with tempfile.TemporaryDirectory(prefix="cluster-") as name:
        directory = (arguments.keep or Path(name)).resolve()
        directory.mkdir(parents=True, exist_ok=True)
        if arguments.workers:
            for workers in arguments.workers:
                print(
                    asyncio.run(
                        measured(directory / f"with-{workers}", workers=workers, conversations=arguments.conversations)
                    )
                )
            return
        outcome = asyncio.run(run(directory, faults=arguments.faults, seed=arguments.seed, cli=arguments.cli))
    print("\n".join(outcome.lines()))
    sys.exit(1 if outcome.bad else 0)


if __name__ == "__main__":
    main()
