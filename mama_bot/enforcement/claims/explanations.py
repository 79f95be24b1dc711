"""What the facts show of a claim, as one sentence on one line."""

from mama_bot.facts.sentences import TURNS_AGO
from mama_bot.model import (
    CheckFact,
    Claim,
    ClaimKind,
    ClaimReason,
    CommandFact,
    Counts,
    DeedFact,
    FileFact,
    HostCheck,
    LookFact,
    ReviewFact,
    ReviewStatus,
    RunEnd,
    RunKind,
    Witness,
)
from mama_bot.wording import Language, Said, quotable

CHARACTERS = 60
THINGS = {
    ClaimKind.TESTS: Said("no run of tests", "테스트 실행이"),
    ClaimKind.BUILD: Said("no build", "빌드가"),
    ClaimKind.TYPES: Said("no type check", "타입 검사가"),
    ClaimKind.LINT: Said("no run of a linter", "린트 실행이"),
    ClaimKind.FORMAT: Said("no run of a formatter", "포맷터 실행이"),
    ClaimKind.CREATED: Said("no call that wrote it", "그 파일을 쓴 호출이"),
    ClaimKind.CHANGED: Said("no call that wrote it", "그 파일을 쓴 호출이"),
    ClaimKind.DELETED: Said("no call that removed it", "그 파일을 지운 호출이"),
    ClaimKind.REPRODUCED: Said("no run that failed", "실패한 실행이"),
    ClaimKind.BENCHMARK: Said("no measurement", "측정이"),
    ClaimKind.COMMITTED: Said("no commit", "커밋이"),
    ClaimKind.PUSHED: Said("no push", "푸시가"),
    ClaimKind.MERGED: Said("no merge", "병합이"),
    ClaimKind.PUBLISHED: Said("no publication", "게시가"),
    ClaimKind.DEPLOYED: Said("no deployment", "배포가"),
    ClaimKind.RAN: Said("no such call", "그런 호출이"),
    ClaimKind.CHECKED: Said("no such look", "그렇게 확인한 호출이"),
    ClaimKind.ONLY_THESE: Said("not all that was written", "쓰인 파일 전부가"),
    ClaimKind.REVIEWED: Said("no review that approved all of it", "모두를 승인한 리뷰가"),
    ClaimKind.CI: Said("no answer of CI for this commit", "이 커밋에 대한 CI 결과가"),
}
MISSING = Said("the record shows {thing}", "기록에 {thing} 없습니다")
NOT_READ = Said("not read from here on: the reply is too long", "여기부터 읽지 않음: 답변이 너무 깁니다")
NOT_COMPARED = Said("not compared: the reply claims too much", "비교하지 않음: 주장이 너무 많습니다")
RESULT = Said("{run}: {figures}", "{run}: {figures}")
OUTCOMES = {
    RunEnd.PASSED: Said("{run} passed", "{run} 성공"),
    RunEnd.FAILED: Said("{run} failed", "{run} 실패"),
    RunEnd.MASKED: Said("{run} hides its exit status", "{run}: 종료 코드가 가려져 있습니다"),
    RunEnd.NOTHING: Said("{run} did nothing", "{run}: 아무것도 실행하지 않았습니다"),
    RunEnd.OPEN: Said("{run} has not finished", "{run}: 끝나지 않았습니다"),
}
STALE = Said("{run} was before the last edit ({file})", "{run}: 마지막 변경({file})보다 앞섭니다")
RESTYLED = Said("{run} was before comments or the format changed", "{run}: 이후 주석이나 서식이 바뀌었습니다")
PLACED = Said("{run} was in {place}, where nothing was changed", "{run}: 변경이 없는 {place}에서 실행했습니다")
PART = Said("{run} was of a part: {part}", "{run}: 일부만 실행했습니다({part})")
OTHERS = Said("{run} is {who}'s, not your own", "{run}: {who}의 실행입니다")
RUN = Said("the run at {time} ({command})", "{time}의 실행({command})")
EARLIER_RUN = Said("the run {turns} at {time} ({command})", "{turns} {time}의 실행({command})")
FILE = Said("at {time} {file} was {fate}", "{time} 기록: {file} {fate}")
FATES = {
    "created": Said("created", "생성"),
    "changed": Said("changed", "변경"),
    "deleted": Said("deleted", "삭제"),
}
ABSENT = Said("{file} is not there", "{file} 파일이 없습니다")
PRESENT = Said("{file} is there", "{file} 파일이 있습니다")
UNDONE = Said("{run}: no branch has {commit} any more", "{run}: {commit} 커밋은 이제 어느 브랜치에도 없습니다")
NOT_PUSHED = Said(
    "{run} was before a commit that no branch of a remote has, as last fetched",
    "{run} 이후의 커밋이 원격 브랜치에 없습니다(마지막으로 가져온 상태 기준)",
)
UNHEARD = Said("the repository has no commit {commit}", "저장소에 {commit} 커밋이 없습니다")
OWN_RUNNER = Said("{says}, by its own {file}", "{says}, 직접 바꾼 {file} 사용")
SERVICE_RUN = Said("the service ran {name}: {outcome}", "서비스가 {name} 검사를 실행했습니다: {outcome}")
SERVICE_PASSED = Said("passed", "통과")
SERVICE_FAILED = Said("failed", "실패")
REVIEWS = {
    ReviewStatus.PENDING: Said("the review has not begun", "리뷰가 시작되지 않았습니다"),
    ReviewStatus.IN_REVIEW: Said("the review by {reviewer} is not finished", "{reviewer}의 리뷰가 끝나지 않았습니다"),
    ReviewStatus.APPROVED: Said("{reviewer} approved it", "{reviewer}: 승인"),
    ReviewStatus.REJECTED: Said("{reviewer} did not approve it", "{reviewer}: 승인하지 않음"),
}
LOOK = Said("at {time} {subject}: {state}", "{time} 확인: {subject} {state}")
NAMES = (
    ("failed", Said("{count} failed", "실패 {count}개")),
    ("errors", Said("{count} errors", "오류 {count}개")),
    ("passed", Said("{count} passed", "통과 {count}개")),
    ("skipped", Said("{count} skipped", "건너뜀 {count}개")),
    ("deselected", Said("{count} deselected", "제외 {count}개")),
)


def missing(claim: Claim, language: Language) -> str:
    """Return that nothing of the kind is in the record."""
    return MISSING.to(language, thing=THINGS[claim.kind].to(language))


def of_check(check: CheckFact, reason: ClaimReason, language: Language) -> str:
    """Return what a check says, or why it bears a claim not out."""
    run = _run(check.witness, check.command or check.tool, language)
    if reason is ClaimReason.BEFORE_LAST_EDIT and not check.edited:
        return RESTYLED.to(language, run=run)
    if reason is ClaimReason.ELSEWHERE:
        return PLACED.to(language, run=run, place=quotable(check.place, CHARACTERS) or ".")
    if reason is ClaimReason.BEFORE_LAST_EDIT:
        return STALE.to(language, run=run, file=quotable(check.edited.rpartition("/")[2], CHARACTERS))
    if reason is ClaimReason.ANOTHER_AGENT:
        return OTHERS.to(language, run=run, who=quotable(check.witness.agent, CHARACTERS))
    figures = in_words(check.counts, language)
    if figures and check.end is not RunEnd.NOTHING:
        return RESULT.to(language, run=run, figures=figures)
    return OUTCOMES[check.end].to(language, run=run)


def partial(kind: ClaimKind, check: CheckFact, language: Language) -> str:  # noqa: ARG001 - one form for all kinds
    """Return that a check was of a part only."""
    run = _run(check.witness, check.command or check.tool, language)
    return PART.to(language, run=run, part=quotable(" ".join(check.selected), CHARACTERS))


def by_own_runner(says: str, file: str, language: Language) -> str:
    """Return what a check says with the file of its own that decided what it did."""
    return OWN_RUNNER.to(language, says=says, file=quotable(file.rpartition("/")[2], CHARACTERS))


def of_service_check(check: HostCheck, language: Language) -> str:
    """Return what the service's own run says."""
    outcome = SERVICE_PASSED if check.ok else SERVICE_FAILED
    figures = in_words(check.counts, language) or outcome.to(language)
    return SERVICE_RUN.to(language, name=quotable(check.name, CHARACTERS), outcome=figures)


def of_deed(deed: DeedFact, reason: ClaimReason, language: Language) -> str:
    """Return how a deed ended."""
    run = _run(deed.witness, deed.command or deed.tool, language)
    if reason is ClaimReason.ELSEWHERE:
        return RESULT.to(language, run=run, figures=quotable(deed.target, CHARACTERS))
    return OUTCOMES[deed.end].to(language, run=run)


def of_command(command: CommandFact, language: Language) -> str:
    """Return how a command ended."""
    return OUTCOMES[command.end].to(language, run=_run(command.witness, command.command, language))


def of_file(file: FileFact, language: Language) -> str:
    """Return what became of a file."""
    name = quotable(file.path, CHARACTERS)
    if file.present is not None:
        return on_disk(file.path, language, present=file.present)
    return FILE.to(language, time=when(file.witness), file=name, fate=FATES[file.fate.value].to(language))


def of_undone(deed: DeedFact, language: Language) -> str:
    """Return what became of a deed that was done, and that does not count any more."""
    run = _run(deed.witness, deed.command or deed.tool, language)
    if deed.kind is RunKind.PUSH:
        return NOT_PUSHED.to(language, run=run)
    return UNDONE.to(language, run=run, commit=quotable(deed.target, CHARACTERS))


def on_disk(path: str, language: Language, *, present: bool) -> str:
    """Return what the disk says of a file."""
    return (PRESENT if present else ABSENT).to(language, file=quotable(path, CHARACTERS))


def unheard_commit(name: str, language: Language) -> str:
    """Return that the repository has no commit of a name."""
    return UNHEARD.to(language, commit=quotable(name, CHARACTERS))


def of_review(review: ReviewFact, language: Language) -> str:
    """Return where a review stands."""
    return REVIEWS[review.status].to(language, reviewer=quotable(review.reviewer, CHARACTERS))


def of_look(look: LookFact, language: Language) -> str:
    """Return what a look showed."""
    subject, state = quotable(look.subject, CHARACTERS), quotable(look.state, CHARACTERS)
    return LOOK.to(language, time=when(look.witness), subject=subject or look.kind.value, state=state)


def in_words(counts: Counts, language: Language) -> str:
    """Return the figures of a check, `3 failed, 625 passed`; "" when it has none."""
    given = [(getattr(counts, name), words) for name, words in NAMES]
    listed = [words.to(language, count=value) for value, words in given if value]
    return ", ".join(listed or [words.to(language, count=value) for value, words in given if value is not None][:1])


def _run(witness: Witness, command: str, language: Language) -> str:
    told = {"time": when(witness), "command": quotable(command, CHARACTERS)}
    if not witness.age:
        return RUN.to(language, **told)
    return EARLIER_RUN.to(language, turns=TURNS_AGO.to(language, count=witness.age), **told)


def when(witness: Witness) -> str:
    """Return when a call ended, or began: hours and minutes where the service runs."""
    return witness.at.astimezone().strftime("%H:%M")
