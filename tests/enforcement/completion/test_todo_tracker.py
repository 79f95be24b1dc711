"""TodoTracker: what ticks an item, and what does not."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from mama_bot.config import TodoTrackerSettings
from mama_bot.enforcement.case import Case
from mama_bot.enforcement.completion.stage import TodoTracker
from mama_bot.model import Allow, Amend, Checklist, Decision, ToolRecord, Turn, Verdict
from mama_bot.repositories.present import WorkspaceFiles
from tests.enforcement.examples import Changed, delegation, draft, turn, wrote

EXPECTED = "- Create src/auth.py\n- Write tests\n- Run npm test"


async def judged(text: str, expected: str = EXPECTED, record: ToolRecord | None = None, **settings: bool) -> Decision:
    tracker = TodoTracker(settings=TodoTrackerSettings.model_validate(settings))
    return await tracker.judge(Case(draft(text, record=record), turn(delegated=delegation(expected))))


@pytest.mark.parametrize(
    "text",
    [
        "Created src/auth.py. Tests written. Ran npm test: 12 passed.",
        "TASK_COMPLETE",
        "All items are done.",
        "DONE",
        "모두 완료했습니다.",
        "완료했습니다.",
        "- [x] Create src/auth.py\n- [x] Write tests\n- [x] Run npm test",
        "✅ src/auth.py\n✅ tests\n✅ npm test",
    ],
)
async def test_markers_tick(text: str) -> None:
    assert isinstance(await judged(text), Allow)


@pytest.mark.parametrize(
    "text",
    [
        "Created src/auth.py. The tests are not done yet. Ran npm test.",
        "Created src/auth.py and ran npm test. Tests: abandoned.",
        "src/auth.py 완료. npm test 실행 완료. tests는 아직 완료하지 못했습니다.",
        "All done. Except: tests are still missing.",
        "- [x] Create src/auth.py\n- [ ] Write tests\n- [x] Run npm test",
    ],
)
async def test_what_is_said_to_be_open_stays_open(text: str) -> None:
    decision = await judged(text)
    assert isinstance(decision, Amend)
    assert "Write tests" in decision.reminder
    assert "auth.py" not in decision.reminder


async def test_a_reminder_lists_what_is_open_and_changes_nothing_else() -> None:
    decision = await judged("I looked around.")
    assert isinstance(decision, Amend)
    assert (decision.banner, decision.verdict) == ("", Verdict.PASSED)
    assert "(3)" in decision.reminder
    assert "Create src/auth.py; Write tests; Run npm test" in decision.reminder


async def test_korean_replies_are_reminded_in_korean() -> None:
    decision = await judged("버그를 수정했습니다.", "- 버그 수정\n- 문서 갱신")
    assert isinstance(decision, Amend)
    assert "남은 항목(1): 문서 갱신" in decision.reminder


async def test_files_that_were_written_tick_the_items_that_name_them() -> None:
    assert isinstance(await judged("See the diff.", "- Create src/auth.py", wrote("/somewhere/src/auth.py")), Allow)
    assert isinstance(await judged("See the diff.", "- Create src/auth.py", wrote("src/auth.py", ok=False)), Amend)
    assert isinstance(await judged("See the diff.", "- Create src/auth.py", wrote("src/auth.py", tool="Read")), Amend)


async def test_a_question_is_not_answered_with_a_reminder() -> None:
    assert isinstance(await judged("Which branch should I use?"), Allow)


async def test_reminders_can_be_switched_off() -> None:
    assert isinstance(await judged("I looked around.", reminder=False), Allow)


async def test_without_a_delegation_nothing_is_tracked() -> None:
    tracker = TodoTracker(settings=TodoTrackerSettings())
    assert isinstance(await tracker.judge(Case(draft("I looked around."), turn())), Allow)


def figure(decision: Decision, name: str) -> float:
    return next(figure.value for figure in decision.evidence.figures if figure.name == name)


async def test_every_reply_is_measured() -> None:
    decision = await judged("Created src/auth.py. Ran npm test: 12 passed.")
    measured = ("items", "open_items", "completion_claimed", "completion_supported")
    assert [figure(decision, name) for name in measured] == [3, 1, 1, 1]
    tracker = TodoTracker(settings=TodoTrackerSettings())
    alone = await tracker.judge(Case(draft("완료했습니다."), turn()))
    assert [figure(alone, name) for name in measured] == [0, 0, 1, 0]


async def test_files_that_git_shows_as_changed_tick() -> None:
    tracker = TodoTracker(settings=TodoTrackerSettings(), changed_files=Changed(frozenset({"src/auth.py"})))
    decision = await tracker.judge(Case(draft("See the diff."), turn(delegated=delegation("- Create src/auth.py"))))
    assert isinstance(decision, Allow)


class There:
    """The files that are there, as told."""

    async def present(self, turn: Turn, paths: Iterable[str]) -> frozenset[str]:
        return frozenset(paths) - {"src/auth.py"}


async def test_a_file_that_was_deleted_ticks_nothing() -> None:
    changed = Changed(frozenset({"src/auth.py", "src/b.py"}))
    tracker = TodoTracker(settings=TodoTrackerSettings(), changed_files=changed, present_files=There())
    decision = await tracker.judge(
        Case(draft("See the diff."), turn(delegated=delegation("- Create src/auth.py\n- Create src/b.py")))
    )
    assert isinstance(decision, Amend)
    assert "(1): Create src/auth.py" in decision.reminder


async def test_a_file_is_there_in_the_workspace_or_above_it(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "a.py").touch()
    (inner / "b.py").touch()
    present = await WorkspaceFiles(workspace_of=lambda _: inner).present(turn(), ["a.py", "b.py", "inner/b.py", "c.py"])
    assert present == {"a.py", "b.py", "inner/b.py"}


async def rounds(*texts: str, expected: str = EXPECTED, **settings: object) -> list[Allow | Amend]:
    """The decisions about the replies of one persona that gets the same task again and again."""
    tracker = TodoTracker(settings=TodoTrackerSettings.model_validate(settings))
    now, decisions = turn(delegated=delegation(expected)), list[Allow | Amend]()
    for text in texts:
        decision = await tracker.judge(Case(draft(text), now))
        assert isinstance(decision, Allow | Amend)
        now = replace(now, checklist=decision.evidence.checklist or now.checklist)
        decisions.append(decision)
    return decisions


async def test_what_was_ticked_in_one_turn_stays_ticked_in_the_next() -> None:
    first, second, third = await rounds("src/auth.py: done.", "Tests written.", "npm test: 12 passed.")
    assert isinstance(first, Amend)
    assert isinstance(second, Amend)
    assert "Run npm test" in second.reminder
    assert "auth" not in second.reminder
    assert isinstance(third, Allow)


async def test_after_three_turns_without_progress_it_says_so_once_and_stops() -> None:
    same = ["I looked around."] * 5
    *reminded, given_up, after, later = await rounds(*same)
    assert [isinstance(decision, Amend) and bool(decision.reminder) for decision in reminded] == [True, True]
    assert isinstance(given_up, Amend)
    assert (given_up.rule, given_up.reminder, given_up.verdict) == ("no_progress", "", Verdict.NOTED)
    assert "3 turns" in given_up.banner
    assert "Write tests" in given_up.banner
    assert isinstance(after, Allow)
    assert isinstance(later, Allow)


async def test_it_is_said_in_the_language_of_the_reply() -> None:
    *_, given_up = await rounds(*["둘러보았습니다."] * 2, expected="- 버그 수정", stagnation_turns=2)
    assert isinstance(given_up, Amend)
    assert "2번 연속" in given_up.banner
    assert "버그 수정" in given_up.banner


async def test_progress_starts_the_count_anew_even_after_it_was_given_up() -> None:
    idle = "I looked around."
    *_, ticked, again = await rounds(idle, idle, idle, "src/auth.py: done.", idle)
    assert isinstance(ticked, Amend)
    assert ticked.reminder
    assert isinstance(again, Amend)
    assert again.reminder


@pytest.mark.parametrize(
    "text",
    [
        "Which of the two do you prefer?\n\n- A\n- B",
        "A와 B 중 어느 쪽인지 알려 주세요.",
        "DELEGATE::reviewer::Check `src/auth.py`",
        "delegate::reviewer::Check `src/auth.py`",
    ],
)
async def test_while_an_answer_is_awaited_there_is_no_reminder_and_no_count(text: str) -> None:
    *waiting, last = await rounds(*[text] * 4, "I looked around.")
    assert all(isinstance(decision, Allow) for decision in waiting)
    assert isinstance(last, Amend)
    assert last.reminder


async def test_a_reply_that_ran_into_the_limit_of_tokens_is_not_reminded() -> None:
    tracker = TodoTracker(settings=TodoTrackerSettings())
    cut = replace(draft("I looked arou"), cut_short=True)
    assert isinstance(await tracker.judge(Case(cut, turn(delegated=delegation(EXPECTED)))), Allow)


async def test_a_task_without_items_goes_on_with_the_open_ones_of_before() -> None:
    tracker = TodoTracker(settings=TodoTrackerSettings())
    before = Checklist(task="t", asked=EXPECTED, done=("write tests",), open_items=2)
    now = replace(turn(delegated=delegation(task="Go on")), checklist=before)
    decision = await tracker.judge(Case(draft("src/auth.py: done."), now))
    assert isinstance(decision, Amend)
    assert decision.reminder.startswith("Still open from EXPECTED OUTCOME (1): Run npm test")
    assert decision.evidence.checklist is not None
    assert decision.evidence.checklist.task == "t"


async def test_ten_thousand_items_are_bounded() -> None:
    decision = await judged("nothing\n" * 10_000, "- item\n" * 10_000)
    assert isinstance(decision, Amend)
    assert len(decision.reminder) < 1000
