"""What a run shows line by line: the lines that a reply shows, and the tests that it names."""

from collections.abc import Sequence
from itertools import islice

from mama_bot.enforcement.claims.reconciliation.calls import output_of
from mama_bot.enforcement.claims.reconciliation.moments import RunAt
from mama_bot.enforcement.claims.reconciliation.timeline import Timeline
from mama_bot.model import Claim
from mama_bot.text.patterns import compiled

MOST_NAMED = 40
MOST_LISTED = 400
TEST_NAME = compiled(r"\b(?:test_\w+|Test[A-Z]\w+)", ignore_case=False)
ALL_NAMED = compiled(
    r"(?i:\b(?:all|every|each)(?: of)?(?: the)?(?: \d+| [a-z]{3,6})?) `?(?:test_\w|Test[A-Z])", ignore_case=False
)
FAILED_TEST = compiled(r"(?m:^FAILED (\S+))", ignore_case=False)


def has_lines(text: str, lines: Sequence[str]) -> bool:
    """Whether a text has some lines one after another, others between them or not."""
    at = 0
    for line in lines:
        found = text.find(line, at)
        if found < 0:
            return False
        at = found + len(line)
    return True


def passed_by_name(claim: Claim, one: RunAt, timeline: Timeline) -> bool:
    """Whether a claim is of tests by name that are not among those that a run says failed, one line for each."""
    if claim.whole and ALL_NAMED.search(claim.text) is None:
        return False
    names = {match.group() for match in islice(TEST_NAME.finditer(claim.text), MOST_NAMED)}
    failed = [match.group(1) for match in islice(FAILED_TEST.finditer(timeline.said_by_run(one)), MOST_LISTED)]
    if not names or len(failed) != (one.run.counts.failed or 0) + (one.run.counts.errors or 0):
        return False
    known = all(any(name in output_of(call) for call in timeline.own_calls) for name in names)
    return known and not any(name in test for name in names for test in failed)
