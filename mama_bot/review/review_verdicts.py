"""What a reviewer's reply decides, and what it found."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mama_bot.enforcement.approval.approvals import approvals
from mama_bot.enforcement.stage_lexicon import lexicon
from mama_bot.model import Attempt, Cleared, DeclaredVerdict, FigureName, Verdict
from mama_bot.review.sentences import NO_ISSUE_NAMED
from mama_bot.review.verdict_labels import approves, is_only_a_verdict, plainly_rejects, reasons, states_verdict
from mama_bot.text.lexicon import Words
from mama_bot.text.markdown_lines import markdown_lines
from mama_bot.text.patterns import compiled
from mama_bot.text.sentences import reading_of, sentences_of
from mama_bot.wording import Language, one_line

MOST_ISSUES = 20
ISSUE_CHARACTERS = 500
READ_CHARACTERS = 30_000  # findings stand at the beginning

_ITEM = compiled(r"^\s*(?:[-*•·▪]|\d{1,3}[.)])\s+(\S.*)$")
_HEADING = compiled(r"^[\s#*_]*([\pL][\pL /&'-]{0,40}?)[\s*_]*[:：][\s*_]*(.*)$|^\s*#{1,6}\s+(\pL[^:：]{0,60})$")
_FINDINGS = compiled(
    r"(?:findings?|issues?|problems?|defects?|concerns?|must fix|to fix|blockers?|required changes"
    r"|changes required"
    r"|지적|문제|이슈|결함|수정|고칠)"
)
_EVIDENCE = compiled(r"(?:evidence|checks?|checked|ran|runs?|verified|verification|tests?|근거|검증|실행|확인|테스트)")
_NOTHING = compiled(r"[\s*_`]*(?:none|nothing|no (?:issues|findings|problems)|n/?a|없음|없습니다|해당 없음)[\s.!。]*")


@dataclass(frozen=True, slots=True)
class Approved:
    """The reviewer approves, and the chain let the approval pass as it is."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """The reviewer does not approve; `issues` are what it found, at least one."""

    issues: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unproven:
    """The reviewer approves, and the chain did not let that stand: nobody can build on it."""


ReviewVerdict = Approved | Rejected | Unproven


def verdict_of(attempt: Attempt, cleared: Cleared, language: Language, words: Words = ()) -> ReviewVerdict:
    """Return what a cleared reply of a reviewer decides; an approval that needs review itself approves nothing.

    What the reviewer submitted stands above its words, unless these plainly reject what it approved.
    """
    text, declaration = attempt.draft.text, attempt.draft.declaration
    if declaration is not None and declaration.verdict is DeclaredVerdict.REJECT:
        return Rejected(_bounded(declaration.findings) or issues_of(text, language))
    if declaration is not None and declaration.verdict is DeclaredVerdict.APPROVE:
        if plainly_rejects(reading_of(text).plain.text, lexicon(words)):
            return Rejected(_bounded(declaration.findings) or issues_of(text, language))
        return Unproven() if cleared.verdict is Verdict.NEEDS_REVIEW else Approved()
    reading, known = reading_of(text), lexicon(words)
    # The enforcement has to have seen the approval too: else nobody asked for its evidence.
    if not approves(reading.plain.text, known) or not approvals(reading, known) or _is_no_approval(attempt):
        return Rejected(issues_of(text, language))
    return Unproven() if cleared.verdict is Verdict.NEEDS_REVIEW else Approved()


def is_stated(attempt: Attempt, words: Words = ()) -> bool:
    """Return whether a reviewer submitted its verdict, or stated it behind a label.

    One whose words alone make it a rejection may have found no fault at all: "I could not open the repository."
    """
    declaration = attempt.draft.declaration
    submitted = declaration is not None and declaration.verdict is not None
    return submitted or states_verdict(reading_of(attempt.draft.text).plain.text, lexicon(words))


def issues_of(text: str, language: Language) -> tuple[str, ...]:
    """Return what a reply finds wrong: its list of findings, else its other lists, else its sentences; the first 20.

    Where it names nothing, a sentence in `language` says so.
    """
    text = text[:READ_CHARACTERS]
    listed, others = _listed(text)
    issues = listed or others or tuple(_sentences(text)) or tuple(reasons(text))
    return _bounded(issues) or (NO_ISSUE_NAMED.to(language),)


def _bounded(issues: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one_line(issue)[:ISSUE_CHARACTERS] for issue in issues if issue.strip()))[:MOST_ISSUES]


def _is_no_approval(attempt: Attempt) -> bool:
    """Whether the review gate read the reply and found no approval, because of its whitelist."""
    approvals_measured = [
        figure.value
        for verdict in attempt.judgement.stages
        for figure in verdict.decision.evidence.figures
        if figure.name is FigureName.APPROVAL
    ]
    return bool(approvals_measured) and not any(approvals_measured)


def _listed(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The items under a heading of findings, and those under no heading or another one that is not of evidence."""
    findings: list[str] = []
    others: list[str] = []
    into: list[str] | None = others
    for scanned in markdown_lines("\n".join(text.splitlines())):
        line = scanned.text
        if scanned.fence or not line.strip() or is_only_a_verdict(line):
            continue
        item = _ITEM.match(line)
        if item is not None:
            if into is not None and _NOTHING.fullmatch(item.group(1)) is None:
                into.append(item.group(1).strip())
            continue
        heading = _HEADING.match(line)
        if heading is not None:
            name, rest = heading.group(1) or heading.group(3) or "", (heading.group(2) or "").strip()
            into = findings if _FINDINGS.search(name) is not None else None if _EVIDENCE.search(name) else others
            if into is findings and rest and _NOTHING.fullmatch(rest) is None:
                findings.append(rest)
        elif into and line[:1].isspace():  # an item goes on
            into[-1] = f"{into[-1]} {line.strip()}"
    return tuple(findings), tuple(others)


def _sentences(text: str) -> Iterator[str]:
    reading = reading_of(text)
    for line in reading.lines:
        for sentence in sentences_of(line):
            start, end = reading.plain.original_span(sentence.start, sentence.end)
            original = reading.plain.original[start:end].strip()
            if original and not is_only_a_verdict(original) and _NOTHING.fullmatch(original) is None:
                yield original
