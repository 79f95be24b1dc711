"""What a record shows of a claim, as one sentence in the language of the draft."""

from mama_bot.enforcement.claims.reconciliation.calls import command_of
from mama_bot.enforcement.claims.reconciliation.figures import in_words, knows_figures
from mama_bot.enforcement.claims.reconciliation.moments import EditAt, RunAt
from mama_bot.model import ClaimKind, ClaimReason, Run, RunEnd, ToolRun
from mama_bot.wording import Language, quotable, with_particle

COMMAND_CHARACTERS = 60
NAME_CHARACTERS = 60

THINGS = {
    ClaimKind.TESTS: ("tests", "테스트"),
    ClaimKind.BUILD: ("a build", "빌드"),
    ClaimKind.TYPES: ("a type check", "타입 검사"),
    ClaimKind.LINT: ("a linter", "린트"),
    ClaimKind.FORMAT: ("a formatter", "포맷터"),
    ClaimKind.CREATED: ("that file being created", "그 파일의 생성"),
    ClaimKind.CHANGED: ("that file being changed", "그 파일의 변경"),
    ClaimKind.DELETED: ("that file being deleted", "그 파일의 삭제"),
    ClaimKind.REPRODUCED: ("a reproduction", "재현"),
    ClaimKind.BENCHMARK: ("a measurement with that figure", "그 수치가 나온 측정"),
    ClaimKind.COMMITTED: ("a commit", "커밋"),
    ClaimKind.PUSHED: ("a push", "푸시"),
    ClaimKind.MERGED: ("a merge", "병합"),
    ClaimKind.PUBLISHED: ("a publication", "배포(publish)"),
    ClaimKind.DEPLOYED: ("a deployment", "배포"),
    ClaimKind.RAN: ("that command", "그 명령"),
    ClaimKind.CHECKED: ("anything of it being read", "그것을 읽은 호출"),
    ClaimKind.ONLY_THESE: ("which files were changed", "어떤 파일이 변경되었는지"),
}

OF_RUN = {
    ClaimReason.ANOTHER_AGENT: (
        "the run at {time} is {who}'s, not your own",
        "{time}의 실행은 {who}의 것입니다",
    ),
    ClaimReason.ELSEWHERE: (
        "the run at {time} was of something else ({where})",
        "{time}의 실행은 다른 곳({where})에서 한 것입니다",
    ),
    ClaimReason.MASKED: (
        "{run} hides its exit status, and its output does not tell",
        "{run}은 종료 코드가 가려져 결과를 알 수 없습니다",
    ),
    ClaimReason.BACKGROUND: ("{run} has not finished", "{run}은 끝나지 않았습니다"),
    ClaimReason.RAN_NOTHING: ("{run} did nothing", "{run}은 아무것도 실행하지 않았습니다"),
}


class Speaker:
    """Says in Korean or English what a record shows; every sentence is on one line and bounded."""

    def __init__(self, language: Language) -> None:
        self._korean = language is Language.KOREAN

    def missing(self, kind: ClaimKind, named: str = "", *, partial: bool = False) -> str:
        """No such run."""
        thing = THINGS[kind][self._korean]
        name = quotable(named, NAME_CHARACTERS)
        if self._korean:
            subject = with_particle(f"{thing} ({name})" if name else thing, "이/가")
            return f"기록에는 전체에 대한 {thing} 실행이 없습니다" if partial else f"기록에 {subject} 없습니다"
        about = f" of {name}" if name and kind is not ClaimKind.RAN else f": {name}" if name else ""
        return f"the record shows {thing} only for a part" if partial else f"the record does not show {thing}{about}"

    def not_written(self, name: str) -> str:
        """A file that nothing wrote."""
        name = quotable(name, NAME_CHARACTERS)
        return f"기록에는 {name}에 쓴 호출이 없습니다" if self._korean else f"nothing in the record wrote {name}"

    def not_deleted(self, name: str) -> str:
        """A file that nothing removed."""
        name = quotable(name, NAME_CHARACTERS)
        if self._korean:
            return f"기록에는 {with_particle(name, '을/를')} 삭제한 호출이 없습니다"
        return f"nothing in the record removed {name}"

    def write_failed(self, call: ToolRun, name: str) -> str:
        """An attempt to write that failed."""
        name = quotable(name, NAME_CHARACTERS)
        if self._korean:
            return f"{when(call)}에 {name}에 쓰려던 호출이 실패했습니다"
        return f"the {call.tool} of {name} at {when(call)} failed"

    def gone(self, edit: EditAt, name: str) -> str:
        """A file that was there and is gone, or the other way."""
        name = quotable(name, NAME_CHARACTERS)
        fate = edit.fate.value
        if self._korean:
            return f"{when(edit.call)}의 기록은 {name}: {fate}입니다"
        return f"at {when(edit.call)} the record shows {name} {fate}"

    def others(self, names: list[str], more: int) -> str:
        """Files that were touched beside those that are named."""
        listed = ", ".join(quotable(name, NAME_CHARACTERS) for name in names) + (f" (+{more})" if more else "")
        return f"기록에는 {listed}의 변경도 있습니다" if self._korean else f"the record shows that {listed} changed too"

    def of_run(self, found: RunAt, reason: ClaimReason, edit: EditAt | None = None) -> str:
        """What is the matter with a run."""
        if reason is ClaimReason.BEFORE_LAST_EDIT and edit is not None:
            return self._stale(found, edit)
        template = OF_RUN.get(reason)
        if template is None:
            return self.result(found)
        return template[self._korean].format(
            time=when(found.call),
            who=quotable(found.call.agent, NAME_CHARACTERS),
            where=quotable(found.run.target or found.place or found.call.working_directory, NAME_CHARACTERS),
            run=self._run(found),
        )

    def result(self, found: RunAt) -> str:
        """How a run ended, with its figures."""
        figures = in_words(found.run.counts, korean=self._korean) if knows_figures(found.run.counts) else ""
        if figures:
            if self._korean:
                return f"{when(found.call)}의 실행 결과는 {figures}입니다"
            return f"the run at {when(found.call)} says {figures}"
        ended = self._ended(found.run, found.call.exit_status)
        return f"{self._run(found)}은 {ended}" if self._korean else f"{self._run(found)} {ended}"

    def _stale(self, found: RunAt, edit: EditAt) -> str:
        name = quotable(edit.path.rpartition("/")[2], NAME_CHARACTERS) or quotable(
            command_of(edit.call), COMMAND_CHARACTERS
        )
        if self._korean:
            return f"{self._run(found)}은 마지막 변경({name}, {when(edit.call)})보다 앞섭니다"
        return f"{self._run(found)} was before the last edit ({name}, {when(edit.call)})"

    def _ended(self, run: Run, status: int | None) -> str:
        if run.end is RunEnd.FAILED:
            code = f" {status}" if status else ""
            if self._korean:
                return f"실패했습니다{f' (종료 코드{code})' if code else ''}"
            return f"failed{f' (exit status{code})' if code else ''}"
        if run.end is RunEnd.PASSED:
            return "성공했습니다" if self._korean else "succeeded, without figures in what is kept of its output"
        return "결과를 남기지 않았습니다" if self._korean else "left no result"

    def _run(self, found: RunAt) -> str:
        command = quotable(found.run.command or command_of(found.call), COMMAND_CHARACTERS)
        if self._korean:
            return f"{when(found.call)}의 실행({command})"
        return f"the run at {when(found.call)} ({command})"


def when(call: ToolRun) -> str:
    """When a call ended, or began: hours and minutes."""
    return (call.ended_at or call.started_at).strftime("%H:%M")
