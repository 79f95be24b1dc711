"""A person writes, the real CLI answers, the chain judges: what is recorded, remembered and posted."""

from pathlib import Path

import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest, ToolUse
from mama_bot.model import AuthorKind, NoticeKind, SentBack, TurnState, Verdict
from tests.end_to_end.team import attempts, running_team
from tests.scripted_queue import ScriptedQueue

pytestmark = pytest.mark.cli

CLEAN = "`src/auth.py:42` compares tokens with `==`; `hmac.compare_digest` avoids the timing leak."
PRAISE = "What an excellent question! This is truly brilliant work, absolutely outstanding."


def bash(command: str) -> ModelReply:
    return ModelReply(tool_calls=(ToolUse(name="Bash", arguments={"command": command, "description": "run"}),))


async def test_a_clean_reply_is_posted_and_remembered_as_it_was_written(tmp_path: Path) -> None:
    async with running_team(tmp_path, script=ScriptedQueue(ModelReply(text=CLEAN))) as team:
        message = await team.say("Is the token check safe?")
        exchange = await team.settled(message)
        (reply,) = team.replies()
        context = await team.context()
    assert (reply.text, reply.body, reply.persona, reply.verdict) == (CLEAN, CLEAN, "lead", Verdict.PASSED)
    assert not team.notices()
    assert [(entry.author.kind, entry.text) for entry in context] == [
        (AuthorKind.PERSON, "Is the token check safe?"),
        (AuthorKind.AGENT, CLEAN),
    ]
    (turn,) = exchange.turns
    assert turn.state is TurnState.ANSWERED
    assert attempts(turn) == ["cleared"]
    assert turn.attempts[0].draft.usage.output_tokens > 0


async def test_praise_is_sent_back_in_the_same_session_and_never_seen(tmp_path: Path) -> None:
    script = ScriptedQueue(ModelReply(text=PRAISE), ModelReply(text=CLEAN))
    async with running_team(tmp_path, script=script) as team:
        exchange = await team.settled(await team.say("Is the token check safe?"))
        context = await team.context()
    (turn,) = exchange.turns
    assert attempts(turn) == ["sent_back", "cleared"]
    first, second = turn.attempts
    assert first.draft.text == PRAISE
    assert first.draft.session_id == second.draft.session_id
    assert isinstance(first.judgement.outcome, SentBack)
    assert "excellent" in first.judgement.outcome.feedback
    assert [post.text for post in team.posts()] == [CLEAN]
    assert not any("excellent" in entry.text for entry in context)


async def test_a_person_gets_praise_with_a_note_when_the_retry_brings_nothing_better(tmp_path: Path) -> None:
    script = ScriptedQueue()
    script.stick(ModelReply(text=PRAISE))
    async with running_team(tmp_path, script=script) as team:
        exchange = await team.settled(await team.say("Is the token check safe?"))
    (turn,) = exchange.turns
    assert attempts(turn) == ["sent_back", "cleared"]
    (reply,) = team.replies()
    assert reply.text == PRAISE
    assert reply.verdict is Verdict.NOTED
    assert reply.banners
    assert reply.body.endswith(PRAISE)


async def test_praise_between_agents_is_withheld_after_three_attempts_and_the_person_sees_a_line(
    tmp_path: Path,
) -> None:
    script = ScriptedQueue()
    script.push(ModelReply(text="DELEGATE::developer::Fix `src/auth.py`"), when="persona: lead")
    for _ in range(3):
        script.push(ModelReply(text=PRAISE), when="persona: developer")
    script.push(ModelReply(text="`src/auth.py` is unchanged: no result came back."), when="persona: lead")
    async with running_team(tmp_path, script=script) as team:
        exchange = await team.settled(await team.say("Fix the token check"))
        context = await team.context()
    lead, developer, results = exchange.turns
    assert (lead.state, developer.state, results.state) == (
        TurnState.ANSWERED,
        TurnState.WITHHELD,
        TurnState.ANSWERED,
    )
    assert attempts(developer) == ["sent_back", "sent_back", "withheld"]
    assert "withheld" in results.turn.prompt
    assert PRAISE not in results.turn.prompt
    (notice,) = team.notices()
    assert notice.notice is NoticeKind.WITHHELD
    assert "3 attempts" in notice.text
    assert [reply.persona for reply in team.replies()] == ["lead", "lead"]
    assert not any("excellent" in entry.text for entry in context)


async def test_an_approval_without_evidence_is_sent_back_until_the_reviewer_ran_something(tmp_path: Path) -> None:
    script = ScriptedQueue()
    script.push(ModelReply(text="DELEGATE::reviewer::Check `src/auth.py`"), when="persona: lead")
    script.push(ModelReply(text="Verdict: APPROVE\n\nThe change follows the task."), when="persona: reviewer")
    script.push(bash("python3 -m unittest discover -s tests"), when="persona: reviewer")
    approval = "Verdict: APPROVE\n\n`python3 -m unittest`: Ran 8 tests, OK."
    script.push(ModelReply(text=approval), when="persona: reviewer")
    script.push(ModelReply(text="reviewer ran 8 tests: OK. `src/auth.py` is done."), when="persona: lead")
    async with running_team(tmp_path, script=script) as team:
        exchange = await team.settled(await team.say("Have the change reviewed"))
    reviewer = exchange.turns[1]
    assert attempts(reviewer) == ["sent_back", "cleared"]
    refused = reviewer.attempts[0].judgement.outcome
    assert isinstance(refused, SentBack)
    assert refused.stage == "review_gate"
    (run,) = reviewer.attempts[1].draft.record.runs
    assert (run.tool, run.exit_status, run.ok) == ("Bash", 0, True)
    assert "Ran 8 tests" in run.output_head
    assert [reply.text for reply in team.replies() if reply.persona == "reviewer"] == [approval]


async def test_a_rubber_stamp_to_the_end_is_downgraded_and_its_words_stay(tmp_path: Path) -> None:
    stamp = "Verdict: APPROVE\n\nThe change follows the task."
    script = ScriptedQueue()
    script.push(ModelReply(text="DELEGATE::reviewer::Check `src/auth.py`"), when="persona: lead")
    for _ in range(3):
        script.push(ModelReply(text=stamp), when="persona: reviewer")
    script.push(ModelReply(text="`src/auth.py` is not verified: reviewer showed no figures."), when="persona: lead")
    async with running_team(tmp_path, script=script) as team:
        exchange = await team.settled(await team.say("Have the change reviewed"))
        context = await team.context()
    (reply,) = [reply for reply in team.replies() if reply.persona == "reviewer"]
    assert reply.verdict is Verdict.NEEDS_REVIEW
    assert reply.text == stamp
    assert "NEEDS_REVIEW" in reply.body
    assert "NEEDS_REVIEW" in exchange.turns[2].turn.prompt
    assert [entry.verdict for entry in context if entry.author.id == "reviewer"] == [Verdict.NEEDS_REVIEW]


async def test_a_model_that_fails_for_ever_ends_in_a_line_and_never_in_an_answer(tmp_path: Path) -> None:
    script = ScriptedQueue()
    script.stick(ModelReply(status=529, error_message="Overloaded"))
    async with running_team(tmp_path, script=script) as team:
        exchange = await team.settled(await team.say("Is anyone there?"))
        context = await team.context()
        script.stick(ModelReply(text=CLEAN))
        await team.settled(await team.say("And now?"))
    assert exchange.turns[0].state is TurnState.FAILED
    assert exchange.turns[0].attempts == ()
    assert [entry.text for entry in context] == ["Is anyone there?"]
    (notice,) = team.notices()
    assert notice.notice is NoticeKind.FAILED
    assert "529" in notice.text
    assert [reply.text for reply in team.replies()] == [CLEAN]


async def test_two_conversations_run_at_once_and_do_not_mix(tmp_path: Path) -> None:
    def script(request: ModelRequest) -> ModelReply:
        word = "left" if "left" in " ".join(request.user_texts) else "right"
        slow = "slow" in request.last_user_text
        return ModelReply(
            text=f"`{word}.py` has 3 functions.", delay_seconds=4.0 if slow else 0.0
        )  # longer than a CLI starts

    async with running_team(tmp_path, script=script) as team:
        slow = await team.say("left, slow", channel="left")
        quick = await team.say("right", channel="right")
        second = await team.say("left again", channel="left")
        for message in (slow, quick, second):
            await team.settled(message)
        order = [(post.key.channel, post.text) for post in team.gateway.posts]
        left, right = await team.context("left"), await team.context("right")
    assert order[0] == ("right", "`right.py` has 3 functions.")
    assert [channel for channel, _ in order[1:]] == ["left", "left"]
    assert [entry.text for entry in right] == ["right", "`right.py` has 3 functions."]
    assert not any("right" in entry.text for entry in left)


async def test_a_korean_conversation_is_judged_and_answered_in_korean(tmp_path: Path) -> None:
    flattery = "정말 훌륭한 질문입니다! 완벽한 설계이고 최고의 코드입니다."
    clean = "`src/auth.py` 42번째 줄은 토큰을 `==`로 비교합니다. `hmac.compare_digest`로 바꿔야 합니다."
    async with running_team(tmp_path, script=ScriptedQueue(ModelReply(text=flattery), ModelReply(text=clean))) as team:
        exchange = await team.settled(await team.say("토큰 비교가 안전한가요?", name="김민수"))
        context = await team.context()
    (turn,) = exchange.turns
    assert attempts(turn) == ["sent_back", "cleared"]
    refused = turn.attempts[0].judgement.outcome
    assert isinstance(refused, SentBack)
    assert any("가" <= letter <= "힣" for letter in refused.feedback)
    assert [reply.text for reply in team.replies()] == [clean]
    assert [entry.text for entry in context] == ["토큰 비교가 안전한가요?", clean]
    assert context[0].author.name == "김민수"


async def test_a_korean_person_is_told_in_korean_what_went_wrong(tmp_path: Path) -> None:
    script = ScriptedQueue()
    script.stick(ModelReply(status=529, error_message="Overloaded"))
    async with running_team(tmp_path, script=script) as team:
        await team.settled(await team.say("@develper 함수가 몇 개인가요?"))
    routed, failed = team.notices()
    assert (routed.notice, "없는 페르소나" in routed.text) == (NoticeKind.NOT_ROUTED, True)
    assert (failed.notice, "답변하지 못했습니다" in failed.text) == (NoticeKind.FAILED, True)


async def test_a_delegation_comes_back_as_the_next_prompt_and_a_warm_process_answers(tmp_path: Path) -> None:
    script = ScriptedQueue()
    script.push(ModelReply(text="@developer please count the functions in `a.py`."), when="persona: lead")
    script.push(ModelReply(text="`a.py` has 3 functions: `f`, `g`, `h`."), when="persona: developer")
    script.push(ModelReply(text="developer counted 3 functions in `a.py`."), when="persona: lead")
    async with running_team(tmp_path, script=script) as team:
        exchange = await team.settled(await team.say("How many functions?"))
    assert [(stored.turn.persona, stored.turn.agent_to_agent) for stored in exchange.turns] == [
        ("lead", False),
        ("developer", True),
        ("lead", False),
    ]
    asked, _, results = exchange.turns
    assert "`a.py` has 3 functions" in results.turn.prompt
    assert asked.attempts[0].draft.session_id == results.attempts[0].draft.session_id
    assert [reply.persona for reply in team.replies()] == ["lead", "developer", "lead"]


async def test_the_hop_budget_ends_a_chain_with_a_line(tmp_path: Path) -> None:
    def script(request: ModelRequest) -> ModelReply:
        if request.persona == "lead":
            return ModelReply(text=f"Round {len(request.user_texts)}.\n\nDELEGATE::developer::Count `a.py` again")
        return ModelReply(text="`a.py` has 3 functions.")

    async with running_team(tmp_path, script=script, turns={"hop_budget": 2}) as team:
        exchange = await team.settled(await team.say("Go"))
    assert [stored.turn.persona for stored in exchange.turns] == ["lead", "developer", "lead", "developer", "lead"]
    (notice,) = team.notices()
    assert notice.notice is NoticeKind.HOPS_SPENT
    assert "2 delegations" in notice.text


async def test_an_unknown_delegate_goes_back_to_the_sender_with_the_nearest_name(tmp_path: Path) -> None:
    script = ScriptedQueue(
        ModelReply(text="DELEGATE::develper::Count the functions in `a.py`"),
        ModelReply(text="`a.py` has 3 functions."),
    )
    async with running_team(tmp_path, script=script) as team:
        exchange = await team.settled(await team.say("How many functions?"))
    refused = exchange.turns[0].attempts[0].judgement.outcome
    assert isinstance(refused, SentBack)
    assert "'developer'" in refused.feedback


async def test_with_everything_off_the_text_is_the_same_to_the_byte(tmp_path: Path) -> None:
    text = f"{PRAISE}\n\n  APPROVED!\t\u200b완벽합니다! \n"
    script = ScriptedQueue(ModelReply(text=text))
    async with running_team(tmp_path, script=script, enforcement={"enabled": False}) as team:
        await team.settled(await team.say("Hello"))
    assert [reply.body for reply in team.replies()] == [text]


async def test_observed_decisions_are_kept_and_have_no_effect(tmp_path: Path) -> None:
    script = ScriptedQueue(ModelReply(text=PRAISE))
    async with running_team(tmp_path, script=script, enforcement={"mode": "observe"}) as team:
        exchange = await team.settled(await team.say("Is the token check safe?"))
    (reply,) = team.replies()
    assert (reply.body, reply.verdict) == (PRAISE, Verdict.PASSED)
    (attempt,) = exchange.turns[0].attempts
    decided = {verdict.stage: (verdict.decision.kind, verdict.observed) for verdict in attempt.judgement.stages}
    assert decided["response_validator"] == ("block", True)


async def test_nobody_answers_for_what_another_one_changed_in_the_same_workspace(tmp_path: Path) -> None:
    script = ScriptedQueue()
    both = (
        "DELEGATE::developer::Write a\nEXPECTED OUTCOME:\n- a.py\n\n"
        "DELEGATE::reviewer::Write b\nEXPECTED OUTCOME:\n- b.py"
    )
    script.push(ModelReply(text=both), when="persona: lead")
    script.push(bash("echo 1 > a.py"), ModelReply(text="`a.py` holds 1."), when="persona: developer")
    script.push(bash("echo 2 > b.py; echo 3 > c.py"), ModelReply(text="`b.py` holds 2."), when="persona: reviewer")
    script.push(ModelReply(text="`a.py` holds 1, `b.py` holds 2."), when="persona: lead")
    async with running_team(tmp_path, script=script) as team:
        await team.settled(await team.say("Write both"))
    standing = {reply.persona: (reply.verdict, reply.banners) for reply in team.replies()[1:3]}
    assert standing["developer"] == (Verdict.PASSED, ())
    verdict, (banner,) = standing["reviewer"]
    assert verdict is Verdict.NOTED
    assert "c.py" in banner
    assert "a.py" not in banner


async def test_an_agent_reads_what_was_said_to_another_one_while_it_worked(tmp_path: Path) -> None:
    prompts: dict[str, list[str]] = {"lead": [], "reviewer": []}

    def script(request: ModelRequest) -> ModelReply:
        prompts[request.persona].append(request.last_user_text)
        return ModelReply(text="`a.py` has 3 functions.", delay_seconds=0.5)

    async with running_team(tmp_path, script=script) as team:
        for text in ("the first task", "@reviewer the codeword is banana"):
            message = await team.say(text)
        await team.settled(message)
        await team.settled(await team.say("and the third"))
    assert "the codeword is banana" in prompts["lead"][1]
    assert "the first task" not in prompts["lead"][1]
    assert "the first task" in prompts["reviewer"][0]


async def test_a_workspace_that_is_gone_costs_the_delegation_and_not_the_reply(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    repository.mkdir()
    script = ScriptedQueue()
    script.push(ModelReply(text="DELEGATE::developer::Count the functions in `a.py`"), when="persona: lead")
    script.push(ModelReply(text="`a.py` could not be read: developer did not answer."), when="persona: lead")
    file = tmp_path / "personas" / "developer.md"
    async with running_team(
        tmp_path,
        script=script,
        repositories={"app": {"source": str(repository), "mode": "in_place"}},
        personas={"developer": "workspace: app"},
    ) as team:
        assert "workspace: app" in file.read_text(encoding="utf-8")
        repository.rmdir()
        await team.settled(await team.say("How many functions?"))
    assert [reply.persona for reply in team.replies()] == ["lead", "lead"]
    (notice,) = team.notices()
    assert (notice.notice, str(repository) in notice.text) == (NoticeKind.FAILED, True)
