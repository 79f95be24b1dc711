"""Claims: what a draft asserts, against what the record of tools shows."""
