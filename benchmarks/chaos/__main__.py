"""Run the service under so many faults from one seed, and say what became of every message.

`python -m benchmarks.chaos --faults 1000 --seed 1`: exit status 1 where anything was lost, doubled without a label, out
of order, wedged or orphaned; the seed that is printed gives the same faults again (not the same moments).
"""

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path

from benchmarks.chaos.run import run


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chaos", description=__doc__)
    parser.add_argument("--faults", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=None, help="keep the data directory and the log here")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="chaos-") as name:
        directory = arguments.keep or Path(name)
        directory.mkdir(parents=True, exist_ok=True)
        outcome = asyncio.run(run(directory.resolve(), faults=arguments.faults, seed=arguments.seed))
    print("\n".join(outcome.lines()))
    sys.exit(1 if outcome.bad else 0)


if __name__ == "__main__":
    main()
