"""What the service says of its own checks, in English and Korean: to the agent, and to the person."""

import shlex
from collections.abc import Sequence

from mama_bot.config import CheckOf
from mama_bot.enforcement.host_checks.checks import CheckEnding, Result
from mama_bot.wording import with_particle

SHOWN_CHECKS = 3
SHOWN_FILES = 5
LINES = 20
LINE_CHARACTERS = 200
ARGV_CHARACTERS = 200
TREE_DIGITS = 12
ADVICE = "Fix the code, not the check, and report again. If you cannot fix it now, do not call it done: say what fails."
KOREAN_ADVICE = (
    "검사가 아니라 코드를 고친 뒤 다시 보고하세요. 지금 고칠 수 없다면 완료했다고 하지 말고, 무엇이 실패하는지 쓰세요."
)


def reason(failed: Sequence[Result], *, korean: bool) -> str:
    """That checks failed, in one sentence for people."""
    first = failed[0]
    more = len(failed) - 1
    if korean:
        others = f" (외 {more}개)" if more else ""
        subject = with_particle(name(first), "이/가")
        return f"서비스가 직접 실행한 검사 {subject} 실패했습니다: {why(first, korean=True)}{others}."
    others = f" ({more} more failed)" if more else ""
    return f"The check {name(first)} that the service itself ran failed: {why(first, korean=False)}{others}."


def banner(failed: Sequence[Result], *, korean: bool) -> str:
    """What stands before the reply when its retries are spent."""
    listed = ", ".join(f"{name(one)} ({why(one, korean=korean)})" for one in failed[:SHOWN_CHECKS])
    if korean:
        return f"⚠️ NEEDS_REVIEW: 서비스가 직접 실행한 검사가 실패했습니다: {listed}."
    return f"⚠️ NEEDS_REVIEW: a check that the service itself ran fails: {listed}."


def feedback(failed: Sequence[Result], *, korean: bool) -> str:
    """What the agent is told: which check, on what, with which of its files left out, and how it ended."""
    parts = [_told(one, korean=korean) for one in failed[:SHOWN_CHECKS]]
    if len(failed) > SHOWN_CHECKS:
        names = ", ".join(name(one) for one in failed[SHOWN_CHECKS:])
        parts.append(f"실패한 다른 검사: {names}." if korean else f"Also failed: {names}.")
    parts.append(KOREAN_ADVICE if korean else ADVICE)
    return "\n\n".join(parts)


def why(result: Result, *, korean: bool) -> str:
    """How a check ended, in a few words."""
    status = result.exit_status
    match result.ended:
        case CheckEnding.PASSED:
            return "통과" if korean else "passed"
        case CheckEnding.FAILED:
            return f"종료 코드 {status}" if korean else f"exit status {status}"
        case CheckEnding.KILLED:
            number = -(status or 0)
            return f"시그널 {with_particle(str(number), '으로/로')} 종료" if korean else f"ended by signal {number}"
        case CheckEnding.LATE:
            seconds = f"{result.check.timeout_seconds:g}"
            return f"{seconds}초 안에 끝나지 않음" if korean else f"not finished within {seconds} seconds"
        case CheckEnding.NO_PROGRAM:
            program = short(result.check.argv[0])
            return f"{with_particle(program, '을/를')} 실행할 수 없음" if korean else f"{program} cannot be executed"
        case CheckEnding.NO_DIRECTORY:
            where = short(result.check.directory)
            return f"디렉터리 {where} 없음" if korean else f"there is no directory {where} in the tree"
        case CheckEnding.NO_COMMIT:
            return "커밋이 없음" if korean else "nothing is committed"


def name(result: Result) -> str:
    """The name of a check, quoted and on one line."""
    return f'"{printable(result.check.name)[:80]}"'


def _told(result: Result, *, korean: bool) -> str:
    command = printable(shlex.join(result.check.argv)).replace("`", "'")[:ARGV_CHARACTERS]
    tree = result.tree[:TREE_DIGITS]
    commit = result.check.of is CheckOf.COMMIT
    if korean:
        what = "커밋된 상태" if commit else "커밋하지 않은 파일까지 포함한 현재 파일"
        subject = with_particle(name(result), "이/가")
        said = f"서비스가 직접 실행한 검사 {subject} 실패했습니다: `{command}` ({why(result, korean=True)})."
        checked = with_particle(f"{what}(트리 {tree})", "을/를")
        said += f" 깨끗한 작업 트리에서 {checked} 검사했습니다." if tree else ""
    else:
        what = "what is committed" if commit else "the files as they are now, uncommitted ones included"
        said = f"The check {name(result)}, which the service itself ran, failed: "
        said += f"`{command}` ({why(result, korean=False)})."
        said += f" It ran in a clean work tree on {what} (tree {tree})." if tree else ""
    if result.restored:
        names = ", ".join(short(path) for path in result.restored[:SHOWN_FILES])
        names += f" (+{len(result.restored) - SHOWN_FILES})" if len(result.restored) > SHOWN_FILES else ""
        said += (
            f" 다음 파일은 작업을 시작하기 전의 것으로 검사했습니다. 변경한 내용은 쓰이지 않습니다: {names}."
            if korean
            else " These files were taken as they were before the work began; your changes to them do not count: "
            f"{names}."
        )
    lines = last_lines(result.output)
    if lines:
        said += ("\n출력의 마지막 부분:\n" if korean else "\nThe end of its output:\n") + lines
    return said


def last_lines(output: str) -> str:
    """The last lines of an output, indented, each bounded."""
    lines = [printable(line.expandtabs())[:LINE_CHARACTERS] for line in output.rstrip().split("\n")]
    return "\n".join(f"    {line}" for line in lines[-LINES:]) if output.strip() else ""


def short(path: str) -> str:
    """A path on one line, bounded."""
    shown = printable(path).replace("`", "'")[-80:]
    return f"`{shown}`"


def printable(text: str) -> str:
    """A text on one line, without what a terminal or a chat would take for more than text."""
    return "".join(sign if sign.isprintable() else "?" for sign in text)
