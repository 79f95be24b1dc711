"""Accepted reports become whitelist entries in the configuration file: whole or not at all."""

import os
import shutil
import stat
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mama_bot.app.clock import SystemClock
from mama_bot.app.configuration import SECRETS_NAME
from mama_bot.config import Settings, lines_to_add, load_settings, with_entries
from mama_bot.enforcement import build_chain
from mama_bot.enforcement.whitelist import is_nothing_but_approval, says_too_little, whitelist_entry
from mama_bot.errors import ConfigurationError, ReportRefused
from mama_bot.model import Allow, Finding, Report, StageVerdict
from mama_bot.repositories import GitChanges
from mama_bot.text.normalise import normalise
from mama_bot.text.patterns import compiled_at_once

GATE = "review_gate"
SECTIONS = ("response_validator", GATE)
ELSEWHERE = {
    "claim_check": "Set the kind of claim to mark or ignore in enforcement.claim_check.kinds, or name your own "
    "commands in enforcement.claim_check.commands",
    "workspace_checks": "Change the check in workspaces.NAME.checks",
    "scope_guard": "Add the files to enforcement.scope_guard.always_expected, or raise violation_threshold",
    "todo_tracker": "Set enforcement.todo_tracker.reminder or mode",
}
MAX_PHRASE_CHARACTERS = 300
BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """Entries for the whitelist of one stage, each beside the phrase it was made of."""

    stage: str
    phrases: tuple[str, ...]
    entries: tuple[str, ...]

    @property
    def path(self) -> tuple[str, ...]:
        """The key of the list."""
        return ("enforcement", self.stage, "whitelist")


def additions_of(
    report: Report, settings: Settings, *, phrases: Sequence[str] = (), stage: str = ""
) -> tuple[Addition, ...]:
    """What accepting a report adds: the found phrases of each stage that objected, or `phrases` in their place.

    Raises ReportRefused when nothing can be added, with what to do instead.
    """
    chosen = [held for held in report.objections if not stage or held.stage == stage]
    if not chosen:
        names = ", ".join(held.stage for held in report.objections)
        raise _refused("no_such_stage", f"The stage {stage!r} did not object in report {report.number}; {names} did.")
    listed = [held for held in chosen if held.stage in SECTIONS]
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
    said = [_said(report, held, phrases, settings) for held in listed]
    return tuple(_addition(held.stage, chosen, report.number) for held, chosen in zip(listed, said, strict=True))


def with_additions(settings: Settings, additions: Sequence[Addition]) -> Settings:
    """The settings as they will be with the additions."""
    stages = {}
    for addition in additions:
        section = getattr(settings.enforcement, addition.stage)
        entries = (*section.whitelist, *_new(addition, settings).entries)
        stages[addition.stage] = section.model_copy(update={"whitelist": entries})
    return settings.model_copy(update={"enforcement": settings.enforcement.model_copy(update=stages)})


class _NotWritten(Exception):
    """Why the file stays as it is."""


class _Hidden(Exception):
    """The variable that stands above the file."""


def write(file: Path, additions: Sequence[Addition], *, settings: Settings, environment: Mapping[str, str]) -> Settings:
    """Write the additions into the file, unless they are there, and return the settings as they then are.

    The new text is loaded before it takes the place of the old one, in one step. Raises ConfigurationError with the
    lines to add by hand; the file is then as it was.
    """
    missing = [new for addition in additions if (new := _new(addition, settings)).entries]
    if not missing:
        return settings
    try:
        return _write(file, missing, environment)
    except _NotWritten as error:
        reason = str(error)
    except _Hidden as hidden:
        entries = "\n".join(f"  {entry}" for addition in missing for entry in addition.entries)
        raise ConfigurationError(
            problem=f"The file was not changed, and the report stays open: {hidden} in the environment or secrets.env "
            f"stands above the file and would hide the entries. Add them to that variable, or remove the variable:\n"
            f"{entries}\nThen accept the report again.",
            file=file,
        ) from hidden
    except ConfigurationError as error:
        reason = error.problem.rstrip(".")
    except UnicodeDecodeError:
        reason = "it is not text in UTF-8"
    except OSError as error:
        reason = error.strerror or str(error)
    lines = "\n".join(lines_to_add(addition.path, addition.entries) for addition in missing)
    raise ConfigurationError(
        problem=f"The file was not changed, and the report stays open: {reason}. To do it by hand, add:\n{lines}\n"
        "Then accept the report again.",
        file=file,
    )


def _write(file: Path, additions: Sequence[Addition], environment: Mapping[str, str]) -> Settings:
    target = file.resolve()
    before = target.read_bytes()
    if not target.stat().st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH) or not os.access(target, os.W_OK):
        raise _NotWritten("it is read-only")
    text = before.decode("utf-8").removeprefix(BYTE_ORDER_MARK)
    for addition in additions:
        text = with_entries(text, addition.path, addition.entries, file=file)
    mark = BYTE_ORDER_MARK if before.startswith(BYTE_ORDER_MARK.encode()) else ""
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    fresh = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as writing:
            writing.write((mark + text).encode())
            writing.flush()
            os.fsync(writing.fileno())
        _keep_owner(target, fresh)
        shutil.copymode(target, fresh)
        settings = _checked(fresh, file.parent / SECRETS_NAME, additions, environment)
        if target.read_bytes() != before:
            raise _NotWritten("somebody else changed it just now")
        fresh.replace(target)
    finally:
        fresh.unlink(missing_ok=True)
    return settings


def _keep_owner(target: Path, fresh: Path) -> None:
    """A file that replaces another one belongs to whom the other one did: the service has to be able to read it."""
    old, new = target.stat(), fresh.stat()
    if (old.st_uid, old.st_gid) == (new.st_uid, new.st_gid):
        return
    try:
        os.chown(fresh, old.st_uid, old.st_gid)
    except OSError as error:
        raise _NotWritten(
            f"it belongs to user {old.st_uid}, group {old.st_gid}, and would not any more; run the command as its owner"
        ) from error


def _checked(
    fresh: Path, secrets_file: Path, additions: Sequence[Addition], environment: Mapping[str, str]
) -> Settings:
    """The settings of the new text, which has to load, compile and hold the additions."""
    settings = load_settings(fresh, environment=environment, secrets_file=secrets_file)
    changes = GitChanges(workspace_of=lambda _turn: Path())
    build_chain(settings=settings.enforcement, changed_files=changes, clock=SystemClock())
    for addition in additions:
        if _new(addition, settings).entries:
            variable = "MAMA_" + "__".join(addition.path).upper()
            raise _Hidden(variable)
    return settings


def _new(addition: Addition, settings: Settings) -> Addition:
    """The addition without what is in the settings already."""
    known = getattr(settings.enforcement, addition.stage).whitelist
    return replace(addition, entries=tuple(entry for entry in addition.entries if entry not in known))


def _said(report: Report, held: StageVerdict, phrases: Sequence[str], settings: Settings) -> list[str]:
    """The phrases that are to pass: those that were given, which have to be in the text, or those that were found."""
    if not phrases:
        found = _found(held)
        if held.stage == GATE:
            return [_more_than_an_approval(report, one, settings) for one in found]
        # A sentence of two letters or an emoji would match everywhere; the others may do without it.
        return [one.text for one in found if not says_too_little(one.text)] or [one.text for one in found]
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


def _found(held: StageVerdict) -> Sequence[Finding]:
    decision = held.decision
    if isinstance(decision, Allow):
        return ()
    # Beside approvals the gate names what speaks against them: that is no phrase to let pass.
    approvals = [found for found in decision.evidence.findings if "approval" in found.kind]
    return approvals or decision.evidence.findings


def _more_than_an_approval(report: Report, found: Finding, settings: Settings) -> str:
    """The sentence that was taken for an approval, or its line where the sentence says nothing else."""
    text, words = report.text, settings.enforcement.words.by_kind
    line = ""
    if text[found.start : found.end] == found.text:
        end = text.find("\n", found.end)
        line = text[text.rfind("\n", 0, found.start) + 1 : len(text) if end < 0 else end].strip()
    for said in (found.text, line):
        if said and not is_nothing_but_approval(said, words):
            return said
    raise _refused(
        "bare_approval",
        f"{found.text!r} is nothing but an approval: on the whitelist it would let every approval worded so pass. "
        f"If that is meant: mama-bot reports accept {report.number} --stage {GATE} --phrase {found.text!r}.",
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
