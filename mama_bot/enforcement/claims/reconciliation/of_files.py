"""Claims about files: created, changed, deleted, and no others touched."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from mama_bot.enforcement.claims.reconciliation.calls import output_of
from mama_bot.enforcement.claims.reconciliation.context import sentence_around
from mama_bot.enforcement.claims.reconciliation.explanations import Speaker
from mama_bot.enforcement.claims.reconciliation.looks import only_looks
from mama_bot.enforcement.claims.reconciliation.moments import EditAt
from mama_bot.enforcement.claims.reconciliation.results import LOOKERS, flow_of
from mama_bot.enforcement.claims.reconciliation.timeline import Timeline
from mama_bot.facts.places import is_code, is_scratch, named_path, same_file
from mama_bot.model import (
    CheckedClaim,
    Claim,
    ClaimKind,
    ClaimReason,
    ClaimState,
    FileFate,
    RunEnd,
    RunKind,
    ToolKind,
    ToolRun,
)
from mama_bot.shell.tokens import word_set
from mama_bot.shell.wrappers import program
from mama_bot.text.paths import file_names
from mama_bot.text.patterns import compiled

SHOWN = 3
MOST_FORMATTED = 200
REFORMATTED = compiled(r"(?m:^reformatted (\S+)$|^(\S+\.\w+) \d+(?:\.\d+)?m?s$)")
MISSES = compiled(r"no such file|not found|cannot (?:open|find|stat)|missing script|does not exist", groups=False)
NOT_WRITING = frozenset((RunKind.TESTS, RunKind.LINT, RunKind.TYPES, RunKind.DIFF, RunKind.COMMIT))
DIRECTORY = compiled(r"(?:^|[\s`'\"(])((?:[\w.-]+/)*[\w.-]+)/(?:$|[\s`'\"),.:;은는이가을를의에만 ])")
EXCLUSIVE = compiled(
    r"(?i:\b(?:only|just|solely|exclusively|confined|limited|nothing (?:else|outside|beyond|other)"
    r"|no(?:ne of the)? other|rest|everything else|other than|besides|apart from|except)\b)"
    r"|뿐|만 |만을|만입|외에|이외|밖에|그 ?밖|나머지|다른|말고|한정",
    groups=False,
)
SPARED = compiled(
    r"(?i:\b(?:not|n't|never|without|un)[ -]?(?:been )?(?:touch|chang|modif|edit|alter)\w*)"
    r"|(?i:\b(?:left|leaving) .{0,40}alone)"
    r"|건드리지|변경하지|수정하지|손대지|안 건드|안 바꾸|그대로",
    groups=False,
)
SINCE = compiled(
    r"(?i:\b(?:since|afterwards?|after (?:that|this|which|the (?:test |last |final |green )?run))\b)"
    r"|(?:그|이|실행|테스트|통과) ?(?:한 )?(?:뒤|후|이후|다음)",
    groups=False,
)
RESETS = compiled(
    r"\bgit (?:reset --hard(?: HEAD)?|checkout (?:-q )?(?:HEAD )?(?:-- )?\.|restore \.)(?:$|[\s;&|])", groups=False
)
UNDOING = compiled(
    r"(?i:\b(?:revert|restor|undo|undid|roll(?:ed)? ?back|back(?:ed)? out|reset|discard|temporar|mutat)\w*)"
    r"|되돌|원복|복구|복원|롤백|취소|임시|뮤테이션",
    groups=False,
)
# Commands that lay out files whose names nobody sees.
GENERATES = compiled(
    r"\b(?:cargo (?:new|init)|(?:npm|pnpm|yarn|bun) (?:init|create)|npx (?:-y )?create-|uv init|poetry (?:new|init)"
    r"|rails (?:new|g)|dotnet new|django-admin start|manage\.py start|go mod init"
    r"|protoc|buf generate|prisma (?:init|generate|migrate)|openapi-generator|cookiecutter|copier copy|git clone|unzip"
    r"|tar -?x\w*|tsc --init|terraform init|ng (?:new|g)|flutter create|gradle init|mix new|bundle (?:init|gem)"
    r"|git init|curl [^|]*-[oO])",
    groups=False,
)
OF_CODE = compiled(r"(?i:\b(?:source|code|production|implementation|src)\b)|소스|코드|구현|프로덕션", groups=False)
# What a file's name ends with, and hardly any member of a module is called.
ENDINGS = word_set(
    "py js ts tsx jsx mjs cjs rs go java kt c h cc cpp hpp cs rb php swift md rst txt json yaml yml toml ini cfg "
    "sh sql html css scss vue svelte xml lock csv env proto tf gradle whl tgz gz jar war zip tar exe dll so wasm "
    "map log out png svg pdf db snap"
)
PLAIN_WRITERS = frozenset(("touch", "rm", "cp", "mv", "mkdir", "git", "unlink", "rmdir"))
DOCUMENTS = (".md", ".mdx", ".rst", ".adoc", ".txt")
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
    reply: str = ""

    def fate(self, claim: Claim) -> CheckedClaim:
        """Created, changed, deleted."""
        names = files_of(claim)
        if not names:
            return self._some(claim)
        answers = [self._one(claim, name) for name in names]
        wrong = [one for one in answers if one.state is not ClaimState.CONFIRMED]
        if not wrong:
            return answers[-1]
        if claim.kind is ClaimKind.DELETED and len(wrong) < len(answers):
            # The others may be what it was removed from, or what is left.
            others = [name for name, one in zip(names, answers, strict=True) if one.state is not ClaimState.CONFIRMED]
            if all(self._is_written(name) for name in others):
                return next(one for one in answers if one.state is ClaimState.CONFIRMED)
        return wrong[0]

    def _undone(self, last: EditAt) -> ToolRun | None:
        """The call that took the last edit of a file back, where git did."""
        if any(trip.path and trip.ended == last.at and same_file(trip.path, last.path) for trip in self.timeline.trips):
            return last.call
        at = self.timeline.place(last.call.id)
        for call, command in self.timeline.commands:
            if self.timeline.place(call.id) <= at or call.ok is False:
                continue
            if "git commit" in command:
                return None
            if RESETS.search(command) is not None and last.fate is not FileFate.CREATED:
                return call
        return None

    def _is_about_undoing(self, claim: Claim) -> bool:
        return UNDOING.search(sentence_around(claim, self.reply)) is not None

    def _is_written(self, name: str) -> bool:
        """Whether the agent wrote a file, and it is still there."""
        own = [edit for edit in self.timeline.edits if edit.own and edit.path and same_file(name, edit.path)]
        return bool(own) and own[-1].fate is not FileFate.DELETED

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

    def _member_of(self, name: str) -> EditAt | None:
        """The edit of the module that a name like `tiles.key` is of, where it is no file."""
        module, _, member = name.rpartition(".")
        if not module or "/" in name or not member.isidentifier() or member.lower() in ENDINGS:
            return None
        stems = {module.lower(), module.rpartition(".")[0].lower(), module.partition(".")[0].lower()}
        own = [edit for edit in self.timeline.edits if edit.own and edit.path and edit.fate is not FileFate.DELETED]
        return next(
            (one for one in reversed(own) if one.path.lower().rpartition("/")[2].partition(".")[0] in stems), None
        )

    def _one(self, claim: Claim, name: str) -> CheckedClaim:
        touches = [edit for edit in self.timeline.edits if edit.path and _is_of(name, edit.path)]
        own = [edit for edit in touches if edit.own]
        deleting = claim.kind is ClaimKind.DELETED
        found = self._of_own(claim, name, own) if own else None
        if found is not None:
            return found
        member = self._member_of(name)
        if member is not None and not deleting and not touches:
            return confirmed(claim, member.call)
        failed = [call for call, path in self.timeline.failed_writes if same_file(name, path)]
        if failed and not deleting:
            says = self.speaker.write_failed(failed[-1], name)
            return checked(claim, ClaimState.CONTRADICTED, ClaimReason.FAILED, says, failed[-1])
        if touches and not own:
            call = touches[-1].call
            says = self.speaker.not_written(name)
            return checked(claim, ClaimState.UNSUPPORTED, ClaimReason.ANOTHER_AGENT, says, call)
        return self._unseen(claim, name)

    def _of_own(self, claim: Claim, name: str, own: Sequence[EditAt]) -> CheckedClaim | None:
        """What the agent's own edits of a file say; None where they say nothing of what is claimed."""
        deleting = claim.kind is ClaimKind.DELETED
        last = own[-1]
        if deleting and any(edit.fate is FileFate.DELETED for edit in own):
            if last.fate is FileFate.DELETED or "/" not in last.path:
                return confirmed(claim, last.call)
            return checked(claim, ClaimState.CONTRADICTED, ClaimReason.FAILED, self.speaker.gone(last, name), last.call)
        if not deleting:
            undone = self._undone(last)
            if undone is not None and not self._is_about_undoing(claim):
                says = self.speaker.not_written(name)
                return checked(claim, ClaimState.CONTRADICTED, ClaimReason.OTHER_FIGURES, says, undone)
            if last.fate is not FileFate.DELETED:
                return confirmed(claim, last.call)
            if claim.kind is ClaimKind.CREATED:
                return checked(
                    claim, ClaimState.CONTRADICTED, ClaimReason.FAILED, self.speaker.gone(last, name), last.call
                )
            return confirmed(claim, last.call)
        return None

    def _unseen(self, claim: Claim, name: str) -> CheckedClaim:
        """A file that no call is known to have written: a command may have."""
        base = name.rpartition("/")[2].lower()
        made = [call for call, command in self.timeline.commands if _names_written(call, command, base)]
        if claim.kind is not ClaimKind.DELETED:
            made = made or [call for call, command in self.timeline.commands if _says_made(call, command, base)]
        if made:
            return confirmed(claim, made[-1])
        product = self._product(name)
        if product is not None and claim.kind is not ClaimKind.DELETED:
            return confirmed(claim, product)
        unknown = [edit for edit in self.timeline.edits if edit.own and not edit.path]
        for edit in reversed(unknown):
            if base in output_of(edit.call).lower() or self._was_to_fix(edit, base):
                return confirmed(claim, edit.call)
        if claim.kind is not ClaimKind.DELETED and (unknown or self._may_have_written()):
            for call in reversed(self.timeline.own_calls):
                if _lists_changes(call) and base in output_of(call).lower():
                    return confirmed(claim, call)
        deleting = claim.kind is ClaimKind.DELETED
        says = self.speaker.not_deleted(name) if deleting else self.speaker.not_written(name)
        state = ClaimState.UNSUPPORTED if unknown else ClaimState.CONTRADICTED
        return checked(claim, state, ClaimReason.NO_SUCH_RUN, says)

    def _was_to_fix(self, edit: EditAt, base: str) -> bool:
        """Whether a call that lets a linter or formatter write followed on one in which the same tool named a file."""
        tools = {run.tool for run in edit.call.ran if run.kind in (RunKind.LINT, RunKind.FORMAT)}
        before = [one for one in self.timeline.runs if one.own and one.at < edit.at and one.run.tool in tools]
        named = [one for one in before if base in self.timeline.said_by_run(one).lower()]
        return any(one.run.end is RunEnd.FAILED for one in named)

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
        sentence = sentence_around(claim, self.reply)
        listed = [named_path(name).lower() for name in (*file_names(sentence), *_directories(sentence))]
        exclusive = EXCLUSIVE.search(sentence) is not None or SPARED.search(sentence) is None
        touched = self._touched(documents=bool(listed) and OF_CODE.search(sentence) is None)
        ran = [one.at for one in self.timeline.runs if one.own and one.run.kind is RunKind.TESTS]
        if ran and SINCE.search(sentence) is not None:  # what came before the run is not spoken of
            touched = [edit for edit in touched if edit.at > ran[-1]]
        if listed and exclusive:
            named = f"{self.reply}\n{' '.join(claim.subjects)}".lower()
            beyond = [edit for edit in touched if not _is_listed(edit.path, listed, named)]
        elif listed:  # what it names is what was left alone
            spared = [named_path(name).lower() for name in file_names(claim.text)]
            beyond = [edit for edit in touched if any(same_file(name, edit.path) for name in spared)]
            touched = [] if not beyond else touched
        else:
            text = f"{self.mentioned}\n{' '.join(claim.subjects)}".lower()
            beyond = [edit for edit in touched if not _is_mentioned(edit.path, text)]
        if not beyond or (len(touched) == 1 and (exclusive or not listed)):
            return confirmed(claim, touched[-1].call if touched else None)
        names = list(dict.fromkeys(edit.path.rpartition("/")[2] for edit in beyond))
        says = self.speaker.others(names[:SHOWN], len(names) - min(SHOWN, len(names)))
        return checked(claim, ClaimState.CONTRADICTED, ClaimReason.OTHER_FIGURES, says, beyond[-1].call)

    def _touched(self, *, documents: bool) -> list[EditAt]:
        """What the agent changed and what is still changed, one entry for each file; else only the code of it."""
        last: dict[str, EditAt] = {}
        made: set[str] = set()
        for edit in self.timeline.edits:
            for path in (edit.path,) if edit.path else written_by_formatter(edit.call):
                counts = is_code(path) or (documents and path.lower().endswith(DOCUMENTS))
                beside = path.startswith("/") and edit.call.kind is ToolKind.SHELL  # an output that was put aside
                if edit.own and counts and not beside and not is_scratch(path):
                    if edit.fate is FileFate.CREATED:
                        made.add(path)
                    last[path] = replace(edit, path=path)
        restored = {trip.path for trip in self.timeline.trips if trip.path}
        return [
            edit
            for path, edit in last.items()
            if not (edit.fate is FileFate.DELETED and path in made)
            and not (path in restored and edit.at <= max(one.ended for one in self.timeline.trips if one.path == path))
        ]


def written_by_formatter(call: ToolRun) -> Iterator[str]:
    """The files that a formatter says it wrote."""
    if any(run.kind is RunKind.FORMAT and not run.dry for run in call.ran):
        for match in islice(REFORMATTED.finditer(output_of(call)), MOST_FORMATTED):
            path = match.group(1) or match.group(2)
            if "." in path and not path.startswith("/"):
                yield path


def _names_written(call: ToolRun, command: str, base: str) -> bool:
    """Whether a command that names a file may have written it, and did not only run something on it."""
    if call.ok is False or base not in command.lower() or only_looks(command):
        return False
    if _only_writers_name(command, base):
        return False  # what they wrote, they would have told
    return bool(call.touched) or not any(base in name.lower() for run in call.ran for name in run.selected)


def _only_writers_name(command: str, base: str) -> bool:
    """Whether only such programs name a file whose writing is read from their words: what they touched is known."""
    flow = flow_of(command, "")
    naming = [step for step in flow.steps if step.argv and base in " ".join(step.argv).lower()]
    return bool(naming) and all(program(step.argv[0]) in PLAIN_WRITERS | LOOKERS for step in naming)


def _says_made(call: ToolRun, command: str, base: str) -> bool:
    """Whether a command that may write names a file in what it printed."""
    if call.ok is False or only_looks(command) or any(run.kind in NOT_WRITING for run in call.ran):
        return False
    if GENERATES.search(command) is not None:
        return True
    output = output_of(call).lower()
    return base in output and MISSES.search(output) is None


def _directories(text: str) -> list[str]:
    """The directories that a text names, with a slash behind them."""
    return [match.group(1) for match in islice(DIRECTORY.finditer(text), MOST_FORMATTED)]


def _is_listed(path: str, listed: Sequence[str], text: str) -> bool:
    """Whether a file is one of those that a sentence lists, or is named elsewhere by its whole name."""
    name = path.lower()
    if any(same_file(one, name) or f"/{one}/" in f"/{name}" for one in listed):
        return True
    return name.rpartition("/")[2] in text


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
        name = named_path(subject)
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
