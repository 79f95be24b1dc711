"""Commands and buttons in a running service: what each does, and what it says."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mama_bot.intake.help_text import help_answer
from mama_bot.model import (
    DESCRIPTIONS,
    AgentPersona,
    Answer,
    Author,
    Command,
    CommandName,
    ConversationKey,
    Counts,
    Origin,
    Platform,
    PostId,
    Run,
    RunEnd,
    RunKind,
    ToolRun,
)
from mama_bot.testing.scripted_agent import ScriptedAgentBackend, ScriptedReply
from mama_bot.tool_names import with_kind
from mama_bot.wording import Language
from tests.end_to_end.team import Team, key, running_team
from tests.waiting import SECONDS, until

KIM = Author(id="kim", name="Kim")
RUN = with_kind(
    ToolRun(
        id="r1",
        tool="Bash",
        arguments='{"command": "pytest -q"}',
        started_at=datetime(2026, 1, 1, tzinfo=UTC),
        ended_at=datetime(2026, 1, 1, tzinfo=UTC),
        ok=True,
        exit_status=0,
        output_tail="12 passed in 0.30s",
        ran=(Run(kind=RunKind.TESTS, tool="pytest", command="pytest -q", end=RunEnd.PASSED, counts=Counts(passed=12)),),
        output_size=18,
    )
)


def script(persona: AgentPersona, prompt: str, history: Sequence[str]) -> ScriptedReply:
    """Slow when it is asked to be; praise where it is asked for; else it says what its prompt holds of "zebra"."""
    if "Think long" in prompt:
        return ScriptedReply(text="Thought.", delay_seconds=60)
    if "Run the tests" in prompt:
        return ScriptedReply(text="I ran `pytest -q`: 12 tests passed, exit status 0.", runs=(RUN,))
    if any("after the first try" in words for words in history):
        return ScriptedReply(text="`a.py:3` holds the price; nothing was changed.")
    if "How many" not in prompt and "zebra" not in prompt:  # asked for praise, or told what is wrong with it
        return ScriptedReply(text="Excellent, brilliant, outstanding work! Absolutely perfect! You are amazing!")
    return ScriptedReply(text=f"`{persona.name}.py:3` has {prompt.count('zebra')} stripes; prompt {len(history) + 1}.")


@pytest.fixture
def backend() -> ScriptedAgentBackend:
    return ScriptedAgentBackend(script=script)


@pytest.fixture
async def team(tmp_path: Path, backend: ScriptedAgentBackend) -> AsyncIterator[Team]:
    async with running_team(tmp_path, backends={"claude": backend}) as team:
        yield team


async def give(
    team: Team,
    name: CommandName,
    argument: str = "",
    *,
    channel: str = "general",
    platform_id: str = "",
    post_id: PostId | None = None,
    language: Language = Language.ENGLISH,
) -> Answer:
    """Give a command as a person."""
    command = Command(
        name=name,
        key=key(channel),
        author=KIM,
        origin=Origin(channel=channel),
        argument=argument,
        platform_id=platform_id,
        post_id=post_id,
        language=language,
    )
    async with asyncio.timeout(SECONDS):
        return await team.gateway.command(command)


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        (Language.ENGLISH, "There is no request with the code 'WXYZ-2345'. `mama-bot pair` lists the open ones."),
        (
            Language.KOREAN,
            "코드가 'WXYZ-2345'인 요청이 없습니다. 열려 있는 요청은 `mama-bot pair`로 볼 수 있습니다.",
        ),
    ],
)
async def test_why_a_decision_cannot_be_taken_is_said_in_the_language_of_whoever_decides(
    team: Team, language: Language, sentence: str
) -> None:
    assert await give(team, CommandName.APPROVE, "WXYZ-2345", language=language) == Answer(text=sentence, done=False)


async def busy(team: Team) -> None:
    """Until an agent is at work in the conversation."""
    await team.say("Think long about it")
    async with asyncio.timeout(SECONDS):
        while "at work" not in (await give(team, CommandName.STATUS)).text:
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("language", [Language.ENGLISH, Language.KOREAN])
async def test_every_command_is_answered_in_an_empty_conversation_and_in_both_languages(
    team: Team, language: Language
) -> None:
    for name in CommandName:
        answer = await give(team, name, language=language, channel=name.value)
        assert answer.text.strip(), name
        assert "inside the service" not in answer.text, name
        assert "서비스 내부에" not in answer.text, name
        assert any("가" <= letter <= "힣" for letter in answer.text) == (language == Language.KOREAN), name
        assert "{" not in answer.text, name


@pytest.mark.parametrize(
    ("argument", "words"),
    [("now please", "Nothing was done: `/undo` stands alone"), ("지금 부탁해요", "아무것도 하지 않았습니다")],
)
async def test_what_takes_nothing_behind_it_is_not_done_with_words_behind_it(
    team: Team, argument: str, words: str
) -> None:
    answer = await give(team, CommandName.UNDO, argument)
    assert (answer.done, words in answer.text) == (False, True)


async def test_stop_ends_a_turn_while_it_runs_and_says_so_once(team: Team) -> None:
    await busy(team)
    agents = await give(team, CommandName.AGENTS)
    assert "**Lead** · `@lead` · worker · default model · may ask Developer, Reviewer · at work here" in agents.text
    assert "Developer** · `@developer` · worker · default model · idle here" in agents.text
    queue = await give(team, CommandName.QUEUE)
    assert queue.text.startswith("Here: 1 running, 0 waiting.\nIn the whole service: 1 running, 0 waiting")
    stopped = await give(team, CommandName.STOP)
    assert (stopped.done, stopped.text.startswith("Stopping")) == (True, True)
    [notice] = await until(team.notices)
    assert "Kim" in notice.text
    # The turn ends a moment before its exchange does, and until then the exchange is being stopped.
    async with asyncio.timeout(SECONDS):
        while not (await give(team, CommandName.QUEUE)).text.startswith("Here: 0 running"):
            await asyncio.sleep(0.01)
    nothing = await give(team, CommandName.STOP)
    assert (nothing.done, nothing.text) == (False, "Nothing runs or waits here.")


async def test_the_line_of_what_waited_is_in_the_language_of_whoever_stops_it(team: Team) -> None:
    await busy(team)
    await team.say("@developer a.py 12")
    await give(team, CommandName.STOP, "전체", language=Language.KOREAN)
    lines = await until(lambda: [line.text for line in team.notices() if "시작하기 전에" in line.text])
    assert lines == ["중단됨 (Kim): 시작하기 전에 멈췄습니다. 이 메시지에는 아무도 답변하지 않습니다."]


async def test_a_name_with_markup_is_plain_in_the_line_about_a_stop(team: Team) -> None:
    await busy(team)
    assert await team.stop(name="[Kim](https://evil.example)\n# `x`")
    [notice] = await until(team.notices)
    assert notice.text.startswith("Stopped by Kim https://evil.example # x: ")


async def test_what_waits_is_counted_here_and_in_the_whole_service(team: Team) -> None:
    await busy(team)
    await team.say("And then this")
    status = await give(team, CommandName.STATUS)
    queue = await give(team, CommandName.QUEUE, channel="elsewhere")
    assert "Messages that wait here: 1." in status.text
    assert "Connected: memory, web." in status.text
    assert queue.text.startswith("Here: 0 running, 0 waiting.\nIn the whole service: 1 running, 1 waiting")
    await give(team, CommandName.STOP)


async def test_after_a_reset_the_agent_has_a_fresh_session_and_sees_nothing_of_before(
    team: Team, backend: ScriptedAgentBackend
) -> None:
    await team.settled(await team.say("A zebra, a zebra"))
    await team.settled(await team.say("How many?", channel="other"))
    await team.settled(await team.say("@developer How many?"))
    before = [reply.text for reply in team.replies()]
    assert before[1] == "`developer.py:3` has 2 stripes; prompt 1."
    answer = await give(team, CommandName.RESET)
    assert answer.done
    await team.settled(await team.say("How many now?"))
    await team.settled(await team.say("@developer How many now?"))
    await team.settled(await team.say("How many there?", channel="other"))
    after = [reply.text for reply in team.replies()[2:]]
    assert after == ["`lead.py:3` has 0 stripes; prompt 1.", "`developer.py:3` has 0 stripes; prompt 1."]
    assert team.replies("other")[-1].text == "`lead.py:3` has 0 stripes; prompt 2."
    opened = [(session.persona.name, session.key.channel) for session in backend.opened]
    assert opened.count(("lead", "general")) == opened.count(("developer", "general")) == 2
    assert opened.count(("lead", "other")) == 1
    view = await team.store.history.view(key(), 10)
    assert len(view.messages) == 4
    assert view.messages[0].text == "A zebra, a zebra"


async def test_a_reset_holds_after_a_restart(tmp_path: Path, backend: ScriptedAgentBackend) -> None:
    async with running_team(tmp_path, backends={"claude": backend}) as team:
        await team.settled(await team.say("A zebra"))
        await give(team, CommandName.RESET)
        await give(team, CommandName.RESET)
    async with running_team(tmp_path, backends={"claude": backend}) as team:
        team.numbers = iter_from(100)
        await team.settled(await team.say("How many now?"))
        assert [reply.text for reply in team.replies()] == ["`lead.py:3` has 0 stripes; prompt 1."]


def iter_from(start: int) -> "itertools.count[int]":
    return itertools.count(start)


async def test_a_reset_is_refused_while_a_turn_runs(team: Team, backend: ScriptedAgentBackend) -> None:
    await team.settled(await team.say("A zebra"))
    await busy(team)
    answer = await give(team, CommandName.RESET)
    assert (answer.done, "Stop it first" in answer.text) == (False, True)
    korean = await give(team, CommandName.RESET, language=Language.KOREAN)
    assert "/stop" in korean.text
    await give(team, CommandName.STOP)
    assert len(await team.context()) >= 2
    assert len(backend.opened) == 1


async def test_the_receipt_is_of_the_reply_whose_button_was_pressed_else_the_latest(team: Team) -> None:
    await team.settled(await team.say("Run the tests"))
    await team.settled(await team.say("How many?"))
    first, second = team.replies()
    for answer in (
        await give(team, CommandName.RECEIPT, platform_id=f"memory-{first.id}"),
        await give(team, CommandName.RECEIPT, post_id=first.id),
        await give(team, CommandName.RECEIPT),
    ):
        assert answer.done
        assert answer.text.startswith("**Receipt 1** · Lead · `")
        assert "confirmed" in answer.text
        assert "`pytest -q`: exit 0" in answer.text
    korean = await give(team, CommandName.RECEIPT, language=Language.KOREAN)
    assert "확인됨" in korean.text
    unclaimed = await give(team, CommandName.RECEIPT, platform_id=f"memory-{second.id}")
    unknown = await give(team, CommandName.RECEIPT, platform_id="memory-nothing")
    elsewhere = await give(team, CommandName.RECEIPT, channel="other", post_id=first.id)
    assert [unclaimed.done, unknown.done, elsewhere.done] == [True, False, False]
    assert "no receipt for this reply" in unclaimed.text
    assert "Attempt 1 was posted" in unclaimed.text
    assert "no reply of the team" in unknown.text


async def test_what_was_tried_and_checked_is_seen_in_chat(team: Team) -> None:
    await team.settled(await team.say("Do better after the first try"))
    [reply] = team.replies()
    assert reply.record_line == "Record: 2 attempts, sent back by: substance check"
    told = (await give(team, CommandName.RECEIPT, platform_id=f"memory-{reply.id}")).text
    assert "2 attempts" in told
    assert "Attempt 1 went back (substance check): " in told
    assert "Attempt 2 was posted; checks that looked at it: substance check, " in told


async def test_a_receipt_and_a_report_are_asked_for_by_number(team: Team) -> None:
    await team.settled(await team.say("Run the tests"))
    shown = await give(team, CommandName.RECEIPT, "#1")
    assert shown == await give(team, CommandName.RECEIPT, "1")
    assert shown.text.startswith("**Receipt 1** · Lead")
    assert "Attempt 1 was posted" in shown.text
    for argument in ("2", "one", "99999999999"):
        missing = await give(team, CommandName.RECEIPT, argument)
        assert (missing.done, f"There is no receipt {argument} in this" in missing.text) == (False, True)
    elsewhere = await give(team, CommandName.RECEIPT, "1", channel="other")
    assert not elsewhere.done
    fine = await give(team, CommandName.REPORT, "#1 too lenient")
    assert (fine.done, "the reply passed, and should not have" in fine.text) == (True, True)
    assert not (await give(team, CommandName.REPORT, "#7 too strict")).done


@pytest.mark.parametrize(
    ("argument", "language", "words"),
    [
        ("/stauts", Language.ENGLISH, "There is no command /stauts. Did you mean `/status`?"),
        ("weather", Language.ENGLISH, "There is no command /weather. `/help` names all of them."),
        ("/rules", Language.ENGLISH, "There is no command /rules. `/help` names all of them."),
        ("/stauts", Language.KOREAN, "/stauts: 없는 명령입니다. `/status`"),
        ("/상테", Language.KOREAN, "/상테: 없는 명령입니다. `/status`"),
        ("/사용량", Language.KOREAN, "`/usage` (사용량): 최근"),
        ("stop", Language.ENGLISH, "`/stop`: Stop what runs here"),
    ],
)
async def test_help_with_one_command_names_it_or_the_nearest(
    team: Team, argument: str, language: Language, words: str
) -> None:
    answer = await give(team, CommandName.HELP, argument, language=language)
    assert answer.text.startswith(words)
    assert answer.done == (argument in ("stop", "/사용량"))


@pytest.mark.parametrize("language", [Language.ENGLISH, Language.KOREAN])
def test_help_on_slack_names_what_can_be_typed_there(language: Language) -> None:
    there = ConversationKey(Platform("slack"), "C1", "")
    asked = Command(name=CommandName.HELP, key=there, author=KIM, origin=Origin(channel="C1"), language=language)
    text = help_answer(asked, (), language).text
    assert all(f"`/mama {name.value}`" in text for name in DESCRIPTIONS)
    assert "`/status`" not in text
    assert "/stop`)" in text


async def test_usage_is_told_for_each_persona_and_all(team: Team) -> None:
    empty = await give(team, CommandName.USAGE)
    assert "Nothing was written in the last 7 days." in empty.text
    await team.settled(await team.say("@developer Praise me"))
    await team.settled(await team.say("How many?"))
    usage = await give(team, CommandName.USAGE, "30 days")
    lines = usage.text.splitlines()
    assert "30 days" in lines[0]
    assert "| Lead | 1 | 0 | 1,050 | < $0.01 |" in lines
    assert "| Developer | 1 | 1 | 2,100 | < $0.01 |" in lines
    assert "| All | 2 | 1 | 3,150 | < $0.01 |" in lines
    for argument in ("0", "x", "-3", "99999", "7; drop"):
        refused = await give(team, CommandName.USAGE, argument)
        assert (refused.done, "/usage 7" in refused.text) == (False, True)
    assert "최근 7일" in (await give(team, CommandName.USAGE, "7일")).text


async def test_a_request_to_be_served_is_settled_by_its_buttons(team: Team) -> None:
    slack = Platform("slack")
    await team.store.pairings.ask(slack, "U1", "Lee", code="ABCD-EFGH")
    approved = await give(team, CommandName.APPROVE, "ABCD-EFGH")
    again = await give(team, CommandName.DENY, "ABCD-EFGH")
    unknown = await give(team, CommandName.DENY, "nothing")
    assert (approved.text, again.done, unknown.done) == ("`Lee` is served from now on.", False, False)
    assert await team.store.pairings.is_paired(slack, "U1")


async def test_help_names_the_team_and_every_command(team: Team) -> None:
    text = (await give(team, CommandName.HELP)).text
    assert "`@developer`" in text
    assert "Without a name, Lead decides" in text
    for name in ("agents", "status", "queue", "stop", "reset", "usage", "receipt", "report", "repo", "help"):
        assert f"- `/{name}`" in text


async def test_commands_leave_no_trace_in_the_conversation(team: Team) -> None:
    for name in CommandName:
        await give(team, name)
    assert await team.context() == []
    assert (await team.store.history.view(ConversationKey(Platform("memory"), "general"), 10)).messages == ()
    assert team.posts() == []
