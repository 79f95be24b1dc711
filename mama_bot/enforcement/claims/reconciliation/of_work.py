"""Claims about what was done at a keyboard: commands run, things read, bugs reproduced, figures measured."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from mama_bot.enforcement.claims.reconciliation.calls import command_of, output_of
from mama_bot.enforcement.claims.reconciliation.explanations import Speaker
from mama_bot.enforcement.claims.reconciliation.looks import only_looks
from mama_bot.enforcement.claims.reconciliation.of_files import checked, confirmed, files_of
from mama_bot.enforcement.claims.reconciliation.results import LOOKERS, flow_of
from mama_bot.enforcement.claims.reconciliation.timeline import Timeline
from mama_bot.facts.places import named_path
from mama_bot.model import CheckedClaim, Claim, ClaimReason, ClaimState, RunEnd, RunKind, ToolKind, ToolRun
from mama_bot.shell.wrappers import program
from mama_bot.text.patterns import compiled

NUMBER = compiled(r"\d[\d,]*(?:\.\d+)?")
WORD = compiled(r"[A-Za-z0-9_][\w./:@=+-]*")
WENT_WRONG = compiled(
    r"Traceback|Error\b|\bFAIL|\bfailed\b|panic|AssertionError|Exception|exit code [1-9]", groups=False
)
OF_TESTS = compiled(r"\btests?\b|\bsuite\b|\bCI\b|테스트|pytest|jest|vitest")
# That it ran once more on what was changed.
AFTER_CHANGE = compiled(
    r"(?i:\b(?:re-?(?:ran|run)|ran)\b[^;\n]{0,60}\b(?:after|with|on) (?:the|that|this|my) "
    r"(?:last |final )?(?:changes?|fix|edits?)\b)"
    r"|(?:수정|변경|고친)(?:한|하고)? ?(?:후|뒤|다음|나서)(?:에)?[^;\n]{0,30}다시[^;\n]{0,30}(?:돌려|돌렸|실행)",
    groups=False,
)
MOST_MEASURED = 60
MOST_NUMBERS = 2_000
MOST_LOOKED = 200
# A figure with a unit that an instrument gives; a ratio or share is worked out from others.
MEASURED = compiled(
    r"(\d[\d,]*(?:\.\d+)?) ?(?:(?:ms|msec|µs|us|ns|s|secs?|seconds?|MB|KB|GB|MiB|KiB|GiB|ops(?:/s)?|req/s|rps)\b"
    r"|밀리초|초)"
)
RATIO = compiled(r"(?i:(\d[\d,]*(?:\.\d+)?) ?(?:배|x\b|×|%|times\b|-?fold\b|percent|퍼센트|프로\b))")
SCALES = (1_000.0, 0.001)
LARGE = 100.0
# Programs that somebody who checked with them has run.
PROGRAMS = compiled(
    r"\b(?:valgrind|curl|psql|sqlite3|mysql|redis-cli|strace|lighthouse|gdb|lldb|perf|ab|wrk|hyperfine|k6|nmap|dig|"
    r"docker|kubectl|httpie|semgrep|bandit|trivy|shellcheck|hadolint|npm audit|pip-audit|cargo audit|govulncheck)\b"
)
CHECKS = frozenset((RunKind.TESTS, RunKind.LINT, RunKind.TYPES, RunKind.FORMAT, RunKind.BUILD))
OPENED = compiled(
    r"(?i:\b(?:opened|read (?:through|over)?|went through|line by line)\b)|열어|읽었|읽어|읽고|정독|한 줄씩",
    groups=False,
)
SHOWS_MANY = compiled(r"\bdiff\b|\bshow\b|\blog\b|\bgrep\b|\brg\b|\bcat\b|\bfind\b|\bstatus\b", groups=False)
SEARCHES = compiled(r"\bgrep -\w*r|\brg\b|\bgit grep\b", groups=False)
KIND_WORDS = (
    ("test", RunKind.TESTS),
    ("테스트", RunKind.TESTS),
    ("lint", RunKind.LINT),
    ("린트", RunKind.LINT),
    ("build", RunKind.BUILD),
    ("빌드", RunKind.BUILD),
    ("type check", RunKind.TYPES),
    ("typecheck", RunKind.TYPES),
    ("타입", RunKind.TYPES),
    ("bench", RunKind.BENCHMARK),
    ("벤치", RunKind.BENCHMARK),
)


@dataclass(frozen=True, slots=True)
class WorkCheck:
    """Checks claims about commands, reading, reproductions and measurements against a record."""

    timeline: Timeline
    speaker: Speaker

    def ran(self, claim: Claim) -> CheckedClaim:
        """A command that was run, whatever came out."""
        named = [one for one in (*claim.subjects, claim.tool) if one.strip()]
        commands = self.timeline.commands
        before = self._only_before(claim, named)
        if before is not None:
            says = self.speaker.missing(claim.kind, named_path(named[0]))
            return checked(claim, ClaimState.UNSUPPORTED, ClaimReason.BEFORE_LAST_EDIT, says, before)
        if not named or not any(WORD.search(one) for one in named):
            if commands:
                return confirmed(claim, commands[-1][0])
            return self._missing(claim)
        for name in named:
            for call, command in reversed(commands):
                if (says_same(name, command) and runs_it(name, command)) or any(
                    _same_tool(name, run.tool) for run in call.ran
                ):
                    return confirmed(claim, call)
        kinds = {kind for word, kind in KIND_WORDS if any(word in one.lower() for one in named)}
        for one in reversed(self.timeline.runs):
            if one.own and one.run.kind in kinds and not claim.tool:
                return confirmed(claim, one.call)
        others = [
            call
            for call in self.timeline.calls
            if not self.timeline.is_own(call)
            and call.kind is ToolKind.SHELL
            and any(says_same(name, command_of(call)) for name in named)
        ]
        if others:
            says = self.speaker.missing(claim.kind, named[0])
            return checked(claim, ClaimState.UNSUPPORTED, ClaimReason.ANOTHER_AGENT, says, others[-1])
        return self._missing(claim, named[0])

    def _only_before(self, claim: Claim, named: Sequence[str]) -> ToolRun | None:
        """The call that ran what is said to have run after a change, where it ran before all changes alone."""
        edited = next((edit for edit in self.timeline.code_edits if edit.own), None)
        if edited is None or AFTER_CHANGE.search(claim.text) is None:
            return None
        ran = [
            call for call, command in self.timeline.commands if any(says_same(name, command) for name in named if name)
        ]
        changed = self.timeline.place(edited.call.id)
        return ran[0] if ran and all(self.timeline.place(call.id) < changed for call in ran) else None

    def looked(self, claim: Claim) -> CheckedClaim:
        """Something that was checked, read, verified."""
        looked = self.timeline.read
        if not looked:
            return self._missing(claim)
        for match in PROGRAMS.finditer(f"{claim.text} {claim.tool}"):
            program = match.group().lower()
            if not any(program in asked for _, asked in self.timeline.arguments):
                return self._missing(claim, program)
        names = files_of(claim)
        opened = OPENED.search(claim.text) is not None
        for name in names:
            base = name.rpartition("/")[2].lower()
            seen = [call for call, asked in self.timeline.arguments if base in asked and call.ok is not False]
            if not seen:
                shown = [call for call in looked[-MOST_LOOKED:] if not (opened and _only_runs(call))]
                seen = [call for call in shown if base in lowered(output_of(call)) or _may_show(call, name)]
            if not seen:
                return self._missing(claim, name)
        return confirmed(claim, looked[-1])

    def reproduced(self, claim: Claim) -> CheckedClaim:
        """A bug that was reproduced: something was run and went wrong."""
        tried = [call for call, command in self.timeline.commands if not only_looks(command)]
        for call in reversed(tried):
            if _went_wrong(call):
                return confirmed(claim, call)
        for call in reversed(tried):
            if not call.ran:  # a script of its own: what it shows is its author's to read
                return confirmed(claim, call)
        return self._missing(claim)

    def measured(self, claim: Claim) -> CheckedClaim:
        """A figure that was measured: it stands in what a command printed."""
        wanted = _figures_of(claim)
        calls = [call for call, command in self.timeline.commands if _measures(call, command, claim.text)]
        benches = [one for one in self.timeline.runs if one.own and one.run.kind is RunKind.BENCHMARK]
        if not calls:
            return self._missing(claim)
        if not wanted:
            call = benches[-1].call if benches else None
            return confirmed(claim, call) if call else self._missing(claim)
        printed: set[float] = set()
        for call in calls[-MOST_MEASURED:]:
            text = output_of(call)
            for number, match in enumerate(NUMBER.finditer(text)):
                if number >= MOST_NUMBERS:
                    break
                printed.add(_value(match.group()))
        missing = [one for one in wanted if not _is_printed(one, printed)]
        units = {match.group(1).replace(",", "") for match in MEASURED.finditer(claim.text)}
        exact = any("." in one or one.replace(",", "") in units for one in missing)
        if len(missing) < len(wanted) and not exact:
            return confirmed(claim, benches[-1].call if benches else calls[-1])
        if benches:
            one = benches[-1]
            says = self.speaker.of_run(one, ClaimReason.OTHER_FIGURES)
            return checked(claim, ClaimState.CONTRADICTED, ClaimReason.OTHER_FIGURES, says, one.call)
        return self._missing(claim, missing[0])

    def _missing(self, claim: Claim, named: str = "") -> CheckedClaim:
        says = self.speaker.missing(claim.kind, named_path(named))
        return checked(claim, ClaimState.UNSUPPORTED, ClaimReason.NO_SUCH_RUN, says)


@lru_cache(maxsize=512)
def lowered(text: str) -> str:
    """A text in small letters."""
    return text.lower()


def _only_runs(call: ToolRun) -> bool:
    """Whether a call only ran checks: what they print of a file is not its text."""
    return bool(call.ran) and all(run.kind in CHECKS for run in call.ran)


def _may_show(call: ToolRun, name: str) -> bool:
    """Whether a call that looked at many files may have looked at one: its output was long, or it searched them all."""
    kept = len(call.output_head) + len(call.output_tail)
    asked = call.arguments
    if call.output_size > kept and SHOWS_MANY.search(asked) is not None:
        return True
    directory = name.rpartition("/")[0]
    if call.kind is ToolKind.SEARCH:
        path = call.paths[0] if call.paths else ""
        return (
            not path
            or not path.rpartition("/")[2]
            or path.endswith(("/repo", "."))
            or (bool(directory) and directory in path)
        )
    return SEARCHES.search(asked) is not None and (not directory or directory in asked or " ." in asked)


def says_same(name: str, command: str) -> bool:
    """Whether a command is the one that is named: all its telling words are there."""
    wanted = " ".join(name.strip().strip("`$ ").lower().split())
    given = " ".join(command.lower().split())
    if not wanted or wanted in given:
        return bool(wanted)
    words = [match.group() for match in WORD.finditer(wanted)]
    telling = [word for word in words if not word.startswith("-")]
    return bool(telling) and all(word in given for word in telling)


def runs_it(name: str, command: str) -> bool:
    """Whether a command runs what is named, and does not only print or search for it."""
    flow = flow_of(command, "")
    telling = [match.group().lower() for match in WORD.finditer(name) if "=" not in match.group()]
    if not flow.understood or not telling:
        return True
    naming = [step for step in flow.steps if step.argv and telling[0] in " ".join((*step.written, *step.argv)).lower()]
    return not naming or any(
        program(step.argv[0]) not in LOOKERS or program(step.argv[0]).lower() == program(telling[0]) for step in naming
    )


def _same_tool(name: str, tool: str) -> bool:
    wanted = name.strip().strip("`").lower()
    return bool(tool) and (wanted == tool.lower() or tool.lower().startswith(f"{wanted} "))


def _measures(call: ToolRun, command: str, text: str) -> bool:
    """Whether a command may have measured: how long the tests took is no measurement, unless of the tests."""
    if only_looks(command) and "cat" not in command:
        return False
    tests = any(run.kind is RunKind.TESTS for run in call.ran)
    return not tests or "bench" in command or "durations" in command or OF_TESTS.search(text) is not None


def _went_wrong(call: ToolRun) -> bool:
    if call.ok is False or (call.exit_status or 0) != 0 or any(run.end is RunEnd.FAILED for run in call.ran):
        return True
    return WENT_WRONG.search(output_of(call)) is not None


def _figures_of(claim: Claim) -> list[str]:
    """The figures that a claim names: in its subjects, else in its words; parts of names are none."""
    texts: Iterable[str] = [one for one in claim.subjects if any(sign.isdigit() for sign in one)] or [claim.text]
    found = list(dict.fromkeys(match.group() for text in texts for match in NUMBER.finditer(text)))
    shares = {match.group(1) for match in RATIO.finditer(claim.text)}
    return [one for one in found if one not in shares] or found


def _value(text: str) -> float:
    return float(text.replace(",", "").rstrip(".") or 0)


def _is_printed(figure: str, printed: set[float]) -> bool:
    """Whether a figure was printed: as it stands, rounded, or in another thousandfold of its unit."""
    value = _value(figure)
    digits = len(figure.partition(".")[2])
    half = 0.5000001 * 10.0**-digits
    if any(abs(one - value) <= half for one in printed):
        return True
    telling = [one for one in printed if not one.is_integer() or one >= LARGE]  # a small count is no duration
    return any(abs(one * scale - value) <= half for scale in SCALES for one in telling)
