"""What tools print, pasted as evidence: each summary is a claim of the speaker's own run."""

from mama_bot.enforcement.language.claiming.figures import figures_in
from mama_bot.enforcement.language.claiming.named import tool_in
from mama_bot.enforcement.language.claiming.outcomes import Said
from mama_bot.enforcement.language.claiming.vocabulary import Term
from mama_bot.enforcement.language.patterns import compiled
from mama_bot.model.claims import ClaimKind

TESTS = compiled(
    r"\b\d+ (?:passed|passing|failed|failing)\b.*|^ *test result: \S+\..*|^ *Tests:? +\d.*|\bTests run: \d+.*|"
    r"^ *OK \(\d+ tests?.*|^ *Ran \d+ tests?.*|^ *\d+ examples?, \d+ failures?.*|^ *# (?:pass|fail|tests) \d+|"
    r"\d+% tests passed.*|Passed! +- +Failed: +\d+.*|^ *no tests ran.*|^ *ok +\S+/\S+ +[\d.(].*"
)
NOT_TESTS = compiled(
    r"Test Suites:|Test Files|Snapshots:|^\s*(?:def|assert|expect|class|it\(|#!|//|#\s)|[\"']\s*\)|print\("
)
TYPES = compiled(r"Success: no issues found.*|Found \d+ errors? in \d+ files?.*|^ *0 errors, \d+ warnings.*")
LINT = compiled(r"All checks passed!?|^ *✖ \d+ problems?.*|no offenses detected|Your code has been rated at.*")
FORMAT = compiled(
    r"\d+ files? (?:would be|left unchanged|already formatted|reformatted).*|All matched files use Prettier.*"
)
BUILD = compiled(
    r"BUILD SUCCESS(?:FUL)?\b.*|Build succeeded\b.*|^ *Finished `?(?:dev|release|test)\b.*|✓ built in .*|"
    r"Compiled successfully.*"
)
COMMIT = compiled(r"^ *\[[\w./-]+(?: \(root-commit\))? ([0-9a-f]{7,40})\] .*")
PUSH = compiled(
    r"^ *[ +*]?\s*[0-9a-f]{7,40}\.\.\.?[0-9a-f]{7,40} +\S+ -> (\S+).*|^ *\* \[new branch\] +\S+ +-> (\S+).*"
)
PROMPT = compiled(r"^\s*(?:\$|❯|%|>>>|PS>) +(.+)$")
CHECKS = ((TYPES, ClaimKind.TYPES), (LINT, ClaimKind.LINT), (FORMAT, ClaimKind.FORMAT), (BUILD, ClaimKind.BUILD))
WOULD = compiled(r"would be|✖|Found [1-9]|^ *[1-9]\d* errors?")


def command_of(line: str) -> str:
    """The command behind a prompt; "" when a line is none."""
    match = PROMPT.match(line)
    return match.group(1).strip() if match is not None else ""


def printed(line: str, command: str) -> Said | None:
    """What a line that a tool printed says; `command` is the last one above it."""
    if NOT_TESTS.search(line) is not None:
        return None
    for pattern, kind in CHECKS:
        match = pattern.search(line)
        if match is not None:
            return Said(kind, match.start(), match.end(), fails=WOULD.search(match.group()) is not None)
    match = TESTS.search(line)
    if match is not None:
        figures = figures_in(line, of_tests=True)
        if figures.any or "no tests ran" in line:
            found = tool_in(command) if command else None
            tool = found[1] if found is not None and found[0] is Term.TOOL_TESTS else ""
            start = len(line) - len(line.lstrip(" ="))
            return Said(
                ClaimKind.TESTS,
                start,
                max(len(line.rstrip(" =")), start + 1),
                counts=figures.counts,
                total=figures.total,
                fails=figures.fails,
                tool=tool,
            )
    match = COMMIT.search(line)
    if match is not None:
        return Said(ClaimKind.COMMITTED, match.start(), match.end(), subjects=(match.group(1),))
    match = PUSH.search(line)
    if match is not None:
        return Said(ClaimKind.PUSHED, match.start(), match.end(), subjects=(match.group(1) or match.group(2),))
    return None
