"""What people are told of deeds."""

from collections.abc import Mapping, Sequence
from typing import assert_never

from mama_bot.model import (
    Conflicting,
    ConflictKind,
    Deed,
    DeedOutcome,
    DeedRequest,
    Discarded,
    DiscardWork,
    MergeBranch,
    Merged,
    NotDone,
    Opened,
    OpenPullRequest,
    Platform,
    PushBranch,
    Pushed,
    Refusal,
    Restored,
    RestoreWork,
    UndoChange,
    Undone,
)
from mama_bot.pull_requests.news import SHORT_HASH, request_link
from mama_bot.wording import Language, Said, plain_name, printable

SHOWN_FILES = 12
PAGE = Platform("web")

# Who did it; nothing on the page, which is one person's.
BY = Said(" by {name}", "{name} 님이 ")
UNDONE = Said(
    "Changes were undone{by} ({files:file|files}): {names}. *Redo* under this line brings them back.",
    "{by}변경을 되돌렸습니다 (파일 {files}개): {names}. 이 줄 아래의 *되살리기*로 다시 가져올 수 있습니다.",
)
REDONE = Said(
    "Changes that were undone were brought back{by} ({files:file|files}): {names}.",
    "{by}되돌렸던 변경을 되살렸습니다 (파일 {files}개): {names}.",
)
UNDONE_WITH_COMMIT = Said(
    "The commits of that turn stay in the history; commit `{commit}` takes them back.",
    "그 차례의 커밋은 기록에 남아 있고, 커밋 {commit} 커밋이 되돌립니다.",
)
STAYS_MERGED = Said(
    "`{branch}` keeps them: they were merged before. Merge again to take them back there too.",
    "이미 병합된 `{branch}` 브랜치에는 남아 있습니다. 거기서도 되돌리려면 다시 병합하세요.",
)
MERGED = Said(
    "This work was merged into `{branch}`{by}: commit `{commit}`.",
    "{by}이 작업을 `{branch}`에 병합했습니다: 커밋 `{commit}`.",
)
ANYWAY = Said(
    "It was not in order, or no check of it is known to have passed; the commit says so.",
    "문제가 있거나 통과한 것으로 알려진 검사가 없는 작업이며, 커밋에도 적혀 있습니다.",
)
COMMITTED_FIRST = Said(
    "{files:file was|files were} in no commit before: they are in one on the branch of this thread now.",
    "커밋되지 않았던 파일 {files}개를 먼저 이 스레드의 브랜치에 커밋했습니다.",
)
LEFT_OUT = Said(
    "Left out, because runs leave it behind: {names}. It stays in the work tree; an agent can commit it where it "
    "belongs to the work.",
    "실행이 남긴 것이라 제외했습니다: {names}. 작업 트리에는 그대로 있으며, 작업에 속한다면 에이전트에게 "
    "커밋하도록 요청하세요.",
)
DISCARDED = Said(
    "The work of this conversation was discarded{by} (branch `{branch}`). It is kept: /restore brings it back. "
    "The next message begins anew.",
    "{by}이 대화의 작업을 버렸습니다 (브랜치 `{branch}`). 보관되어 있으니 /restore로 되살릴 수 있습니다. "
    "다음 메시지부터 새로 시작합니다.",
)
RESTORED = Said("The work that was discarded was brought back{by}.", "{by}버렸던 작업을 되살렸습니다.")
REPLACED = Said(
    "What was here instead is kept; another /restore brings that back.",
    "그 사이의 작업은 보관되어 있으니 /restore로 다시 바꿀 수 있습니다.",
)
PUSHED = Said(
    en="{count:commit was|commits were} pushed to `{branch}`{by} ({commit}).",
    ko="{by}커밋 {count}개를 `{branch}`에 푸시했습니다({commit}).",
)
THERE_ALREADY = Said(
    en="`{branch}` at the source ends with {commit}, as it does here.",
    ko="소스의 `{branch}` 브랜치도 여기와 같이 {commit}까지 있습니다.",
)
OPENED = Said(
    en="{request} was opened{by}: {title} (`{branch}` into `{target}`, {count:commit|commits}).",
    ko="{by}{request:을/를} 열었습니다: {title} (`{branch}` → `{target}`, 커밋 {count}개).",
)
OPENED_AS_DRAFT = Said(
    en="{request} was opened{by} as a draft: {title} (`{branch}` into `{target}`, {count:commit|commits}).",
    ko="{by}{request:을/를} 초안으로 열었습니다: {title} (`{branch}` → `{target}`, 커밋 {count}개).",
)
STANDS = Said(en="{request} is open: {title}.", ko="{request:이/가} 열려 있습니다: {title}.")
NOTHING_AHEAD = Said(
    en="There is nothing here that `{target}` lacks.",
    ko="여기에 `{target}` 브랜치에 없는 변경이 없습니다.",
)
NOTHING_AHEAD_HERE = Said("There is nothing here to push yet.", "아직 푸시할 것이 없습니다.")
TAKES_TOO_LONG = Said(
    en="The commits could not be taken out in {minutes} minutes, and nothing was pushed. Try again later.",
    ko="커밋을 작업 트리에서 {minutes}분 안에 꺼내지 못해 아무것도 푸시하지 않았습니다. 나중에 다시 시도하세요.",
)
CONFLICTING = Said(
    "Nothing was merged into `{branch}`: both sides changed the same places. Ask an agent here to bring `{branch}` "
    "into the work, then merge again.",
    "`{branch}`에 병합하지 않았습니다. 양쪽이 같은 곳을 바꿨습니다. 여기서 에이전트에게 `{branch}` 브랜치를 작업에 "
    "합치도록 요청한 뒤 다시 병합하세요.",
)
CONFLICT_KINDS: Mapping[ConflictKind, Said] = {
    ConflictKind.CONTENTS: Said("changed on both sides", "양쪽에서 바뀜"),
    ConflictKind.DELETED: Said("deleted on one side, changed on the other", "한쪽에서 지우고 다른 쪽에서 바꿈"),
    ConflictKind.BOTH_ADDED: Said("added on both sides", "양쪽에서 추가됨"),
    ConflictKind.OTHER: Said("cannot be brought together", "합칠 수 없음"),
}
MORE_FILES = Said("… and {n} more", "… 외 {n}개")

# --- what a pull request says

UNTITLED = Said(en="Work of a conversation", ko="대화에서 한 작업")
ORIGIN = Said(
    en="Opened by mama-bot from a conversation on {platform}, as {who} asked.",
    ko="{platform} 대화에서 {who}님의 요청으로 mama-bot이 열었습니다.",
)
NOT_CHECKED_BY_PEOPLE = Said(
    en="The words above are an agent's, cleared by the service's checks.",
    ko="위의 글은 에이전트가 썼고 서비스의 검사를 통과했습니다.",
)

# --- why not

NOTHING: Mapping[type[Deed], Said] = {
    UndoChange: Said(
        "There is nothing to take back: the files are as they were before that turn, or it is not known here. "
        "`/diff all` shows what differs.",
        "되돌릴 것이 없습니다. 파일이 이미 그 차례 전과 같거나, 여기에서 모르는 변경입니다. "
        "`/diff all`로 차이를 볼 수 있습니다.",
    ),
    MergeBranch: Said(
        "There is nothing to merge: nothing was changed here that the branch lacks. Ask for a change first.",
        "병합할 것이 없습니다. 이 대화에는 대상 브랜치에 없는 변경이 없습니다. 먼저 변경을 요청하세요.",
    ),
    DiscardWork: Said(
        "There is no work to discard: nothing has been done here since it last began anew.",
        "버릴 작업이 없습니다. 새로 시작한 뒤로 여기서 한 일이 없습니다.",
    ),
    RestoreWork: Said(
        "There is no discarded work to bring back. /restore undoes a /discard of this conversation.",
        "되살릴 작업이 없습니다. /restore는 이 대화에서 /discard로 버린 작업을 되살립니다.",
    ),
    PushBranch: NOTHING_AHEAD_HERE,
    OpenPullRequest: NOTHING_AHEAD_HERE,
}
REFUSALS: Mapping[Refusal, Said] = {
    Refusal.BUSY: Said(
        "Somebody works here just now. Wait for the end, or /stop first.",
        "지금 여기서 작업 중입니다. 끝나기를 기다리거나 먼저 /stop 하세요.",
    ),
    Refusal.UNDONE_ALREADY: Said(
        "These changes were taken back already. *Redo* under the line that told of it brings them again; "
        "/redo does so with the latest.",
        "이미 되돌린 변경입니다. 그때 알린 줄 아래의 *되살리기*로 다시 가져올 수 있고, 마지막 것은 /redo로도 됩니다.",
    ),
    Refusal.CHANGED_SINCE: Said(
        "Nothing was undone: these files were changed after it in the same places.",
        "되돌리지 않았습니다. 그 뒤에 같은 곳이 바뀐 파일이 있습니다.",
    ),
    Refusal.SHARED: Said(
        "Nothing was undone: others worked in the same directory meanwhile, and their changes cannot be told apart.",
        "되돌리지 않았습니다. 같은 디렉터리에서 다른 작업이 함께 진행되어 변경을 구별할 수 없습니다.",
    ),
    Refusal.GONE: Said(
        "What it was like before is not kept any more.", "그 전의 상태가 더 이상 보관되어 있지 않습니다."
    ),
    Refusal.IN_PLACE: Said(
        "This conversation works in the directory itself, on no branch of its own: nothing can be merged or discarded.",
        "이 대화는 디렉터리에서 직접 작업하며 따로 브랜치가 없습니다. 병합하거나 버릴 것이 없습니다.",
    ),
    Refusal.NO_REMOTE: Said(
        "This conversation works in a scratch repository of its own: there is nothing to merge into.",
        "이 대화는 전용 임시 저장소에서 작업합니다. 병합할 곳이 없습니다.",
    ),
    Refusal.UNFINISHED_MERGE: Said(
        "A merge or a rebase is under way in the work tree. Ask an agent to end it first.",
        "작업 트리에서 병합이나 리베이스가 진행 중입니다. 먼저 에이전트에게 끝내도록 요청하세요.",
    ),
    Refusal.REPOSITORY_INSIDE: Said(
        "Nothing was done: another git repository lies in the work tree, and no commit here would hold its files. Ask "
        "an agent to remove its `.git`, or to empty the directory where it is a submodule.",
        "아무것도 하지 않았습니다. 작업 트리 안에 다른 git 저장소가 있고, 그 파일은 여기의 커밋에 담기지 않습니다. "
        "에이전트에게 그 `.git`을 지우거나, 서브모듈이면 디렉터리를 비우도록 요청하세요.",
    ),
    Refusal.LARGE_FILES_INSIDE: Said(
        "Nothing was done: these files belong to git LFS here, and a commit of the service would hold their contents "
        "in place of pointers. Ask an agent to commit them as they should be, or to put them back.",
        "아무것도 하지 않았습니다. 이 파일들은 여기서 git LFS에 속하는데, 서비스의 커밋에는 포인터 대신 내용이 "
        "담깁니다. 에이전트에게 알맞게 커밋하거나 되돌리도록 요청하세요.",
    ),
    Refusal.NOT_TAKEN: Said(
        "Nothing was merged: the repository did not take it. It says:",
        "병합하지 않았습니다. 저장소가 받지 않았습니다:",
    ),
    Refusal.FAILED: Said("It could not be done:", "할 수 없었습니다:"),
}


def deed_told(outcome: DeedOutcome, request: DeedRequest) -> str:
    """Return what a thread is told of a deed, as Markdown."""
    language = request.language
    by = _by(request)
    match outcome:
        case Undone():
            lines = _undone(outcome, by, language)
        case Merged():
            lines = _merged(outcome, request, by)
        case Discarded():
            lines = [DISCARDED.to(language, by=by, branch=outcome.checkout.branch)]
        case Restored():
            lines = [RESTORED.to(language, by=by)]
            if outcome.replaced is not None:
                lines.append(REPLACED.to(language))
        case Conflicting():
            lines = [*_conflicting(outcome, language), *_committed(outcome.committed, language)]
        case Pushed():
            lines = [_pushed(outcome, by, language), *_beside(outcome, language)]
        case Opened():
            lines = [_opened(outcome, by, language), *_beside(outcome.pushed, language)]
        case NotDone():
            lines = refused(outcome, request.deed, language)
        case unexpected:
            assert_never(unexpected)
    return "\n".join(lines)


def _by(request: DeedRequest) -> Said | str:
    return "" if request.key.platform == PAGE else BY.of(name=plain_name(request.by.name) or request.by.id)


def _undone(undone: Undone, by: Said | str, language: Language) -> list[str]:
    sentence = REDONE if undone.again else UNDONE
    names = _names(undone.files, language)
    lines = [sentence.to(language, by=by, files=len(undone.files), names=names)]
    if undone.commit and not undone.again:
        lines.append(UNDONE_WITH_COMMIT.to(language, commit=undone.commit[:10]))
    if undone.merged:
        lines.append(STAYS_MERGED.to(language, branch=undone.merged))
    return lines


def _conflicting(conflicting: Conflicting, language: Language) -> list[str]:
    some = conflicting.files[:SHOWN_FILES]
    lines = [CONFLICTING.to(language, branch=conflicting.branch)]
    lines += [f"- `{_shown(file.path)}`: {CONFLICT_KINDS[file.how].to(language)}" for file in some]
    if more := len(conflicting.files) - len(some):
        lines.append(f"- {MORE_FILES.to(language, n=more)}")
    return lines


def _pushed(pushed: Pushed, by: Said | str, language: Language) -> str:
    sentence = PUSHED if pushed.is_new else THERE_ALREADY
    return sentence.to(language, by=by, branch=pushed.branch, commit=pushed.commit[:SHORT_HASH], count=pushed.ahead)


def _opened(opened: Opened, by: Said | str, language: Language) -> str:
    pushed, title = opened.pushed, plain_name(opened.title)
    link = request_link(opened.forge, opened.number, opened.url, language)
    if not opened.is_new:
        return STANDS.to(language, request=link, title=title)
    sentence = OPENED_AS_DRAFT if opened.draft else OPENED
    facts = {"branch": pushed.branch, "target": pushed.target, "count": pushed.ahead}
    return sentence.to(language, by=by, request=link, title=title, **facts)


def refused(outcome: NotDone, deed: Deed, language: Language) -> list[str]:
    """Return the lines that say why a deed was not done."""
    if outcome.why is Refusal.REFUSED:
        return [outcome.detail, *_committed(outcome.committed, language)]
    why = NOTHING[type(deed)] if outcome.why is Refusal.NOTHING else REFUSALS[outcome.why]
    lines = [why.to(language)]
    if outcome.detail:
        lines.append(f"`{_shown(' '.join(outcome.detail.split()))}`")
    lines += [f"- `{_shown(path)}`" for path in outcome.files[:SHOWN_FILES]]
    if more := len(outcome.files) - SHOWN_FILES if len(outcome.files) > SHOWN_FILES else 0:
        lines.append(f"- {MORE_FILES.to(language, n=more)}")
    return [*lines, *_committed(outcome.committed, language)]


def _committed(files: int, language: Language) -> list[str]:
    return [COMMITTED_FIRST.to(language, files=files)] if files else []


def _merged(merged: Merged, request: DeedRequest, by: Said | str) -> list[str]:
    language = request.language
    lines = [MERGED.to(language, by=by, branch=merged.branch, commit=merged.commit[:10])]
    if isinstance(request.deed, MergeBranch) and request.deed.anyway:
        lines.append(ANYWAY.to(language))
    return [*lines, *_beside(merged, language)]


def _beside(outcome: Merged | Pushed, language: Language) -> list[str]:
    lines = _committed(outcome.committed, language)
    if outcome.left_out:
        lines.append(LEFT_OUT.to(language, names=_names(outcome.left_out, language)))
    return lines


def _names(files: Sequence[str], language: Language) -> str:
    names = [f"`{_shown(path)}`" for path in files[:SHOWN_FILES]]
    if more := len(files) - len(names):
        names.append(MORE_FILES.to(language, n=more))
    return ", ".join(names)


def _shown(text: str) -> str:
    return printable(text, instead="?").replace("`", "'")[:200]
