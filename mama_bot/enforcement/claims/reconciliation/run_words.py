"""What the words of a claim say of one run: printed, admitted, of suites, with which options."""

from mama_bot.enforcement.claims.reconciliation.calls import output_of
from mama_bot.enforcement.claims.reconciliation.figures import figures_in, wanted_of
from mama_bot.enforcement.claims.reconciliation.moments import RunAt
from mama_bot.model import Claim, RunKind, ToolRun
from mama_bot.text.patterns import compiled

COMPLAINTS = compiled(
    r"(?i:\berrors?\b|\bwarnings?\b|\bproblems?\b|\bfail)|✖|✗|error TS|(?m:^\S+:\d+:\d+)|Traceback", groups=False
)


NUMBER = compiled(r"\d+")


COMPILERS = frozenset(("tsc", "cargo build", "javac", "go build", "gradle", "maven", "swift build"))


SUITE = compiled(r"(?i:\bsuites?\b|\bfiles?\b)|스위트|파일", groups=False)


SUITE_LINE = compiled(r"(?m:^\s*Test (?:Suites|Files):?\s[^\n]*$)", groups=False)


TESTED = compiled(r"\btests? completed|Tests run:|Task :\S*test\b|\d+ tests? successful", groups=False)


OPTION = compiled(r"--[A-Za-z][\w-]*(?:=[\w.-]+)?", groups=False)


def is_printed(claim: Claim, call: ToolRun) -> bool:
    """Whether the results in what a call printed have all figures of a claim, whatever their words are."""
    wanted = wanted_of(claim)
    return bool(wanted) and wanted <= figures_in(output_of(call))


def options_of(command: str) -> set[str]:
    """The options of a command, as they stand and without their values."""
    words = command.lower().replace(" 0", "=0").split()
    return {*words, *(word.partition("=")[0] for word in words)}


def builds_and_tests(one: RunAt) -> bool:
    """Whether a build ran the tests as well, as those of Java do."""
    builds = one.run.kind is RunKind.BUILD and one.run.tool in ("gradle", "maven")
    return builds and TESTED.search(output_of(one.call)) is not None


def is_of_suites(claim: Claim, one: RunAt) -> bool:
    """Whether the figures of a claim are those of suites or files, not of tests."""
    if SUITE.search(claim.text) is None:
        return False
    return all_in(claim, "\n".join(match.group() for match in SUITE_LINE.finditer(output_of(one.call))))


def all_in(claim: Claim, text: str) -> bool:
    """Whether a short output has all figures of a claim."""
    wanted = wanted_of(claim)
    return bool(wanted) and wanted <= {match.group() for match in NUMBER.finditer(text)}


def wrong(one: RunAt) -> int:
    """How many tests a run counts as failed or broken."""
    return (one.run.counts.failed or 0) + (one.run.counts.errors or 0)


def admits(claim: Claim, one: RunAt, admitted: frozenset[str]) -> bool:
    """Whether a claim with the right figures does not hide that the run failed."""
    if one.call.id in admitted or claim.counts.failed or claim.counts.errors:
        return True
    passed = claim.counts.passed
    return claim.total is not None and passed is not None and passed < claim.total and not claim.whole
