"""Claims about files: created, changed, deleted, and no others touched."""

from dataclasses import dataclass

from mama_bot.enforcement.language.files import file_names
from mama_bot.enforcement.reconciliation.looking import only_looks
from mama_bot.enforcement.reconciliation.places import is_code, is_scratch, plain_name, same_file
from mama_bot.enforcement.reconciliation.saying import Speaker
from mama_bot.enforcement.reconciliation.timeline import EditAt, Timeline, output_of
from mama_bot.model import CheckedClaim, Claim, ClaimKind, ClaimReason, ClaimState, FileFate, RunEnd, RunKind, ToolRun

SHOWN = 3
PRODUCTS = (
    (RunKind.BUILD, frozenset(("dist", "build", "target", "out", "bin", ".next", "release"))),
    (RunKind.TESTS, frozenset(("coverage", "htmlcov", "reports", "test-results", "playwright-report"))),
)


@dataclass(frozen=True, slots=True)
class FilesCheck:
    """Checks claims about files against a record; `mentioned` is the reply with what it was asked."""

    timeline: Timeline
    speaker: Speaker
    mentioned: str = ""

    def fate(self, claim: Claim) -> CheckedClaim:
        """Created, changed, deleted."""
        names = files_of(claim)
        if not names:
            return self._some(claim)
        last: CheckedClaim | None = None
        for name in names:
            found = self._one(claim, name)
            if found.state is not ClaimState.CONFIRMED:
                return found
            last = found
        assert last is not None
        return last

    def _some(self, claim: Claim) -> CheckedClaim:
        """A claim that names no file: anything that was written bears it out."""
        own = [edit for edit in self.timeline.edits if edit.own]
        if claim.kind is ClaimKind.DELETED:
            own = [edit for edit in own if edit.fate is FileFate.DELETED or not edit.path] or own
        if own:
            return confirmed(claim, own[-1].call)
        if self._may_have_written():
            return confirmed(claim, None)
        says = self.speaker.missing(claim.kind)
        return checked(claim, ClaimState.UNSUPPORTED, ClaimReason.NO_SUCH_RUN, says)

    def _one(self, claim: Claim, name: str) -> CheckedClaim:
        touches = [edit for edit in self.timeline.edits if edit.path and _is_of(name, edit.path)]
        own = [edit for edit in touches if edit.own]
        deleting = claim.kind is ClaimKind.DELETED
        if own:
            last = own[-1]
            if deleting and any(edit.fate is FileFate.DELETED for edit in own):
                if last.fate is FileFate.DELETED or "/" not in last.path:
                    return confirmed(claim, last.call)
                return checked(
                    claim, ClaimState.CONTRADICTED, ClaimReason.FAILED, self.speaker.gone(last, name), last.call
                )
            if not deleting:
                if last.fate is not FileFate.DELETED:
                    return confirmed(claim, last.call)
                if claim.kind is ClaimKind.CREATED:
                    return checked(
                        claim, ClaimState.CONTRADICTED, ClaimReason.FAILED, self.speaker.gone(last, name), last.call
                    )
                return confirmed(claim, last.call)
        failed = [call for call, path in self.timeline.failed_writes if same_file(name, path)]
        if failed and not deleting:
            says = self.speaker.write_failed(failed[-1], name)
            return checked(claim, ClaimState.CONTRADICTED, ClaimReason.FAILED, says, failed[-1])
        if touches and not own:
            call = touches[-1].call
            says = self.speaker.not_written(name)
            return checked(claim, ClaimState.UNSUPPORTED, ClaimReason.ANOTHER_AGENT, says, call)
        return self._unseen(claim, name)

    def _unseen(self, claim: Claim, name: str) -> CheckedClaim:
        """A file that no call is known to have written: a command may have."""
        base = name.rpartition("/")[2].lower()
        for call, command in reversed(self.timeline.commands):
            if call.ok is not False and base in command.lower() and not only_looks(command):
                return confirmed(claim, call)
        product = self._product(name)
        if product is not None and claim.kind is not ClaimKind.DELETED:
            return confirmed(claim, product)
        unknown = [edit for edit in self.timeline.edits if edit.own and not edit.path]
        for edit in reversed(unknown):
            if base in output_of(edit.call).lower():
                return confirmed(claim, edit.call)
        if claim.kind is not ClaimKind.DELETED and (unknown or self._may_have_written()):
            for call in reversed(self.timeline.own_calls):
                if _lists_changes(call) and base in output_of(call).lower():
                    return confirmed(claim, call)
        deleting = claim.kind is ClaimKind.DELETED
        says = self.speaker.not_deleted(name) if deleting else self.speaker.not_written(name)
        state = ClaimState.UNSUPPORTED if unknown else ClaimState.CONTRADICTED
        return checked(claim, state, ClaimReason.NO_SUCH_RUN, says)

    def _product(self, name: str) -> ToolRun | None:
        """The run that leaves such a file behind: a build its products, tests their reports."""
        kind = next((kind for kind, places in PRODUCTS if places & set(name.lower().split("/")[:-1])), None)
        ended = [run for run in self.timeline.runs if run.own and run.run.kind is kind and run.run.end is RunEnd.PASSED]
        return ended[-1].call if kind and ended else None

    def _may_have_written(self) -> bool:
        """Whether the agent ran a command of which nobody knows what it wrote."""
        return any(call.ok is not False and not only_looks(command) for call, command in self.timeline.commands)

    def only_these(self, claim: Claim) -> CheckedClaim:
        """No file beside those that the reply, or its task, names."""
        text = f"{self.mentioned}\n{' '.join(claim.subjects)}".lower()
        touched = self._touched()
        beyond = [edit for edit in touched if not _is_mentioned(edit.path, text)]
        if not beyond or len(touched) == 1:
            return confirmed(claim, touched[-1].call if touched else None)
        names = list(dict.fromkeys(edit.path.rpartition("/")[2] for edit in beyond))
        says = self.speaker.others(names[:SHOWN], len(names) - min(SHOWN, len(names)))
        return checked(claim, ClaimState.CONTRADICTED, ClaimReason.OTHER_FIGURES, says, beyond[-1].call)

    def _touched(self) -> list[EditAt]:
        """The code that the agent changed and that is still changed, one entry for each file."""
        last: dict[str, EditAt] = {}
        made: set[str] = set()
        for edit in self.timeline.edits:
            if edit.own and edit.path and is_code(edit.path) and not is_scratch(edit.path):
                if edit.fate is FileFate.CREATED:
                    made.add(edit.path)
                last[edit.path] = edit
        return [edit for path, edit in last.items() if not (edit.fate is FileFate.DELETED and path in made)]


def _lists_changes(call: ToolRun) -> bool:
    return "status" in call.arguments or "--stat" in call.arguments or "ls" in call.arguments


def _is_of(name: str, path: str) -> bool:
    """Whether a path is the named file, or lies in the named directory."""
    if same_file(name, path) or name.lower().startswith(f"{path.lower()}/"):
        return True
    return "." not in name.rpartition("/")[2] and f"/{name.lower()}/" in f"/{path.lower()}"


def _is_mentioned(path: str, text: str) -> bool:
    """Whether a text names a file: by its path, its name, or its stem."""
    name = path.lower().rpartition("/")[2]
    stem = name.partition(".")[0]
    if name in text or (len(stem) > 2 and stem in text):
        return True
    plain = stem.removeprefix("test_").removesuffix("_test")
    return plain != stem and len(plain) > 2 and plain in text and "test" in text


def files_of(claim: Claim) -> list[str]:
    """The files that a claim names."""
    found: list[str] = []
    for subject in claim.subjects:
        name = plain_name(subject)
        if name and " " not in name and (file_names(name) or _looks_like_file(name)):
            found.append(name)
    return found


def _looks_like_file(name: str) -> bool:
    base = name.rpartition("/")[2]
    return "/" in name and "." in base.strip(".")


def confirmed(claim: Claim, call: ToolRun | None) -> CheckedClaim:
    """A claim that a call bears out."""
    return CheckedClaim(claim=claim, state=ClaimState.CONFIRMED, run_id=call.id if call else "")


def checked(
    claim: Claim, state: ClaimState, reason: ClaimReason, says: str, call: ToolRun | None = None
) -> CheckedClaim:
    """A claim that the record does not bear out."""
    return CheckedClaim(claim=claim, state=state, reason=reason, run_id=call.id if call else "", says=says)
