"""Several nodes on one PostgreSQL, killed, stopped and counted: `python -m benchmarks.cluster`."""
