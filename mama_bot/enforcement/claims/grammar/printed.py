"""What tools print, pasted as evidence: each summary is a claim of the speaker's own run."""

from collections.abc import Iterator
from dataclasses import fields, replace

from mama_bot.enforcement.claims.grammar.figures import figures_in
from mama_bot.enforcement.claims.grammar.named import tool_in
from mama_bot.enforcement.claims.grammar.outcomes import Said
from mama_bot.enforcement.claims.grammar.passages import Passage
from mama_bot.enforcement.claims.grammar.vocabulary import Term
from mama_bot.model.claims import ClaimKind
from mama_bot.model.runs import Counts
from mama_bot.text.patterns import compiled

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


PART = compiled(r"^ *(?:test result: \S+\.|Tests run: \d|# (?:pass|fail|tests) \d|\d+ (?:passing|pending|failing)\b)")
TOTALS = compiled(r"^ *Tests run: \d+, [^\n]*(?:Skipped: \d+)\s*$")
HEADER = compiled(
    r"^\s*(?:={2,}|>+|#+|-{2,}) *(?:[Rr]unning |cd )?([\w@./-]*[A-Za-z][\w@./-]*)[\s=-]*$|"
    r"^Entering (?:directory )?['`\"]?([\w./-]+)"
)
FIELDS = tuple(one.name for one in fields(Counts))


class Pasted:
    """The lines of one pasted output after another: parts of one summary are one claim with their sum."""

    def __init__(self) -> None:
        self._fence = 0
        self._command = ""
        self._below = ""
        self._summary: tuple[int, Said] | None = None
        self._tested = False

    def takes(self, passage: Passage) -> Iterator[tuple[int, Said]]:
        """What a further line says, with where it starts; a part of a summary is held back until its last."""
        if passage.fence != self._fence:
            yield from self.ends()
            self._fence, self._command, self._below, self._tested = passage.fence, "", "", False
        command = command_of(passage.text)
        if command:
            yield from self.ends()
            self._command, self._below = command, ""
        header = HEADER.match(passage.text)
        if header is not None:
            self._below = header.group(1) or header.group(2)
        said = printed(passage.text, self._command)
        if said is None or (said.kind is ClaimKind.BUILD and self._tested and "SUCCESS" in passage.text):
            return
        if said.kind is not ClaimKind.TESTS:
            yield passage.start, said
            return
        self._tested = True
        if self._below and not said.subjects:
            said = replace(said, subjects=(self._below,))
        if PART.match(passage.text) is None:
            yield passage.start, said
            return
        self._summary = (passage.start, said) if self._summary is None else self._with(passage, said)

    def ends(self) -> Iterator[tuple[int, Said]]:
        """The summary that was held back, once nothing more can belong to it."""
        if self._summary is not None:
            yield self._summary
        self._summary = None

    def _with(self, passage: Passage, said: Said) -> tuple[int, Said]:
        """The summary so far with a further part: its sum, or the total that a tool prints last."""
        if self._summary is None:
            return passage.start, said
        start, before = self._summary
        end = passage.start - start + said.end
        if TOTALS.match(passage.text) is not None:
            return start, replace(said, start=before.start, end=end)
        return start, replace(
            before,
            end=end,
            counts=added(before.counts, said.counts),
            total=None if None in (before.total, said.total) else (before.total or 0) + (said.total or 0),
            fails=before.fails or said.fails,
        )


def added(one: Counts, other: Counts) -> Counts:
    """The sum of two counts; what neither names stays unnamed."""
    given = {name: (getattr(one, name), getattr(other, name)) for name in FIELDS}
    return Counts(
        **{name: None if both == (None, None) else (both[0] or 0) + (both[1] or 0) for name, both in given.items()}
    )


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
