"""What the service says of its own checks, in English and Korean: to the agent, and to the person."""

import shlex
from collections.abc import Sequence

from mama_bot.config import CheckOf
from mama_bot.enforcement.host_checks.results import CheckEnding, Result
from mama_bot.wording import Language, Said, printable

SHOWN_CHECKS = 3
SHOWN_FILES = 5
LINES = 20
LINE_CHARACTERS = 200
ARGV_CHARACTERS = 200
TREE_DIGITS = 12
REASON = Said(
    "The check {name} that the service itself ran failed: {why}{more}.",
    "서비스가 직접 실행한 검사 {name:이/가} 실패했습니다: {why}{more}.",
)
MORE = Said(" ({count} more failed)", " (외 {count}개)")
BANNER = Said(
    "a check that the service itself ran fails: {listed}.",
    "서비스가 직접 실행한 검사가 실패했습니다: {listed}.",
)
ALSO_FAILED = Said("Also failed: {names}.", "실패한 다른 검사: {names}.")
ADVICE = Said(
    "Fix the code, not the check, and report again. If you cannot fix it now, do not call it done: say what fails.",
    "검사가 아니라 코드를 고친 뒤 다시 보고하세요. 지금 고칠 수 없다면 완료했다고 하지 말고, 무엇이 실패하는지 쓰세요.",
)
FAILED = Said(
    "The check {name}, which the service itself ran, failed: `{command}` ({why}).",
    "서비스가 직접 실행한 검사 {name:이/가} 실패했습니다: `{command}` ({why}).",
)
ON_COMMIT = Said(
    " It ran in a clean work tree on what is committed (tree {tree}).",
    " 깨끗한 작업 트리에서 커밋된 상태(트리 {tree})를 검사했습니다.",
)
ON_FILES = Said(
    " It ran in a clean work tree on the files as they are now, uncommitted ones included (tree {tree}).",
    " 깨끗한 작업 트리에서 커밋하지 않은 파일까지 포함한 현재 파일(트리 {tree})을 검사했습니다.",
)
RESTORED = Said(
    " These files were taken as they were before the work began; your changes to them do not count: {names}.",
    " 다음 파일은 작업을 시작하기 전의 것으로 검사했습니다. 변경한 내용은 쓰이지 않습니다: {names}.",
)
OUTPUT = Said("\nThe end of its output:\n{lines}", "\n출력의 마지막 부분:\n{lines}")
ENDINGS = {
    CheckEnding.PASSED: Said("passed", "통과"),
    CheckEnding.FAILED: Said("exit status {status}", "종료 코드 {status}"),
    CheckEnding.KILLED: Said("ended by signal {signal}", "시그널 {signal:으로/로} 종료"),
    CheckEnding.LATE: Said("not finished within {seconds} seconds", "{seconds}초 안에 끝나지 않음"),
    CheckEnding.OUTGREW: Said(
        "ended beyond sandbox.limits.{limit}: {measured}, allowed {allowed}",
        "sandbox.limits.{limit} 초과로 종료: {measured}, 허용 {allowed}",
    ),
    CheckEnding.NO_PROGRAM: Said("{program} cannot be executed", "{program:을/를} 실행할 수 없음"),
    CheckEnding.NO_DIRECTORY: Said("there is no directory {directory} in the tree", "디렉터리 {directory} 없음"),
    CheckEnding.NO_COMMIT: Said("nothing is committed", "커밋이 없음"),
    CheckEnding.NOT_INSTALLED: Said(
        "`{install}` did not install what it needs", "필요한 것을 설치하지 못함: `{install}`"
    ),
}


def reason(failed: Sequence[Result], language: Language) -> str:
    """Return that checks failed, in one sentence for people."""
    first, more = failed[0], len(failed) - 1
    others = MORE.to(language, count=more) if more else ""
    return REASON.to(language, name=name(first), why=why(first, language), more=others)


def banner(failed: Sequence[Result], language: Language) -> str:
    """Return what stands before the reply when its retries are spent."""
    listed = ", ".join(f"{name(result)} ({why(result, language)})" for result in failed[:SHOWN_CHECKS])
    return BANNER.to(language, listed=listed)


def feedback_of_checks(failed: Sequence[Result], language: Language) -> str:
    """Return what the agent is told: which check, on what, with which of its files left out, and how it ended."""
    parts = [_told(result, language) for result in failed[:SHOWN_CHECKS]]
    if len(failed) > SHOWN_CHECKS:
        names = ", ".join(name(result) for result in failed[SHOWN_CHECKS:])
        parts.append(ALSO_FAILED.to(language, names=names))
    return "\n\n".join((*parts, ADVICE.to(language)))


def why(result: Result, language: Language) -> str:
    """Return how a check ended, in a few words: `exit status 1`."""
    return ENDINGS[result.ended].to(
        language,
        status=result.exit_status,
        signal=-(result.exit_status or 0),
        seconds=f"{result.check.timeout_seconds:g}",
        program=short(result.check.argv[0]),
        directory=short(result.check.directory),
        install=printable(shlex.join(result.check.install.argv))[:ARGV_CHARACTERS] if result.check.install else "",
        limit=result.excess.limit if result.excess else "",
        measured=result.excess.measured if result.excess else "",
        allowed=result.excess.allowed if result.excess else "",
    )


def name(result: Result) -> str:
    """Return the name of a check, quoted and on one line."""
    return f'"{printable(result.check.name)[:80]}"'


def _told(result: Result, language: Language) -> str:
    command = printable(shlex.join(result.check.argv)).replace("`", "'")[:ARGV_CHARACTERS]
    told = FAILED.to(language, name=name(result), command=command, why=why(result, language))
    if result.tree:
        checked = ON_COMMIT if result.check.of is CheckOf.COMMIT else ON_FILES
        told += checked.to(language, tree=result.tree[:TREE_DIGITS])
    if result.restored:
        names = ", ".join(short(path) for path in result.restored[:SHOWN_FILES])
        names += f" (+{len(result.restored) - SHOWN_FILES})" if len(result.restored) > SHOWN_FILES else ""
        told += RESTORED.to(language, names=names)
    lines = last_lines(result.output)
    return told + OUTPUT.to(language, lines=lines) if lines else told


def last_lines(output: str) -> str:
    """Return the last lines of an output, indented, each bounded."""
    lines = [printable(line.expandtabs())[:LINE_CHARACTERS] for line in output.rstrip().split("\n")]
    return "\n".join(f"    {line}" for line in lines[-LINES:]) if output.strip() else ""


def short(path: str) -> str:
    """Return a path on one line, bounded."""
    shown = printable(path).replace("`", "'")[-80:]
    return f"`{shown}`"
