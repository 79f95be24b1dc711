"""What is carried from round to round of one exchange: open items, rejections in a row, and the scope of real work."""

import subprocess
from pathlib import Path

import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest, ToolUse
from mama_bot.model import Cleared, NoticeKind, TurnState, Verdict
from tests.end_to_end.team import Team, attempts, running_team
from tests.waiting import until

pytestmark = pytest.mark.cli

# Nobody writes a file in these tests, so what they claim of files is not looked at.
UNCHECKED = {"claim_check": {"enabled": False}}
PRAISE = "What an excellent question! This is truly brilliant work, absolutely outstanding."
BOTH = "DELEGATE::developer::Add both\nEXPECTED OUTCOME:\n- `a.py` exists\n- `b.py` exists"
HALF = "`a.py` exists: DONE. `b.py`: not yet, line 3 of the template is missing."


def counted(team: Team, name: str) -> int:
    return sum(amount for (counter, _), amount in team.running.metrics.snapshot().items() if counter == name)


async def test_what_is_open_is_in_the_next_prompt_of_the_same_exchange_and_what_was_done_stays_done(
    tmp_path: Path,
) -> None:
    asked: list[str] = []

    def script(request: ModelRequest) -> ModelReply:
        rounds = len(request.user_texts)
        if request.persona == "lead":
            replies = (BOTH, "DELEGATE::developer::Finish it", BOTH, "`a.py` and `b.py` exist, 2 files.")
            return ModelReply(text=replies[rounds - 1])
        asked.append(request.last_user_text)
        return ModelReply(text=(HALF, "I looked at line 3 of the template.", "`b.py` exists now: DONE.")[rounds - 1])

    async with running_team(tmp_path, script=script, enforcement=UNCHECKED) as team:
        exchange = await team.settled(await team.say("Add both"))
    first, second, third = asked
    assert "[REMINDER]" not in first
    for prompt in (second, third):
        reminder = next(line for line in prompt.splitlines() if line.startswith("[REMINDER]"))
        assert "b.py" in reminder
        assert "a.py" not in reminder
    assert not any("REMINDER" in post.text for post in team.posts())
    worked = [stored for stored in exchange.turns if stored.turn.persona == "developer"]
    figures = [
        {
            figure.name.value: figure.value
            for verdict in stored.attempts[0].judgement.stages
            for figure in verdict.decision.evidence.figures
        }
        for stored in worked
    ]
    assert [(one["items"], one["open_items"]) for one in figures] == [(2, 1), (2, 1), (2, 0)]


async def test_a_reminder_is_dropped_when_the_person_spoke_first(tmp_path: Path) -> None:
    asked: list[str] = []

    def script(request: ModelRequest) -> ModelReply:
        if request.persona == "lead":
            return ModelReply(text=BOTH if len(request.user_texts) == 1 else "`a.py` exists, `b.py` does not.")
        asked.append(request.last_user_text)
        return ModelReply(text=HALF)

    async with running_team(tmp_path, script=script, enforcement=UNCHECKED) as team:
        await team.settled(await team.say("Add both"))
        await team.settled(await team.say("@developer leave b.py, it is not needed"))
        dropped = counted(team, "reminders_dropped")
    assert not any("[REMINDER]" in prompt for prompt in asked)
    assert len(asked) == 2
    assert dropped == 1


async def test_whoever_delegated_is_told_what_is_open_and_sends_the_worker_back(tmp_path: Path) -> None:
    told: list[str] = []

    def script(request: ModelRequest) -> ModelReply:
        if request.persona == "lead":
            told.append(request.last_user_text)
            if "[OPEN ITEMS" in request.last_user_text or len(told) == 1:
                return ModelReply(text=BOTH if len(told) == 1 else "DELEGATE::developer::Finish it")
            return ModelReply(text="`a.py` and `b.py` exist, 2 files.")
        second = len(request.user_texts) == 2
        return ModelReply(text="`b.py` exists now: DONE." if second else HALF)

    async with running_team(tmp_path, script=script, enforcement=UNCHECKED) as team:
        await team.settled(await team.say("Add both"))
        posts = [post.text for post in team.posts()]
    _, first, second = told
    assert "[OPEN ITEMS of EXPECTED OUTCOME: 1] `b.py` exists" in first
    assert "OPEN ITEMS" not in second
    assert not any("OPEN ITEMS" in post for post in posts)


async def test_a_new_message_begins_a_new_checklist_and_a_question_in_between_is_none(tmp_path: Path) -> None:
    asked: list[str] = []

    def script(request: ModelRequest) -> ModelReply:
        if request.persona == "lead":
            replies = (BOTH, "Both are there, 2 files.", BOTH, *["DELEGATE::developer::Which version is it"] * 3)
            tried = len(request.user_texts)
            return ModelReply(text=replies[tried - 1] if tried <= len(replies) else "3.12, 1 line read.")
        asked.append(request.last_user_text)
        if len(asked) == 1:
            return ModelReply(text="`a.py` exists: DONE. `b.py` exists: DONE.")
        return ModelReply(text="I read line 3 of setup.cfg.")

    loops = {"idle_rounds": 0}  # nobody works here
    async with running_team(tmp_path, script=script, enforcement=UNCHECKED, loops=loops) as team:
        await team.settled(await team.say("Add both"))
        again = await team.settled(await team.say("Add both again"))
        banners = [banner for reply in team.replies() for banner in reply.banners]
    kept = [stored.turn.checklist for stored in again.turns if stored.turn.persona == "developer"]
    assert kept == [None] * 4
    first = next(stored for stored in again.turns if stored.turn.persona == "developer")
    (attempt,) = first.attempts
    assert isinstance(attempt.judgement.outcome, Cleared)
    assert attempt.judgement.outcome.checklist is not None
    assert attempt.judgement.outcome.checklist.open_items == 2
    assert not any("No progress" in banner for banner in banners)
    assert len(asked) == 5


async def test_a_reminder_is_dropped_when_the_person_speaks_while_the_turn_runs(tmp_path: Path) -> None:
    asked: list[str] = []

    def script(request: ModelRequest) -> ModelReply:
        if request.persona == "lead":
            return ModelReply(text=BOTH if len(request.user_texts) == 1 else "`a.py` exists, `b.py` does not.")
        if not request.tool_results and len(request.user_texts) == 1:
            work = "while [ ! -e go ]; do sleep 0.05; done"
            asked.append(request.last_user_text)
            return ModelReply(tool_calls=(ToolUse(name="Bash", arguments={"command": work, "description": "wait"}),))
        if len(request.user_texts) > 1:
            asked.append(request.last_user_text)
        return ModelReply(text=HALF)

    shared = tmp_path / "shared"
    shared.mkdir()
    repositories = {"shared": {"source": str(shared), "mode": "in_place"}}
    async with running_team(
        tmp_path, script=script, repositories=repositories, personas={"developer": "workspace: shared"}
    ) as team:
        await team.say("Add both")
        await until(lambda: len(asked) == 1)
        later = await team.say("@developer stop with b.py, forget it")
        (shared / "go").touch()
        await team.settled(later)
        dropped = counted(team, "reminders_dropped")
    assert len(asked) == 2
    assert "[REMINDER]" not in asked[1]
    assert dropped == 1


async def test_three_rounds_without_progress_are_said_once_in_the_chat(tmp_path: Path) -> None:
    def script(request: ModelRequest) -> ModelReply:
        rounds = len(request.user_texts)
        if request.persona == "lead":
            return ModelReply(text=BOTH if rounds <= 4 else "`b.py` does not exist after 4 rounds.")
        return ModelReply(text=f"Line {rounds} of the template was read.")

    async with running_team(tmp_path, script=script, enforcement=UNCHECKED) as team:
        await team.settled(await team.say("Add both"))
        said = [reply for reply in team.replies() if any("No progress" in banner for banner in reply.banners)]
        given_up = counted(team, "reminders_given_up")
    (reply,) = said
    assert (reply.persona, reply.verdict) == ("developer", Verdict.NOTED)
    assert "b.py" in reply.body
    assert given_up == 1


async def test_the_breaker_ends_retries_and_further_rounds_with_a_line(tmp_path: Path) -> None:
    def script(request: ModelRequest) -> ModelReply:
        if request.persona == "lead":
            tried = len(request.user_texts)
            return ModelReply(
                text=f"Round {tried}.\n\nDELEGATE::developer::Fix `a.py`" if tried < 4 else "Nothing came."
            )
        return ModelReply(text=PRAISE)

    loops = {"idle_rounds": 0}  # nobody works here
    async with running_team(tmp_path, script=script, enforcement={"max_retries": 9}, loops=loops) as team:
        exchange = await team.settled(await team.say("Fix it"))
        trips, refusals = counted(team, "breaker_trips"), counted(team, "breaker_refusals")
    worked = [stored for stored in exchange.turns if stored.turn.persona == "developer"]
    assert [attempts(stored) for stored in worked] == [["sent_back", "sent_back", "withheld"], [], []]
    assert {stored.state for stored in worked} == {TurnState.WITHHELD}
    (line,) = [notice.text for notice in team.notices() if notice.notice is NoticeKind.BREAKER]
    said = ("Developer", "3 replies", "response_validator", "same task", "Ask again")
    assert all(word in line for word in said)
    results = [stored.turn.prompt for stored in exchange.turns if stored.turn.kind.value == "results"]
    assert "was not asked" in results[1]
    assert (trips, refusals) == (1, 2)


async def test_rejections_on_one_task_do_not_count_on_another(tmp_path: Path) -> None:
    def script(request: ModelRequest) -> ModelReply:
        if request.persona == "lead":
            tried = len(request.user_texts)
            return ModelReply(text=f"DELEGATE::developer::Fix `{'ab'[tried - 1]}.py`" if tried < 3 else "Nothing came.")
        return ModelReply(text=PRAISE)

    async with running_team(tmp_path, script=script, enforcement=UNCHECKED) as team:
        exchange = await team.settled(await team.say("Fix both"))
        lines = [notice for notice in team.notices() if notice.notice is NoticeKind.BREAKER]
    worked = [stored for stored in exchange.turns if stored.turn.persona == "developer"]
    assert [attempts(stored) for stored in worked] == [["sent_back", "sent_back", "withheld"]] * 2
    assert lines == []


async def test_who_hands_work_on_by_a_mention_is_not_reminded(tmp_path: Path) -> None:
    asked: list[str] = []

    def script(request: ModelRequest) -> ModelReply:
        if request.persona == "lead":
            return ModelReply(text=BOTH if len(request.user_texts) == 1 else "`a.py` exists, 1 file.")
        if request.persona == "reviewer":
            return ModelReply(text="Line 3 of `b.py` was read.")
        asked.append(request.last_user_text)
        return ModelReply(text="@reviewer please read `b.py`, line 3" if len(asked) == 1 else HALF)

    hands_on = {"developer": "workspace: team\ndelegates_to: [reviewer]"}
    async with running_team(tmp_path, script=script, personas=hands_on) as team:
        exchange = await team.settled(await team.say("Add both"))
    assert len(asked) == 2
    assert not any("[REMINDER]" in prompt for prompt in asked)
    first = next(stored for stored in exchange.turns if stored.turn.persona == "developer")
    outcome = first.attempts[0].judgement.outcome
    assert isinstance(outcome, Cleared)
    assert outcome.checklist is not None
    assert outcome.checklist.idle_turns == 0


async def test_a_file_that_was_deleted_is_still_open(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    repository.mkdir()
    (repository / "old.py").write_text("x = 1\n", encoding="utf-8")
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for command in (("init", "-q"), ("add", "."), (*identity, "commit", "-q", "-m", "first")):
        subprocess.run(["git", *command], cwd=repository, check=True)
    told: list[str] = []

    def script(request: ModelRequest) -> ModelReply:
        if request.persona == "lead":
            told.append(request.last_user_text)
            task = "DELEGATE::developer::Both\nEXPECTED OUTCOME:\n- `old.py` exists\n- `new.py` exists"
            return ModelReply(text=task if len(told) == 1 else "`new.py`: 1 line.")
        if not request.tool_results:
            work = "git rm -q old.py; echo 3 > new.py"
            return ModelReply(tool_calls=(ToolUse(name="Bash", arguments={"command": work, "description": "work"}),))
        return ModelReply(text="Line 3 was read.")

    settings = {"app": {"source": str(repository), "mode": "in_place"}}
    async with running_team(
        tmp_path, script=script, repositories=settings, personas={"developer": "workspace: app"}
    ) as team:
        await team.settled(await team.say("Both"))
    assert "[OPEN ITEMS of EXPECTED OUTCOME: 1] `old.py` exists" in told[1]


async def test_with_the_default_budget_the_first_turn_ends_as_ever_and_the_next_one_is_not_asked(
    tmp_path: Path,
) -> None:
    def script(request: ModelRequest) -> ModelReply:
        if request.persona == "lead":
            tried = len(request.user_texts)
            return ModelReply(text="DELEGATE::developer::`a.py`를 고친다" if tried < 3 else "`a.py`는 그대로입니다.")
        return ModelReply(text=PRAISE)

    async with running_team(tmp_path, script=script, enforcement=UNCHECKED) as team:
        await team.settled(await team.say("로그인 버그를 고쳐 줘"))
        withheld, breaker = team.notices()
    assert withheld.notice is NoticeKind.WITHHELD
    assert breaker.notice is NoticeKind.BREAKER
    assert "연속 3번" in breaker.text
    assert "response_validator" in breaker.text


async def test_rejections_count_across_a_restart_and_a_new_message_counts_from_zero(tmp_path: Path) -> None:
    asked: list[int] = []

    def script(request: ModelRequest) -> ModelReply:
        if request.persona == "lead":
            return ModelReply(
                text="DELEGATE::developer::Fix `a.py`" if len(request.user_texts) % 2 else "Nothing came."
            )
        asked.append(len(asked))
        return ModelReply(text=PRAISE, hang=len(asked) == 3)

    settings = {"max_retries": 9}
    async with running_team(tmp_path, script=script, enforcement=settings) as team:
        first = await team.say("Fix it")
        await until(lambda: len(asked) == 3)
    async with running_team(tmp_path, script=script, enforcement=settings) as team:
        exchange = await team.settled(first)
        again = await team.settled(await team.say("Fix it now", channel="other"))
        lines = [notice for notice in (*team.notices(), *team.notices("other")) if notice.notice is NoticeKind.BREAKER]
    for one in (exchange, again):
        (worked,) = (stored for stored in one.turns if stored.turn.persona == "developer")
        assert attempts(worked) == ["sent_back", "sent_back", "withheld"]
    assert len(lines) == 2


async def test_a_rename_and_a_new_file_in_a_real_repository_are_noted(tmp_path: Path) -> None:
    repository = tmp_path / "my repository"
    repository.mkdir()
    for name in ("auth.py", "두 번째.py"):
        (repository / name).write_text("x = 1\n", encoding="utf-8")
    (repository / "left.txt").write_text("not mine\n", encoding="utf-8")
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for command in (("init", "-q"), ("add", "auth.py", "두 번째.py"), (*identity, "commit", "-q", "-m", "first")):
        subprocess.run(["git", *command], cwd=repository, check=True)

    def script(request: ModelRequest) -> ModelReply:
        if request.persona == "lead":
            task = "DELEGATE::developer::`auth.py`를 고친다\nEXPECTED OUTCOME:\n- auth.py만 수정"
            return ModelReply(text=task if len(request.user_texts) == 1 else "`auth.py`: 1줄이 바뀌었습니다.")
        if not request.tool_results:
            work = 'echo 2 > auth.py; git mv "두 번째.py" "세 번째.py"; echo 3 > new.txt; touch poetry.lock'
            return ModelReply(tool_calls=(ToolUse(name="Bash", arguments={"command": work, "description": "work"}),))
        return ModelReply(text="`auth.py` 1행을 고쳤습니다.")

    workspace = {"developer": "workspace: app"}
    settings = {"app": {"source": str(repository), "mode": "in_place"}}
    async with running_team(tmp_path, script=script, repositories=settings, personas=workspace) as team:
        await team.settled(await team.say("고쳐 줘"))
        (reply,) = [reply for reply in team.replies() if reply.persona == "developer"]
    assert reply.verdict is Verdict.NEEDS_REVIEW
    (banner,) = reply.banners
    assert "파일 3개" in banner
    assert all(f"`{name}`" in banner for name in ("두 번째.py", "세 번째.py", "new.txt"))
    assert "left.txt" not in banner
    assert "lock" not in banner
