"""What other agents read of a reply with more praise than may pass between agents: the rest of it."""

from collections.abc import Callable, Sequence

from mama_bot.model import Finding

ROUNDS = 3
LEFT_OUT = "[{count} sentences of praise or filler are left out]"
ONE_LEFT_OUT = "[1 sentence of praise or filler is left out]"
ALL_LEFT_OUT = "[a reply of {characters} characters is left out: praise or filler]"


def words_for_agents(text: str, findings: Sequence[Finding], again: Callable[[str], Sequence[Finding]]) -> str:
    """Return a text without the sentences that were found in it, with a line that says so.

    `again` finds those that are still too many in what is left ([]: none are). Where that comes to no end, nothing is
    left but the line.
    """
    left, count = text, 0
    for _ in range(ROUNDS):
        left, count = _without(left, findings), count + len(findings)
        findings = again(left)
        if not findings:
            told = ONE_LEFT_OUT if count == 1 else LEFT_OUT.format(count=count)
            return f"{left}\n\n{told}".lstrip()
    return ALL_LEFT_OUT.format(characters=len(text))


def _without(text: str, findings: Sequence[Finding]) -> str:
    """Return a text without some spans of it, and without lines that hold only marks then."""
    kept: list[str] = []
    start = 0
    for line in text.splitlines(keepends=True):
        end = start + len(line)
        within = [finding for finding in findings if finding.start < end and start < finding.end]
        rest = _cut(line, [(finding.start - start, finding.end - start) for finding in within])
        if not within or any(map(str.isalnum, rest)):
            kept.append(rest)
        start = end
    return "".join(kept).strip()


def _cut(line: str, spans: Sequence[tuple[int, int]]) -> str:
    for first, last in sorted(spans, reverse=True):
        line = f"{line[: max(0, first)].rstrip()} {line[last:].lstrip(' ')}" if first > 0 else line[last:].lstrip(" ")
    return line if line.endswith("\n") or not spans else f"{line}\n"
