"""What the model's service does wrong, told apart and told to the person, and never posted; with the real CLI."""

from pathlib import Path

import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest
from mama_bot.model import NoticeKind, TurnState
from tests.end_to_end.team import running_team

pytestmark = pytest.mark.cli

PLAIN = "`a.py:3` has 1 class."
TOO_LONG = "prompt is too long: 215000 tokens > 200000 maximum"
# What the model does with a message that holds the word, and what the person is told, in the language that they wrote.
FAULTS = {
    "overloaded": (ModelReply(status=529), "Is the list complete? overloaded", ("overloaded", "529", "again in a few")),
    "limited": (
        ModelReply(status=429, retry_after_seconds=600),
        "목록이 있나요? limited",
        ("요청", "분 동안 기다려", "보관"),
    ),
    "broken": (ModelReply(status=500), "Is the list complete? broken", ("trouble", "500", "again in a few")),
    "hangs": (ModelReply(hang=True), "목록이 다 있나요? hangs", ("응답하지 않거나", "몇 분 뒤에")),
    "expired": (ModelReply(status=401), "목록이 다 있나요? expired", ("로그인", "mama-bot doctor")),
    "penniless": (
        ModelReply(status=400, error_message="Your credit balance is too low to access the Anthropic API."),
        "Is the list complete? penniless",
        ("no credit", "owner"),
    ),
    "unknown": (ModelReply(status=404, error_message="model: x"), "목록이 있나요? unknown", ("모델", "claude.model")),
    "refused": (ModelReply(text="", stop_reason="refusal"), "Is the list complete? refused", ("safeguards", "words")),
    "empty": (ModelReply(text=""), "목록이 다 있나요? empty", ("빈 답변", "다시 보내면")),
    "endless": (ModelReply(text="half a", stop_reason="max_tokens"), "Is it? endless", ("longer", "less at once")),
    "vast": (ModelReply(status=400, error_message=TOO_LONG), "목록이 다 있나요? vast", ("깁니다", "더 적게")),
}


async def test_each_fault_of_the_model_ends_in_a_line_of_its_own_and_the_next_message_is_answered(
    tmp_path: Path,
) -> None:
    mended = False

    def script(request: ModelRequest) -> ModelReply:
        asked = "".join(request.user_texts)
        word = next((word for word in FAULTS if word in asked), None)
        return ModelReply(text=PLAIN) if mended or word is None else FAULTS[word][0]

    claude = {"api_retries": 1, "patience_seconds": 20, "api_timeout_seconds": 2}
    async with running_team(
        tmp_path, script=script, claude=claude, pool={"size": len(FAULTS)}, turns={"concurrency": 4}
    ) as team:
        messages = [await team.say(text, channel=word) for word, (_, text, _) in FAULTS.items()]
        exchanges = [await team.settled(message, seconds=120) for message in messages]
        assert [exchange.turns[0].state for exchange in exchanges] == [TurnState.FAILED] * len(FAULTS)
        for word, (_, _, told) in FAULTS.items():
            (notice,) = team.notices(word)
            assert notice.notice is NoticeKind.FAILED
            assert [words for words in told if words not in notice.text] == [], notice.text
            assert "API Error" not in notice.text
            assert team.replies(word) == []
        mended = True
        for message in [await team.say("And now?", channel=word) for word in FAULTS]:
            await team.settled(message, seconds=60)
        assert [[reply.text for reply in team.replies(word)] for word in FAULTS] == [[PLAIN]] * len(FAULTS)


async def test_a_session_that_has_grown_too_large_is_begun_anew_with_what_was_said_and_the_person_is_told(
    tmp_path: Path,
) -> None:
    asked: list[str] = []

    def script(request: ModelRequest) -> ModelReply:
        words = "\n".join(request.user_texts)
        # The API measures all that it is sent, and so does this one: a compaction is sent as much.
        if request.assistant_texts:
            return ModelReply(status=400 if "얼룩말" in words else 413, error_message=TOO_LONG)
        asked.append(words)
        return ModelReply(text=PLAIN)

    async with running_team(tmp_path, script=script) as team:
        for channel, first, second, told in (
            ("one", "Is there a zebra?", "Is it striped?", "begun anew"),
            ("two", "얼룩말이 있나요?", "줄무늬가 있나요?", "새로 시작"),
        ):
            await team.settled(await team.say(first, channel=channel))
            exchange = await team.settled(await team.say(second, channel=channel))
            assert exchange.turns[0].state is TurnState.ANSWERED
            (line,) = team.notices(channel)
            assert line.notice is NoticeKind.BEGUN_ANEW
            assert told in line.text
            assert [reply.text for reply in team.replies(channel)] == [PLAIN, PLAIN]
            assert first in asked[-1], "the new session knows what was said"


async def test_a_model_that_works_again_in_time_is_waited_for_or_replaced_and_nobody_is_bothered(
    tmp_path: Path,
) -> None:
    seen: list[str] = []

    def script(request: ModelRequest) -> ModelReply:
        seen.append(request.model)
        if "haiku" in request.model:
            return ModelReply(text="`b.py:1` has 1 class.")
        if "swamped" in request.last_user_text:
            return ModelReply(status=529)
        # A stream that nothing comes of any more, after its first words.
        return ModelReply(text=PLAIN, pause_seconds=600 if len(seen) == 1 else 0)

    settings = {"api_retries": 5, "api_timeout_seconds": 1, "fallback_model": "claude-haiku-4-5"}
    async with running_team(tmp_path, script=script, claude=settings) as team:
        await team.settled(await team.say("Is the list complete?"), seconds=60)
        await team.settled(await team.say("Is it? swamped"), seconds=60)
        assert [reply.text for reply in team.replies()] == [PLAIN, "`b.py:1` has 1 class."]
        assert ["by claude-haiku-4-5 instead" in reply.record_line for reply in team.replies()] == [False, True]
        receipts = await team.store.receipts.latest(team.replies()[0].key, 5)
        assert [receipt.fallback for receipt in receipts] == ["claude-haiku-4-5"]
        assert team.notices() == []


async def test_a_persona_that_cannot_be_started_rests_and_the_person_is_told_until_it_starts_again(
    tmp_path: Path,
) -> None:
    cli = tmp_path / "claude"
    cli.write_text("#!/bin/sh\necho out of luck >&2\nexit 7\n", encoding="utf-8")
    cli.chmod(0o755)
    async with running_team(
        tmp_path, claude={"cli_path": str(cli)}, pool={"start_failures": 3, "start_rest_seconds": 300}
    ) as team:
        await team.settled(await team.say("Hello"))
        await team.settled(await team.say("여보세요, 거기 있나요?"))
        lines = team.notices()
    assert "exit status 7" in lines[0].text
    assert "연속 3번" in lines[1].text
    assert "out of luck" not in lines[0].text
