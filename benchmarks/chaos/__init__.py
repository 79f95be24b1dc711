"""The whole service under faults at random moments, and what became of every message: `python -m benchmarks.chaos`."""
