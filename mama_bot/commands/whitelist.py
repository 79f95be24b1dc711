"""What accepting a report puts on the whitelists: the phrases that the stages found, or those that a person names."""

from collections.abc import Sequence
from dataclasses import dataclass

from mama_bot.config import STAGES, Settings
from mama_bot.enforcement.whitelisted_phrases import is_nothing_but_approval, says_too_little, whitelist_entry
from mama_bot.errors import ReportRefused
from mama_bot.model import Allow, Finding, Report, StageVerdict
from mama_bot.text.normalise import normalise
from mama_bot.text.patterns import compiled_at_once

GATE = "review_gate"
ELSEWHERE = {
    "claim_check": "Set the kind of claim to mark or ignore in enforcement.claim_check.kinds, or name your own "
    "commands in enforcement.claim_check.commands",
    "workspace_checks": "Change the check in workspaces.NAME.checks",
    "scope_guard": "Add the files to enforcement.scope_guard.always_expected, or raise violation_threshold",
    "todo_tracker": "Set enforcement.todo_tracker.reminder or mode",
}
MAX_PHRASE_CHARACTERS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """Entries for the whitelist of one stage, each beside the phrase it was made of."""

    stage: str
    phrases: tuple[str, ...]
    entries: tuple[str, ...]

    @property
    def key(self) -> str:
        """The key of the list."""
        return f"enforcement.{self.stage}.whitelist"


def additions_of(
    report: Report, settings: Settings, *, phrases: Sequence[str] = (), stage: str = ""
) -> tuple[Addition, ...]:
    """Return what accepting a report adds: the found phrases of each stage that objected, or `phrases` in their place.

    Raises ReportRefused when nothing can be added, with what to do instead.
    """
    chosen = [held for held in report.objections if not stage or held.stage == stage]
    if not chosen:
        names = ", ".join(held.stage for held in report.objections)
        raise _refused("no_such_stage", f"The stage {stage!r} did not object in report {report.number}; {names} did.")
    listed = [held for held in chosen if held.stage in STAGES]
    if not listed:
        name = chosen[0].stage
        remedy = ELSEWHERE.get(name, f"See enforcement.{name} in the configuration")
        raise _refused(
            "no_whitelist",
            f"The stage {name} has no whitelist. {remedy}; then settle the report: "
            f"mama-bot reports dismiss {report.number}.",
        )
    if phrases and len(listed) > 1:
        names = " or ".join(held.stage for held in listed)
        raise _refused("which_stage", f"Several stages objected: say with --stage {names} whose whitelist is meant.")
    phrases_of_stages = [_phrases_to_pass(report, held, phrases, settings) for held in listed]
    return tuple(
        _addition(held.stage, chosen, report.number) for held, chosen in zip(listed, phrases_of_stages, strict=True)
    )


def _phrases_to_pass(report: Report, held: StageVerdict, phrases: Sequence[str], settings: Settings) -> list[str]:
    """The phrases that are to pass: those that were given, which have to be in the text, or those that were found."""
    if not phrases:
        findings = _findings_of(held)
        if held.stage == GATE:
            return [_more_than_an_approval(report, finding, settings) for finding in findings]
        # A sentence of two letters or an emoji would match everywhere; the others may do without it.
        return [finding.text for finding in findings if not says_too_little(finding.text)] or [
            finding.text for finding in findings
        ]
    text = normalise(report.text).text
    for phrase in phrases:
        entry = whitelist_entry(phrase)
        if entry and not says_too_little(phrase) and compiled_at_once(entry).search(text) is None:
            raise _refused(
                "phrase_elsewhere",
                f"The phrase {phrase!r} does not occur in the text of report {report.number}; nothing was written. "
                f"Take one that does: mama-bot reports show {report.number}.",
            )
    return list(phrases)


def _findings_of(held: StageVerdict) -> Sequence[Finding]:
    decision = held.decision
    if isinstance(decision, Allow):
        return ()
    # Beside approvals the gate names what speaks against them: that is no phrase to let pass.
    approvals = [finding for finding in decision.evidence.findings if "approval" in finding.kind]
    return approvals or decision.evidence.findings


def _more_than_an_approval(report: Report, finding: Finding, settings: Settings) -> str:
    """The sentence that was taken for an approval, or its line where the sentence says nothing else."""
    text, words = report.text, settings.enforcement.words.by_kind
    line = ""
    if text[finding.start : finding.end] == finding.text:
        end = text.find("\n", finding.end)
        line = text[text.rfind("\n", 0, finding.start) + 1 : len(text) if end < 0 else end].strip()
    for phrase in (finding.text, line):
        if phrase and not is_nothing_but_approval(phrase, words):
            return phrase
    raise _refused(
        "bare_approval",
        f"{finding.text!r} is nothing but an approval: on the whitelist it would let every approval worded so pass. "
        f"If that is meant: mama-bot reports accept {report.number} --stage {GATE} --phrase {finding.text!r}.",
    )


def _addition(stage: str, phrases: Sequence[str], number: int) -> Addition:
    entries: dict[str, str] = {}
    for phrase in phrases:
        entry = whitelist_entry(phrase)
        if not entry:
            raise _refused(
                "empty_phrase",
                "A phrase needs words: an entry of code, emphasis and white space would pass anything.",
            )
        if len(phrase) > MAX_PHRASE_CHARACTERS:
            raise _refused(
                "long_phrase",
                f"A phrase has {len(phrase)} characters ({MAX_PHRASE_CHARACTERS} are allowed); it would never "
                f"match again. Name the part that matters: mama-bot reports accept {number} --phrase 'TEXT'.",
            )
        if says_too_little(phrase):
            raise _refused(
                "short_phrase",
                f"The phrase {phrase!r} is too short: it would match in too many texts. A phrase has at least three "
                f"letters, or two Hangul syllables: mama-bot reports accept {number} --phrase 'TEXT'.",
            )
        entries.setdefault(entry, phrase)
    if not entries:
        raise _refused(
            "nothing_found",
            f"The verdict of report {number} names no phrase. Say which one is to pass: "
            f"mama-bot reports accept {number} --phrase 'TEXT'.",
        )
    return Addition(stage=stage, phrases=tuple(entries.values()), entries=tuple(entries))


def _refused(code: str, sentence: str) -> ReportRefused:
    return ReportRefused(code=code, sentence=sentence)
